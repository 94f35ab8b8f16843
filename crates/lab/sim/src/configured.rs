//! Takes the settings of a comparison from its configuration.

use ssdlab_config::{Config, ConfigError};

use crate::extremes::is_bound;
use crate::key::{POLICY, SIZE};
use crate::plan::CompareOptions;
use ssdlab_words::some_of;

impl CompareOptions {
    /// Takes the settings from the configuration: `buffer.size` is the size, `buffer.policy` the baseline. Policies
    /// that the device refuses are left out. Without a `flash.capacity`, the capacity is that of the trace, but at
    /// least the default.
    ///
    /// # Errors
    /// An invalid configuration.
    pub fn as_configured(mut self) -> Result<Self, ConfigError> {
        self.resolver.fit_capacity(true);
        let config = self.resolver.resolve()?;
        if config.gives(SIZE) {
            self.sizes = vec![config.buffer.size];
        }
        if config.gives(POLICY) && !is_bound(config.policy) {
            self.baseline = Some(config.policy.to_owned());
        }
        self.leave_out_refused(&config);
        Ok(self)
    }

    /// Leaves out the policies that the device refuses at every size, and notes the reason.
    fn leave_out_refused(&mut self, config: &Config) {
        let resolver = &self.resolver;
        let refusal = |policy: &String| -> Option<ConfigError> {
            let mut resolver = resolver.clone();
            let set = resolver.set(&format!("{POLICY}={policy}"));
            set.and_then(|resolver| resolver.resolve()).err()
        };
        let refused: Vec<(String, ConfigError)> = self
            .buffers
            .iter()
            .filter_map(|policy| Some((policy.clone(), refusal(policy)?)))
            .collect();
        let Some((_, why)) = refused.first() else {
            return;
        };
        let names: Vec<String> = refused.iter().map(|(name, _)| name.clone()).collect();
        self.notes.push(format!(
            "not compared: {}, which ftl.kind {:?} refuses as configured: {why}",
            some_of(&names),
            config.ftl
        ));
        self.buffers.retain(|policy| !names.contains(policy));
    }
}
