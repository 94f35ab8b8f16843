//! The options of `ssdlab compare`.

use ssdlab_sim::{Axis, Choices, CompareOptions, Lab};

use super::args::Args;
use crate::failure::Failure;

/// Converts the options; an error names the option that is wrong.
pub fn options(args: &Args, lab: &Lab) -> Result<CompareOptions, Failure> {
    // an error of the configuration itself must not name an option
    let choices = Choices {
        buffers: args.buffer.clone(),
        all_buffers: args.all,
        sizes: args.size.clone(),
        ram_total: args.ram_total.clone(),
        ftls: args.ftl.clone(),
        vary: parse_axes(&args.vary)?,
        baseline: args.baseline.clone(),
    };
    let options = CompareOptions::new(lab, args.config.resolver(lab)?).or_today(&choices);
    let mut options = options.as_configured()?;
    options.replay = args.replay.options();
    // with --wrap, the capacity of the configuration is the right one
    options.resolver.fit_capacity(!options.replay.wrap);
    options.choose(&choices)?;
    let figures = lab.figures();
    options.by = args.by.as_deref().and_then(|name| figures.named(name));
    options.jobs = args.jobs.map_or(0, usize::from);
    options.memory = args.memory;
    options.bounds = !args.no_bounds;
    options.settled |= args.settled;
    // a larger buffer would break the limit
    options.advice = !args.no_advice && !options.share_ram;
    Ok(options)
}

/// `KEY=V1,V2` each; each value once.
pub fn parse_axes(keys: &[String]) -> Result<Vec<Axis>, Failure> {
    keys.iter().map(|text| parse_axis(text)).collect()
}

fn parse_axis(text: &str) -> Result<Axis, Failure> {
    let refused = |why: &str| Err(Failure::Input(format!("--vary {text}: {why}")));
    let Some((key, values)) = text.split_once('=') else {
        return refused("must be KEY=VALUE,VALUE,…");
    };
    let mut axis = Axis {
        key: key.trim().into(),
        values: Vec::new(),
    };
    for value in split_values(values) {
        if value.is_empty() {
            return refused("a value is missing; must be KEY=VALUE,VALUE,…");
        }
        if !axis.values.iter().any(|other| other == value) {
            axis.values.push(value.into());
        }
    }
    Ok(axis)
}

/// Splits a text at its commas, except those inside the brackets of a list or inside double quotes, which are taken off.
fn split_values(text: &str) -> impl Iterator<Item = &str> {
    let (mut open, mut quoted) = (0, false);
    let separates = move |c| {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => open += 1,
            ']' if !quoted => open -= 1,
            _ => {}
        }
        c == ',' && open <= 0 && !quoted
    };
    text.split(separates).map(|value| {
        let value = value.trim();
        let inside = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        inside.unwrap_or(value)
    })
}
