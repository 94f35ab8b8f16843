//! Decodes formats whose lines are the rows of a [`Layout`].

use crate::clock::Clock;
use crate::decode::{ByLine, Decode, Facts, LineFormat, Out};
use crate::layout::{Between, Field, Fields, Is, Layout, Look, Text, is_read};
use crate::options::ReadOptions;
use crate::skip;
use crate::slots::Slots;
use crate::streams::StreamBy;
use crate::text::{Scan, in_bytes, number_up_to, quick_request, quoted, request, whole_number};
use crate::time_unit::TimeUnit;
use ssdlab_host::{Op, Request};
use std::marker::PhantomData;
use std::ops::Range;

/// The layout for which a decoder is compiled.
pub(crate) trait Compiled: Send + 'static {
    /// `None`: any layout. Otherwise well-formed lines are scanned by code in which the layout is a constant.
    const LAYOUT: Option<&'static Layout>;
}

/// Any layout.
pub(crate) struct Any;

impl Compiled for Any {
    const LAYOUT: Option<&'static Layout> = None;
}

/// The decoder of a layout. The options of units are those that the format takes, as the registry checks.
pub(crate) fn decoder<C: Compiled>(
    layout: &'static Layout,
    options: &ReadOptions,
) -> Box<dyn Decode> {
    Box::new(ByLine::new(Rows::<C>::new(layout, options)))
}

struct Rows<C> {
    layout: &'static Layout,
    /// The names of the fields, for messages.
    names: String,
    /// The names of offset and size in bytes, for messages.
    in_bytes: [String; 2],
    time_unit: Option<TimeUnit>,
    /// Bytes in a unit of offsets.
    offset_unit: u64,
    /// Bytes in a unit of sizes.
    size_unit: u64,
    /// Whether the user did not say the unit of offsets.
    default_units: bool,
    has_volumes: bool,
    has_streams: bool,
    /// Whether lines must have streams.
    needs_streams: bool,
    clock: Clock,
    slots: Slots,
    seen: Seen,
    /// The volume of the line: its fields, with what stands between them.
    volume: Vec<u8>,
    compiled: PhantomData<C>,
}

/// What a line says.
#[derive(Default)]
struct Row<'a> {
    time: u64,
    /// `None`: an operation without a meaning.
    op: Option<Op>,
    /// Bytes.
    offset: u64,
    /// Bytes.
    size: u64,
    /// The file or block of the offset.
    inside: &'a [u8],
    is_cache_hit: bool,
}

/// The bits that are set in some offset, and in some size, in units; the number of lines with an offset above 0.
#[derive(Default)]
struct Seen {
    offsets: u64,
    sizes: u64,
    count: u64,
}

impl Seen {
    /// Fewer lines say nothing about the unit.
    const ENOUGH: u64 = 16;

    /// Notes an offset and a size, in units.
    #[inline(always)]
    fn note(&mut self, offset: u64, size: u64) {
        self.offsets |= offset;
        self.sizes |= size;
        self.count += u64::from(offset > 0);
    }

    /// What the user should know, if units look like bytes.
    fn remark(&self) -> Option<String> {
        let whole_sectors = |bits: u64| bits.is_multiple_of(512);
        if self.count < Seen::ENOUGH || !whole_sectors(self.offsets) {
            return None;
        }
        let (what, options) = match whole_sectors(self.sizes) {
            true => ("offsets and sizes", "--sector 1"),
            false => ("offsets", "--sector 1 --size-unit 512"),
        };
        Some(format!(
            "all {what} are multiples of 512, as if they were bytes, not sectors; there are copies of the set in bytes: if \
             this is one, give {options}"
        ))
    }
}

impl<C> Rows<C> {
    fn new(layout: &'static Layout, options: &ReadOptions) -> Self {
        let is = |wanted: fn(&Is) -> bool| layout.fields.iter().any(|Field(_, is)| wanted(is));
        let [mut offset, mut size] = [("", 1), ("", 1)];
        for Field(name, is) in layout.fields {
            match is {
                Is::Offset(unit) => offset = (*name, *unit),
                Is::Size(unit) => size = (*name, *unit),
                _ => {}
            }
        }
        let in_bytes = [offset, size].map(|(name, unit)| match unit {
            1 => name.to_owned(),
            _ => format!("{name} in bytes"),
        });
        Self {
            layout,
            names: layout.names(),
            in_bytes,
            time_unit: options.time_unit,
            offset_unit: options.sector.unwrap_or(offset.1),
            size_unit: options.size_unit.or(options.sector).unwrap_or(size.1),
            default_units: options.sector.is_none(),
            has_volumes: is(|is| matches!(is, Is::Volume(_))),
            has_streams: is(|is| matches!(is, Is::Stream)),
            needs_streams: matches!(options.stream_by, Some(StreamBy::Column(_))),
            clock: Clock::default(),
            slots: Slots::new(
                options
                    .slot
                    .or(layout.slot.map(|(_, size)| size))
                    .unwrap_or(1),
            ),
            seen: Seen::default(),
            volume: Vec::new(),
            compiled: PhantomData,
        }
    }

