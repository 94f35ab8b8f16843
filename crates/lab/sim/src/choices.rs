//! What a user lets a comparison choose from, checked against the device.

use ssdlab_config::{Config, ConfigError, Resolver, is_of_device, is_of_flash};
use ssdlab_device::registry::NO_BUFFER;

use crate::extremes::{IDEAL, is_bound};
use crate::key::{FTL, POLICY, SIZE};
use crate::plan::CompareOptions;
use crate::space::Axis;

/// What a comparison is to run, as a user gives it. What is empty stays as the options have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Names of buffer policies; none: those that matter most, [`SHOWN`](crate::SHOWN) and that of the configuration.
    pub buffers: Vec<String>,
    /// Instead of these, all that the device accepts.
    pub all_buffers: bool,
    /// Buffer sizes in the syntax of `--set`.
    pub sizes: Vec<String>,
    /// Sizes of all RAM in bytes, instead of `sizes`.
    pub ram_total: Vec<u64>,
    /// Names of FTLs.
    pub ftls: Vec<String>,
    /// Further keys.
    pub vary: Vec<Axis>,
    /// The label, or the policy, of the baseline.
    pub baseline: Option<String>,
}

/// A choice that cannot be. It displays as the message for the command line; other callers have other names for options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--{option} {value}: {why}")]
pub struct NoChoice {
    /// The option without dashes: `buffer`, `size`, `ftl` or `vary`.
    pub option: &'static str,
    /// What was given.
    pub value: String,
    /// The reason, and what is allowed.
    pub why: String,
}

/// A user who gives keys of the FTL or of times, but names no device, may expect a drive of today.
const OLD_FLASH: &str = "keys of the FTL or of times without a device are of the default, a device of 2008; for a drive of today give \
                         --preset nvme-tlc --scale-to 1GiB";

impl CompareOptions {
    /// Takes the choices, and notes each setting of the configuration that gives way to one.
    ///
    /// # Errors
    /// A name, key or value that does not exist, or that the device refuses.
    pub fn choose(&mut self, choices: &Choices) -> Result<(), NoChoice> {
        self.take_buffers(&choices.buffers)?;
        if !choices.sizes.is_empty() {
            let sizes = choices.sizes.iter();
            let sizes = sizes.map(|size| parse_size(&self.resolver, size));
            self.sizes = sizes.collect::<Result<_, _>>()?;
        }
        if !choices.ram_total.is_empty() {
            self.sizes = choices.ram_total.clone();
            self.share_ram = true;
        }
        self.take_axes(&choices.ftls, &choices.vary)?;
        if choices.baseline.is_some() {
            self.baseline = choices.baseline.clone();
        }
        if choices.buffers.is_empty() && !choices.all_buffers {
            self.take_usual_buffers();
        }
        self.give_way(choices);
        let varied = |is: fn(&str) -> bool| self.vary.iter().any(|axis| is(&axis.key));
        let some = self.resolver.names_device() || varied(is_of_device);
        if some && !self.resolver.names_flash() && !varied(is_of_flash) {
            self.notes.push(OLD_FLASH.into());
        }
        Ok(())
    }

