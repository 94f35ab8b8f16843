//! Requests from columns: tables of Arrow, or buffers such as arrays of NumPy.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringArray};
use arrow_schema::{DataType, TimeUnit};
use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::prelude::*;
use ssdlab_host::{Op, Request};

/// The numbers or words of a column, as one array for each batch.
pub struct Columns {
    pub time: ArrayRef,
    pub op: ArrayRef,
    pub offset: ArrayRef,
    pub size: ArrayRef,
    pub stream: Option<ArrayRef>,
}

/// The names of the columns, for messages.
pub const ROLES: [&str; 5] = ["time", "op", "offset", "size", "stream"];

/// What the values are.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The names of the columns in the order of [`ROLES`].
    pub names: [String; 5],
    /// Nanoseconds of a unit of time, for columns without a unit of their own.
    pub time: f64,
    /// Bytes of a unit of offsets.
    pub offset: u64,
    /// Bytes of a unit of sizes.
    pub size: u64,
    /// What values of the operation mean, beside the usual words.
    pub ops: Vec<(String, Op)>,
}

/// A column that cannot be taken: its name, and what is wrong.
pub struct Wrong {
    pub column: String,
    /// From 0.
    pub row: Option<usize>,
    pub what: String,
}

/// The requests of some columns, added to those before.
///
/// # Errors
/// A type that cannot be cast, or a value that no request has.
pub fn requests(columns: &Columns, meaning: &Meaning, all: &mut Vec<Request>) -> Result<(), Wrong> {
    /// What is made of so many rows stays in the CPU cache.
    const ROWS: usize = 1 << 13;
    let rows = columns.time.len();
    all.reserve(rows);
    for from in (0..rows).step_by(ROWS) {
        let part = |array: &ArrayRef| array.slice(from, ROWS.min(rows - from));
        let some = Columns {
            time: part(&columns.time),
            op: part(&columns.op),
            offset: part(&columns.offset),
            size: part(&columns.size),
            stream: columns.stream.as_ref().map(part),
        };
        add(&some, meaning, all.len(), all)?;
    }
    Ok(())
}

/// Adds some rows; `first` is the number of the first one.
fn add(
    columns: &Columns,
    meaning: &Meaning,
    first: usize,
    all: &mut Vec<Request>,
) -> Result<(), Wrong> {
    let rows = columns.time.len();
    let wrong_in = |role: usize| {
        move |(row, what): Fault| Wrong {
            column: meaning.names[role].clone(),
            row: row.map(|row| first + row),
            what,
        }
    };
    let of = |role: usize, array: &ArrayRef, unit: f64, allowed: &str| {
        numbers(array, unit, allowed, role == 0).map_err(wrong_in(role))
    };
    // a flush has no place, so that it needs none
    let range = |role: usize, array: &ArrayRef, unit: u64, allowed: &str, ops: &[Op]| {
        let missing = |row: usize| ops[row] == Op::Flush;
        some_numbers(array, unit as f64, allowed, missing).map_err(wrong_in(role))
    };
    let time = of(
        0,
        &columns.time,
        meaning.time,
        "a time from 0 on, below 2^64 ns",
    )?;
    let ops = ops(&columns.op, &meaning.ops).map_err(wrong_in(1))?;
    let offset = range(
        2,
        &columns.offset,
        meaning.offset,
        "a whole number from 0 on, below 2^64",
        &ops,
    )?;
    let size = range(
        3,
        &columns.size,
        meaning.size,
        "a whole number from 0 on, below 2^46",
        &ops,
    )?;
    let stream = match &columns.stream {
        Some(stream) => Some(of(4, stream, 1.0, "a whole number from 0 to 65535")?),
        None => None,
    };
    for row in 0..rows {
        let wrong = |role: usize, what: String| Wrong {
            column: meaning.names[role].clone(),
            row: Some(first + row),
            what,
        };
        // a flush has no place
        let (offset, size) = match ops[row] {
            Op::Flush => (0, 0),
            _ => (offset[row], size[row]),
        };
        let request = Request::new(time[row], ops[row], offset, size).ok_or_else(|| {
            let what = format!("{size} bytes from byte {offset} are more than a request can be: 2^46 bytes, up to byte 2^64");
            wrong(3, what)
        })?;
        if size == 0 && ops[row] != Op::Flush {
            return Err(wrong(3, "0; must be at least 1".into()));
        }
        all.push(match &stream {
            Some(stream) => {
                let number = u16::try_from(stream[row])
                    .map_err(|_| wrong(4, format!("{}; must be 0 to 65535", stream[row])))?;
                request.in_stream(number)
            }
            None => request,
        });
    }
    Ok(())
}

