//! Traces of `time rw lba count`, such as those of CAMELab's open storage traces. Their units are not published, so that
//! options must say them.

use super::{MIDAS, csv::Csv};
use crate::decode::{ByLine, Decode};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::layout::{Between, Field, Is, Layout, Look};
use crate::options::ReadOptions;
use crate::table::{Role, TableOptions};
use crate::time_unit::TimeUnit;
use ssdlab_host::Op;

pub(crate) const ENTRY: Entry = Entry {
    about: "time, rw, lba and count, with blanks between them; units by --time-unit, --sector and --size-unit",
    source: "CAMELab open storage traces",
    example: "12.5 W 81920 8",
    options: &["--ops", "--time-unit", "--sector", "--size-unit"],
    by_line: false,
    ..Entry::new("camelab", Reads::Code { detect, decoder })
};

/// What the first lines look like.
const LAYOUT: Layout = Layout {
    fields: &[
        Field("time", Is::Time(TimeUnit::Second, Look::Number)),
        Field("rw", Is::Op),
        Field("lba", Is::Offset(1)),
        Field("count", Is::Size(1)),
    ],
    between: Between::Blanks,
    ops: &[
        ("0", Op::Read),
        ("1", Op::Write),
        ("R", Op::Read),
        ("W", Op::Write),
    ],
    ..Layout::CSV
};

fn detect(head: Head) -> Option<String> {
    if MIDAS.detect(head).is_some() {
        return None;
    }
    LAYOUT.first_lines(head)?;
    Some("the lines have a time, R, W, 0 or 1, and two numbers".into())
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    if options.time_unit.is_none() || options.sector.is_none() {
        return Err(
            "the units of camelab traces are not published; give them as --time-unit UNIT --sector BYTES, with --size-unit \
             BYTES if count has another one, and --ops 0=R,1=W if rw is a number"
                .into(),
        );
    }
    let roles = [Role::Time, Role::Op, Role::Offset, Role::Size];
    let numbers = (1..).map(|number: u32| number.to_string());
    let table = TableOptions {
        fields: roles.into_iter().zip(numbers).collect(),
        header: Some(false),
        delimiter: Some(b' '),
        ops: options.table.ops.clone(),
    };
    Ok(Box::new(ByLine::new(Csv::new(ReadOptions {
        table,
        ..options.clone()
    }))))
}
