//! The columns of a table that the user or their own names explain: text of any shape, or Parquet.

use crate::block_layer::{Kind, Requests};
use crate::clock::{Clock, is_date};
use crate::options::ReadOptions;
use crate::skip;
use crate::table::{Role, WORDS};
use crate::text::{number_up_to, op, quoted, request_with_data, whole_number};
use crate::time_unit::{TimeUnit, shifted};
use ssdlab_host::Op;
use ssdlab_words::{either, listed};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// From 0.
    pub index: usize,
    /// For messages: its name, or its number if the name is long or has other signs.
    pub name: String,
}

/// The columns of a table, and the units of their values.
pub(crate) struct Columns {
    pub time: Column,
    pub op: Column,
    pub offset: Column,
    pub size: Column,
    pub stream: Option<Column>,
    pub volume: Option<Column>,
    /// `None`: not known, so that times must be dates.
    pub time_unit: Option<TimeUnit>,
    /// Bytes.
    pub offset_unit: u64,
    /// Bytes.
    pub size_unit: u64,
    ops: Vec<(String, Op)>,
    clock: Clock,
    /// The message about the units that are not known.
    unknown: String,
    /// Whether a time showed that commas stand before fractions.
    commas: bool,
}

/// A value of a column.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "only Parquet has them")
    )]
    Whole(u64),
    Text(&'a [u8]),
}

impl Columns {
    /// The columns of a table with these names.
    ///
    /// # Errors
    /// A column is missing or its unit is not known; the message has the options to give.
    pub fn named(names: &[String], options: &ReadOptions) -> Result<Columns, String> {
        let fields = &options.table.fields;
        let find = |role: Role| match fields.iter().find(|(other, _)| *other == role) {
            _ if fields.is_empty() => guess(names, role),
            None if role.is_needed() => Err(format!("--fields lacks {}=COLUMN", role.name())),
            None => Ok(None),
            Some((_, wanted)) => named(names, wanted).map(Some),
        };
        Columns::new(find, names, options)
    }

    /// The columns of a table of `count` columns without names.
    ///
    /// # Errors
    /// As [`Columns::named`].
    pub fn numbered(count: usize, options: &ReadOptions) -> Result<Columns, String> {
        let names: Vec<_> = (1..=count)
            .map(|number| format!("column {number}"))
            .collect();
        let fields = &options.table.fields;
        let find = |role: Role| {
            match fields.iter().find(|(other, _)| *other == role) {
            None if role.is_needed() => Err(format!(
                "the table has no header; give the numbers of its columns, as --fields time=1,op=2,offset=3,size=4{}",
                if fields.is_empty() { "" } else { " (one is missing)" }
            )),
            None => Ok(None),
            Some((_, number)) => number_of(&names, number).map(Some).ok_or_else(|| {
                let wanted = quoted(number.as_bytes());
                format!("--fields names the column {wanted}, but the table has no header, only columns 1 to {count}")
            }),
        }
        };
        Columns::new(find, &names, options)
    }

    fn new(
        find: impl Fn(Role) -> Result<Option<usize>, String>,
        names: &[String],
        options: &ReadOptions,
    ) -> Result<Columns, String> {
        let column = |role: Role| {
            let column = |index: usize| Column {
                index,
                name: label(names, index),
            };
            find(role).map(|index| index.map(column))
        };
        let needed = |role: Role| column(role)?.ok_or_else(|| missing(names, role));
        let [time, op, offset, size] = [
            needed(Role::Time)?,
            needed(Role::Op)?,
            needed(Role::Offset)?,
            needed(Role::Size)?,
        ];
        let (stream, volume) = (column(Role::Stream)?, column(Role::Volume)?);
        if volume.is_none() && options.volume.is_some() {
            return Err(
                "--volume: no column is the volume; name it with volume=COLUMN in --fields".into(),
            );
        }
        let time_unit = options
            .time_unit
            .or_else(|| Name::of(&names[time.index]).time_unit());
        let offset_unit = options
            .sector
            .or_else(|| Name::of(&names[offset.index]).bytes());
        let size_unit = (options.size_unit)
            .or_else(|| Name::of(&names[size.index]).bytes())
            .or(options.sector);
        let columns = [&time, &op, &offset, &size];
        let unknown = units_unknown(names, columns, time_unit, offset_unit, size_unit);
        let (Some(offset_unit), Some(size_unit)) = (offset_unit, size_unit) else {
            return Err(unknown);
        };
        Ok(Columns {
            time,
            op,
            offset,
            size,
            stream,
            volume,
            time_unit,
            offset_unit,
            size_unit,
            ops: options.table.ops.clone(),
            clock: Clock::default(),
            unknown,
            commas: false,
        })
    }

