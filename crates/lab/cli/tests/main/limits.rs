//! The capacities that messages advise, and traces that may have been cut.

use crate::common::{HEADER, Lab, trace, writes};

/// Planted bug: an advised capacity in blocks of one chip.
#[test]
fn a_capacity_that_is_advised_is_taken() {
    let lab = Lab::small();
    lab.write("far.csv", trace(&["0,W,20000,4096"]));
    let run = "run --config=small.toml far.csv --set=flash.channels=3 --set=flash.interleave=page \
               --set=flash.capacity=12KiB";
    let message = lab.run(run).stderr;
    let advice = message.split("set flash.capacity = ").nth(1);
    let advice = advice.unwrap_or_else(|| panic!("{message}"));
    let capacity = advice.split(' ').next().unwrap();
    lab.ok(&format!("{run} --set=flash.capacity={capacity}"));
}

#[test]
fn a_cut_trace_is_told_of() {
    let lab = Lab::small();
    let whole = writes(&[0, 4, 8]);
    let warning = "whole.csv, line 4: the last line has no line end";
    lab.write("whole.csv", &whole[..whole.len() - 2]);
    for command in [
        "run --config=small.toml --json",
        "trace info",
        "compare --config=small.toml --size=1KiB --no-html",
    ] {
        let ended = lab.run(&format!("{command} whole.csv"));
        assert!(ended.stderr.contains(warning), "{}", ended.stderr);
        ended.success();
    }
    lab.write("whole.csv", whole);
    let ended = lab.run("trace info whole.csv");
    assert_eq!((ended.stderr.as_str(), ended.code), ("", Some(0)));
    lab.write("whole.csv", HEADER);
    assert_eq!(lab.run("trace info whole.csv").code, Some(0));
}

/// Planted bugs: a table missing in the check of memory; a trace that grows until the program aborts.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_not_there() {
    let lab = Lab::new();
    lab.write("trace.csv", writes(&[0, 4, 8, 4]));
    let page = |n: u32| format!("{},W,{},512\n", n * 10, n % 1000 * 512);
    let many: String = (0..400_000).map(page).collect();
    lab.write("many.csv", format!("{HEADER}\n{many}"));
    let large =
        "--set=flash.page_size=512 --set=flash.pages_per_block=65536 --set=flash.capacity=2GiB";
    let limited =
        |mib: u32, args: &str| lab.shell(&format!("ulimit -v {}; exec \"$0\" {args}", mib << 10));
    // from too little memory for any device of this size to plenty
    for device in [
        "ftl.kind=superblock",
        "ftl.kind=page",
        "ftl.kind=page --set=ftl.buffer_aware=merge+victim",
        "ftl.kind=fast --set=ftl.buffer_aware=merge+victim",
        "ftl.kind=replacement --set=buffer.flush_age_s=1",
    ] {
        let run = format!("run --set={device} {large} trace.csv");
        let codes = [40, 55, 90, 500].map(|mib| {
            let ended = limited(mib, &run);
            let refused = ended.stderr.contains("no memory for a device");
            let code = ended.code;
            assert_eq!(refused, code == Some(1), "{mib} {run}: {}", ended.stderr);
            code
        });
        assert_eq!((codes[0], codes[3]), (Some(1), Some(0)), "{run}: {codes:?}");
    }
    let run = "run --repeat=1 --set=flash.capacity=1MiB --set=flash.pages_per_block=16 many.csv";
    let mut message = false;
    for mib in (20..60).step_by(4) {
        let ended = limited(mib, run);
        message |= ended
            .stderr
            .contains("many.csv: no memory for the requests");
        assert_ne!(ended.code, Some(134), "{mib}: {}", ended.stderr);
    }
    assert!(message);
}
