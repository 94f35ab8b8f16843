//! The columns of a table that the user or their own names explain: text of any shape, or Parquet.

use crate::options::ReadOptions;
use crate::skip;
use crate::table::{Role, WORDS};
use crate::text::{number_up_to, op, quoted, request_with_data, whole_number};
use crate::time_unit::TimeUnit;
use ssdlab_host::{Op, Request};
use ssdlab_words::{either, listed};
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
    pub time_unit: TimeUnit,
    /// Bytes.
    pub offset_unit: u64,
    /// Bytes.
    pub size_unit: u64,
    ops: Vec<(String, Op)>,
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
        let (Some(time_unit), Some(offset_unit), Some(size_unit)) =
            (time_unit, offset_unit, size_unit)
        else {
            let columns = [&time, &op, &offset, &size];
            return Err(units_unknown(
                names,
                columns,
                time_unit,
                offset_unit,
                size_unit,
            ));
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
        })
    }

    /// The request of a row, or the reason why it is left out.
    ///
    /// # Errors
    /// A message with the column, its value and the allowed values.
    pub fn request(&self, cells: &[&[u8]]) -> Result<Result<Request, &'static str>, String> {
        let cell = |column: &Column| cells[column.index];
        let time = self.time_unit.decode(&self.time.name, cell(&self.time))?;
        let op = self.op(cell(&self.op))?;
        if op == Op::Flush {
            return Ok(Request::new(time, op, 0, 0).ok_or(skip::OPERATIONS));
        }
        let offset = bytes(self.offset_unit, &self.offset.name, cell(&self.offset))?;
        let size = bytes(self.size_unit, &self.size.name, cell(&self.size))?;
        request_with_data([&self.offset.name, &self.size.name], time, op, offset, size)
    }

    /// The stream of a row.
    ///
    /// # Errors
    /// It is no number of a stream.
    pub fn stream(&self, cells: &[&[u8]]) -> Result<Option<u16>, String> {
        let number =
            |column: &Column| number_up_to(u16::MAX.into(), &column.name, cells[column.index]);
        let stream = self.stream.as_ref().map(number).transpose()?;
        Ok(stream.map(|stream| stream as u16))
    }

    /// The operation that a value means.
    ///
    /// # Errors
    /// A value without a meaning.
    pub fn op(&self, found: &[u8]) -> Result<Op, String> {
        let given = self
            .ops
            .iter()
            .find(|(value, _)| found.eq_ignore_ascii_case(value.as_bytes()));
        if let Some((_, op)) = given {
            return Ok(*op);
        }
        op(&self.op.name, found, WORDS).map_err(|_| {
            format!(
                "{} is no known operation, found {}; it must be R, W, F, D or such a word as read, or --ops must say what it \
                 means, as --ops 0=R,1=W",
                self.op.name,
                quoted(found)
            )
        })
    }
}

/// A number of units in bytes; programs write whole numbers as 4096.0, too.
fn bytes(unit: u64, name: &str, found: &[u8]) -> Result<u64, String> {
    let point = found.iter().position(|&byte| byte == b'.');
    let whole = match point {
        Some(at) if at > 0 && found[at + 1..].iter().all(|&byte| byte == b'0') => &found[..at],
        _ => found,
    };
    Ok(number_up_to(u64::MAX / unit, name, whole)? * unit)
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