    /// Whether a header with these names has all columns that are needed.
    pub fn are_named(names: &[String], options: &ReadOptions) -> bool {
        let fields = &options.table.fields;
        let is_there = |wanted: &String| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        match fields.is_empty() {
            true => guessed(names).is_some(),
            false => fields.iter().all(|(_, wanted)| is_there(wanted)),
        }
    }

    /// What a row asks for: its time, and its requests or the reason why it has none.
    ///
    /// # Errors
    /// A message with the column, its value and the allowed values.
    pub fn row(&mut self, cells: &[&[u8]]) -> Result<Result<Requests, &'static str>, String> {
        let time = self.time_of(Value::Text(cells[self.time.index]))?;
        let kind = match self.kind(cells[self.op.index])? {
            Ok(kind) => kind,
            Err(reason) => return Ok(Err(reason)),
        };
        let range = |this: &Self| {
            let offset = this.offset_of(Value::Text(cells[this.offset.index]))?;
            Ok((offset, this.size_of(Value::Text(cells[this.size.index]))?))
        };
        self.requests(time, kind, range)
    }

    /// The requests of a row, or the reason why it has none. A flush has no range.
    ///
    /// # Errors
    /// The range is wrong.
    pub fn requests(
        &self,
        time: u64,
        kind: Kind,
        range: impl FnOnce(&Self) -> Result<(u64, u64), String>,
    ) -> Result<Result<Requests, &'static str>, String> {
        let data = match kind.op {
            None => None,
            Some(op) => {
                let (offset, size) = range(self)?;
                let names = [&*self.offset.name, &*self.size.name];
                match request_with_data(names, time, op, offset, size)? {
                    Ok(data) => Some(data),
                    Err(_) if kind.preflush => None,
                    Err(reason) => return Ok(Err(reason)),
                }
            }
        };
        Ok(Ok(kind.requests(time, data)))
    }

    /// The nanoseconds of a time.
    ///
    /// # Errors
    /// It is none, or its unit is not known.
    pub fn time_of(&mut self, value: Value) -> Result<u64, String> {
        let name = &self.time.name;
        if let Value::Text(text) = value
            && let Some(date) = self.clock.date(name, text)
        {
            return date;
        }
        let unit = self.time_unit.ok_or_else(|| self.unknown.clone())?;
        match value {
            Value::Whole(count) => {
                let ns = self.clock.since(u128::from(count) * u128::from(unit.ns()));
                ns.ok_or_else(|| unit.no_time(name, count.to_string().as_bytes()))
            }
            Value::Text(text) => {
                let text = point(text, name, &mut self.commas)?;
                let ns = match hexadecimal(&text) {
                    Some(count) => Some(u128::from(count) * u128::from(unit.ns())),
                    None => unit.wide(&text),
                };
                let ns = ns.and_then(|ns| self.clock.since(ns));
                ns.ok_or_else(|| unit.no_time(name, &text))
            }
        }
    }

    /// Refuses times whose unit is not known.
    ///
    /// # Errors
    /// The options to give.
    #[cfg(feature = "parquet")]
    pub fn check_unit(&self) -> Result<(), String> {
        match self.time_unit {
            Some(_) => Ok(()),
            None => Err(self.unknown.clone()),
        }
    }

    /// A number of a stream.
    ///
    /// # Errors
    /// It is none.
    pub fn stream_of(&self, value: Value) -> Result<u16, String> {
        let name = self.stream.as_ref().map_or("stream", |column| &column.name);
        let number = bytes(1, name, value)?;
        u16::try_from(number).map_err(|_| {
            format!(
                "{name} is too large, found {number}; it must be from 0 to {}",
                u16::MAX
            )
        })
    }

    /// Whether an option is missing without which a time cannot be read.
    pub fn lacks_unit(&self) -> bool {
        self.time_unit.is_none()
    }

    /// An offset in bytes.
    ///
    /// # Errors
    /// It is no whole number of units.
    pub fn offset_of(&self, value: Value) -> Result<u64, String> {
        bytes(self.offset_unit, &self.offset.name, value)
    }

    /// A size in bytes.
    ///
    /// # Errors
    /// It is no whole number of units.
    pub fn size_of(&self, value: Value) -> Result<u64, String> {
        bytes(self.size_unit, &self.size.name, value)
    }

    /// The stream of a row.
    ///
    /// # Errors
    /// It is no number of a stream.
    pub fn stream(&self, cells: &[&[u8]]) -> Result<Option<u16>, String> {
        let cell = |column: &Column| Value::Text(cells[column.index]);
        self.stream
            .as_ref()
            .map(|column| self.stream_of(cell(column)))
            .transpose()
    }

    /// What a value of the operation means, or the reason why such requests are left out.
    ///
    /// # Errors
    /// A value without a meaning.
    pub fn kind(&self, found: &[u8]) -> Result<Result<Kind, &'static str>, String> {
        let given = self
            .ops
            .iter()
            .find(|(value, _)| found.eq_ignore_ascii_case(value.as_bytes()));
        if let Some((_, op)) = given {
            return Ok(Ok(Kind::from(*op)));
        }
        kind_of(found).ok_or_else(|| {
            format!(
                "{} is no known operation, found {}; it must be R, W, F, D or such a word as read, or --ops must say what it \
                 means, as --ops 0=R,1=W",
                self.op.name,
                quoted(found)
            )
        })
    }
}

