//! The commands that only print: `config show`, `list`, `theory`, `trace info`, and `trace generate`.
//!
//! Planted bugs that these catch: `config show` that drops a key or rounds a number; a registered system that is not
//! listed; a row of theory under the wrong heading; a generated trace that its own reader refuses, or that differs when
//! it is compressed; a last page left out because the end of a request was rounded down.

use std::fs;

use crate::common::{Lab, cells, in_repository, json, keys, trace, words, writes};
use serde_json::Value;
use ssdlab_config::presets;
use ssdlab_device::{Family, registry::built_in};
use ssdlab_reproduce::Descriptions;
use ssdlab_sim::FIGURES;
use ssdlab_trace::Format;

/// Keys that the chosen systems read; the others are shown as comments, so that they have their defaults.
#[test]
fn what_config_show_prints_loads_again() {
    let lab = Lab::small();
    lab.write("t.csv", writes(&[0, 1, 2]));
    let config = |options: &str| lab.json(&format!("run --json t.csv {options}"))["config"].take();
    for options in [
        "",
        "--preset bplru-2008",
        "--preset lfs-2010 --set queue_depth=3",
        "--config small.toml",
        "--config small.toml --preset bplru-2008 --set flash.pages_per_block=10",
        "--set flash.capacity=auto --set timing.read_us=0.1",
        "--set ftl.over_provisioning=0.07 --set buffer.policy=cflru",
        "--set buffer.flush_age_s=1e-3 --set partial_writes=rmw",
    ] {
        let shown = lab.ok(&format!("config show {options}"));
        lab.write("shown.toml", &shown);
        assert_eq!(config("--config shown.toml"), config(options), "{options}");
        let again = lab.ok("config show --config shown.toml");
        assert_eq!(again, shown, "{options}");
    }
}

#[test]
fn list_names_everything() {
    let text = Lab::new().ok("list");
    let sections: Vec<&str> = text.split("\n\n").collect();
    let systems = |of| built_in(of).iter().map(|entry| entry.name).collect();
    let studies = Descriptions::BuiltIn.names();
    let expected: [(&str, Vec<&str>); 8] = [
        ("buffer.policy", systems(Family::Buffer)),
        ("ftl.kind", systems(Family::Ftl)),
        ("ftl.cleaning", systems(Family::Cleaning)),
        ("ftl.placement", systems(Family::Placement)),
        (
            "--preset",
            presets().iter().map(|preset| preset.name).collect(),
        ),
        (
            "--columns",
            FIGURES.iter().map(|figure| figure.key).collect(),
        ),
        ("--format", Format::ALL.map(Format::name).to_vec()),
        (
            "ssdlab reproduce",
            studies.iter().map(String::as_str).collect(),
        ),
    ];
    assert_eq!(sections.len(), expected.len(), "{text}");
    for (section, (title, expected)) in sections.iter().zip(expected) {
        let lines: Vec<&str> = section.lines().collect();
        assert!(lines[0].contains(title), "{section}");
        // below the title and the headings of the columns
        let names: Vec<&str> = lines[2..].iter().map(|line| words(line)[0]).collect();
        assert_eq!(names, expected);
    }
}

// planted bugs: a hybrid taken for block mapping; a bound with a mapping
#[test]
fn list_says_what_an_ftl_maps() {
    let text = Lab::new().ok("list");
    let mut sections = text.split("\n\n");
    let section = sections.find(|text| text.contains("(ftl.kind)"));
    let rows = section.expect("a section").lines().skip(2).map(words);
    let mut found: Vec<_> = rows.map(|row| [row[0], row[1]]).collect();
    found.sort();
    let expected = [
        ["bast", "hybrid"],
        ["block", "block"],
        ["fast", "hybrid"],
        ["ideal", "–"],
        ["page", "page"],
        ["replacement", "block"],
        ["superblock", "hybrid"],
    ];
    assert_eq!(found, expected);
}

/// Counts of a report of `trace info --json`.
fn counts(report: &Value, names: &str) -> Value {
    let names = words(names).into_iter();
    names.map(|name| report["info"][name].clone()).collect()
}

