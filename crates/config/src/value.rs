//! The untyped value of a key.

/// A value that fits its key's [`Kind`](crate::Kind).
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

impl Value {
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
