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
    let axis = |text: &String| {
        Axis::parse(text).map_err(|why| Failure::Input(format!("--vary {text}: {why}")))
    };
    keys.iter().map(axis).collect()
}