    /// Takes these buffer policies, if there are some.
    ///
    /// # Errors
    /// No such policy, a bound, or one that the device refuses.
    pub fn take_buffers(&mut self, names: &[String]) -> Result<(), NoChoice> {
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            refuse_bound("buffer", name, is_bound(name))?;
            let policy = format!("{POLICY}={name}");
            varied(&self.resolver, "buffer", name, &[&policy])?;
        }
        self.buffers = names.to_vec();
        // a user who names the policies needs no note about those that were left out
        self.notes.clear();
        Ok(())
    }

    /// Takes these FTLs, if there are some, and further keys.
    ///
    /// # Errors
    /// As [`CompareOptions::choose`].
    pub fn take_axes(&mut self, ftls: &[String], keys: &[Axis]) -> Result<(), NoChoice> {
        if !ftls.is_empty() {
            for name in ftls {
                refuse_bound("ftl", name, name == IDEAL)?;
            }
            self.vary.push(Axis {
                key: FTL.to_owned(),
                values: ftls.to_vec(),
            });
        }
        for axis in keys {
            let mut axis = axis.clone();
            if let Some(path) = self.resolver.path_of(&axis.key) {
                axis.key = path.into();
            }
            let refused = |why: String| NoChoice {
                option: "vary",
                value: format!("{}={}", axis.key, axis.values.join(",")),
                why,
            };
            if let Some(option) = own_option(&axis.key) {
                let values = axis.values.join(",");
                return Err(refused(format!("use --{option} {values}")));
            }
            if self.vary.iter().any(|other| other.key == axis.key) {
                return Err(refused(format!("{} is varied already", axis.key)));
            }
            self.vary.push(axis);
        }
        for Axis { key, values } in &self.vary {
            let option = if key == FTL { "ftl" } else { "vary" };
            for value in values {
                let setting = format!("{key}={value}");
                let shown = if key == FTL { value } else { &setting };
                let alone = varied(&self.resolver, option, shown, &[&setting]);
                if alone.is_err() && !self.fits_beside_others(key, &setting) {
                    alone?;
                }
            }
        }
        Ok(())
    }

    /// Whether the device takes a setting with one of the buffers and one value of another key that varies.
    fn fits_beside_others(&self, key: &str, setting: &str) -> bool {
        let others = self.vary.iter().filter(|axis| axis.key != key);
        let others = others.flat_map(|axis| {
            let values = axis.values.iter();
            values.map(|value| Some(format!("{}={value}", axis.key)))
        });
        let others: Vec<Option<String>> = others.chain([None]).collect();
        let fits = |buffer: &String, other: &Option<String>| {
            let buffer = format!("{POLICY}={buffer}");
            let mut settings = vec![buffer.as_str(), setting];
            settings.extend(other.as_deref());
            varied(&self.resolver, "vary", setting, &settings).is_ok()
        };
        let mut buffers = self.buffers.iter();
        buffers.any(|buffer| others.iter().any(|other| fits(buffer, other)))
    }

    /// Notes each given value that a choice overrides, so that none is dropped silently.
    fn give_way(&mut self, choices: &Choices) {
        // each choice was resolved with it
        let Ok(config) = self.resolver.resolve() else {
            return;
        };
        let mut overridden = vec![
            (SIZE, "--size", !choices.sizes.is_empty()),
            (SIZE, "--ram-total", !choices.ram_total.is_empty()),
        ];
        let axes = self.vary.iter().map(|axis| match axis.key.as_str() {
            FTL => (FTL, "--ftl", true),
            key => (key, "--vary", true),
        });
        overridden.extend(axes);
        let policy = config.policy;
        let mut is_baseline_left_out = false;
        if let Some(label) = choices.baseline.as_deref() {
            let differs = !label.starts_with(policy);
            overridden.push((POLICY, "--baseline", differs));
        } else if self.baseline.is_some() && !self.buffers.iter().any(|name| name == policy) {
            is_baseline_left_out = true;
            overridden.push((POLICY, "--buffer", true));
        }
        let of_user = overridden.into_iter().filter(|(.., is_given)| *is_given);
        let notes = of_user.filter_map(|(key, option, _)| {
            let setting = config.given_at(key)?;
            Some(format!("{setting} is overridden by {option}"))
        });
        self.notes.extend(notes);
        if is_baseline_left_out {
            self.baseline = None;
        }
        if !choices.sizes.is_empty() && self.buffers.iter().all(|name| name == NO_BUFFER) {
            let why = "has no effect: no compared policy has a write buffer";
            self.notes.push(format!("--size {why}"));
        }
        if is_bound(policy)
            && let Some(setting) = config.given_at(POLICY)
        {
            let why = "is a bound, which a comparison shows unless --no-bounds is given, and cannot be the baseline";
            self.notes.push(format!("{setting} {why}"));
        }
    }
}

/// The option of a key that has one of its own.
fn own_option(key: &str) -> Option<&'static str> {
    let options = [(POLICY, "buffer"), (SIZE, "size"), (FTL, "ftl")];
    let own = options.into_iter().find(|(path, _)| *path == key);
    own.map(|(_, option)| option)
}

fn refuse_bound(option: &'static str, name: &str, is_bound: bool) -> Result<(), NoChoice> {
    if !is_bound {
        return Ok(());
    }
    let why = "is a bound, which a comparison shows unless --no-bounds is given, and not a competitor; leave it out";
    Err(NoChoice {
        option,
        value: name.into(),
        why: why.into(),
    })
}

/// A size in the syntax of the configuration, checked against the device.
fn parse_size(resolver: &Resolver, text: &str) -> Result<u64, NoChoice> {
    let size = format!("{SIZE}={text}");
    // any policy with a size will do for the check
    let config = varied(resolver, "size", text, &[&format!("{POLICY}=lru"), &size])?;
    Ok(config.buffer.size)
}

/// The configuration with the value of an option; an error names that option.
fn varied(
    resolver: &Resolver,
    option: &'static str,
    value: &str,
    settings: &[&str],
) -> Result<Config, NoChoice> {
    let mut resolver = resolver.clone();
    let mut resolve = || {
        for setting in settings {
            resolver.set(setting)?;
        }
        resolver.resolve()
    };
    resolve().map_err(|error: ConfigError| {
        let message = error.to_string();
        let why = message.strip_prefix("--set ").unwrap_or(&message);
        NoChoice {
            option,
            value: value.into(),
            why: why.into(),
        }
    })
}
