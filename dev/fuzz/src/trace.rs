//! Traces: every format, found by its first line or named, plain and compressed, with the options of reading.
//!
//! An input is three bytes of choices and the file. `000` in front of a file reads it as it is, without options.

use std::io::{self, Cursor, Read};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ssdlab_characterise::{Profile, ProfileOptions};
use ssdlab_host::{Op, Request};
use ssdlab_trace::{
    Action, BATCH, Format, ReadOptions, StreamBy, TableOptions, TimeUnit, TraceError, TraceReader,
    TraceSummary, plain,
};

/// Bytes that an input may have once it is decompressed: what is read takes time for each of them.
const MOST: usize = 1 << 20;
/// The longest message of an error. It quotes only the start of a line.
const MESSAGE: usize = 600;

pub fn run(input: &[u8]) {
    let Some(([how, stored, streams], text)) = input.split_first_chunk() else {
        return;
    };
    let (options, packing) = (options(*how, *stored, *streams), Packing::of(*stored));
    if !is_short(text) {
        return;
    }
    let whole = read("trace", text.to_vec(), usize::MAX, &options);
    check(&whole);
    check_lines(&whole, text);
    let pieces = read("trace", text.to_vec(), packing.piece, &options);
    if is_compressed(text) && whole.end.is_err() {
        // how much a decompressor hands out before an error depends on the pieces
        assert!(pieces.end.is_err() && whole.agrees(&pieces));
    } else {
        assert_eq!(pieces, whole, "in pieces of {} bytes", packing.piece);
    }
    check_packed(&whole, text, &packing, &options);
    check_written(&whole);
    check_info(&whole);
}

/// The options that three bytes choose.
fn options(how: u8, stored: u8, streams: u8) -> ReadOptions {
    let [how, stored, streams] = [how, stored, streams].map(|byte| byte ^ b'0');
    let column = |name: &str| StreamBy::Column(name.to_owned());
    let name = [None, Some("8,0"), Some("usr.0"), Some("8,16")];
    let volume = name[usize::from(how >> 4 & 3)];
    let limit = [None, Some(0), Some(1), Some(7)];
    let format = usize::from(how & 3 | streams >> 5 << 2);
    let which = streams & 0x0F;
    ReadOptions {
        format: (format.checked_sub(1)).and_then(|place| Format::ALL.get(place).copied()),
        action: usize::from(how >> 2 & 3)
            .checked_sub(1)
            .map(|place| Action::ALL[place]),
        volume: volume.map(str::to_owned),
        limit: limit[usize::from(stored >> 2 & 3)],
        drop_flushes: how & 0x40 != 0,
        drop_reads: how & 0x80 != 0,
        drop_discards: streams & 0x10 != 0,
        time_unit: [6, 7].contains(&which).then_some(TimeUnit::Microsecond),
        sector: [6, 7, 9].contains(&which).then_some(512),
        size_unit: (which == 9).then_some(1),
        slot: (which == 8).then_some(1 << 16),
        table: table(which),
        skip_malformed: if which == 10 { 2 } else { 0 },
        all_volumes: which == 11 && volume.is_none(),
        stream_by: match which {
            1 => Some(StreamBy::Op),
            2 => Some(StreamBy::Lba(1 << 16)),
            3 => Some(column("pid")),
            4 => Some(column("process")),
            5 => Some(column("stream")),
            _ => None,
        },
        ..ReadOptions::default()
    }
}

/// The columns of a table.
fn table(which: u8) -> TableOptions {
    let mut table = TableOptions::default();
    if which == 6 {
        let fields = TableOptions::parse_fields("time=1,op=2,offset=3,size=4");
        let ops = TableOptions::parse_ops("0=R,1=W");
        (table.fields, table.ops) = (fields.expect("is valid"), ops.expect("is valid"));
    }
    table
}