    /// Decodes a field.
    fn field<'a>(
        &mut self,
        Field(name, is): &Field,
        found: &'a [u8],
        row: &mut Row<'a>,
        out: &mut Out,
    ) -> Result<(), String> {
        match *is {
            Is::Time(unit, _) => {
                row.time = self.time_unit.unwrap_or(unit).decode(name, found)?;
            }
            Is::Nanoseconds => row.time = whole_number(name, found)?,
            Is::FileTime => row.time = file_time(name, found)?,
            Is::Clock => row.time = self.clock.decode(name, found)?,
            Is::Op => row.op = self.layout.op(name, found)?,
            Is::ReadFlag => {
                row.op = Some(if is_read(name, found)? {
                    Op::Read
                } else {
                    Op::Write
                });
            }
            Is::Offset(_) => row.offset = in_bytes(self.offset_unit, name, found)?,
            Is::Size(_) => row.size = in_bytes(self.size_unit, name, found)?,
            Is::Volume(text) => {
                text.check(name, found)?;
                if !self.volume.is_empty() {
                    let blanks = self.layout.between == Between::Blanks;
                    self.volume.push(if blanks { b' ' } else { b',' });
                }
                self.volume.extend_from_slice(found);
            }
            Is::Inside(text) => {
                text.check(name, found)?;
                row.inside = found;
            }
            Is::Stream => {
                out.stream = match found {
                    b"" if !self.needs_streams => 0,
                    _ => number_up_to(u16::MAX.into(), name, found)? as u16,
                };
            }
            Is::CacheHit => {
                row.is_cache_hit = found == b"1";
                if !matches!(found, b"1" | b"0" | b"-1") {
                    let found = quoted(found);
                    return Err(format!(
                        "{name} is unknown, found {found}; it must be 1, 0 or -1"
                    ));
                }
            }
            Is::Unused(text) => text.check(name, found)?,
        }
        Ok(())
    }

    /// The request of a row, or the reason why it is left out.
    fn request(&mut self, row: &Row) -> Result<Result<Request, &'static str>, String> {
        let Some(op) = row.op else {
            return Ok(Err(skip::OPERATIONS));
        };
        if row.is_cache_hit && op == Op::Read {
            return Ok(Err(skip::CACHE_HITS));
        }
        if row.size == 0 {
            return Ok(Err(skip::NO_DATA));
        }
        let names = [&*self.in_bytes[0], &*self.in_bytes[1]];
        let offset = match self.layout.slot {
            Some(_) => self
                .slots
                .address(row.inside, names, row.offset, row.size)?,
            None => row.offset,
        };
        request(names, row.time, op, offset, row.size).map(Ok)
    }
}

