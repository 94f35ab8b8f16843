//! A comparison of the page as others say it: a command line, and Python.

use ssdlab_words::shell_line;

use crate::compare::Compare;

/// The file of a generated workload.
const GENERATED: &str = "workload.csv";

/// The lines of a shell that run the same.
pub fn command(asked: &Compare) -> String {
    let mut words: Vec<String> = vec!["ssdlab".into(), "compare".into()];
    for (option, value) in options(asked) {
        words.push(format!("--{option}"));
        words.extend(value);
    }
    let generated = asked.workload.as_ref();
    words.extend(asked.read.iter().filter(|_| generated.is_none()).cloned());
    words.push(match generated {
        Some(_) => GENERATED.into(),
        None => asked.file.clone().unwrap_or_default(),
    });
    let compared = shell_line(&words);
    match generated {
        Some(workload) => {
            format!("ssdlab trace generate {workload} --output {GENERATED}\n{compared}")
        }
        None => compared,
    }
}

/// The options with their values, in the order of the help.
fn options(asked: &Compare) -> Vec<(&'static str, Option<String>)> {
    let one = |option, value: &Option<String>| value.clone().map(|value| (option, Some(value)));
    let joined =
        |option, values: &[String]| (!values.is_empty()).then(|| (option, Some(values.join(","))));
    let each = |option, values: &[String]| {
        values
            .iter()
            .map(|value| (option, Some(value.clone())))
            .collect::<Vec<_>>()
    };
    let on = |option, on: bool| on.then_some((option, None));
    let mut all = Vec::new();
    all.extend(one("preset", &asked.preset));
    all.extend(each("set", &asked.set));
    all.extend(one("scale-to", &asked.scale_to));
    all.extend(joined("buffer", &asked.buffer));
    all.extend(on("all", asked.all));
    all.extend(joined("size", &asked.size));
    all.extend(joined("ftl", &asked.ftl));
    all.extend(each("vary", &asked.vary));
    all.extend(one("baseline", &asked.baseline));
    all.extend(one("by", &asked.by));
    all.extend(on("no-bounds", asked.no_bounds));
    all.extend(on("settled", asked.settled));
    all.extend(on("no-advice", asked.no_advice));
    all.extend(on("wrap", asked.wrap));
    all.extend(on("compact", asked.compact));
    let loops = asked.loops.filter(|loops| *loops > 1);
    all.extend(loops.map(|loops| ("loops", Some(loops.to_string()))));
    all
}

/// The lines of Python that run the same.
pub fn python(asked: &Compare) -> String {
    let mut text = "import ssdlab as sl\n\n".to_owned();
    text += &match &asked.workload {
        Some(workload) => {
            let mut words = workload.split_whitespace();
            let kind = quoted(words.next().unwrap_or_default());
            let mut arguments = vec![kind];
            let mut words = words.peekable();
            while let Some(option) = words.next() {
                let name = option.trim_start_matches('-').replace('-', "_");
                let value = words.next_if(|word| !word.starts_with("--"));
                arguments.push(format!("{name}={}", value.map_or("True".into(), quoted)));
            }
            format!("trace = sl.generate({})\n", arguments.join(", "))
        }
        None => {
            let mut arguments = vec![quoted(asked.file.as_deref().unwrap_or_default())];
            for option in &asked.read {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                let name = name.trim_start_matches('-').replace('-', "_");
                let value = if value.is_empty() {
                    "True".into()
                } else {
                    quoted(value)
                };
                arguments.push(format!("{name}={value}"));
            }
            format!("trace = sl.Trace.open({})\n", arguments.join(", "))
        }
    };
    let mut device: Vec<String> = asked
        .preset
        .iter()
        .map(|preset| format!("preset={}", quoted(preset)))
        .collect();
    if let Some(size) = &asked.scale_to {
        device.push(format!("scale_to={}", quoted(size)));
    }
    if !asked.set.is_empty() {
        let pairs = asked.set.iter().filter_map(|set| set.split_once('='));
        let pairs: Vec<String> = pairs
            .map(|(key, value)| format!("{}: {}", quoted(key.trim()), quoted(value.trim())))
            .collect();
        device.push(format!("set={{{}}}", pairs.join(", ")));
    }
    let mut arguments = vec!["trace".to_owned()];
    if !device.is_empty() {
        text += &format!("device = sl.Device({})\n", device.join(", "));
        arguments.push("device".into());
    }
    let listed = |name: &str, values: &[String]| {
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        (!values.is_empty()).then(|| format!("{name}=[{}]", values.join(", ")))
    };
    arguments.extend(listed("buffer", &asked.buffer));
    arguments.extend(asked.all.then(|| "all_buffers=True".into()));
    arguments.extend(listed("buffer_size", &asked.size));
    arguments.extend(listed("ftl", &asked.ftl));
    if !asked.vary.is_empty() {
        let axes = asked
            .vary
            .iter()
            .filter_map(|text| ssdlab_sim::Axis::parse(text).ok());
        let axes: Vec<String> = axes
            .map(|axis| {
                let values: Vec<String> = axis.values.iter().map(|value| quoted(value)).collect();
                format!("{}: [{}]", quoted(&axis.key), values.join(", "))
            })
            .collect();
        arguments.push(format!("vary={{{}}}", axes.join(", ")));
    }
    for (name, value) in [("baseline", &asked.baseline), ("by", &asked.by)] {
        arguments.extend(
            value
                .as_ref()
                .map(|value| format!("{name}={}", quoted(value))),
        );
    }
    let switches = [
        (asked.no_bounds, "bounds=False"),
        (asked.no_advice, "advice=False"),
        (asked.settled, "settled=True"),
        (asked.wrap, "wrap=True"),
        (asked.compact, "compact=True"),
    ];
    arguments.extend(
        switches
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, text)| (*text).to_owned()),
    );
    arguments.extend(
        asked
            .loops
            .filter(|loops| *loops > 1)
            .map(|loops| format!("loops={loops}")),
    );
    text + &format!(
        "comparison = sl.compare({})\nprint(comparison)\n",
        arguments.join(", ")
    )
}

/// A text of Python.
fn quoted(text: &str) -> String {
    // the same escapes as in JSON
    serde_json::to_string(text).unwrap_or_default()
}
