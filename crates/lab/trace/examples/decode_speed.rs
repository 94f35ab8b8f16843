//! Decodes traces from memory and prints the speed: `cargo run --release -p ssdlab-trace --example decode_speed`.

use ssdlab_trace::plain::{self, Decoder};
use ssdlab_trace::{BATCH, ReadOptions, TraceError, TraceReader};
use std::io::Cursor;
use std::time::Instant;

const REQUESTS: u64 = 4_000_000;
const ROUNDS: u32 = 5;

/// The bytes of one line for each of many 4-KiB writes at random places with growing times, like a captured trace.
fn text(first: &str, line: impl Fn(u64, u64) -> String) -> &'static [u8] {
    let mut text = first.to_owned();
    let mut random = 1u64;
    for request in 0..REQUESTS {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        text += &line(request * 155_000, random >> 40);
    }
    text.into_bytes().leak()
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
}
