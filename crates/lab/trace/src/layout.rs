//! The rows of the table of formats: what the fields of a line mean, and what stands between them.

use crate::head::Head;
use crate::text::{fields_between, op, quoted, whole_number, words, wrong_fields};
use crate::time_unit::TimeUnit;
use ssdlab_host::Op;
use std::ops::Range;

/// The most fields that a line can have.
pub(crate) const MOST: usize = 17;

/// The fields of a line; those that it lacks are empty.
pub(crate) type Fields<'a> = [&'a [u8]; MOST];

/// A format whose lines are requests.
pub(crate) struct Layout {
    /// The fields in their order. A line of their names is a header.
    pub fields: &'static [Field],
    pub between: Between,
    /// What may follow the last field.
    pub more: More,
    /// The number of last fields that a line may lack.
    pub optional: usize,
    /// The number of fields of a line with `#` at its start that make it a header; `None`: it is none.
    pub hash_header: Option<usize>,
    /// The words for operations, in any case.
    pub ops: &'static [(&'static str, Op)],
    /// The word for an operation that has no meaning, so that the request is left out; an empty word may be blanks.
    pub no_op: Option<&'static str>,
    /// What has no addresses (`files`, `blocks`), and the bytes of the device for each, unless `--slot` says otherwise.
    pub slot: Option<(&'static str, u64)>,
    /// Whether there are copies of the collection that count bytes, not units.
    pub copies_in_bytes: bool,
    pub shown_by: ShownBy,
}

impl Layout {
    /// Lines of requests alone, with commas between their fields, of which all show the format.
    pub const CSV: Layout = Layout {
        fields: &[],
        between: Between::Commas,
        more: More::Nothing,
        optional: 0,
        hash_header: None,
        ops: READ_WRITE,
        no_op: None,
        slot: None,
        copies_in_bytes: false,
        shown_by: ShownBy::FirstLine(&[]),
    };
}

/// The letters that most formats have.
pub(crate) const READ_WRITE: &[(&str, Op)] = &[("R", Op::Read), ("W", Op::Write)];

/// The name of a field, and what it is.
pub(crate) struct Field(pub &'static str, pub Is);

/// What a field is.
#[derive(Clone, Copy)]
pub(crate) enum Is {
    /// A time in this unit, unless `--time-unit` says otherwise, and what it looks like in the first lines.
    Time(TimeUnit, Look),
    /// A whole number of nanoseconds.
    Nanoseconds,
    /// Ticks of 100 ns since 1601: a file time of Windows.
    FileTime,
    /// Seconds, or a time of the day.
    Clock,
    /// A word of [`Layout::ops`].
    Op,
    /// Hexadecimal; bit 0 is set for a read.
    ReadFlag,
    /// Units of so many bytes, unless `--sector` says otherwise.
    Offset(u64),
    /// Units of so many bytes, unless `--size-unit` or `--sector` says otherwise.
    Size(u64),
    /// The volume, or a part of it.
    Volume(Text),
    /// The file or block that the offset is in.
    Inside(Text),
    /// A number from 0 to 65535; it may be empty unless `--stream-by` names it.
    Stream,
    /// `1` if a cache served the request, `0` or `-1` if not.
    CacheHit,
    /// Not used.
    Unused(Text),
}

/// What a time looks like in the first lines.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    Number,
    Whole,
    /// A number with a point.
    Fraction,
    /// Seconds since 1970.
    Since1970,
    /// A whole number of seconds since 1970.
    WholeSince1970,
}

/// What a field may consist of.
#[derive(Clone, Copy)]
pub(crate) enum Text {
    Any,
    /// The name of such a thing, which is not empty.
    Name(&'static str),
    /// A whole number.
    Number,
    /// Any number that a program may write.
    Float,
    /// Seconds, or nothing.
    Seconds,
    /// Words with blanks between them. The fields behind them are counted from the end of the line.
    Words,
    /// 32 hexadecimal digits, which may be missing.
    Md5,
}

/// What stands between fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    Commas,
    /// Commas, perhaps with blanks around them.
    PaddedCommas,
    /// Tabs, perhaps with blanks around them.
    PaddedTabs,
    /// Any number of blanks and tabs.
    Blanks,
}

/// What may follow the last field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    Nothing,
    EmptyFields,
    Fields,
}

