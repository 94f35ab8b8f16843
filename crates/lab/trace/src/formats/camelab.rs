//! Traces of `time rw lba count`, such as those of CAMELab's open storage traces. Their units are not published, so that
//! options must say them.

use crate::decode::{ByLine, Decode};
use crate::entry::{Entry, Head};
use crate::formats::csv::Csv;
use crate::formats::midas;
use crate::options::ReadOptions;
use crate::rows::by_blanks;
use crate::table::{Role, TableOptions};
use crate::text::whole_number;
use crate::time_unit::TimeUnit;

pub(crate) const ENTRY: Entry = Entry {
    name: "camelab",
    about: "time, rw, lba and count, with blanks between them; units by --time-unit, --sector and --size-unit",
    source: "CAMELab open storage traces",
    example: "12.5 W 81920 8",
    options: &["--ops", "--time-unit", "--sector", "--size-unit"],
    columns: &[],
    origin: None,
    volumes: None,
    sort_ns: None,
    by_line: false,
    detect,
    decoder,
};

fn detect(head: Head) -> Option<String> {
    if midas::fits(head) {
        return None;
    }
    let form = |line| {
        let [time, kind, lba, count] = by_blanks(line)?;
        let numbers = whole_number("", lba).is_ok() && whole_number("", count).is_ok();
        let is_op = matches!(kind, b"0" | b"1" | b"R" | b"W" | b"r" | b"w");
        Some(numbers && is_op && TimeUnit::Second.decode("", time).is_ok())
    };
    let all = head.forms(form)?.into_iter().all(|fits| fits);
    all.then(|| "the lines have a time, R, W, 0 or 1, and two numbers".into())
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