/// How the file is stored and read.
struct Packing {
    coding: Coding,
    /// The last bytes are missing.
    is_cut: bool,
    /// The most bytes of a read.
    piece: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Coding {
    Plain,
    /// Its name says that it is compressed, and it is not.
    Mislabelled,
    Gzip,
    Zstd,
}

impl Packing {
    fn of(stored: u8) -> Self {
        let stored = stored ^ b'0';
        let codings = [
            Coding::Plain,
            Coding::Gzip,
            Coding::Zstd,
            Coding::Mislabelled,
        ];
        Self {
            coding: codings[usize::from(stored & 3)],
            is_cut: stored & 0x80 != 0,
            piece: [64, 1, 2, 3, 7, 1000, 4096, 4097][usize::from(stored >> 4 & 7)],
        }
    }

    fn pack(&self, text: &[u8]) -> Vec<u8> {
        let mut packed = match self.coding {
            Coding::Plain | Coding::Mislabelled => text.to_vec(),
            Coding::Gzip => gzip(text).expect("memory takes all"),
            Coding::Zstd => zstd::encode_all(text, 1).expect("memory takes all"),
        };
        if self.is_cut {
            packed.truncate(packed.len().saturating_sub(4));
        }
        packed
    }
}

fn gzip(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    io::Write::write_all(&mut encoder, text)?;
    encoder.finish()
}

/// Whether a file begins as a compressed one.
pub(super) fn is_compressed(stored: &[u8]) -> bool {
    match stored {
        [0x1F, 0x8B, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] => true,
        [b'B', b'Z', b'h', ..] | [0xFD, b'7', b'z', b'X', ..] => true,
        [first, 0x2A, 0x4D, 0x18, ..] => first >> 4 == 5,
        _ => false,
    }
}

/// Whether a file is short once it is decompressed.
fn is_short(stored: &[u8]) -> bool {
    let count = |reader: &mut dyn Read| {
        let mut reader = reader.take(MOST as u64 + 1);
        // an error ends the count, as it ends the reading
        io::copy(&mut reader, &mut io::sink()).is_err() || reader.limit() > 0
    };
    match stored {
        [0x1F, 0x8B, ..] => count(&mut MultiGzDecoder::new(stored)),
        // these are not compressed here, so that they are found only by accident
        [b'B' | 0xFD, ..] if is_compressed(stored) => false,
        _ if is_compressed(stored) => {
            zstd::Decoder::new(stored).map_or(true, |mut decoder| count(&mut decoder))
        }
        _ => true,
    }
}

/// What reading a trace gave.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub requests: Vec<Request>,
    /// The line of each request.
    pub lines: Vec<u64>,
    /// Whether lines are numbered, not records.
    is_text: bool,
    pub end: Result<TraceSummary, TraceError>,
}

impl Outcome {
    /// Whether the requests of one begin with those of the other.
    fn agrees(&self, other: &Outcome) -> bool {
        let both = self.requests.len().min(other.requests.len());
        self.requests[..both] == other.requests[..both]
    }
}

/// Returns its bytes piece by piece.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

pub(super) fn read(name: &str, stored: Vec<u8>, piece: usize, options: &ReadOptions) -> Outcome {
    let (mut requests, mut lines, mut batch) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_text = true;
    let all = || {
        let stored = Pieces(Cursor::new(stored), piece);
        let mut reader = TraceReader::from_reader(name, stored, options)?;
        loop {
            let more = reader.next_batch(&mut batch);
            is_text = reader.unit() == "line";
            // an error comes with the requests before it
            lines.extend((0..batch.len()).map(|index| reader.line_of(index)));
            requests.extend_from_slice(&batch);
            assert!(batch.len() <= BATCH);
            match more {
                Ok(true) => assert!(!batch.is_empty()),
                Ok(false) => return Ok(reader.finish()),
                Err(error) => {
                    let again = reader.next_batch(&mut batch);
                    assert_eq!(again.as_ref(), Err(&error), "an error is forgotten");
                    return Err(error);
                }
            }
        }
    };
    let end = all();
    Outcome {
        requests,
        lines,
        is_text,
        end,
    }
}

/// What holds for every trace.
pub(super) fn check(read: &Outcome) {
    for request in &read.requests {
        match request.op() {
            Op::Flush => assert_eq!((request.offset, request.size()), (0, 0)),
            _ => assert!(request.size() > 0, "{request:?} has no bytes"),
        }
    }
    match &read.end {
        Ok(summary) => {
            assert_eq!(summary.requests, read.requests.len() as u64);
            let whole = summary.sha256.as_ref().is_none_or(|sum| sum.len() == 64);
            assert!(whole, "{summary:?}");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!error.is_io(), "{message}");
            let is_one_line = !message.contains(char::is_control);
            assert!(is_one_line && message.len() <= MESSAGE, "{message:?}");
        }
    }
}