impl<C: Compiled> LineFormat for Rows<C> {
    fn layout(&self) -> &str {
        &self.names
    }

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        if line.trim_ascii().is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        if self.layout.is_header(line, &self.names) {
            if number > 1 {
                out.skip(skip::HEADERS);
            }
            return Ok(());
        }
        let layout = self.layout;
        let fields: Fields = layout.split(line).ok_or_else(|| layout.wrong_count(line))?;
        let mut row = Row::default();
        self.volume.clear();
        for (field, found) in layout.fields.iter().zip(fields) {
            self.field(field, found, &mut row, out)?;
        }
        let request = self.request(&row)?;
        if layout.copies_in_bytes {
            let units = (row.offset / self.offset_unit, row.size / self.size_unit);
            self.seen.note(units.0, units.1);
        }
        if self.has_volumes {
            return out.add(number, &self.volume, request);
        }
        out.give(number, request);
        Ok(())
    }

    fn begins(&self, line: &[u8]) -> bool {
        self.layout.is_header(line, &self.names)
    }

    #[inline(always)]
    fn scan(&mut self, number: u64, text: &[u8], out: &mut Out) -> Option<usize> {
        let layout = C::LAYOUT?;
        let mut quick = Quick::new(text);
        // each step is compiled for its field
        macro_rules! fields {
            ($($index:literal)+) => {
                const { assert!(matches!(C::LAYOUT, None | Some(Layout { fields: [] | [_] | [_, _] | [_, _, _] | [_, _, _, _]
                    | [_, _, _, _, _] | [_, _, _, _, _, _] | [_, _, _, _, _, _, _], .. }))) };
                $(if let Some(Field(_, is)) = layout.fields.get($index) {
                    if $index > 0 {
                        quick.scan.expect(b',')?;
                    }
                    quick.field(is, layout.ops)?;
                })+
            };
        }
        fields!(0 1 2 3 4 5 6);
        let used = quick.scan.end()?;
        let offset = quick.offset.checked_mul(self.offset_unit)?;
        let size = quick.size.checked_mul(self.size_unit)?;
        let request = quick_request(quick.time, quick.op, offset, size)?;
        out.add(number, quick.volume, Ok(request)).ok()?;
        if layout.copies_in_bytes {
            self.seen.note(quick.offset, quick.size);
        }
        Some(used)
    }

    fn facts(&self) -> Facts {
        let slots = self
            .layout
            .slot
            .map(|(things, _)| self.slots.remark(things));
        let is_in_doubt = self.layout.copies_in_bytes && self.default_units;
        let units = is_in_doubt.then(|| self.seen.remark()).flatten();
        Facts {
            // streams may begin on any line
            has_streams: self.has_streams,
            remarks: slots.into_iter().chain(units).collect(),
            ..Facts::default()
        }
    }
}

/// A well-formed line of a layout with volumes and commas between its fields, while it is scanned.
struct Quick<'a> {
    scan: Scan<'a>,
    time: u64,
    op: Op,
    /// In units.
    offset: u64,
    /// In units.
    size: u64,
    /// The fields of the volume, with what stands between them.
    volume: &'a [u8],
    volume_start: Option<usize>,
}

impl<'a> Quick<'a> {
    #[inline(always)]
    const fn new(text: &'a [u8]) -> Self {
        Self {
            scan: Scan::new(text),
            time: 0,
            op: Op::Flush,
            offset: 0,
            size: 0,
            volume: b"",
            volume_start: None,
        }
    }

    /// Scans a field; `None` if it is odd.
    #[inline(always)]
    fn field(&mut self, is: &Is, ops: &[(&str, Op)]) -> Option<()> {
        match *is {
            Is::Time(unit, Look::Whole | Look::WholeSince1970) => {
                self.time = self.scan.number()?.checked_mul(unit.ns())?;
            }
            Is::Time(TimeUnit::Second, _) => self.time = self.scan.seconds()?,
            Is::FileTime => {
                let ticks = self
                    .scan
                    .number()
                    .filter(|ticks| REAL_TICKS.contains(ticks))?;
                self.time = ticks * TICK_NS;
            }
            Is::Op => {
                let [(first, is_first), (second, is_second)] = *ops else {
                    return None;
                };
                self.op = match self.scan.word(first) {
                    Some(()) => is_first,
                    None => self.scan.word(second).map(|()| is_second)?,
                };
            }
            Is::Offset(_) => self.offset = self.scan.number()?,
            Is::Size(_) => self.size = self.scan.number()?,
            Is::Volume(text) => {
                let start = *self.volume_start.get_or_insert(self.scan.at());
                match text {
                    Text::Number => drop(self.scan.number()?),
                    _ => self
                        .scan
                        .field()
                        .filter(|field| !field.is_empty())
                        .map(drop)?,
                }
                self.volume = self.scan.between(start, self.scan.at());
            }
            Is::Unused(_) => drop(self.scan.number()?),
            _ => return None,
        }
        Some(())
    }
}

/// Nanoseconds in a tick of Windows.
const TICK_NS: u64 = 100;

/// The file times of 1990 to 2099; a time outside this range is in another unit.
const REAL_TICKS: Range<u64> = 122_756_256_000_000_000..157_469_184_000_000_000;

/// The nanoseconds of a file time of Windows.
fn file_time(field: &str, found: &[u8]) -> Result<u64, String> {
    let ticks = whole_number(field, found)?;
    if REAL_TICKS.contains(&ticks) {
        return Ok(ticks * TICK_NS);
    }
    let Range { start, end } = REAL_TICKS;
    Err(format!(
        "{field} is not a Windows file time, found {ticks}; its unit must be 100 ns ticks since 1601, so it must be from \
         {start} (1990) to {} (2099)",
        end - 1
    ))
}