#[test]
fn trace_info() {
    let lab = Lab::new();
    let lines = [
        "0,W,0,4096",
        "1000,W,4096,512",
        "2000,R,8192,1",
        "3000,D,0,512",
        "4000,F,0,0",
    ];
    lab.write("t.csv", trace(&lines));
    let report = lab.json("trace info --json t.csv");
    let names = "name format format_reason requests sha256 skipped info warnings";
    assert_eq!(keys(&report), words(names));
    let names = "requests writes reads discards flushes pages_written pages_touched end";
    let expected = json("[5, 2, 1, 1, 1, 2, 3, 8193]");
    assert_eq!(counts(&report, names), expected);
    let small = lab.json("trace info --json --page-size 512 t.csv");
    assert_eq!(small["info"]["pages_written"], 9);
    let text = lab.ok("trace info t.csv");
    let requests = "5 (1 reads, 2 writes, 1 flushes, 1 discards)";
    assert!(text.contains(requests), "{text}");
    // 4608 bytes in two writes; 4 KiB: two units, one in part; 8 KiB and more: a unit in part for each write
    let units = text.lines().filter(|l| l.starts_with("mapping unit"));
    let expected = [
        ("4 KiB", "50.0 %", "1.78", "0.89"),
        ("8 KiB", "100.0 %", "3.56", "3.56"),
        ("16 KiB", "100.0 %", "7.11", "7.11"),
        ("32 KiB", "100.0 %", "14.22", "14.22"),
        ("64 KiB", "100.0 %", "28.44", "28.44"),
    ];
    let expected = expected.map(|(unit, share, touched, in_part)| {
        format!(
            "mapping unit {unit:<9}{share} of the writes unaligned; bytes touched / written {touched}, of which in units \
             written in part {in_part}"
        )
    });
    assert_eq!(units.collect::<Vec<_>>(), expected);
    // the counts in the README of the traces
    let path = in_repository("traces/w5-fat16-media.csv.zst");
    let shipped = lab.json(&["trace", "info", "--json", path.to_str().unwrap()]);
    let names = "reads writes flushes discards pages_written unaligned_writes";
    let expected = json("[142, 3592, 0, 0, 111341, 132]");
    assert_eq!(counts(&shipped, names), expected);
}

// planted bugs: a key that the documentation lacks; a figure of another trace than the text has; a quantile above the maximum
#[test]
fn trace_info_of_pages() {
    let lab = Lab::new();
    let pages = [0, 1, 2, 1, 0, 9].map(|page| format!("{},W,{},4096", page * 1000, page << 12));
    lab.write("t.csv", trace(&pages));
    let report = lab.json("trace info --json --erase-block 16KiB t.csv");
    let (pages, blocks) = (&report["info"]["pages"], &report["info"]["lru_by_block"]);
    // page 1 has one other page in between, page 0 two
    let points = pages["lru_by_page"]["points"].as_array().expect("points");
    let hits: Vec<&Value> = points.iter().map(|point| &point["write_hits"]).collect();
    assert_eq!(hits, [0, 1, 2]);
    assert_eq!(
        (&blocks["unit"], &blocks["enough"]),
        (&16384.into(), &1.into())
    );
    assert_eq!(blocks["points"][0]["write_hits"], 4);
    let text = lab.ok("trace info --erase-block 16KiB t.csv");
    for line in [
        "LRU hits by page      33.3 % from 12 KiB on",
        "LRU hits by block     66.7 % from 16 KiB on",
        "time between          half less than 1.0 µs, at most 2.0 µs",
        "hot set               50 / 80 / 90 / 99 % of the page writes go to 50.0 / 75.0 / 100.0 / 100.0 % of the pages written",
        "rewrites              2 page writes, 33.3 % of all",
        "bytes rewritten       0.0 MB, 33.3 % of those written",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.lines().count() <= 45);
    let document = fs::read_to_string(in_repository("docs/trace-info.md")).expect("a document");
    let mut all = vec![&report["info"]];
    while let Some(value) = all.pop() {
        for (key, value) in value.as_object().into_iter().flatten() {
            let is_number = key.parse::<u64>().is_ok();
            assert!(
                is_number
                    || document.contains(&format!("`{key}`"))
                    || document.contains(&format!(".{key}`")),
                "{key}"
            );
            all.push(value);
            all.extend(value.as_array().and_then(|list| list.first()));
        }
    }
}

// planted bugs: statistics of pages that no machine has room for; none at all because of them
#[test]
#[cfg(target_os = "linux")]
fn trace_info_of_too_many_pages() {
    let lab = Lab::new();
    lab.write("t.csv", trace(&["0,W,0,70368744177152", "1,W,0,4096"]));
    let ended = lab.run("trace info --json t.csv");
    assert!(
        ended
            .stderr
            .contains("they are left out; a larger --page-size needs less"),
        "{}",
        ended.stderr
    );
    let report = json(&ended.success());
    assert_eq!(report["info"]["pages"], Value::Null);
    assert_eq!(report["info"]["page_writes"], (1_u64 << 34) + 1);
    assert_eq!(report["info"]["hottest_page_writes"], 2);
    let text = lab.ok("trace info --html t.html t.csv");
    assert!(!text.contains("LRU hits by page"), "{text}");
    assert!(lab.read("t.html").contains("they are left out"));
}

