//! The untyped value of a key.

use ssdlab_policy::{Key, Kind, Setting};
use ssdlab_words::size_value;

/// A value that fits its key's [`Kind`](ssdlab_policy::Kind).
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer, or a size in bytes.
    Int(i64),
    /// A time, frequency or fraction.
    Float(f64),
    /// A name, or `auto`.
    Text(String),
    /// A list of numbers.
    List(Vec<f64>),
}

impl From<Setting<'_>> for Value {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Bool(on) => Value::Bool(on),
            Setting::Int(number) => Value::Int(number),
            Setting::Float(number) => Value::Float(number),
            Setting::Text(text) => Value::Text(text.into()),
            Setting::List(numbers) => Value::List(numbers.into()),
        }
    }
}

impl Value {
    /// The value as systems read it.
    pub(crate) fn setting(&self) -> Setting<'_> {
        match self {
            Value::Bool(on) => Setting::Bool(*on),
            Value::Int(number) => Setting::Int(*number),
            Value::Float(number) => Setting::Float(*number),
            Value::Text(text) => Setting::Text(text),
            Value::List(numbers) => Setting::List(numbers),
        }
    }

    /// The value as JSON; a size in bytes.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Bool(on) => (*on).into(),
            Value::Int(n) => (*n).into(),
            Value::Float(x) => (*x).into(),
            Value::Text(name) => name.as_str().into(),
            Value::List(xs) => xs.as_slice().into(),
        }
    }

    /// The value as TOML; a size in bytes.
    pub(crate) fn to_toml(&self) -> String {
        match self {
            Value::Bool(on) => on.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Float(x) => format!("{x:?}"),
            Value::Text(name) => format!("{name:?}"),
            Value::List(xs) => format!("{xs:?}"),
        }
    }
}

/// A value as TOML; sizes are in the largest unit.
pub(crate) fn literal(key: &Key, value: &Value) -> String {
    match (key.kind, value) {
        (Kind::Size { .. }, Value::Int(bytes)) => format!("{:?}", size_value(*bytes as u64)),
        _ => value.to_toml(),
    }
}