/// The first row without a value.
fn missing(array: &ArrayRef) -> Option<usize> {
    // counted once for an array
    let has_some = array.null_count() > 0;
    has_some.then(|| (0..array.len()).find(|row| array.is_null(*row)))?
}

/// A row (from 0), if one is to blame, and what is wrong.
type Fault = (Option<usize>, String);

/// Whole numbers of an array in units of `unit`; rows that `may_lack` a value are 0 if one of them has none.
fn some_numbers(
    array: &ArrayRef,
    unit: f64,
    allowed: &str,
    may_lack: impl Fn(usize) -> bool,
) -> Result<Vec<u64>, Fault> {
    match numbers(array, unit, allowed, false) {
        // slow, but only for tables with flushes that lack a place
        Err((Some(_), _)) => {
            let mut some = vec![0; array.len()];
            for (row, number) in some.iter_mut().enumerate() {
                if !may_lack(row) {
                    let one = numbers(&array.slice(row, 1), unit, allowed, false);
                    *number = one.map_err(|(_, what)| (Some(row), what))?[0];
                }
            }
            Ok(some)
        }
        numbers => numbers,
    }
}

/// Numbers of an array in units of `unit`: whole ones, or rounded.
fn numbers(array: &ArrayRef, unit: f64, allowed: &str, rounds: bool) -> Result<Vec<u64>, Fault> {
    use DataType as D;
    if let Some(row) = missing(array) {
        return Err((Some(row), format!("no value; must be {allowed}")));
    }
    match array.data_type() {
        D::Int8 => whole::<Int8Type>(array, unit, allowed),
        D::Int16 => whole::<Int16Type>(array, unit, allowed),
        D::Int32 => whole::<Int32Type>(array, unit, allowed),
        D::Int64 => whole::<Int64Type>(array, unit, allowed),
        D::UInt8 => whole::<UInt8Type>(array, unit, allowed),
        D::UInt16 => whole::<UInt16Type>(array, unit, allowed),
        D::UInt32 => whole::<UInt32Type>(array, unit, allowed),
        D::UInt64 => whole::<UInt64Type>(array, unit, allowed),
        D::Float32 => parts::<Float32Type>(array, unit, allowed, rounds),
        D::Float64 => parts::<Float64Type>(array, unit, allowed, rounds),
        D::Timestamp(TimeUnit::Second, _) => whole::<TimestampSecondType>(array, 1e9, allowed),
        D::Timestamp(TimeUnit::Millisecond, _) => {
            whole::<TimestampMillisecondType>(array, 1e6, allowed)
        }
        D::Timestamp(TimeUnit::Microsecond, _) => {
            whole::<TimestampMicrosecondType>(array, 1e3, allowed)
        }
        D::Timestamp(TimeUnit::Nanosecond, _) => {
            whole::<TimestampNanosecondType>(array, 1.0, allowed)
        }
        D::Duration(TimeUnit::Second) => whole::<DurationSecondType>(array, 1e9, allowed),
        D::Duration(TimeUnit::Millisecond) => whole::<DurationMillisecondType>(array, 1e6, allowed),
        D::Duration(TimeUnit::Microsecond) => whole::<DurationMicrosecondType>(array, 1e3, allowed),
        D::Duration(TimeUnit::Nanosecond) => whole::<DurationNanosecondType>(array, 1.0, allowed),
        other => Err((None, format!("type {other} cannot be cast to {allowed}"))),
    }
}

