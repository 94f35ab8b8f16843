//! The kinds of values: their TOML types, their ranges, and the words for both.

use crate::nearest::nearest;
use crate::presets;
use crate::value::Value;
use ssdlab_device::Catalogue;
use ssdlab_policy::{Kind, Names};
use ssdlab_words::{parse_size, size_value};

/// The names that can be chosen.
pub fn names(of: &Names, catalogue: &Catalogue) -> Vec<&'static str> {
    match of {
        Names::Fixed(names) | Names::Switched(names) => names.to_vec(),
        Names::Presets => presets::presets().iter().map(|p| p.name).collect(),
        Names::Systems(family) => {
            let entries = catalogue.entries(*family);
            entries.iter().map(|entry| entry.name).collect()
        }
        Names::ReadBuffers => {
            let policies = catalogue.read_buffers();
            policies.map(|info| info.entry.name).collect()
        }
    }
}

/// A value of the right type is not allowed; the text says what is.
pub(crate) struct Refusal(pub String);

/// The value, if its TOML type fits. The range is [`check`]ed after merging.
pub(crate) fn read(kind: &Kind, raw: &toml_edit::Value) -> Option<Value> {
    match kind {
        Kind::Bool => raw.as_bool().map(Value::Bool),
        Kind::Int { .. } => raw.as_integer().map(Value::Int),
        Kind::Float { .. } => number(raw).map(Value::Float),
        Kind::Share => number(raw).map(|given| Value::Float(share(given))),
        Kind::Size { word, .. } => match raw.as_str() {
            Some(text) if *word == Some(text) => Some(Value::Text(text.into())),
            Some(text) => parse_size(text).map(|size| Value::Int(size.bytes)),
            None => raw.as_integer().map(Value::Int),
        },
        Kind::Choice(names) => {
            let switched = || match names {
                Names::Switched(names) if raw.as_bool()? => names.first(),
                Names::Switched(names) => names.last(),
                _ => None,
            };
            let name = raw.as_str().or_else(|| switched().copied());
            name.map(|name| Value::Text(name.into()))
        }
        Kind::Pattern { .. } => {
            let text = raw.as_str().map(str::to_owned);
            let text = text.or_else(|| number(raw).map(|number| number.to_string()));
            let list = || {
                let words = raw.as_array()?.iter().map(toml_edit::Value::as_str);
                Some(words.collect::<Option<Vec<_>>>()?.join(","))
            };
            text.or_else(list).map(Value::Text)
        }
        Kind::List { .. } => {
            let numbers: Option<_> = raw.as_array()?.iter().map(number).collect();
            numbers.map(Value::List)
        }
    }
}

/// Whether this is a size with a unit, which people round. A number of bytes is meant as it is.
pub(crate) fn has_unit(kind: &Kind, raw: &toml_edit::Value) -> bool {
    let text = raw.as_str().filter(|_| matches!(*kind, Kind::Size { .. }));
    text.is_some_and(|text| text.ends_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether this is a share that is given in per cent.
pub(crate) fn is_percent(kind: &Kind, raw: &toml_edit::Value) -> bool {
    matches!(kind, Kind::Share) && number(raw).is_some_and(|given| given > 1.0)
}

/// A share; a number above 1 is taken for per cent.
fn share(given: f64) -> f64 {
    if given > 1.0 { given / 100.0 } else { given }
}

/// Checks the range and the availability of a value of the right type.
pub(crate) fn check(kind: &Kind, value: &Value, catalogue: &Catalogue) -> Result<(), Refusal> {
    let within = match (kind, value) {
        (Kind::Choice(names), Value::Text(name)) => return check_name(names, name, catalogue),
        (Kind::Int { min, max }, Value::Int(n)) => (min..=max).contains(&n),
        (Kind::Pattern { fits, .. }, Value::Text(text)) => fits(text),
        (Kind::Float { min, max }, Value::Float(x)) => (min..=max).contains(&x),
        (Kind::Share, Value::Float(x)) => (0.0..=1.0).contains(x),
        (Kind::Size { min, max, step, .. }, Value::Int(n)) => {
            (min..=max).contains(&n) && n % step == 0
        }
        (Kind::List { min, max }, Value::List(xs)) => {
            xs.iter().all(|x| (min..=max).contains(&x)) && xs.is_sorted_by(|a, b| a < b)
        }
        // a switch, or the word of a size
        _ => true,
    };
    if within {
        return Ok(());
    }
    let near = near(kind, value);
    Err(Refusal(format!("must be {}{near}", range(kind, catalogue))))
}

/// The nearest legal sizes below and above a size that is not a multiple of the step.
fn near(kind: &Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Size { min, max, step, .. }, Value::Int(n)) if (min..=max).contains(&n) => {
            let below = n / step * step;
            let (below, above) = (size_value(below as u64), size_value((below + step) as u64));
            format!("; the nearest are {below} and {above}")
        }
        _ => String::new(),
    }
}

