//! One value of a table.

use std::fmt;

use serde_json::Value as Json;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// True or false.
    Bool,
    /// A whole number: counts, bytes and nanoseconds.
    Int,
    /// A number.
    Float,
    /// Text.
    Text,
}

/// A value; `Null` where it has no meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// No value.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
}

impl Cell {
    /// Its type; `None` for `Null`.
    pub fn kind(&self) -> Option<Type> {
        Some(match self {
            Cell::Null => return None,
            Cell::Bool(_) => Type::Bool,
            Cell::Int(_) => Type::Int,
            Cell::Float(_) => Type::Float,
            Cell::Text(_) => Type::Text,
        })
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Int(number) => Some(*number as f64),
            Cell::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As JSON; a number that is not finite is null.
    pub fn to_json(&self) -> Json {
        match self {
            Cell::Null => Json::Null,
            Cell::Bool(on) => (*on).into(),
            Cell::Int(number) => (*number).into(),
            Cell::Float(number) => (*number).into(),
            Cell::Text(text) => text.as_str().into(),
        }
    }

    /// What a value of JSON stands for; an object or a list is its text.
    pub fn of_json(value: &Json) -> Cell {
        match value {
            Json::Null => Cell::Null,
            Json::Bool(on) => (*on).into(),
            Json::String(text) => text.as_str().into(),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => Cell::Int(whole),
                None => number.as_f64().into(),
            },
            Json::Array(_) | Json::Object(_) => value.to_string().into(),
        }
    }

    /// What a text of CSV stands for: the narrowest type that it fits. An empty one is `Null`.
    pub fn parse(text: &str) -> Cell {
        match text {
            "" => return Cell::Null,
            "true" => return Cell::Bool(true),
            "false" => return Cell::Bool(false),
            _ => {}
        }
        // what would not be written like that again is text: 007, +1, 1e3
        if let Ok(number) = text.parse::<i64>()
            && number.to_string() == text
        {
            return Cell::Int(number);
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && is_number(text) => Cell::Float(number),
            _ => Cell::Text(text.to_owned()),
        }
    }
}

/// Whether a text that reads as a number is one, and not a hash of digits and perhaps an e.
fn is_number(text: &str) -> bool {
    /// The most digits that a float needs.
    const DIGITS: usize = 17;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let mantissa = mantissa.trim_start_matches('-');
    let has_zeros = mantissa.len() > 1 && mantissa.starts_with('0') && !mantissa.starts_with("0.");
    let digits = mantissa.trim_start_matches(['0', '.']);
    let digits = digits.bytes().filter(u8::is_ascii_digit).count();
    let is_of_number = |byte: u8| byte.is_ascii_digit() || b".-+eE".contains(&byte);
    text.bytes().all(is_of_number) && !has_zeros && digits <= DIGITS
}

/// As in CSV: floats in the shortest form that reads back the same.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Null => Ok(()),
            Cell::Bool(on) => on.fmt(f),
            Cell::Int(number) => number.fmt(f),
            Cell::Float(number) => write!(f, "{number:?}"),
            Cell::Text(text) => f.write_str(text),
        }
    }
}

impl From<bool> for Cell {
    fn from(on: bool) -> Self {
        Cell::Bool(on)
    }
}

/// A count above 2^63 - 1 becomes that.
impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Cell::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Cell::Float(number)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}
