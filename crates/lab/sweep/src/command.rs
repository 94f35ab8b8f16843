//! The command that repeats one run of a sweep.

use ssdlab_config::Config;
use ssdlab_words::shell_line;

use crate::plan::{Combination, Kind, Source};
use crate::sweep::Sweep;

impl Sweep {
    /// The command, for the folder of the plan.
    pub(crate) fn command(
        &self,
        source: &Source,
        combination: &Combination,
        config: &Config,
    ) -> String {
        let mut words: Vec<String> = vec!["ssdlab".into(), "run".into()];
        if let Some(config) = &self.plan.config {
            words.extend(["--config".into(), config.value.display().to_string()]);
        }
        if let Some(preset) = &self.plan.preset {
            words.extend(["--preset".into(), preset.value.clone()]);
        }
        let device = self.plan.device.iter().map(|set| set.value.clone());
        let mut set: Vec<String> = device.chain(combination.set.iter().cloned()).collect();
        match &self.plan.scale_to {
            Some(scale) => words.extend(["--scale-to".into(), scale.value.1.clone()]),
            // unlike a sweep, a run does not take the capacity of its trace
            None if combination.config.is_auto() => {
                set.retain(|set| !set.starts_with("flash.capacity="));
                set.push(format!("flash.capacity={}", config.flash.capacity));
            }
            None => {}
        }
        for set in set {
            words.extend(["--set".into(), set]);
        }
        let replay = &self.plan.replay;
        let switches = [("--wrap", replay.wrap), ("--compact", replay.compact)];
        words.extend(
            switches
                .into_iter()
                .filter(|(_, on)| *on)
                .map(|(name, _)| name.into()),
        );
        match (replay.steady, replay.loops) {
            (true, most) => words.push(format!("--steady={most}")),
            (false, 1) => {}
            (false, loops) => words.extend(["--loops".into(), loops.to_string()]),
        }
        match &source.kind {
            Kind::File {
                path,
                from_plan,
                options,
                ..
            } => {
                words.extend(options.iter().cloned());
                let path = from_plan.as_ref().unwrap_or(path);
                words.push(path.display().to_string());
                shell_line(&words)
            }
            Kind::Generated(made) => {
                words.push("-".into());
                format!("ssdlab trace generate {made} | {}", shell_line(&words))
            }
        }
    }
}