/// The message for a value of the wrong type.
pub(crate) fn wrong_type(kind: &Kind, catalogue: &Catalogue) -> String {
    let noun = match kind {
        Kind::Bool | Kind::Choice(_) | Kind::Pattern { .. } => "",
        Kind::Int { .. } => "an integer ",
        Kind::Float { .. } | Kind::Share => "a number ",
        Kind::Size { .. } => "a size ",
        Kind::List { .. } => "a list of numbers, ",
    };
    format!("must be {noun}{}", range(kind, catalogue))
}

/// The legal values, to be put after "must be".
fn range(kind: &Kind, catalogue: &Catalogue) -> String {
    match kind {
        Kind::Bool => "true or false".into(),
        Kind::Choice(names) => format!("one of {}", self::names(names, catalogue).join(", ")),
        Kind::Size { word, .. } => {
            let auto = word.map_or(String::new(), |word| format!(", or {word:?}"));
            format!(
                "from {}, as bytes or a string such as \"16MiB\" or \"16M\" (1024s), \"16MB\" (1000s){auto}",
                legal(kind, catalogue)
            )
        }
        Kind::Int { .. } | Kind::Float { .. } | Kind::Share => {
            format!("from {}", legal(kind, catalogue))
        }
        Kind::List { .. } | Kind::Pattern { .. } => legal(kind, catalogue),
    }
}

/// The legal values in short form, for comments and tables: `1 to 65535`, `off | merge`.
pub fn legal(kind: &Kind, catalogue: &Catalogue) -> String {
    match kind {
        Kind::Bool => "true | false".into(),
        Kind::Int { min, max } => format!("{min} to {max}"),
        Kind::Float { min, max } => format!("{min} to {max}"),
        Kind::Share => "0 to 1, or above 1 to 100 in per cent".into(),
        Kind::Size { min, max, step, .. } => {
            let span = format!("{} to {}", size_value(*min as u64), size_value(*max as u64));
            match step {
                1 => span,
                _ => format!("{span} in steps of {step}"),
            }
        }
        Kind::Choice(names) => self::names(names, catalogue).join(" | "),
        Kind::Pattern { words, .. } => (*words).into(),
        Kind::List { min, max } => format!("ascending, each {min} to {max}"),
    }
}

/// An integer or a float; adding zero turns -0 into 0.
fn number(raw: &toml_edit::Value) -> Option<f64> {
    let integer = raw.as_integer().map(|n| n as f64);
    integer.or_else(|| raw.as_float()).map(|x| x + 0.0)
}

fn check_name(names: &Names, given: &str, catalogue: &Catalogue) -> Result<(), Refusal> {
    let built = self::names(names, catalogue);
    if built.contains(&given) {
        return Ok(());
    }
    let hint = match nearest(given, built.iter().copied()) {
        Some(name) => format!("; did you mean {name:?}?"),
        None => String::new(),
    };
    Err(Refusal(format!(
        "must be one of {}{hint}",
        built.join(", ")
    )))
}
