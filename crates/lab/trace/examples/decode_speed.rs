//! Decodes traces from memory and prints the speed: `cargo run --release -p ssdlab-trace --example decode_speed`.

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use ssdlab_trace::plain::{self, Decoder};
use ssdlab_trace::{BATCH, ReadOptions, TraceError, TraceReader};
use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

const REQUESTS: u64 = 4_000_000;
const ROUNDS: u32 = 5;

/// The bytes of one line for each of many 4-KiB writes at random places with growing times, like a captured trace.
fn text(first: &str, line: impl Fn(u64, u64) -> String) -> &'static [u8] {
    let mut text = first.to_owned();
    each(|time, page| text += &line(time, page));
    text.into_bytes().leak()
}

/// The time and the page of each write.
fn each(mut write: impl FnMut(u64, u64)) {
    let mut random = 1u64;
    for request in 0..REQUESTS {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        write(request * 155_000, random >> 40);
    }
}

/// The decoder alone.
fn decode(text: &[u8]) -> u64 {
    let mut decoder = Decoder::default();
    let mut batch = Vec::with_capacity(BATCH);
    let (mut at, mut requests) = (0, 0);
    while at < text.len() {
        batch.clear();
        at += decoder
            .decode(&text[at..], &mut batch, BATCH)
            .expect("the text is a trace");
        requests += batch.len() as u64;
    }
    requests
}

/// The whole reader: copy, SHA-256, decoder, tally.
fn read(text: &'static [u8]) -> Result<u64, TraceError> {
    let input = Cursor::new(text);
    let mut reader = TraceReader::from_reader("memory", input, &ReadOptions::default())?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {}
    Ok(reader.finish().requests)
}

fn report(what: &str, text: &'static [u8], run: impl Fn(&'static [u8]) -> u64) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(run(text), REQUESTS);
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    let requests = REQUESTS as f64 / best / 1e6;
    println!(
        "{what}: {:.2} GB/s, {requests:.1} million requests/s",
        text.len() as f64 / best / 1e9
    );
}

