//! The default text of blkparse: one line for each step of each request,
//! `maj,min cpu sequence seconds.nanoseconds pid action RWBS sector + sectors [process]`.
//!
//! Only the lines of one action become requests; a request that is requeued and dispatched again counts once. A write with FUA becomes a
//! write and then a flush. A request with a preflush becomes a flush and then, if it has data, the request. The device
//! (`8,0`) is the volume.

use crate::block_layer::{Kind, Place, Requeued, emit};
use crate::decode::{ByLine, Decode, Facts, LineFormat, Out};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::{Action, ReadOptions};
use crate::skip;
use crate::streams::{Numbers, StreamBy};
use crate::text::{SECTOR, number_up_to, quoted, whole_number};
use crate::volumes::VolumeNames;

const LAYOUT: &str =
    "maj,min cpu sequence seconds.nanoseconds pid action RWBS sector + sectors [process]";

pub(crate) const ENTRY: Entry = Entry {
    about: "default text of blkparse, the lines of one action (--action); times in s, sectors of 512 bytes",
    source: "blktrace",
    example: "8,0 0 1 0.000000000 697 D W 223490 + 8 [kjournald]",
    options: &["--action"],
    columns: &["cpu", "pid", "process"],
    volumes: Some(VOLUMES),
    ..Entry::new("blkparse", Reads::Code { detect, decoder })
};

/// A device is a volume.
pub(crate) const VOLUMES: VolumeNames = VolumeNames {
    parse: volume,
    ..VolumeNames::AS_WRITTEN
};

struct Blkparse {
    action: Action,
    /// The number of lines with each of [`Action::ALL`].
    seen: [u64; 3],
    in_summary: bool,
    column: Option<Column>,
    /// Whether lines end without a process, as the first one shows that would have one.
    bare: Option<bool>,
    requeued: Requeued,
    /// RWBS with an unknown letter: the first one, and how many lines have some.
    odd: Option<(String, u64)>,
    /// The events that blkparse did not see, as its summary says.
    skips: Option<String>,
}

/// The column that `--stream-by` names.
struct Column {
    name: String,
    numbers: Numbers,
}

fn detect(head: Head) -> Option<String> {
    let mut rest = head.line();
    Step::parse(&mut { rest }).ok()?;
    let start: [_; 4] = std::array::from_fn(|_| field(&mut rest));
    Some(format!("line 1 starts with {}", quoted(&start.join(&b' '))))
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    let action = options.action.unwrap_or_default();
    let column = match &options.stream_by {
        Some(StreamBy::Column(name)) if name == "process" && action == Action::Complete => {
            return Err("--stream-by column:process: a completed request has the error in its place; choose cpu or \
                        pid, or the lines of action Q or D"
                .into());
        }
        Some(StreamBy::Column(name)) => Some(Column {
            name: name.clone(),
            numbers: Numbers::default(),
        }),
        _ => None,
    };
    Ok(Box::new(ByLine::new(Blkparse {
        action,
        column,
        seen: [0; 3],
        in_summary: false,
        bare: None,
        requeued: Requeued::default(),
        odd: None,
        skips: None,
    })))
}

fn volume(name: &str) -> Result<Vec<u8>, String> {
    if is_device(name.as_bytes()) {
        Ok(name.into())
    } else {
        Err("a volume is the major and minor number of a device, as 8,0".into())
    }
}