/// What a word means: `write`, `WRITE|SYNC|FUA`, or the letters RWBS of blkparse.
pub(crate) fn kind_of(found: &[u8]) -> Option<Result<Kind, &'static str>> {
    let mut parts = found.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii);
    let Ok(op) = op("", parts.next()?, WORDS) else {
        let letters = Kind::of_letters(found).ok()?;
        return match letters {
            Ok((kind, true)) => Some(Ok(kind)),
            Err(skip::ZONES) => Some(Err(skip::ZONES)),
            // a word in capital letters
            _ => None,
        };
    };
    let mut kind = Kind::from(op);
    for flag in parts {
        match &*flag.to_ascii_lowercase() {
            b"fua" => kind.fua = true,
            b"flush" | b"preflush" | b"barrier" => kind.preflush = true,
            b"sync" | b"meta" | b"metadata" | b"prio" | b"ahead" | b"rahead" | b"readahead"
            | b"idle" | b"background" | b"nomerge" | b"nowait" | b"direct" | b"atomic" => {}
            _ => return None,
        }
    }
    Some(Ok(kind))
}

/// A number of units in bytes. Programs write whole numbers as `4096.0`, `4.096e+03` and `0x1000`, too. Three digits behind a
/// point may be thousands.
fn bytes(unit: u64, name: &str, value: Value) -> Result<u64, String> {
    let found = match value {
        Value::Whole(count) => {
            let product = count.checked_mul(unit);
            return product.ok_or_else(|| {
                format!(
                    "{name} is too large, found {count}; it must be at most {}",
                    u64::MAX / unit
                )
            });
        }
        Value::Text(found) => found,
    };
    let is_mark = |byte: &u8| b".,".contains(byte);
    let whole = match found.iter().rposition(is_mark) {
        Some(at)
            if found[at + 1..].len() == 3 && found[at + 1..].iter().all(u8::is_ascii_digit) =>
        {
            return Err(format!(
                "{name} has a mark for thousands or a fraction, found {}; it must be a whole number without marks, or end with .0",
                quoted(found)
            ));
        }
        Some(at)
            if at > 0
                && at + 1 < found.len()
                && found[at + 1..].iter().all(|&byte| byte == b'0') =>
        {
            &found[..at]
        }
        _ => found,
    };
    if let Some(product) = hexadecimal(whole).and_then(|count| count.checked_mul(unit)) {
        return Ok(product);
    }
    if (whole.contains(&b'e') || whole.contains(&b'E'))
        && let Some((count, true)) = shifted(whole, 0)
        && let Some(product) = u64::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(unit))
    {
        return Ok(product);
    }
    Ok(number_up_to(u64::MAX / unit, name, whole)? * unit)
}

