//! Decodes a plain trace held in memory and prints how fast: `cargo run --release --example decode_speed`.

use ssdlab_trace::plain::{self, Decoder};
use ssdlab_trace::{BATCH, TraceError, TraceReader};
use std::fmt::Write;
use std::io::Cursor;
use std::time::Instant;

const REQUESTS: u64 = 8_000_000;
const ROUNDS: u32 = 5;

/// Random 4-KiB writes with growing times, like a captured trace.
fn csv() -> Vec<u8> {
    let mut text = format!("{}\n", plain::HEADER);
    let mut random = 1u64;
    for request in 0..REQUESTS {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let offset = (random >> 40) * 4096;
        writeln!(text, "{},W,{offset},4096", request * 155_000).expect("a string takes all");
    }
    text.into_bytes()
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
fn read(text: &[u8]) -> Result<u64, TraceError> {
    let mut reader = TraceReader::from_reader("memory.csv", Cursor::new(text.to_vec()))?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {}
    Ok(reader.finish().requests)
}

fn report(what: &str, text: &[u8], run: impl Fn(&[u8]) -> u64) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(run(text), REQUESTS);
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    let requests = REQUESTS as f64 / best / 1e6;
    println!(
        "{what}: {:.2} GB/s, {requests:.0} million requests/s",
        text.len() as f64 / best / 1e9
    );
}

fn main() {
    let text = csv();
    report("decoder", &text, decode);
    report("reader with SHA-256", &text, |text| {
        read(text).expect("the text is a trace")
    });
}
