//! The hint of a request reaches a placement.
//!
//! Planted bugs that these tests catch: a request loses its stream; cleaning mixes the regions; a trace is written without
//! its streams.

use std::path::Path;

use crate::compare::run;
use crate::{page_mapping, write};

#[test]
fn streams_of_different_lifetimes_save_copies() {
    // a log goes round slowly; between its pages, 48 others are written over and over
    let copies = |hot: u16, log: u16| {
        let requests = (0..20_000).map(|number| match number % 4 {
            0 => write(64 + number / 4 % 1984).in_stream(log),
            _ => write(number % 64).in_stream(hot),
        });
        page_mapping("ftl.placement=streams", requests).flash_copies
    };
    let (with, without) = (copies(1, 2), copies(0, 0));
    assert!(
        2 * with < without,
        "{with} copies with hints, {without} without"
    );
}

#[test]
fn streams_go_from_the_generator_through_a_trace_to_the_placement() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let trace = "mixed.csv.zst";
    let mixed = "trace generate mixed --streams 3 --scattered 0.2 --capacity 16MiB --requests 50k";
    run(folder, &format!("{mixed} -o {trace}"));
    assert!(run(folder, &format!("trace info {trace}")).contains("streams of writes     4"));
    let copies = |options: &str| {
        let shape =
            "--set flash.capacity=16MiB --set flash.page_size=4096 --set flash.pages_per_block=16";
        let placed =
            "--set ftl.kind=page --set ftl.placement=streams --set ftl.over_provisioning=0.2";
        let args = format!("run {trace} {shape} {placed} --set buffer.policy=none --json{options}");
        let json = run(folder, &args);
        let (_, behind) = json.split_once("\"flash_copies\": ").expect("a counter");
        let digits = behind.split(|c: char| !c.is_ascii_digit()).next();
        digits
            .and_then(|digits| digits.parse::<u64>().ok())
            .expect("a number")
    };
    // sequential writers fill whole blocks that die together, unless random writes are among them
    let (with, without) = (copies(""), copies(" --stream-by lba:1GiB"));
    assert!(
        10 * with < 9 * without,
        "{with} copies with streams, {without} without"
    );
}
