//! The options of reading a trace.

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ssdlab_host::Op;
use ssdlab_trace::{Action, Format, ReadOptions, Role, StreamBy, TableOptions, TimeUnit, Watch};

use crate::values;

/// The options of reading a trace.
#[derive(clap::Args, Debug)]
pub struct ReadArgs {
    /// Format of the trace [default: detected from its first lines]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<Format>,
    #[arg(long, help = of("--action", "the lines to read as requests: queued, dispatched to the device, or completed [default: D]"), value_name = "LETTER", value_parser = actions())]
    action: Option<Action>,
    /// The volume to read, of a format that has some, such as 8,0 (blkparse) or usr.0 (msr) [default: the only one]
    #[arg(long, value_name = "NAME")]
    volume: Option<String>,
    #[arg(long, help = of("--sector", "bytes in a unit of offsets, and of sizes unless --size-unit says otherwise, such as 512"), hide_short_help = true, value_name = "BYTES", value_parser = values::size)]
    sector: Option<u64>,
    #[arg(long, help = of("--size-unit", "bytes in a unit of sizes [default: as --sector]"), hide_short_help = true, value_name = "BYTES", value_parser = values::size)]
    size_unit: Option<u64>,
    #[arg(long, help = of("--time-unit", "the unit of times"), hide_short_help = true, value_name = "UNIT", value_parser = time_units())]
    time_unit: Option<TimeUnit>,
    #[arg(long, help = slots(), hide_short_help = true, value_name = "SIZE", value_parser = values::size)]
    slot: Option<u64>,
    #[arg(long, help = of("--fields", "the columns by name or number, such as time=ts,op=type,offset=lba,size=len; stream=COLUMN and volume=COLUMN may follow [default: as the header names them]"), hide_short_help = true, value_name = "ROLE=COLUMN,...", value_parser = TableOptions::parse_fields)]
    fields: Option<Fields>,
    #[arg(long, help = of("--header", "line 1 names the columns [default: if it has no number]"), hide_short_help = true, conflicts_with = "no_header")]
    header: bool,
    #[arg(long, help = of("--no-header", "line 1 is a request"), hide_short_help = true)]
    no_header: bool,
    #[arg(long, help = of("--delimiter", "the character between fields, or comma, tab or space [default: as line 1 shows]"), hide_short_help = true, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    #[arg(long, help = of("--ops", "what values of the operation mean, such as 0=R,1=W"), hide_short_help = true, value_name = "VALUE=OP,...", value_parser = TableOptions::parse_ops)]
    ops: Option<Ops>,
    /// Number the streams of requests by op, lba:SIZE (parts of the device) or column:NAME [default: the column stream of a
    /// plain trace]
    #[arg(long, value_name = "RULE", value_parser = stream_by)]
    stream_by: Option<StreamBy>,
    /// Stop reading after N requests
    #[arg(long, value_name = "N", value_parser = ssdlab_workload::positive_count)]
    limit: Option<u64>,
    /// Leave out up to N malformed lines; one more is an error
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0)]
    skip_malformed: u64,
    /// Put requests in the order of their times: each waits until the trace is ahead of it by TIME, such as 100ms or 2s
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = values::time)]
    sort: Option<u64>,
    /// Leave out the flush requests
    #[arg(long)]
    drop_flushes: bool,
    /// Leave out the read requests
    #[arg(long)]
    drop_reads: bool,
    /// Leave out the discards, such as those of mkfs and of deleted files
    #[arg(long)]
    drop_discards: bool,
}

impl ReadArgs {
    /// Takes words such as `--format=msr`.
    ///
    /// # Errors
    /// A message of one line about the first option that does not exist, or whose value is not allowed.
    pub fn parse<W: AsRef<str>>(words: &[W]) -> Result<Self, String> {
        #[derive(clap::Parser)]
        #[command(no_binary_name = true, disable_help_flag = true)]
        struct Words {
            #[command(flatten)]
            read: ReadArgs,
        }
        let words = Words::try_parse_from(words.iter().map(AsRef::as_ref));
        words
            .map(|words| words.read)
            .map_err(|error| ssdlab_workload::in_one_line(&error))
    }

    /// The options, and the receiver of the progress.
    pub fn options(&self, watch: Watch) -> ReadOptions {
        ReadOptions {
            format: self.format,
            action: self.action,
            volume: self.volume.clone(),
            all_volumes: false,
            from_zero: false,
            sector: self.sector,
            size_unit: self.size_unit,
            time_unit: self.time_unit,
            slot: self.slot,
            table: TableOptions {
                fields: self.fields.clone().unwrap_or_default(),
                header: (self.header || self.no_header).then_some(self.header),
                delimiter: self.delimiter,
                ops: self.ops.clone().unwrap_or_default(),
            },
            skip_malformed: self.skip_malformed,
            sort_ns: self.sort,
            limit: self.limit,
            drop_flushes: self.drop_flushes,
            drop_reads: self.drop_reads,
            drop_discards: self.drop_discards,
            stream_by: self.stream_by.clone(),
            watch,
        }
    }
}

/// The help of an option that only some formats take.
fn of(option: &str, effect: &str) -> String {
    format!("{}: {effect}", Format::takers(option).join(", "))
}

fn slots() -> String {
    let defaults = Format::ALL.into_iter().filter_map(|format| {
        let mib = format.slot()? >> 20;
        Some(format!("{mib}MiB for {}", format.name()))
    });
    let defaults: Vec<_> = defaults.collect();
    let effect = "bytes of the device for each file or block, in the order in which they appear";
    of(
        "--slot",
        &format!("{effect} [default: {}]", defaults.join(", ")),
    )
}

// clap takes a field of type Vec for an option that is given several times
type Fields = Vec<(Role, String)>;
type Ops = Vec<(String, Op)>;

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "comma" => Ok(b','),
        "tab" => Ok(b'\t'),
        "space" => Ok(b' '),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\".\r\n".contains(byte) => Ok(*byte),
            _ => Err("must be one character that is no letter, digit, point or quote, or comma, tab or space".to_owned()),
        },
    }
}

fn time_units() -> impl TypedValueParser<Value = TimeUnit> {
    PossibleValuesParser::new(TimeUnit::ALL.map(TimeUnit::name))
        .try_map(|name| TimeUnit::named(&name).ok_or("no such unit"))
}

fn stream_by(text: &str) -> Result<StreamBy, String> {
    let wrong = || "must be op, lba:SIZE (such as lba:1GiB) or column:NAME (such as column:pid)";
    let rule = match text.split_once(':') {
        None if text == "op" => Some(StreamBy::Op),
        Some(("lba", size)) => ssdlab_words::parse_bytes(size)
            .filter(|size| *size > 0)
            .map(StreamBy::Lba),
        Some(("column", name)) if !name.is_empty() => Some(StreamBy::Column(name.to_owned())),
        _ => None,
    };
    rule.ok_or_else(|| wrong().to_owned())
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// The actions of blktrace, by letter.
pub fn actions() -> impl TypedValueParser<Value = Action> {
    PossibleValuesParser::new(Action::ALL.map(Action::letter).map(PossibleValue::new))
        .try_map(|letter| Action::named(&letter).ok_or("no such action"))
}
