//! Tables of any shape as text: the user or the header names the columns, the first line shows the character between
//! fields. Fields may stand in double quotes.

use crate::columns::{Columns, guessed, is_value};
use crate::decode::{ByLine, Decode, Facts, LineFormat, Out};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use crate::text::{quoted, wrong_fields};
use crate::volumes::VolumeNames;
use std::ops::Range;

pub(crate) const ENTRY: Entry = Entry {
    about: "any table, whose columns --fields or its header names; units by --time-unit, --sector and --size-unit, or in the names",
    source: "any program",
    example: "timestamp_us,op,offset_bytes,length_bytes",
    options: &[
        "--fields",
        "--header",
        "--no-header",
        "--delimiter",
        "--ops",
        "--time-unit",
        "--sector",
        "--size-unit",
    ],
    volumes: Some(VolumeNames::AS_WRITTEN),
    ..Entry::new("csv", Reads::Code { detect, decoder })
};

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    let names = Cells::default().names(line, delimiter(line))?;
    Some(format!("line 1 names the columns {}", guessed(&names)?))
}

/// What to do with a table whose first line names no columns, or others than are known; `None`: the line is of no table.
pub(crate) fn advice(line: &[u8]) -> Option<String> {
    let names = Cells::default().names(line, delimiter(line))?;
    let values = names
        .iter()
        .filter(|name| is_value(name.as_bytes()))
        .count();
    let what = match names.len() {
        0..4 => return None,
        count if values > 0 => format!("a table of {count} columns without a header"),
        count => format!("a table of {count} columns, whose names do not tell all that is needed"),
    };
    Some(format!(
        "{what}, found {}; say what they are with --fields time=COLUMN,op=COLUMN,offset=COLUMN,size=COLUMN (names or numbers from \
         1), with --time-unit UNIT, --sector BYTES and perhaps --ops 0=R,1=W",
        quoted(line)
    ))
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByLine::new(Csv::new(options.clone()))))
}

/// The decoder of a table.
pub(crate) struct Csv {
    options: ReadOptions,
    delimiter: u8,
    /// Known after the first line.
    columns: Option<Columns>,
    /// The header, if there is one.
    header: Option<Vec<u8>>,
    /// The number of fields of the first line.
    count: usize,
    cells: Cells,
}

impl Csv {
    pub fn new(options: ReadOptions) -> Self {
        Self {
            options,
            delimiter: b',',
            columns: None,
            header: None,
            count: 0,
            cells: Cells::default(),
        }
    }

    /// Learns the columns from the first line. Returns whether it is a header.
    fn begin(&mut self, line: &[u8]) -> Result<bool, String> {
        let table = &self.options.table;
        self.delimiter = table.delimiter.unwrap_or_else(|| delimiter(line));
        let names = self
            .cells
            .names(line, self.delimiter)
            .ok_or_else(|| bad_quotes(line))?;
        self.count = names.len();
        let numbers = names.iter().any(|name| is_value(name.as_bytes()));
        let header = table.header.unwrap_or(!numbers);
        self.columns = Some(if header {
            self.header = Some(line.to_owned());
            Columns::named(&names, &self.options)?
        } else {
            Columns::numbered(self.count, &self.options)?
        });
        Ok(header)
    }
}

impl LineFormat for Csv {
    fn layout(&self) -> &str {
        "time, op, offset and size in any order"
    }

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        if line.trim_ascii().is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        if self.columns.is_none() && self.begin(line)? {
            return Ok(());
        }
        let Some(columns) = &mut self.columns else {
            unreachable!("the first line gave the columns or an error");
        };
        if self.header.as_deref() == Some(line) {
            out.skip(skip::HEADERS);
            return Ok(());
        }
        let cells = self
            .cells
            .of(line, self.delimiter)
            .ok_or_else(|| bad_quotes(line))?;
        if cells.len() != self.count {
            let allowed = format!("{} fields, as the first line", self.count);
            return Err(wrong_fields(line, cells.len(), &allowed));
        }
        let row = columns.row(&cells);
        out.unselected |= row.is_err() && columns.lacks_unit();
        let requests = row?;
        out.stream = columns.stream(&cells)?.unwrap_or(0);
        if let Some(column) = &columns.volume
            && !out.take(cells[column.index])?
        {
            return Ok(());
        }
        match requests {
            Ok(requests) => requests.for_each(|request| out.push(number, request)),
            Err(reason) => out.skip(reason),
        }
        Ok(())
    }

    fn begins(&self, line: &[u8]) -> bool {
        let first = self.columns.is_none();
        let names = |line| Cells::default().names(line, delimiter(line));
        let is_header =
            |line| names(line).is_some_and(|names| Columns::are_named(&names, &self.options));
        let asked = first && self.options.table.header == Some(true);
        asked || (first && is_header(line)) || self.header.as_deref() == Some(line)
    }

    fn facts(&self) -> Facts {
        let columns = self.columns.as_ref();
        Facts {
            has_streams: columns.is_some_and(|columns| columns.stream.is_some()),
            ..Facts::default()
        }
    }
}

