//! Configurations for tests, from settings.

use ssdlab_config::{Config, Resolver};

/// The default configuration with these `key=value` settings.
///
/// # Panics
/// If a setting is refused: tests use legal settings.
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