/// Requests and errors are on lines of the file.
pub(super) fn check_lines(read: &Outcome, text: &[u8]) {
    if is_compressed(text) || !read.is_text {
        return;
    }
    assert!(read.lines.is_sorted(), "lines go back: {:?}", read.lines);
    let count = text.split(|&byte| byte == b'\n').count() as u64;
    let last = match read.end {
        Err(TraceError::Malformed { at, .. }) => {
            let line = at.number;
            assert!((1..=count).contains(&line), "line {line} of {count}");
            line - 1
        }
        _ => count,
    };
    let inside = read.lines.iter().all(|line| (1..=last).contains(line));
    assert!(inside, "{:?} before line {last}", read.lines);
}

/// A compressed file says the same, a damaged one no more.
fn check_packed(plain: &Outcome, text: &[u8], packing: &Packing, options: &ReadOptions) {
    let name = match packing.coding {
        Coding::Mislabelled => "trace.gz",
        _ => "trace",
    };
    let packed = read(name, packing.pack(text), packing.piece, options);
    check(&packed);
    let is_packed = matches!(packing.coding, Coding::Gzip | Coding::Zstd);
    // what is compressed twice is not read, and an empty file has another message
    if !is_packed || is_compressed(text) || text.is_empty() {
        return;
    }
    if packing.is_cut {
        assert!(plain.requests.starts_with(&packed.requests));
        return;
    }
    assert_eq!(packed.requests, plain.requests);
    assert_eq!(packed.lines, plain.lines);
    match (&packed.end, &plain.end) {
        (Ok(packed), Ok(plain)) => {
            let sha256 = packed.sha256.clone();
            let plain = plain.clone();
            assert_eq!(*packed, TraceSummary { sha256, ..plain });
        }
        (packed, plain) => assert_eq!(packed, plain),
    }
}

/// What was read of a trace, written as a plain one, is read again.
fn check_written(outcome: &Outcome) {
    let mut text = format!("{}\n", plain::STREAM_HEADER);
    for request in &outcome.requests {
        plain::add_line(&mut text, request, true);
    }
    let options = ReadOptions::default();
    let again = read("written", text.into_bytes(), usize::MAX, &options);
    assert!(again.end.is_ok(), "{:?}", again.end);
    assert_eq!(again.requests, outcome.requests);
}

/// The characterisation adds up.
fn check_info(read: &Outcome) {
    for page_size in [512, 4096] {
        let mut profile = Profile::new(&ProfileOptions {
            page_size,
            erase_block: 3 * page_size,
            most_pages: 5000,
        });
        let mut requests = read.requests.iter();
        if requests.any(|request| profile.add(request).is_err()) {
            continue;
        }
        let report = profile.finish();
        let info = &report.info;
        assert_eq!(info.requests, read.requests.len() as u64);
        assert!(info.pages_written <= info.page_writes);
        assert!(info.hottest_page_writes <= info.writes);
        assert!(info.pages_written <= info.pages_touched);
        assert!(info.unaligned_writes <= info.writes);
        assert!(info.bytes_unique <= info.bytes_written);
        let Some(pages) = report.pages else {
            assert!(info.page_writes > 5000);
            continue;
        };
        // what no buffer can know before the first write of a page
        let (lru, hits) = (&pages.lru_by_page, &pages.lru_by_page.hits);
        assert_eq!(lru.writes, info.page_writes);
        assert!(hits.write_hits(u64::MAX) <= info.page_writes - info.pages_written);
        assert!(lru.enough <= info.pages_written);
        assert!(pages.rewrites.rewrites <= info.page_writes - info.pages_written);
        let windows = pages.working_set.pages;
        assert!(windows.iter().sum::<u64>() >= info.pages_written);
        assert!(windows.iter().all(|&pages| pages <= info.pages_written));
    }
}