impl LineFormat for Blkparse {
    fn layout(&self) -> &str {
        LAYOUT
    }

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        let mut rest = line;
        if self.in_summary || starts_summary(line) {
            self.in_summary = true;
            out.skip(skip::SUMMARY);
            if let Some(skips) = line.trim_ascii().strip_prefix(b"Skips: ")
                && !skips.starts_with(b"0 ")
            {
                self.skips = Some(String::from_utf8_lossy(skips).into_owned());
            }
            return if belongs_to_summary(line) {
                Ok(())
            } else {
                Err(behind_summary(line))
            };
        }
        if line.trim_ascii().is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        let step = Step::parse(&mut rest)?;
        if let Some(action) = Action::ALL.iter().position(|action| step.is(*action)) {
            self.seen[action] += 1;
        }
        // Lines of the known actions all end with a bracket, or none do; those of other actions may end otherwise.
        let reason = why_left_out(step.action);
        if reason == skip::ACTIONS {
            let bare = line.trim_ascii_end().last() != Some(&b']');
            if bare != *self.bare.get_or_insert(bare) {
                return Err(unfinished(rest));
            }
        }
        let is_requeue = self.action == Action::Dispatch && step.action == b"R";
        if !step.is(self.action) && !is_requeue {
            out.skip(reason);
            return Ok(());
        }
        if !out.take(step.device)? {
            return Ok(());
        }
        let letters = field(&mut rest);
        let (kind, is_known) = match Kind::of_letters(letters).map_err(|()| bad_letters(letters))? {
            Ok(kind) => kind,
            Err(reason) => {
                out.skip(reason);
                return Ok(());
            }
        };
        if !is_known {
            let odd = self.odd.get_or_insert_with(|| (quoted(letters), 0));
            odd.1 += 1;
        }
        let place = place(rest, self.action, self.bare == Some(true))?;
        if is_requeue {
            return self.requeued.give_back(step.device, kind, place, out);
        }
        if self.requeued.owes(step.device, kind, place) {
            return Ok(());
        }
        if let Some(Column { name, numbers }) = &mut self.column {
            out.stream = numbers.of(match &**name {
                "cpu" => step.cpu,
                "pid" => step.pid,
                _ => process(rest),
            })?;
        }
        emit(number, step.time, kind, place, out)
    }

    fn facts(&self) -> Facts {
        let bare = (self.bare == Some(true)).then(|| {
            "its lines end without the process in brackets that blkparse prints, so that nothing shows whether a line is cut"
                .to_owned()
        });
        let odd = self.odd.as_ref().map(|(letters, lines)| {
            format!(
                "{lines} lines have an unknown letter in RWBS, as {letters}; the letters before it say what they do"
            )
        });
        let skips = self
            .skips
            .as_ref()
            .map(|skips| format!("blkparse missed events ({skips}), so requests are missing"));
        Facts {
            remarks: [bare, odd, skips].into_iter().flatten().collect(),
            nothing_selected: self.action.missing(self.seen, "lines"),
            ..Facts::default()
        }
    }
}

/// The fields at the start of each line of a step.
struct Step<'a> {
    device: &'a [u8],
    cpu: &'a [u8],
    /// Nanoseconds.
    time: u64,
    pid: &'a [u8],
    action: &'a [u8],
}

impl<'a> Step<'a> {
    fn parse(rest: &mut &'a [u8]) -> Result<Self, String> {
        let line = *rest;
        let device = field(rest);
        if !is_device(device) {
            return Err(format!(
                "no line of blkparse, found {}; a line is {LAYOUT}",
                quoted(line)
            ));
        }
        let cpu = field(rest);
        whole_number("cpu", cpu)?;
        whole_number("sequence", field(rest))?;
        let time = time(field(rest))?;
        let pid = field(rest);
        whole_number("pid", pid)?;
        let action = field(rest);
        if !matches!(action.len(), 1..=2) || !action.iter().all(u8::is_ascii_alphabetic) {
            return Err(format!(
                "action is unknown, found {}; it must be one or two letters, as Q, D, C or UT",
                quoted(action)
            ));
        }
        Ok(Self {
            device,
            cpu,
            time,
            pid,
            action,
        })
    }

    fn is(&self, action: Action) -> bool {
        self.action == action.letter().as_bytes()
    }
}

/// The next field; blanks separate fields.
fn field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let text = rest.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace);
    let (field, behind) = text.split_at(end.unwrap_or(text.len()));
    *rest = behind;
    field
}

fn is_device(found: &[u8]) -> bool {
    let comma = found.iter().position(|&byte| byte == b',');
    let number = |digits: &[u8]| whole_number("", digits).is_ok();
    comma.is_some_and(|at| number(&found[..at]) && number(&found[at + 1..]))
}

/// `12.000000345` in nanoseconds.
fn time(found: &[u8]) -> Result<u64, String> {
    let point = found.iter().position(|&byte| byte == b'.');
    let nanoseconds = point.and_then(|at| {
        let seconds = whole_number("", &found[..at]).ok()?;
        let fraction = &found[at + 1..];
        let fraction = whole_number("", fraction)
            .ok()
            .filter(|_| fraction.len() == 9)?;
        seconds.checked_mul(1_000_000_000)?.checked_add(fraction)
    });
    nanoseconds.ok_or_else(|| {
        format!(
            "the time is not a number of seconds, found {}; it must be seconds up to {}, a point and nine digits, as 12.000000345",
            quoted(found),
            u64::MAX / 1_000_000_000
        )
    })
}