/// What shows that a trace has a format.
#[derive(Clone, Copy)]
pub(crate) enum ShownBy {
    /// The header, or these fields of the first line; none: all of them.
    FirstLine(&'static [usize]),
    /// A rule for the first lines. Returns the reason if they fit.
    Rule(fn(&Layout, Head) -> Option<String>),
}

/// The seconds since 1970 of 2001 to 2099; a time outside this range is in another unit.
const REAL_SECONDS: Range<u64> = 978_307_200..4_102_444_800;

impl Look {
    fn fits(self, unit: TimeUnit, found: &[u8]) -> bool {
        let ns = || unit.decode("", found).ok();
        let is_real = |ns: u64| REAL_SECONDS.contains(&(ns / TimeUnit::Second.ns()));
        let is_whole = || whole_number("", found).is_ok();
        match self {
            Look::Number => ns().is_some(),
            Look::Whole => is_whole(),
            Look::Fraction => found.contains(&b'.') && ns().is_some(),
            Look::Since1970 => ns().is_some_and(is_real),
            Look::WholeSince1970 => is_whole() && ns().is_some_and(is_real),
        }
    }
}

impl Text {
    /// Checks a field that is not decoded.
    ///
    /// # Errors
    /// A message that names `field`.
    pub fn check(self, field: &str, found: &[u8]) -> Result<(), String> {
        match self {
            Text::Any | Text::Words | Text::Md5 => Ok(()),
            Text::Name(thing) if found.is_empty() => Err(format!(
                "{field} is empty; it must be the name of a {thing}"
            )),
            Text::Name(_) => Ok(()),
            Text::Number => whole_number(field, found).map(drop),
            Text::Seconds if found.is_empty() => Ok(()),
            Text::Seconds => TimeUnit::Second.decode(field, found).map(drop),
            Text::Float => {
                let text = std::str::from_utf8(found).unwrap_or_default();
                let is_number = text.parse().is_ok_and(f64::is_finite);
                is_number.then_some(()).ok_or_else(|| {
                    format!(
                        "{field} is not a number, found {}; it must be one, although it is not used",
                        quoted(found)
                    )
                })
            }
        }
    }
}

/// The digits of an MD5 sum.
const MD5: usize = 32;

impl Layout {
    /// The names of the fields, for messages.
    pub fn names(&self) -> String {
        let names: Vec<_> = self.fields.iter().map(|Field(name, _)| *name).collect();
        match self.between {
            Between::Commas | Between::PaddedCommas => names.join(","),
            Between::PaddedTabs | Between::Blanks => names.join(" "),
        }
    }

    /// Whether a line is a header.
    pub fn is_header(&self, line: &[u8], names: &str) -> bool {
        match self.hash_header {
            Some(fields) => line.starts_with(b"#") && self.count(line) >= fields,
            None => line == names.as_bytes(),
        }
    }

    /// The number of fields of a line.
    fn count(&self, line: &[u8]) -> usize {
        match self.between {
            Between::Commas | Between::PaddedCommas => fields_between(line, b',').count(),
            Between::PaddedTabs => fields_between(line, b'\t').count(),
            Between::Blanks => words(line).count(),
        }
    }

