//! Contests: a write buffer beside its rivals at many points, each a workload, a device, a size and a replay.

mod cell;
mod chart;
mod description;
mod page;

use std::path::PathBuf;

use ssdlab_config::Resolver;
use ssdlab_sim::{Lab, key};
use toml::Spanned;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::File;
use crate::study::{Progress, Report, Settings, Study};
use description::{Description, Device};

/// The keys of policies, sizes, and flushes honoured or ignored.
const DRAWN: [&str; 3] = [key::POLICY, key::SIZE, key::PROTECTED];

/// A checked description with its page.
#[derive(Debug)]
pub struct Contest {
    name: String,
    description: Description,
    file: File,
    /// The text of the page, with marks in the place of what is measured.
    page: File,
    /// What the description may name.
    lab: Lab,
}

impl Contest {
    /// The name of every description.
    pub const DESCRIPTION: &str = "contest.toml";
    /// The name of every page.
    const PAGE: &str = "page.md";

    /// Reads a description, which may name the systems of the laboratory, and its page, and checks everything that needs no trace.
    ///
    /// # Errors
    /// The first error in them.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let contest = Self {
            name: name.into(),
            description: file.parse()?,
            page: descriptions.file(name, Self::PAGE)?,
            file,
            lab: lab.clone(),
        };
        contest.check()?;
        Ok(contest)
    }

    /// The labels of all runs: the rivals, the competitor and its variants.
    fn labels(&self) -> impl Iterator<Item = &Spanned<String>> {
        let rivals = self.description.rivals.iter();
        let variants = self.description.variants.iter();
        let policies = rivals.chain([&self.description.competitor]);
        policies.chain(variants.map(|variant| &variant.name))
    }

    /// The rivals, then the competitor.
    fn policies(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.labels().take(self.competitor_at() + 1)
    }

    fn competitor(&self) -> &str {
        self.description.competitor.get_ref()
    }

    /// The place of the competitor, which is the number of its rivals.
    fn competitor_at(&self) -> usize {
        self.description.rivals.len()
    }

    /// The place of a policy.
    fn place(&self, name: &Spanned<String>) -> usize {
        let place = self.labels().position(|label| label == name);
        place.unwrap_or(self.competitor_at())
    }

    fn resolver(&self, device: &Device) -> Result<Resolver, ReproduceError> {
        let set = self.description.set.iter().chain(&device.set);
        let preset = &self.description.preset;
        self.file.resolver(&self.lab, preset, set)
    }

    /// Refuses settings of the keys whose values the contest draws itself, which would be overridden without a word.
    fn check_keys(&self) -> Result<(), ReproduceError> {
        let all = &self.description;
        let of_devices = all.devices.iter().flat_map(|device| &device.set);
        let of_variants = all.variants.iter().map(|variant| &variant.set);
        for setting in all.set.iter().chain(of_devices).chain(of_variants) {
            let key = setting.get_ref().split('=').next().unwrap_or_default();
            if DRAWN.contains(&key.trim()) {
                return Err(self
                    .file
                    .refuse(setting, "the contest sets this key itself"));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ReproduceError> {
        let (all, file) = (&self.description, &self.file);
        self.check_keys()?;
        for device in &all.devices {
            let resolver = self.resolver(device)?;
            for policy in self.policies() {
                let setting = format!("{}={}", key::POLICY, policy.get_ref());
                file.accepts(&resolver, policy, Some(&setting))?;
            }
            for variant in &all.variants {
                file.accepts(&resolver, &variant.set, Some(variant.set.get_ref()))?;
            }
        }
        file.distinct(self.labels().map(|name| (name.get_ref(), name)))?;
        file.distinct(all.sizes.iter().map(|size| (size.get_ref().0, size)))?;
        file.distinct(all.devices.iter().map(|d| (d.name.get_ref(), &d.name)))?;
        let workloads = self.workloads();
        file.distinct(workloads.iter().map(|(name, from)| (name, from.text())))?;
        for name in all.drawn.iter().chain([&all.baseline]) {
            if !all.rivals.contains(name) {
                let rivals = all.rivals.iter().map(|rival| rival.get_ref().as_str());
                let rivals = rivals.collect::<Vec<_>>().join(", ");
                return Err(file.refuse(name, format!("is no rival; one of: {rivals}")));
            }
        }
        let mut at = 0;
        for line in self.page.text.split_inclusive('\n') {
            if let Some(None) = page::part(line) {
                let names = page::PARTS.map(|part| part.0).join(", ");
                let why = format!("no such part; one of: {names}");
                return Err(self.page.refuse_at(at, &why));
            }
            at += line.len();
        }
        Ok(())
    }
}

impl Study for Contest {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.title
    }

    fn source(&self) -> &str {
        &self.description.source
    }

    fn inputs(&self, settings: &Settings) -> Vec<PathBuf> {
        let traces = self.description.traces.iter();
        let traces = traces.map(|file| settings.traces.join(file.get_ref()));
        let files = [&self.file, &self.page].map(|file| file.path.clone());
        files.into_iter().chain(traces).collect()
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        page::report(self, &self.cells(settings, progress)?)
    }
}
