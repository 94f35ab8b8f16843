//! Configurations for tests, from settings, with their systems and devices.

use std::convert::Infallible;

use ssdlab_config::{Config, Resolver};
use ssdlab_device::{BuildError, Device, Outlook, Plugins, Registry, Stack};
use ssdlab_flash::Media;
use ssdlab_host::Request;

use crate::flash::Flash;

/// The default configuration with these `key=value` settings.
///
/// # Panics
/// If a setting is refused: tests use legal settings.
pub fn config<S: AsRef<str>>(settings: impl IntoIterator<Item = S>) -> Config {
    resolved(Resolver::new(), settings)
}

/// As [`config`], where the settings may name these systems too.
///
/// # Panics
/// As [`config`].
pub fn config_with<S: AsRef<str>>(
    plugins: &impl Plugins,
    settings: impl IntoIterator<Item = S>,
) -> Config {
    // any media will do: those for which the systems are compiled anyway
    let registry = Registry::<Flash>::with(plugins);
    resolved(Resolver::of(registry.catalogue()), settings)
}

fn resolved<S: AsRef<str>>(
    mut resolver: Resolver,
    settings: impl IntoIterator<Item = S>,
) -> Config {
    for setting in settings {
        let setting = setting.as_ref();
        resolver
            .set(setting)
            .unwrap_or_else(|error| panic!("{setting}: {error}"));
    }
    resolver.resolve().unwrap_or_else(|error| panic!("{error}"))
}

/// The systems of a configuration, all built-in.
pub fn stack<M: Media>(config: &Config) -> Stack<M> {
    stack_with(&(), config)
}

/// The systems of a configuration, all built-in. A write buffer that foresees the writes knows these requests; `wrap`:
/// their page numbers are taken modulo the capacity.
///
/// # Panics
/// If there is no memory for what comes.
pub fn foreseeing_stack<M: Media>(config: &Config, wrap: bool, requests: &[Request]) -> Stack<M> {
    let stack = stack(config);
    let Some(outlook) = Outlook::of(config, &stack, wrap, false) else {
        return stack;
    };
    let future = outlook.future(usize::MAX, &mut |see| {
        requests.iter().for_each(see);
        Ok::<(), Infallible>(())
    });
    let Ok(future) = future;
    stack.with_future(Some(future.expect("memory for the writes to come")))
}

/// The systems of a configuration, built-in or of these plugins.
pub fn stack_with<M: Media>(plugins: &impl Plugins, config: &Config) -> Stack<M> {
    config.stack(&Registry::with(plugins))
}

/// A new device over flash that can be stopped.
///
/// # Errors
/// If its systems refuse the configuration.
pub fn stoppable(config: &Config) -> Result<Device<Flash>, BuildError> {
    Device::fresh_on(config, &stack(config), Flash::stoppable)
}
