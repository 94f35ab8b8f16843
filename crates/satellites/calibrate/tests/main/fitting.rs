//! Fits of drives whose flash is known.
//!
//! Planted bugs that these catch: spare and spare factor mixed up; a used space that is taken for the whole; an overhead
//! that is left out, or left in; a fit to what should be predicted; a sample of a trace that rewrites other pages.

use ssdlab_calibrate::{Overhead, Role};
use ssdlab_theory::{Spare, greedy};

use crate::common::{HEAD, good, near, of, uniform};

/// Write amplification of uniform writes on 8 GiB with this spare share, of which a share is used.
fn of_uniform(spare: f64, used: f64) -> f64 {
    let spare = (1.0 + spare) / used - 1.0;
    greedy(
        Spare::from_over_provisioning(spare).expect("a spare share"),
        512,
    )
}

fn measurement(name: &str, words: &str, lines: &str) -> String {
    format!("[[measurement]]\nname = \"{name}\"\nworkload = \"{words}\"\n{lines}\n")
}

#[test]
fn the_closed_form_is_inverted() {
    for spare in [0.05, 0.07, 0.3, 1.5] {
        let found = good(&uniform(&format!("waf = {}\n", of_uniform(spare, 1.0))));
        near(found.spare, spare, 0.01);
        assert_eq!(found.measurements[0].by, "closed form");
        near(found.uniform, of_uniform(spare, 1.0), 0.01);
        let [least, most] = found.spare_range.expect("a range");
        assert!(
            least < spare && spare < most && most - least < 0.05 * spare,
            "{least} {most}"
        );
    }
    let half = good(&uniform(&format!(
        "used = 0.5\nwaf = {}\n",
        of_uniform(0.2, 0.5)
    )));
    near(half.spare, 0.2, 0.02);
}

// planted bug: a range that does not grow with the steps of the counters
#[test]
fn coarse_counters_are_less_sure() {
    let width = |resolution: &str| {
        let found = good(&uniform(&format!(
            "host = \"100GB\"\nmedia = \"300GB\"\n{resolution}"
        )));
        let [least, most] = found.spare_range.expect("a range");
        most - least
    };
    assert!(width("resolution = \"4GB\"") > 4.0 * width(""));
}

#[test]
fn what_is_written_in_order_is_no_cleaning() {
    let waf = of_uniform(0.2, 1.0);
    let drive = |mode: &str, waf: f64| {
        let in_order = measurement("s", "sequential --unit 64K", "waf = 1.1");
        good(&format!(
            "{mode}{HEAD}{in_order}{}",
            measurement("u", "uniform", &format!("waf = {waf}"))
        ))
    };
    near(drive("overhead = \"factor\"\n", 1.1 * waf).spare, 0.2, 0.01);
    near(drive("overhead = \"added\"\n", 0.1 + waf).spare, 0.2, 0.01);
    let either = drive("", 1.1 * waf);
    assert_eq!(either.explanations.len(), 2);
    assert_eq!(either.explanations[0].overhead, Some(Overhead::Factor));
    assert_eq!(either.measurements[0].role, Role::Overhead);
    // both are as likely
    let [least, most] = either.spare_range.expect("a range");
    let other = either.explanations[1].spare;
    assert!(
        least <= other && other <= most && least < 0.2 && 0.199 < most,
        "{least} {most} {other}"
    );
}

// planted bugs: all measurements are fitted; the first one only
#[test]
fn one_is_fitted_and_the_others_are_predicted() {
    let both = |fit: &str| {
        let first = measurement(
            "a",
            "uniform",
            &format!("waf = {}\n{fit}", of_uniform(0.1, 1.0)),
        );
        let second = measurement(
            "b",
            "uniform",
            &format!("used = 0.8\nwaf = {}", of_uniform(0.3, 0.8)),
        );
        good(&format!("{HEAD}{first}{second}"))
    };
    let one = both("fit = true");
    near(one.spare, 0.1, 0.01);
    assert_eq!(
        [one.measurements[0].role, one.measurements[1].role],
        [Role::Fitted, Role::Predicted]
    );
    near(one.measurements[1].predicted, of_uniform(0.1, 0.8), 0.01);
    let neither = both("");
    assert!((0.1..0.3).contains(&neither.spare), "{}", neither.spare);
    let alone: Vec<f64> = neither
        .measurements
        .iter()
        .filter_map(|m| m.spare_alone)
        .collect();
    near(alone[0], 0.1, 0.01);
    near(alone[1], 0.3, 0.01);
    let [least, most] = neither.spare_range.expect("a range");
    assert!(least < 0.101 && most > 0.299, "{least} {most}");
    near(both("fit = false").spare, 0.3, 0.01);
}

// planted bug: writes before the measurement that are counted
#[test]
fn the_simulation_agrees_with_the_closed_form() {
    let steady = format!(
        "waf = {}\nwritten_before = 6\nwritten = 2\n",
        of_uniform(0.25, 1.0)
    );
    let found = good(&uniform(&steady));
    assert_eq!(found.measurements[0].by, "simulation");
    near(found.spare, 0.25, 0.02);
    // just filled, a drive has cleaned nothing yet
    let early = good(&uniform("waf = 1.2\nwritten_before = 0\nwritten = 1\n"));
    assert!(
        early.spare < 0.75 && good(&uniform("waf = 1.2")).spare > 1.1,
        "{}",
        early.spare
    );
}

#[test]
fn writes_smaller_than_the_mapping_unit_cost_more() {
    let waf = 4.0 * of_uniform(0.2, 1.0);
    let coarse = uniform(&format!("waf = {waf}\n")).replace("[[", "mapping_unit = \"16KiB\"\n[[");
    near(good(&coarse).spare, 0.2, 0.01);
}

#[test]
fn a_recorded_workload_is_like_the_described_one() {
    // in a pass, each page of the sample must be written once
    let words = "pass";
    let requests = ssdlab_workload::requests(&format!("{words} --capacity 2GiB --requests 2M"))
        .expect("words");
    let mut trace = "time_ns,op,offset_bytes,size_bytes\n".to_owned();
    for request in requests {
        trace += &format!("0,W,{},4096\n", request.offset);
    }
    let head = "name = \"d\"\n[sheet]\ncapacity = \"2GiB\"\nerase_unit = \"1MiB\"\ndies = 1\n";
    let described = measurement("d", words, "waf = 2\nfit = true");
    let recorded = "[[measurement]]\nname = \"r\"\ntrace = \"t.csv\"\nwaf = 2\n";
    let found = of(
        &format!("{head}{described}{recorded}"),
        &[("t.csv", &trace)],
    )
    .expect("valid");
    near(found.measurements[1].predicted, 2.0, 0.03);
}

#[test]
fn without_measurements_the_sheet_tells() {
    let of_sheet = |line: &str| {
        let found = good(&format!("{HEAD}{line}\n"));
        assert!(found.spare_range.is_none() && found.measurements.is_empty());
        (found.spare, found.basis)
    };
    near(of_sheet("flash = \"10GiB\"").0, 0.25, 1e-9);
    near(
        of_sheet("spare = { value = 0.28, source = \"page 2\" }").0,
        0.28,
        1e-9,
    );
    assert_eq!(
        of_sheet("spare = { value = 0.28, source = \"page 2\" }").1,
        "page 2"
    );
    // 1000 MB/s in order are 244,141 writes of 4 KiB; a third of them at random
    let rates = of_sheet("sequential_write_mb_s = 1000\nrandom_write_iops = 81380");
    near(of_uniform(rates.0, 1.0), 3.0, 0.001);
    assert!(of_sheet("").1.starts_with("assumption: 7 %"));
}