/// Planted bug: an example that is outdated after a change of the keys.
#[test]
fn the_device_of_the_guide_is_one() {
    let page = std::fs::read_to_string(in_repository("docs/compare.md")).expect("a document");
    let example = page.split_once("```toml\n").expect("an example").1;
    let example = example.split_once("```").expect("its end").0;
    assert_eq!(example.lines().count(), 5, "{example}");
    let lab = Lab::new();
    lab.write("my-ssd.toml", example);
    // all of the small drive, once, so that cleaning starts
    lab.write("one.csv", trace(&["0,W,0,1073741824"]));
    let report = lab.json("run --json --config my-ssd.toml --scale-to 1GiB one.csv");
    let warnings = report["warnings"].as_array().expect("a list");
    let others = |warning: &&Value| {
        let text = warning.as_str().expect("a text");
        !text.starts_with("--scale-to 1GiB: lines: ") && !text.starts_with("not settled: ")
    };
    assert_eq!(warnings.iter().find(others), None);
}

#[test]
fn theory_has_a_row_for_each_spare_factor() {
    let lab = Lab::small();
    let shown = lab.ok("theory --spare=0.1,0.2 --block=16,64 --d=2,10 --hot=80/20");
    let lines: Vec<&str> = shown.lines().collect();
    let header = [
        "spare",
        "effective",
        "fifo",
        "hot and cold, fifo",
        "greedy, 16 pages",
    ];
    assert_eq!(cells(lines[0])[..5], header);
    let last = words(lines[2]);
    assert_eq!(
        last[..5],
        ["0.2000", "0.2000", "2.6927", "3.0345", "2.3610"]
    );
    assert_eq!(last[7..], ["2.5993", "3.5330", "2.6754"]);
    let discards = lab.json("theory --spare=0.11 --discards=0.2 --json");
    let fifo = discards[0]["fifo"].as_f64().expect("a number");
    assert!((fifo - 1.7194).abs() < 1e-4, "{fifo}");
    let fraction = lab.json("theory --over-provisioning=0.25 --json");
    assert_eq!(fraction[0]["spare"], 0.2);
}

// planted bugs: the optimum beside the given split under the wrong heading; a split that is not used; percent taken for a share
#[test]
fn theory_of_data_apart_has_both_splits() {
    let lab = Lab::small();
    let shown = lab.ok("theory --spare=0.125 --pools=90/10,10/90 --block=64 --d=2");
    let lines: Vec<&str> = shown.lines().collect();
    let header = [
        "spare",
        "effective",
        "fifo",
        "pools, fifo",
        "optimal pools, fifo",
        "greedy, 64 pages",
        "pools, greedy, 64 pages",
        "optimal pools, greedy, 64 pages",
        "2-choices, 64 pages",
    ];
    assert_eq!(cells(lines[0]), header);
    let figures = [
        "0.1250", "0.1250", "4.1820", "4.1820", "1.9873", "3.9485", "3.9485", "1.9015",
    ];
    assert_eq!(words(lines[1])[..8], figures);
    let split = lab.json("theory --spare=0.125 --pools=90/10,10/90 --split=15,85 --json");
    let [given, optimal] = ["given", "optimal"].map(|of| &split[0]["pools"][of]);
    assert_eq!(given["shares"], serde_json::json!([0.15, 0.85]));
    let number = |value: &Value| value.as_f64().expect("a number");
    let [one, other] = [0, 1].map(|at| number(&given["each"][at]));
    let sum = number(&given["write_amplification"]);
    // S_f = 1 - 0.875 * 0.1 / 0.15 and 1 - 0.875 * 0.9 / 0.85
    let alone = lab.json("theory --spare=0.41666666666666663,0.0735294117647059 --json");
    let [hot, cold] = [0, 1].map(|at| number(&alone[at]["fifo"]));
    assert!(
        (one - hot).abs() < 1e-9 && (other - cold).abs() < 1e-9,
        "{given}"
    );
    assert!((sum - 0.9 * hot - 0.1 * cold).abs() < 1e-9, "{given}");
    assert!(number(&optimal["write_amplification"]) < sum, "{split}");
    // all spare is for what is not the log
    let log = lab.json("theory --spare=0.1 --pools=50/50,50/50/seq --json");
    let alone = lab.json("theory --spare=0.18181818181818182 --json");
    let sum = number(&log[0]["pools"]["given"]["write_amplification"]);
    assert!(
        (sum - 0.5 - 0.5 * number(&alone[0]["fifo"])).abs() < 1e-9,
        "{log}"
    );
}

