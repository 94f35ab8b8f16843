//! Configurations for tests, by their keys.

use ssdlab_config::{Config, Resolver};

/// The configuration that these `key=value` settings make of the defaults.
///
/// # Panics
/// If it is refused: tests name legal settings.
pub fn config<S: AsRef<str>>(settings: impl IntoIterator<Item = S>) -> Config {
    let mut resolver = Resolver::new();
    for setting in settings {
        let setting = setting.as_ref();
        resolver
            .set(setting)
            .unwrap_or_else(|error| panic!("{setting}: {error}"));
    }
    resolver.resolve().unwrap_or_else(|error| panic!("{error}"))
}
