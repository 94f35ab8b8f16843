//! The untyped value of a key.

/// A value that fits its key's [`Kind`](crate::Kind).
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A switch.
    Bool(bool),
    /// A count, or a size in bytes.
    Int(i64),
    /// A time, frequency or fraction.
    Float(f64),
    /// A name, or `auto`.
    Text(String),
    /// Several numbers.
    List(Vec<f64>),
}

impl Value {
    /// As JSON; sizes in bytes.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Bool(on) => (*on).into(),
            Value::Int(n) => (*n).into(),
            Value::Float(x) => (*x).into(),
            Value::Text(name) => name.as_str().into(),
            Value::List(xs) => xs.as_slice().into(),
        }
    }

    /// As TOML; an integer in bytes, see [`format_size`] for the shorter form.
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

/// The units of sizes: powers of 1024 and nothing else, for KB means two things.
const UNITS: [(&str, u32); 5] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

/// The unit names for messages.
pub(crate) const UNIT_NAMES: &str = "B, KiB, MiB, GiB or TiB";

/// Bytes of a string such as `16MiB`; what exceeds `i64` becomes its maximum, which no range holds.
pub fn parse_size(text: &str) -> Option<i64> {
    let (unit, shift) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let count = digits.parse().unwrap_or(i64::MAX);
    Some(count.saturating_mul(1 << shift))
}

/// Bytes in the largest unit that divides them: `2048` is `2KiB`.
pub(crate) fn format_size(bytes: i64) -> String {
    let (unit, shift) = UNITS
        .iter()
        .find(|(_, shift)| bytes != 0 && bytes.trailing_zeros() >= *shift)
        .unwrap_or(&("B", 0));
    format!("{}{unit}", bytes >> shift)
}