/// Whether times of this type count from 1970, not from the start of the trace.
pub fn is_absolute(time: &DataType) -> bool {
    matches!(time, DataType::Timestamp(..))
}

fn whole<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    unit: f64,
    allowed: &str,
) -> Result<Vec<u64>, Fault>
where
    T::Native: TryInto<u64> + std::fmt::Display + Copy,
{
    let unit = unit as u64;
    let values = array.as_primitive::<T>().values();
    let mut numbers = Vec::with_capacity(values.len());
    for (row, &value) in values.iter().enumerate() {
        let number: Option<u64> = value.try_into().ok();
        match number.and_then(|number| number.checked_mul(unit)) {
            Some(number) => numbers.push(number),
            None => return Err((Some(row), format!("{value}; must be {allowed}"))),
        }
    }
    Ok(numbers)
}

/// Numbers with parts, which units make whole: half a second is 5 x 10^8 ns.
fn parts<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    unit: f64,
    allowed: &str,
    rounds: bool,
) -> Result<Vec<u64>, Fault>
where
    T::Native: Into<f64> + Copy,
{
    let values = array.as_primitive::<T>().values();
    let mut numbers = Vec::with_capacity(values.len());
    for (row, &value) in values.iter().enumerate() {
        let value: f64 = value.into();
        let exact = value * unit;
        let number = exact.round();
        let is_known = number >= 0.0 && number < u64::MAX as f64;
        if !is_known || (!rounds && number != exact) {
            return Err((Some(row), format!("{value}; must be {allowed}")));
        }
        numbers.push(number as u64);
    }
    Ok(numbers)
}

/// The operations of an array: words, or numbers that `meant` explains.
fn ops(array: &ArrayRef, meant: &[(String, Op)]) -> Result<Vec<Op>, Fault> {
    if let Some(row) = missing(array) {
        return Err((Some(row), "no value; must be an operation".into()));
    }
    if let Some(words) = array.as_string_opt::<i32>() {
        return each(array.len(), |row| words.value(row), meant);
    }
    if let Some(words) = array.as_string_opt::<i64>() {
        return each(array.len(), |row| words.value(row), meant);
    }
    if let Some(words) = array.as_string_view_opt() {
        return each(array.len(), |row| words.value(row), meant);
    }
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        // the word of no row may be any
        let mut known: Vec<Option<Op>> = vec![None; dictionary.values().len()];
        let keys = dictionary.normalized_keys().into_iter().enumerate();
        let of = |(row, key): (usize, usize)| {
            if let Some(op) = known[key] {
                return Ok(op);
            }
            let op = ops(&dictionary.values().slice(key, 1), meant);
            let op = op.map_err(|(_, what)| (Some(row), what))?[0];
            known[key] = Some(op);
            Ok(op)
        };
        return keys.map(of).collect();
    }
    let codes = numbers(array, 1.0, "an operation", false)?;
    // few codes, many rows
    let mut known: Vec<(u64, Op)> = Vec::new();
    let mut found = Vec::with_capacity(codes.len());
    for (row, code) in codes.into_iter().enumerate() {
        let op = match known.iter().find(|(known, _)| *known == code) {
            Some((_, op)) => *op,
            None => {
                let op = of_code(code, meant).map_err(|what| (Some(row), what))?;
                known.push((code, op));
                op
            }
        };
        found.push(op);
    }
    Ok(found)
}