#[test]
fn a_generated_trace_is_read_as_it_was_made() {
    let lab = Lab::small();
    for kind in [
        "uniform --reads=0.5",
        "uniform --discards=0.2",
        "zipf --shuffle",
        "locality --locality=10/90",
        "update",
        "sequential",
        "strided",
        "mixed",
        "pass",
        "zipf --standing-for=4TiB",
        "cachelib",
        "tiobench --scattered=30",
        "postmark --files=30 --discards",
        "lfs --files=30 --segment=256K --discards",
    ] {
        let generate =
            format!("trace generate {kind} --requests=3000 --capacity=4MiB --flush-every=50");
        let text = lab.ok(&generate);
        assert_eq!(text.lines().count(), 3001, "{kind}");
        assert_eq!(lab.ok(&format!("{generate} --output=g.csv")), "");
        lab.ok(&format!("{generate} -o g.csv.zst"));
        let of = |file| {
            let mut info = lab.json(&["trace", "info", "--json", file]);
            assert_eq!(info["requests"], 3000, "{kind}");
            info["info"].take()
        };
        assert_eq!(of("g.csv"), of("g.csv.zst"), "{kind}");
        lab.ok("run --set=flash.capacity=auto g.csv.zst");
    }
}

// Planted bugs: a preset that names a system or a size that cannot be; a preset without a line in the list or in the
// documentation.
#[test]
fn every_preset_runs_a_shipped_trace() {
    let trace = in_repository("traces/w9-fat16-postmark.csv.zst");
    let documents = fs::read_to_string(in_repository("docs/presets.md")).expect("a document");
    for preset in ssdlab_config::presets() {
        let name = preset.name;
        assert!(documents.contains(&format!("| `{name}` |")), "{name}");
        let lab = Lab::new();
        let shown = lab.ok(&["config", "show", "--preset", name]);
        assert!(shown.contains(&format!("# {name}: ")), "{shown}");
        let mut resolver = ssdlab_config::Resolver::new();
        let config = resolver.preset(name).resolve().expect("a preset");
        // a small part of a large drive: the tables of all of it take gigabytes
        let lines = if name.starts_with("consumer") {
            300 // the cache takes blocks of its own
        } else {
            100
        };
        let part = lines * config.flash.capacity_step();
        let capacity = format!("flash.capacity={}", part.min(config.flash.capacity));
        let mut run = words("run --json --limit=2000 --wrap --preset");
        run.extend([name, trace.to_str().unwrap()]);
        if config.flash.capacity > 1 << 36 {
            run.extend(["--set", &capacity]);
        }
        let report = lab.json(&run);
        assert_eq!(report["config"]["preset"], name);
        assert_eq!(report["trace"]["requests"], 2000);
        let written = report["counters"]["host_write_pages"].as_u64();
        assert!(written > Some(0), "{name}");
        let serial = report["config"]["timing"]["model"] == "serial";
        assert_eq!(report["latency_ns"].is_null(), serial, "{name}");
    }
}

// Planted bugs: a scaled drive without a word; one that its own trace does not fit.
#[test]
fn a_drive_is_scaled_to_the_size_of_a_trace() {
    let lab = Lab::new();
    lab.write("end.csv", trace(&["0,W,1073737728,4096"]));
    let told = "warning: --scale-to 1GiB: lines: ";
    let run = lab
        .run("run end.csv --json --preset nvme-tlc --scale-to 1GiB --set precondition=random:0.1");
    assert!(run.stderr.starts_with(told), "{}", run.stderr);
    assert_eq!(json(&run.success())["counters"]["host_writes"], 1);
    let compared = lab.run(
        "compare end.csv --no-html --buffer none --preset sata-tlc --vary preset=nvme-tlc,sata-tlc --scale-to 1GiB",
    );
    assert_eq!(
        compared.stderr.matches(told).count(),
        2,
        "{}",
        compared.stderr
    );
    let shown = lab.run("config show --preset nvme-tlc --scale-to 1GiB");
    assert!(shown.stderr.starts_with(told), "{}", shown.stderr);
    lab.write("small.toml", shown.success());
    let shown = lab.ok("config show --config small.toml");
    assert!(shown.contains("\npages_per_block = 64 "), "{shown}");
    lab.refused(
        "config show --scale-to 0",
        &["--scale-to", "must be a size above 0"],
    );
}
