//! The options of `ssdlab compare`.

use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_sim::{Axis, CompareOptions, IDEAL, Lab, is_bound};

use super::args::Args;
use crate::failure::Failure;

/// Converts the options; an error names the option that is wrong.
pub fn options(args: &Args, lab: &Lab) -> Result<CompareOptions, Failure> {
    // an error of the configuration itself must not name an option
    let mut options = CompareOptions::new(args.config.resolver(lab)?).as_configured()?;
    options.registered = lab.systems().clone();
    options.replay = args.replay.options();
    // with --wrap, the capacity of the configuration is the right one
    options.resolver.fit_capacity(!options.replay.wrap);
    take_buffers(&args.buffer, &mut options)?;
    if !args.size.is_empty() {
        let sizes = args.size.iter();
        let sizes = sizes.map(|size| parse_size(&options.resolver, size));
        options.sizes = sizes.collect::<Result<_, _>>()?;
    }
    if !args.ram_total.is_empty() {
        options.sizes = args.ram_total.clone();
        options.share_ram = true;
    }
    take_axes(&args.ftl, &args.vary, &mut options)?;
    if args.baseline.is_some() {
        options.baseline = args.baseline.clone();
    }
    let figures = lab.figures();
    options.by = args.by.as_deref().and_then(|name| figures.named(name));
    give_way(args, &mut options)?;
    options.jobs = args.jobs.map_or(0, usize::from);
    options.memory = args.memory;
    options.bounds = !args.no_bounds;
    // a larger buffer would break the limit
    options.advice = !args.no_advice && !options.share_ram;
    Ok(options)
}

/// Takes the policies of `--buffer`, if there are some.
pub fn take_buffers(names: &[String], options: &mut CompareOptions) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    for name in names {
        refuse_bound("--buffer", name, is_bound(name))?;
        let policy = format!("buffer.policy={name}");
        vary(&options.resolver, "--buffer", name, &[&policy])?;
    }
    options.buffers = names.to_vec();
    // a user who names the policies needs no note about those that were left out
    options.notes.clear();
    Ok(())
}

/// Takes the FTLs of `--ftl` and the keys of `--vary`.
pub fn take_axes(
    ftls: &[String],
    keys: &[String],
    options: &mut CompareOptions,
) -> Result<(), Failure> {
    if !ftls.is_empty() {
        for name in ftls {
            refuse_bound("--ftl", name, name == IDEAL)?;
        }
        options.vary.push(Axis {
            key: "ftl.kind".to_owned(),
            values: ftls.to_vec(),
        });
    }
    for text in keys {
        let mut axis = parse_axis(text)?;
        if let Some(path) = options.resolver.path_of(&axis.key) {
            axis.key = path.into();
        }
        if options.vary.iter().any(|other| other.key == axis.key) {
            return Err(Failure::Input(format!(
                "--vary {text}: {} is varied already",
                axis.key
            )));
        }
        options.vary.push(axis);
    }
    for Axis { key, values } in &options.vary {
        let option = if key == "ftl.kind" { "--ftl" } else { "--vary" };
        for value in values {
            let setting = format!("{key}={value}");
            let shown = if key == "ftl.kind" { value } else { &setting };
            vary(&options.resolver, option, shown, &[&setting])?;
        }
    }
    Ok(())
}

/// Notes each given value that an option overrides, so that none is dropped silently.
fn give_way(args: &Args, options: &mut CompareOptions) -> Result<(), Failure> {
    let config = options.resolver.resolve()?;
    let mut overridden = vec![
        ("buffer.size", "--size", !args.size.is_empty()),
        ("buffer.size", "--ram-total", !args.ram_total.is_empty()),
    ];
    let axes = options.vary.iter().map(|axis| match axis.key.as_str() {
        "ftl.kind" => ("ftl.kind", "--ftl", true),
        key => (key, "--vary", true),
    });
    overridden.extend(axes);
    let policy = config.policy;
    if let Some(label) = args.baseline.as_deref() {
        let differs = !label.starts_with(policy);
        overridden.push(("buffer.policy", "--baseline", differs));
    } else if options.baseline.is_some() && !options.buffers.iter().any(|name| name == policy) {
        options.baseline = None;
        overridden.push(("buffer.policy", "--buffer", true));
    }
    let of_user = overridden.into_iter().filter(|(.., is_given)| *is_given);
    let notes = of_user.filter_map(|(key, option, _)| {
        let setting = config.given_at(key)?;
        Some(format!("{setting} is overridden by {option}"))
    });
    options.notes.extend(notes);
    if !args.size.is_empty() && options.buffers.iter().all(|name| name == NO_BUFFER) {
        let why = "has no effect: no compared policy has a write buffer";
        options.notes.push(format!("--size {why}"));
    }
    if is_bound(policy)
        && let Some(setting) = config.given_at("buffer.policy")
    {
        let why = "is a bound, which a comparison shows unless --no-bounds is given, and cannot be the baseline";
        options.notes.push(format!("{setting} {why}"));
    }
    Ok(())
}

fn refuse_bound(option: &str, name: &str, is_bound: bool) -> Result<(), Failure> {
    if !is_bound {
        return Ok(());
    }
    let why = "is a bound, which a comparison shows unless --no-bounds is given, and not a competitor; leave it out";
    Err(Failure::Input(format!("{option} {name}: {why}")))
}

/// `KEY=V1,V2`; each value once.
fn parse_axis(text: &str) -> Result<Axis, Failure> {
    let refused = |why: String| Err(Failure::Input(format!("--vary {text}: {why}")));
    let Some((key, values)) = text.split_once('=') else {
        return refused("must be KEY=VALUE,VALUE,…".into());
    };
    let options = [
        ("buffer.policy", "--buffer"),
        ("buffer.size", "--size"),
        ("ftl.kind", "--ftl"),
    ];
    if let Some((_, option)) = options.iter().find(|(varied, _)| *varied == key.trim()) {
        return refused(format!("use {option} {values}"));
    }
    let mut axis = Axis {
        key: key.trim().into(),
        values: Vec::new(),
    };
    for value in split_values(values) {
        if value.is_empty() {
            return refused("a value is missing; must be KEY=VALUE,VALUE,…".into());
        }
        if !axis.values.iter().any(|other| other == value) {
            axis.values.push(value.into());
        }
    }
    Ok(axis)
}

/// Splits a text at its commas, except those inside the brackets of a list.
fn split_values(text: &str) -> impl Iterator<Item = &str> {
    let mut open = 0;
    let separates = move |c| {
        match c {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        c == ',' && open <= 0
    };
    text.split(separates).map(str::trim)
}

/// A size in the syntax of the configuration, checked against the device.
fn parse_size(resolver: &Resolver, text: &str) -> Result<u64, Failure> {
    let size = format!("buffer.size={text}");
    // any policy with a size will do for the check
    let config = vary(resolver, "--size", text, &["buffer.policy=lru", &size])?;
    Ok(config.buffer.size)
}

/// The configuration with the value of an option; an error names that option.
fn vary(
    resolver: &Resolver,
    option: &str,
    value: &str,
    settings: &[&str],
) -> Result<Config, Failure> {
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
        Failure::Input(format!("{option} {value}: {why}"))
    })
}