fn starts_summary(line: &[u8]) -> bool {
    match line.strip_prefix(b"CPU") {
        Some(behind) => behind.first().is_some_and(u8::is_ascii_digit),
        None => line.starts_with(b"Total ("),
    }
}

/// Blank lines, the indented figures (requests may be indented too), and the headings and totals, which are not
/// indented.
fn belongs_to_summary(line: &[u8]) -> bool {
    let starts = [
        &b"CPU"[..],
        b"Total (",
        b"Throughput (",
        b"Events (",
        b"Skips: ",
        b"Input file ",
    ];
    match line.first() {
        Some(byte) if !byte.is_ascii_whitespace() => {
            starts.iter().any(|start| line.starts_with(start))
        }
        _ => !is_device(field(&mut &*line)),
    }
}

fn behind_summary(line: &[u8]) -> String {
    format!(
        "a line other than the figures after the summary, found {}; a trace has one summary, at its end, so split the file after it",
        quoted(line)
    )
}

/// The reason for which the lines of an action are left out when another action is read.
fn why_left_out(action: &[u8]) -> &'static str {
    match action {
        b"Q" | b"G" | b"S" | b"I" | b"D" | b"C" | b"R" | b"M" | b"F" | b"B" => skip::ACTIONS,
        b"P" | b"U" | b"UT" | b"T" | b"m" => skip::PLUGS,
        b"A" | b"X" => skip::REMAPS,
        _ => skip::UNKNOWN,
    }
}

fn bad_letters(found: &[u8]) -> String {
    format!(
        "RWBS is unknown, found {}; it must be capital letters: R, W, D, DE, N or Z and a letter, perhaps with F (flush) before \
         it, and F (FUA), A, B, M, S or U behind it",
        quoted(found)
    )
}

/// The place in the rest of a line.
fn place(mut rest: &[u8], action: Action, bare: bool) -> Result<Place, String> {
    let completed = action == Action::Complete;
    match rest.trim_ascii_start().first() {
        None if bare => return Ok(Place::Nothing),
        Some(b'[') => return closed(rest, Place::Nothing),
        // For a completed request, the bytes of a command; for other actions, the time since the request was
        // queued.
        Some(b'(') if completed => return closed(rest, Place::Command),
        Some(b'(') => return closed(rest, Place::Nothing),
        _ => {}
    }
    let offset = sectors("sector", field(&mut rest))?;
    let behind = rest;
    match field(&mut rest) {
        b"+" => {
            let size = sectors("number of sectors", field(&mut rest))?;
            let place = match size {
                0 => Place::Nothing,
                _ => Place::Range { offset, size },
            };
            if bare && rest.trim_ascii_start().is_empty() {
                return Ok(place);
            }
            closed(rest, place)
        }
        [b'[' | b'(', ..] if completed => closed(behind, Place::Nothing),
        [b'[' | b'(', ..] => closed(behind, Place::Command),
        [] if bare => Ok(Place::Nothing),
        [] => Err(unfinished(behind)),
        other => Err(format!(
            "sector is followed by {}; it must be by + and the number of sectors",
            quoted(other)
        )),
    }
}

/// `place`, if the end of the line is valid; a line that was cut off has no valid end.
fn closed(rest: &[u8], place: Place) -> Result<Place, String> {
    match rest.trim_ascii_start() {
        [b'[' | b'(', .., b']'] => Ok(place),
        rest => Err(unfinished(rest)),
    }
}

/// The name of the process in the brackets at the end of a line.
fn process(rest: &[u8]) -> &[u8] {
    let open = rest.iter().position(|&byte| byte == b'[');
    open.map_or(b"", |at| &rest[at..])
}

fn unfinished(rest: &[u8]) -> String {
    format!(
        "the end of the line is cut off or wrong, found {}; it must be the process or the error in brackets",
        quoted(rest.trim_ascii_start())
    )
}

/// A number of sectors in bytes.
fn sectors(name: &str, found: &[u8]) -> Result<u64, String> {
    Ok(number_up_to(u64::MAX / SECTOR, name, found)? * SECTOR)
}
