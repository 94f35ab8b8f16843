//! Capacities that are advised, traces that may have been cut.

use crate::common::{HEADER, Lab, trace, writes};

/// Planted bug: a capacity advised in blocks of one chip.
#[test]
fn a_capacity_that_is_advised_is_taken() {
    let lab = Lab::small();
    lab.write("far.csv", trace(&["0,W,20000,4096"]));
    for more in [
        &["--set=buffer.policy=lru"][..],
        &[
            "--set=flash.channels=3",
            "--set=flash.interleave=page",
            "--set=flash.capacity=12KiB",
        ],
    ] {
        let run = [&["run", "--config=small.toml", "far.csv"], more].concat();
        let told = lab.run(&run).stderr;
        let advice = told.split("set flash.capacity = ").nth(1);
        let advice = advice.unwrap_or_else(|| panic!("{told}"));
        let capacity = advice.split(' ').next().unwrap();
        let set = format!("--set=flash.capacity={capacity}");
        lab.ok(&[&run[..], &[&set]].concat());
    }
}

#[test]
fn a_cut_trace_is_told_of() {
    let lab = Lab::small();
    let whole = writes(&[0, 4, 8]);
    let warning = "whole.csv, line 4: the last line has no line end";
    lab.write("whole.csv", &whole[..whole.len() - 2]);
    for args in [
        &["run", "--config=small.toml", "--json"][..],
        &["trace", "info"],
        &["compare", "--config=small.toml", "--size=1KiB", "--no-html"],
    ] {
        let ended = lab.run(&[args, &["whole.csv"]].concat());
        assert!(ended.stderr.contains(warning), "{}", ended.stderr);
        ended.success();
    }
    lab.write("whole.csv", whole);
    let ended = lab.run(&["trace", "info", "whole.csv"]);
    assert_eq!((ended.stderr.as_str(), ended.code), ("", Some(0)));
    lab.write("whole.csv", HEADER);
    assert_eq!(lab.run(&["trace", "info", "whole.csv"]).code, Some(0));
}