fn bad_quotes(line: &[u8]) -> String {
    format!(
        "double quotes that do not close a field, found {}; a quote inside a quoted field is written twice",
        quoted(line)
    )
}

/// The character between the fields of a line: the first that makes at least four of them.
fn delimiter(line: &[u8]) -> u8 {
    let makes_fields = |delimiter: &u8| {
        let count = Cells::default()
            .of(line, *delimiter)
            .map(|cells| cells.len());
        count.is_some_and(|count| count >= 4)
    };
    b"\t;|, ".iter().copied().find(makes_fields).unwrap_or(b',')
}

/// Cuts lines into fields.
#[derive(Default)]
struct Cells {
    /// The text of quoted fields.
    text: Vec<u8>,
    cells: Vec<Cell>,
}

enum Cell {
    /// A part of the line.
    Line(Range<usize>),
    /// A part of `text`.
    Quoted(Range<usize>),
}

impl Cells {
    /// The names in a header.
    fn names(&mut self, line: &[u8], delimiter: u8) -> Option<Vec<String>> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        let line = line.strip_prefix(b"#").unwrap_or(line);
        let names = self.of(line, delimiter)?;
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        Some(names.into_iter().map(name).collect())
    }

    /// The fields of a line without blanks around them; `None` if a quoted one has no end.
    fn of<'a>(&'a mut self, line: &'a [u8], delimiter: u8) -> Option<Vec<&'a [u8]>> {
        self.text.clear();
        self.cells.clear();
        let between = |byte: &u8| *byte == delimiter || delimiter == b' ' && *byte == b'\t';
        let mut at = 0;
        loop {
            at += blanks(&line[at..], delimiter);
            if line.get(at) == Some(&b'"') {
                let start = self.text.len();
                at = self.quoted(line, at + 1)?;
                self.cells.push(Cell::Quoted(start..self.text.len()));
                at += blanks(&line[at..], delimiter);
            } else {
                let rest = &line[at..];
                let end = at + rest.iter().position(between).unwrap_or(rest.len());
                let end_of_text = at + line[at..end].trim_ascii_end().len();
                self.cells.push(Cell::Line(at..end_of_text));
                at = end;
            }
            if delimiter == b' ' {
                at += blanks(&line[at..], b',');
                if at == line.len() {
                    break;
                }
                continue;
            }
            match line.get(at) {
                None => break,
                Some(byte) if between(byte) => at += 1,
                Some(_) => return None,
            }
        }
        let cell = |cell: &Cell| match cell {
            Cell::Line(range) => &line[range.clone()],
            Cell::Quoted(range) => &self.text[range.clone()],
        };
        Some(self.cells.iter().map(cell).collect())
    }

    /// Copies the text of a quoted field that starts at `at`. Returns the place behind the closing quote.
    fn quoted(&mut self, line: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let byte = *line.get(at)?;
            at += 1;
            if byte == b'"' {
                if line.get(at) != Some(&b'"') {
                    return Some(at);
                }
                at += 1;
            }
            self.text.push(byte);
        }
    }
}

/// The number of blanks and tabs at the start, unless they stand between fields.
fn blanks(text: &[u8], delimiter: u8) -> usize {
    let is_blank =
        |byte: &&u8| matches!(**byte, b' ' | b'\t') && (delimiter == b' ' || **byte != delimiter);
    text.iter().take_while(is_blank).count()
}