/// The number of a text such as `0x1000`.
pub(crate) fn hexadecimal(found: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(found).ok()?;
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| plain)
}

/// A time with a point in place of a decimal comma. Three digits behind it may be thousands, until a time shows that they are
/// not: one that begins with 0, or that has more or fewer of them.
fn point<'a>(found: &'a [u8], name: &str, commas: &mut bool) -> Result<Cow<'a, [u8]>, String> {
    let Some(at) = found.iter().position(|&byte| byte == b',') else {
        return Ok(found.into());
    };
    let (whole, fraction) = (&found[..at], &found[at + 1..]);
    if found.contains(&b'.') || fraction.contains(&b',') {
        return Err(format!(
            "{name} has marks for thousands, found {}; it must be a number without them",
            quoted(found)
        ));
    }
    *commas |= fraction.len() != 3 || whole.len() > 3 || whole == b"0";
    if !*commas {
        return Err(format!(
            "{name} has a comma for a fraction or for thousands, found {}; it must have a point before a fraction, and nothing for \
             thousands",
            quoted(found)
        ));
    }
    let mut text = found.to_owned();
    text[at] = b'.';
    Ok(text.into())
}

/// Whether a cell is a value, not a name.
pub(crate) fn is_value(found: &[u8]) -> bool {
    let text = std::str::from_utf8(found).unwrap_or_default();
    let is_number = shifted(text.replace(',', "").as_bytes(), 0).is_some();
    is_number || hexadecimal(found).is_some() || is_date(text)
}

/// The column of that name or number.
fn named(names: &[String], wanted: &str) -> Result<usize, String> {
    let named = names.iter().position(|name| name == wanted);
    let named = named.or_else(|| {
        names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(wanted))
    });
    named.or_else(|| number_of(names, wanted)).ok_or_else(|| {
        format!(
            "--fields names the column {}, which the table does not have; it has {}",
            quoted(wanted.as_bytes()),
            some(names.iter())
        )
    })
}

fn number_of(names: &[String], wanted: &str) -> Option<usize> {
    let number = whole_number("", wanted.as_bytes()).ok()?;
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    (index < names.len()).then_some(index)
}

/// The columns for a message.
fn some<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    const MOST: usize = 4;
    let more = names.len().saturating_sub(MOST);
    let mut shown: Vec<_> = names
        .take(MOST)
        .map(|name| quoted(name.as_bytes()))
        .collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    listed(&shown)
}

/// A column as `--fields` takes it: by name if that is short and plain, else by number.
fn shown(names: &[String], index: usize) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-.:".contains(character);
    let name = &names[index];
    if (1..=32).contains(&name.len()) && name.chars().all(plain) {
        name.clone()
    } else {
        (index + 1).to_string()
    }
}

/// A column for a message.
fn label(names: &[String], index: usize) -> String {
    let shown = shown(names, index);
    if shown == names[index] {
        shown
    } else {
        format!("column {shown}")
    }
}

/// The only column whose name has this meaning, if there is one.
fn guess(names: &[String], role: Role) -> Result<Option<usize>, String> {
    let fits = |name: &String| role.usual().contains(&&*Name::of(name).base);
    let fitting: Vec<_> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| fits(name))
        .collect();
    match fitting.as_slice() {
        [] => Ok(None),
        [(index, _)] => Ok(Some(*index)),
        _ if !role.is_needed() => Ok(None),
        several => {
            let several: Vec<_> = several.iter().map(|(_, name)| *name).collect();
            Err(format!(
                "several columns may be {}: {}; choose with --fields time=COLUMN,op=COLUMN,offset=COLUMN,size=COLUMN",
                role.name(),
                some(several.into_iter())
            ))
        }
    }
}