/// Words of few kinds.
fn each<'a>(
    rows: usize,
    word: impl Fn(usize) -> &'a str,
    meant: &[(String, Op)],
) -> Result<Vec<Op>, Fault> {
    let mut known: Vec<(&str, Op)> = Vec::new();
    let mut found = Vec::with_capacity(rows);
    for row in 0..rows {
        let word = word(row);
        let op = match known.iter().find(|(same, _)| *same == word) {
            Some((_, op)) => *op,
            None => {
                let op = ssdlab_trace::op_of(word, meant).map_err(|what| (Some(row), what))?;
                known.push((word, op));
                op
            }
        };
        found.push(op);
    }
    Ok(found)
}

/// A code is explained, or the letter of an operation in ASCII.
fn of_code(code: u64, meant: &[(String, Op)]) -> Result<Op, String> {
    let text = code.to_string();
    if let Some((_, op)) = meant.iter().find(|(value, _)| *value == text) {
        return Ok(*op);
    }
    let letter = u8::try_from(code).ok().map(char::from);
    let letter = letter.filter(char::is_ascii_alphabetic);
    match letter {
        Some(letter) => ssdlab_trace::op_of(&letter.to_string(), meant),
        None => Err(format!(
            "{code}; say what it means with ops, such as ops={{{code}: \"W\"}}"
        )),
    }
}

/// An array from a list of words or from a buffer of numbers, such as an array of NumPy of one dimension.
///
/// # Errors
/// Neither, or elements of a type that is no number.
pub fn column(object: &Bound<PyAny>) -> Result<ArrayRef, String> {
    if let Ok(words) = object.extract::<Vec<String>>() {
        return Ok(Arc::new(StringArray::from(words)));
    }
    let buffer = PyUntypedBuffer::get(object).map_err(|_| {
        "must be an array of numbers (NumPy, or anything with a buffer) or a list of words"
            .to_owned()
    })?;
    if buffer.dimensions() != 1 {
        return Err(format!("{} dimensions; must be 1", buffer.dimensions()));
    }
    let py = object.py();
    // the format begins with the order of the bytes, unless it is that of the machine
    let foreign = if cfg!(target_endian = "little") {
        &b">!"[..]
    } else {
        b"<"
    };
    let is_foreign = buffer
        .format()
        .to_bytes()
        .first()
        .is_some_and(|order| foreign.contains(order));
    macro_rules! copied {
        ($native:ty, $arrow:ty) => {{
            let typed = buffer
                .as_typed::<$native>()
                .map_err(|error| error.to_string())?;
            let mut values = typed.to_vec(py).map_err(|error| error.to_string())?;
            if is_foreign {
                for value in &mut values {
                    let mut bytes = value.to_ne_bytes();
                    bytes.reverse();
                    *value = <$native>::from_ne_bytes(bytes);
                }
            }
            Ok(Arc::new(PrimitiveArray::<$arrow>::new(values.into(), None)) as ArrayRef)
        }};
    }
    match ElementType::from_format(buffer.format()) {
        ElementType::SignedInteger { bytes: 1 } => copied!(i8, Int8Type),
        ElementType::SignedInteger { bytes: 2 } => copied!(i16, Int16Type),
        ElementType::SignedInteger { bytes: 4 } => copied!(i32, Int32Type),
        ElementType::SignedInteger { bytes: 8 } => copied!(i64, Int64Type),
        ElementType::UnsignedInteger { bytes: 1 } => copied!(u8, UInt8Type),
        ElementType::UnsignedInteger { bytes: 2 } => copied!(u16, UInt16Type),
        ElementType::UnsignedInteger { bytes: 4 } => copied!(u32, UInt32Type),
        ElementType::UnsignedInteger { bytes: 8 } => copied!(u64, UInt64Type),
        ElementType::Float { bytes: 4 } => copied!(f32, Float32Type),
        ElementType::Float { bytes: 8 } => copied!(f64, Float64Type),
        _ => Err(format!(
            "elements of format {:?} cannot be cast; must be whole numbers or floats of the machine",
            buffer.format()
        )),
    }
}