    /// The fields of a line; `None` if their number is wrong.
    pub fn split<'a>(&self, line: &'a [u8]) -> Option<Fields<'a>> {
        match self.between {
            Between::Commas => self.fields_of(fields_between(line, b',')),
            Between::PaddedCommas => {
                self.fields_of(fields_between(line, b',').map(<[u8]>::trim_ascii))
            }
            Between::PaddedTabs => {
                self.fields_of(fields_between(line, b'\t').map(<[u8]>::trim_ascii))
            }
            Between::Blanks => self.fields_of(words(line)),
        }
    }

    fn fields_of<'a>(
        &self,
        mut parts: impl DoubleEndedIterator<Item = &'a [u8]>,
    ) -> Option<Fields<'a>> {
        let mut fields = [&b""[..]; MOST];
        let is_words = |Field(_, is): &Field| matches!(is, Is::Unused(Text::Words));
        let (front, back) = match self.fields.iter().position(is_words) {
            None => (self.fields.len(), self.fields.len()..self.fields.len()),
            Some(at) => (at, at + 1..self.fields.len()),
        };
        for (index, field) in fields[..front].iter_mut().enumerate() {
            match parts.next() {
                Some(part) => *field = part,
                None if index + self.optional >= self.fields.len() => break,
                None => return None,
            }
        }
        if front == self.fields.len() {
            return match self.more {
                More::Nothing => parts.next().is_none(),
                More::EmptyFields => parts.all(<[u8]>::is_empty),
                More::Fields => true,
            }
            .then_some(fields);
        }
        let mut kept = None;
        for index in back.rev() {
            let part = kept.take().or_else(|| parts.next_back())?;
            let is_md5 = part.len() == MD5 && part.iter().all(u8::is_ascii_hexdigit);
            if matches!(self.fields[index].1, Is::Unused(Text::Md5)) && !is_md5 {
                kept = Some(part);
            } else {
                fields[index] = part;
            }
        }
        fields[front] = parts.next()?;
        Some(fields)
    }

    /// The message for a line with more or fewer fields.
    pub fn wrong_count(&self, line: &[u8]) -> String {
        let (most, least) = (self.fields.len(), self.fields.len() - self.optional);
        let count = match self.more {
            More::Fields => format!("at least {most}"),
            _ if least < most => format!("{least} or {most}"),
            _ => most.to_string(),
        };
        let between = match self.between {
            Between::Commas | Between::PaddedCommas => "commas",
            Between::PaddedTabs => "tabs",
            Between::Blanks => "blanks",
        };
        let allowed = format!(
            "{count} fields with {between} between them: {}",
            self.names()
        );
        wrong_fields(line, self.count(line), &allowed)
    }

    /// The operation of a field; `None` if it has no meaning.
    ///
    /// # Errors
    /// A message that names `field`.
    pub fn op(&self, field: &str, found: &[u8]) -> Result<Option<Op>, String> {
        let found = match self.no_op {
            Some("") => found.trim_ascii(),
            _ => found,
        };
        if self.no_op.is_some_and(|word| found == word.as_bytes()) {
            return Ok(None);
        }
        op(field, found, self.ops).map(Some)
    }

    /// The reason if a trace that starts like this is in this format.
    pub fn detect(&self, head: Head) -> Option<String> {
        match self.shown_by {
            ShownBy::Rule(rule) => rule(self, head),
            ShownBy::FirstLine(fields) => self.first_line(head.line(), fields),
        }
    }

    fn first_line(&self, line: &[u8], telling: &[usize]) -> Option<String> {
        let names = self.names();
        if self.is_header(line, &names) {
            let names_all = line.len() <= 64 && self.hash_header.is_none();
            let shown = if names_all {
                format!("\"{names}\"")
            } else {
                quoted(line)
            };
            return Some(format!("line 1 is {shown}"));
        }
        let fields = self.split(line)?;
        let all: Vec<_> = (0..self.fields.len()).collect();
        let telling = if telling.is_empty() { &all } else { telling };
        if !telling.iter().all(|&index| self.fits(index, &fields)) {
            return None;
        }
        let told = telling
            .iter()
            .filter_map(|&index| match self.fields[index].1 {
                Is::Time(_, Look::WholeSince1970) => {
                    Some(format!("the {} is a second since 1970", ORDINALS[index]))
                }
                Is::Op => Some(format!(
                    "the {} is {}",
                    ORDINALS[index],
                    quoted(fields[index])
                )),
                _ => None,
            });
        let told: Vec<_> = told.collect();
        let between = match self.between {
            Between::PaddedTabs => " with tabs between them",
            _ => "",
        };
        let count = self.count(line);
        Some(format!(
            "line 1 has {count} fields{between}, {}",
            told.join(", ")
        ))
    }

    /// The fields of the first lines, if all that have as many as the first one look as they should.
    pub fn first_lines<'a>(&self, head: Head<'a>) -> Option<Vec<Fields<'a>>> {
        let lines = head.forms(|line| self.split(line))?;
        let fits = |fields: &Fields| self.fit(0..self.fields.len(), fields);
        lines.iter().all(fits).then_some(lines)
    }

    /// Whether these fields look as they should.
    pub fn fit(&self, mut which: Range<usize>, fields: &Fields) -> bool {
        which.all(|index| self.fits(index, fields))
    }

    fn fits(&self, index: usize, fields: &Fields) -> bool {
        let found = fields[index];
        match self.fields[index].1 {
            Is::Time(unit, look) => look.fits(unit, found),
            Is::FileTime => !found.is_empty() && found.iter().all(u8::is_ascii_digit),
            Is::Op => self.op("", found).is_ok(),
            Is::ReadFlag => is_read("", found).is_ok(),
            Is::Nanoseconds | Is::Offset(_) | Is::Size(_) => whole_number("", found).is_ok(),
            Is::Volume(text) | Is::Inside(text) | Is::Unused(text) => text.check("", found).is_ok(),
            Is::Clock | Is::Stream | Is::CacheHit => true,
        }
    }
}

const ORDINALS: [&str; 7] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh",
];

/// Whether bit 0 of a hexadecimal field is set.
///
/// # Errors
/// A message that names `field`.
pub(crate) fn is_read(field: &str, found: &[u8]) -> Result<bool, String> {
    let text = std::str::from_utf8(found).unwrap_or_default();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u64::from_str_radix(digits, 16).ok().filter(|_| plain);
    value.map(|value| value & 1 == 1).ok_or_else(|| {
        let found = quoted(found);
        format!("{field} is not a hexadecimal number, found {found}; bit 0 is set for a read")
    })
}
