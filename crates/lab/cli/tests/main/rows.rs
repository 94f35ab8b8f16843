//! The rows of runs, comparisons and sweeps.
//!
//! Planted bugs that these catch: a figure or counter without a column; a column that one output leaves out or names otherwise;
//! a cell that depends on the output; a comparison of an earlier version that is read as a table without its figures; a value beside
//! these columns that no document names.

use std::collections::BTreeSet;
use std::fs;

use ssdlab_device::{Catalogue, Counters};
use ssdlab_results::{Cell, Schema, Table, column_name};

use crate::common::{Lab, in_repository, words, writes};

const DEVICE: &str = "--set=flash.capacity=1MiB --set=timing.model=parallel --set=ftl.kind=page --set=ftl.stable_s=[1,2,3] \
                      --set=ftl.placement=dac --set=ftl.regions=3";

const PLAN: &str = r#"
traces = ["t.csv"]
repeat = 2
compact = true
device = { flash.capacity = "1MiB", timing.model = "parallel", ftl.kind = "page", ftl.stable_s = [1, 2, 3], ftl.placement = "dac",
  ftl.regions = 3, buffer.size = "64KiB" }
[axes]
buffer.policy = ["lru"]
"#;

/// The rows of one run, as each output has them.
fn rows(lab: &Lab) -> Vec<(&'static str, Table)> {
    let pages: Vec<u64> = (0..3000).map(|i| i * i % 1901).collect();
    lab.write("t.csv", writes(&pages));
    lab.write("plan.toml", PLAN);
    lab.ok(&format!(
        "compare t.csv --compact --loops=2 --buffer=lru --size=64KiB --no-html --no-advice --csv=c.csv --json=c.json {DEVICE}"
    ));
    let run =
        "run t.csv --json --compact --loops=2 --set=buffer.policy=lru --set=buffer.size=64KiB";
    let run = lab.json(&format!("{run} {DEVICE}"));
    lab.ok("sweep run plan.toml");
    lab.ok("sweep merge plan.toml -o all.parquet");
    lab.ok("sweep merge plan.toml -o all.csv");
    let table = |name: &'static str| (name, Table::read(&lab.path(name)).expect("a table"));
    let json = |name: &'static str, row: &serde_json::Value| {
        let row = row.as_object().expect("a row");
        let mut table = Table::new(row.keys().map(|name| (name, None)));
        table.add(row.values().map(Cell::of_json));
        (name, table)
    };
    let compared = &lab.read_json("c.json")["rows"][0];
    assert_eq!(compared["label"], "lru");
    vec![
        table("all.parquet"),
        table("all.csv"),
        table("c.csv"),
        json("c.json", compared),
        json("run --json", &run["row"]),
    ]
}

#[test]
fn every_output_has_every_column_with_the_same_cells() {
    let catalogue = Catalogue::built_in();
    let keys = ssdlab_config::keys(&catalogue).into_iter();
    let counters = Counters::default().entries();
    let counters = counters.map(|(name, _)| name.to_owned()).into_iter();
    let figures = catalogue.figures().iter();
    let names = keys.map(|key| column_name(key.path)).chain(counters);
    let names = names.chain(figures.map(|figure| figure.key.to_owned()));
    let rows = rows(&Lab::new());
    for name in names {
        for (output, table) in &rows {
            assert!(table.column(&name).is_some(), "{output} has no {name}");
        }
    }
    let (_, first) = &rows[0];
    let mut seen = 0;
    for column in Schema::of(&catalogue).columns() {
        for (output, table) in &rows {
            let (cell, expected) = (table.cell(0, &column.name), first.cell(0, &column.name));
            let is_same =
                cell == expected || cell.number().is_some() && cell.number() == expected.number();
            let differs = column.name == "command";
            assert!(
                is_same || differs,
                "{output}: {} is {cell}, not {expected}",
                column.name
            );
        }
        seen += usize::from(*first.cell(0, &column.name) != Cell::Null);
    }
    assert!(seen > 130, "{seen} cells");
}

#[test]
fn what_comparisons_have_beside_is_documented() {
    let lab = Lab::new();
    rows(&lab);
    let schema = Schema::of(&Catalogue::built_in());
    let compared = lab.read_json("c.json");
    let rows = compared["rows"].as_array().expect("rows").iter();
    let names = rows.flat_map(|row| row.as_object().expect("a row").keys());
    let beside = names.filter(|name| schema.columns().iter().all(|column| column.name != **name));
    let beside: BTreeSet<&str> = beside.map(String::as_str).collect();
    let page = fs::read_to_string(in_repository("docs/results.md")).expect("the page");
    let (_, part) = page.split_once("| names | where |").expect("the table");
    let lines = part
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = lines.filter_map(|line| line.split('|').nth(1));
    let documented: BTreeSet<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(documented, beside);
}

#[test]
fn comparisons_of_earlier_versions_are_refused() {
    let lab = Lab::new();
    lab.write(
        "old.csv",
        "label,kind,policy,ftl,size,erases,throughput_mb_s\nlru,policy,lru,bast,4096,3,1.5\n",
    );
    let row = r#""policy":"lru","counters":{"erases":3},"derived":{"throughput_mb_s":1.5}"#;
    lab.write(
        "old.json",
        format!("{{\"rows\":[{{\"label\":\"lru\",\"kind\":\"policy\",{row}}}]}}"),
    );
    lab.write("run.json", format!("{{{row}}}"));
    for (file, how) in [
        ("old.csv", "line 1: is of an earlier version"),
        ("old.json", "ssdlab compare --json"),
        ("run.json", "ssdlab run --json"),
    ] {
        lab.refused(&format!("report {file}"), &[file, how, "make it again"]);
    }
    lab.write("other.json", r#"{"rows":[{"waf":1}]}"#);
    lab.refused(
        &words("report other.json"),
        &["other.json: JSON without rows"],
    );
}