fn missing(names: &[String], role: Role) -> String {
    format!(
        "no column has a name that means {}, found {}; name the columns with --fields time=COLUMN,op=COLUMN,offset=COLUMN,\
         size=COLUMN",
        role.name(),
        some(names.iter())
    )
}

/// The columns of a table with these names, as `--fields` takes them, if they tell all that is needed.
pub(crate) fn guessed(names: &[String]) -> Option<String> {
    let mut columns = String::new();
    for role in Role::ALL {
        match guess(names, role).ok()? {
            Some(index) => {
                let comma = if columns.is_empty() { "" } else { "," };
                write!(columns, "{comma}{}={}", role.name(), shown(names, index)).ok()?;
            }
            None if role.is_needed() => return None,
            None => {}
        }
    }
    Some(columns)
}

fn units_unknown(
    names: &[String],
    columns: [&Column; 4],
    time_unit: Option<TimeUnit>,
    offset_unit: Option<u64>,
    size_unit: Option<u64>,
) -> String {
    let [time, op, offset, size] = columns.map(|column| shown(names, column.index));
    let mut unknown = Vec::new();
    if time_unit.is_none() {
        unknown.push("time");
    }
    if offset_unit.is_none() {
        unknown.push("offset");
    }
    if size_unit.is_none() {
        unknown.push("size");
    }
    let mut line = format!("--fields time={time},op={op},offset={offset},size={size}");
    let unit = time_unit.map_or("UNIT", TimeUnit::name);
    let bytes = |unit: Option<u64>| unit.map_or("BYTES".to_owned(), |unit| unit.to_string());
    let _ = write!(line, " --time-unit {unit} --sector {}", bytes(offset_unit));
    if size_unit != offset_unit {
        let _ = write!(line, " --size-unit {}", bytes(size_unit));
    }
    format!(
        "the unit of {} is not known; give {line} (UNIT is {}, BYTES is 1 for bytes, 512 for sectors)",
        listed(&unknown),
        either(&TimeUnit::ALL.map(TimeUnit::name)),
    )
}

/// A name of a column, taken apart: `Timestamp (us)` is `timestamp` with the unit `us`.
struct Name {
    base: String,
    unit: String,
}

impl Name {
    fn of(name: &str) -> Name {
        let name = name.to_ascii_lowercase();
        let parts = name.split(|character: char| !character.is_alphanumeric());
        let mut parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        let unit = match parts.last() {
            Some(last) if parts.len() > 1 && is_unit(last) => {
                parts.pop().unwrap_or_default().to_owned()
            }
            Some(only) if matches!(*only, "bytes" | "nbytes") => (*only).to_owned(),
            _ => String::new(),
        };
        Name {
            base: parts.concat(),
            unit,
        }
    }

    fn time_unit(&self) -> Option<TimeUnit> {
        Some(match &*self.unit {
            "s" | "sec" | "secs" | "second" | "seconds" => TimeUnit::Second,
            "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => TimeUnit::Millisecond,
            "us" | "usec" | "usecs" | "microsecond" | "microseconds" => TimeUnit::Microsecond,
            "100ns" => TimeUnit::Tick,
            "ns" | "nsec" | "nsecs" | "nanosecond" | "nanoseconds" => TimeUnit::Nanosecond,
            _ => return None,
        })
    }

    fn bytes(&self) -> Option<u64> {
        Some(match &*self.unit {
            "b" | "byte" | "bytes" | "nbytes" => 1,
            "kib" => 1024,
            "mib" => 1 << 20,
            _ => return None,
        })
    }
}

fn is_unit(word: &str) -> bool {
    let name = Name {
        base: String::new(),
        unit: word.to_owned(),
    };
    name.time_unit().is_some() || name.bytes().is_some()
}