fn main() {
    let reader = |text: &'static [u8]| read(text).expect("the text is a trace");
    let plain = text(&format!("{}\n", plain::HEADER), |time, page| {
        format!("{time},W,{},4096\n", page * 4096)
    });
    report("plain, decoder alone", plain, decode);
    report("plain, reader with SHA-256", plain, reader);
    let blkparse = text("", |time, page| {
        let (seconds, nanoseconds) = (time / 1_000_000_000, time % 1_000_000_000);
        format!(
            "  8,0    3 {:8} {seconds:5}.{nanoseconds:09}   697  D  WS {} + 8 [kworker/u2:0]\n",
            time / 155_000,
            page * 8
        )
    });
    report("blkparse, reader with SHA-256", blkparse, reader);
    let msr = text("", |time, page| {
        let ticks = 128_166_372_003_061_629 + time / 100;
        format!("{ticks},usr,0,Write,{},4096,41286\n", page * 4096)
    });
    report("msr, reader with SHA-256", msr, reader);
    let spc = text("", |time, page| {
        let (seconds, microseconds) = (time / 1_000_000_000, time / 1_000 % 1_000_000);
        format!("0,{},4096,w,{seconds}.{microseconds:06}\n", page * 8)
    });
    report("spc, reader with SHA-256", spc, reader);
    let alibaba = text("", |time, page| {
        format!(
            "419,W,{},4096,{}\n",
            page * 4096,
            1_577_808_000_000_500 + time / 1000
        )
    });
    report("alibaba, reader with SHA-256", alibaba, reader);
    let tencent = text("", |time, page| {
        format!(
            "{},{},8,1,1063\n",
            1_538_400_001 + time / 1_000_000_000,
            page * 8
        )
    });
    report("tencent, reader with SHA-256", tencent, reader);
    let fiu = text("", |time, page| {
        format!(
            "{time} 77 writer {} 8 W 6 0 00112233445566778899aabbccddeeff\n",
            page * 8
        )
    });
    report("fiu, reader with SHA-256", fiu, reader);
    let csv = text("time_us,op,offset_bytes,size_bytes\n", |time, page| {
        format!("{},W,{},4096\n", time / 1000, page * 4096)
    });
    report("csv, reader with SHA-256", csv, reader);
    let mut lcs = vec![0; 512];
    for at in [0, 504] {
        lcs[at..at + 8].copy_from_slice(&0x1234_5678_9abc_def0_u64.to_le_bytes());
    }
    lcs[8] = 2;
    let lcs = records(lcs, |time, page| {
        let seconds = (time / 1_000_000_000) as u32;
        let [op, next] = [13_u32.to_le_bytes(), [0xFF; 4]];
        let parts = [
            &seconds.to_le_bytes()[..],
            &(page * 4096).to_le_bytes(),
            &4096_u32.to_le_bytes(),
            &op,
            &next,
            &next,
        ];
        parts.concat()
    });
    report("lcs, reader with SHA-256", lcs, reader);
    let vscsi = records(Vec::new(), |time, page| {
        let parts = [
            &1_u32.to_le_bytes()[..],
            &4096_u32.to_le_bytes(),
            &1_u32.to_le_bytes(),
            &0x2A_u16.to_le_bytes(),
            &0x100_u16.to_le_bytes(),
            &(page * 8).to_le_bytes(),
            &(time / 1000).to_le_bytes(),
        ];
        parts.concat()
    });
    report("vscsi, reader with SHA-256", vscsi, reader);
    let blktrace = records(Vec::new(), |time, page| {
        let parts = [
            &0x6561_7407_u32.to_le_bytes()[..],
            &1_u32.to_le_bytes(),
            &time.to_le_bytes(),
            &(page * 8).to_le_bytes(),
            &4096_u32.to_le_bytes(),
            // a write is dispatched
            &0x0002_0007_u32.to_le_bytes(),
            &697_u32.to_le_bytes(),
            &(8_u32 << 20).to_le_bytes(),
            &[0; 8],
        ];
        parts.concat()
    });
    report("blktrace, reader with SHA-256", blktrace, reader);
    let table = table().expect("a file in the temporary folder");
    let bytes = std::fs::metadata(table.path())
        .expect("the table is there")
        .len();
    report(
        "parquet, reader with SHA-256 (bytes as stored)",
        Box::leak(vec![0; bytes as usize].into_boxed_slice()),
        |_| {
            let mut reader =
                TraceReader::open(table.path(), &ReadOptions::default()).expect("a table");
            let mut batch = Vec::new();
            while reader.next_batch(&mut batch).expect("the table is whole") {}
            reader.finish().requests
        },
    );
}

/// One record for each of many writes, as [`text`].
fn records(header: Vec<u8>, record: impl Fn(u64, u64) -> Vec<u8>) -> &'static [u8] {
    let mut bytes = header;
    each(|time, page| bytes.extend(record(time, page)));
    bytes.leak()
}

/// A Parquet table of the same writes.
fn table() -> Result<tempfile::NamedTempFile, Box<dyn std::error::Error>> {
    const SCHEMA: &str = "message t { required int64 time_ns (INTEGER(64,false)); required binary op (UTF8); \
                          required int64 offset_bytes (INTEGER(64,false)); required int64 size_bytes (INTEGER(64,false)); }";
    let file = tempfile::NamedTempFile::new()?;
    let mut columns: [Vec<i64>; 3] = Default::default();
    each(|time, page| {
        for (column, value) in columns.iter_mut().zip([time, page * 4096, 4096]) {
            column.push(value as i64);
        }
    });
    let [times, offsets, sizes] = columns;
    let ops = vec![ByteArray::from("W"); times.len()];
    let delta = |path: &str| (ColumnPath::from(path), Encoding::DELTA_BINARY_PACKED);
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(Some(1 << 20));
    for (path, encoding) in [delta("time_ns"), delta("offset_bytes")] {
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer =
        SerializedFileWriter::new(file.reopen()?, schema, Arc::new(properties.build()))?;
    for from in (0..times.len()).step_by(1 << 20) {
        let rows = from..(from + (1 << 20)).min(times.len());
        let mut group = writer.next_row_group()?;
        for place in 0..4 {
            let mut column = group.next_column()?.ok_or("four columns")?;
            match place {
                1 => column
                    .typed::<ByteArrayType>()
                    .write_batch(&ops[rows.clone()], None, None)?,
                _ => {
                    let values = [&times, &times, &offsets, &sizes][place];
                    column
                        .typed::<Int64Type>()
                        .write_batch(&values[rows.clone()], None, None)?
                }
            };
            column.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(file)
}
