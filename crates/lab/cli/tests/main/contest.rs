//! `reproduce` of a contest: a small description from its runs to its page, and all errors of a description.

use std::fs;

use crate::common::{Lab, trace, wrong};

const CONTEST: &str = r#"
title = "Ours"
source = "Us"
preset = "bplru-2008"
set = ["buffer.reads=bypass"]
sizes = ["32KiB", "128KiB"]
replays = 2
competitor = "bplru"
rivals = ["lru", "fab", "blru"]
baseline = "lru"
drawn = ["fab"]
choice = ["padding", "always"]
traces = ["t.csv"]
generated = [["made", "uniform --capacity 64MiB --requests 400"]]

[[devices]]
name = "logs"
set = ["ftl.log_blocks=9"]

[[devices]]
name = "page, spare"
set = ["ftl.kind=page"]
cleans = true

[[variants]]
name = "no padding"
set = "buffer.padding=false"
value = "never"
"#;

const PAGE: &str = "By hand.\n\n<!-- measured: result -->\n\n<!-- measured: policies -->\n\n<!-- measured: halves -->\n\n\
                    <!-- measured: variants on generated -->\n\nThe end.\n";

/// A folder with the contest `c` and its trace: single pages of a few blocks, and a flush after every ninth.
fn lab(contest: &str, page: &str) -> Lab {
    let lab = Lab::new();
    fs::create_dir_all(lab.path("own/c")).unwrap();
    fs::create_dir_all(lab.path("traces")).unwrap();
    lab.write("own/c/contest.toml", contest);
    lab.write("own/c/page.md", page);
    let request = |i: u64| match i % 10 {
        9 => format!("{i},F,0,0"),
        _ => format!("{i},W,{},2048", i * i % 61 * 256 * 1024 + i % 8 * 2048),
    };
    let lines: Vec<String> = (0..400).map(request).collect();
    lab.write("traces/t.csv", trace(&lines));
    lab
}

const REPRODUCE: &str = "reproduce --descriptions=own c";

// Planted bugs: a replay, a size or a device in the place of another; flushes honoured that should be ignored; the
// settings of all runs, or of a device, left out.
#[test]
fn each_point_is_what_run_gives() {
    let lab = lab(CONTEST, PAGE);
    let printed = lab.ok(REPRODUCE);
    let sentence = "Over 16 points, `bplru` takes";
    assert!(printed.contains(sentence), "{printed}");
    let points = lab.read("reproduce/c/points.csv");
    let heading = "workload,ftl,flushes,replay,size,fastest of three,s,bplru s,bplru / fastest,erases,bplru erases";
    assert!(points.starts_with(heading), "{points}");
    assert_eq!(points.lines().count(), 1 + 16 + 8);
    for line in points.lines().skip(1).filter(|line| line.starts_with("t,")) {
        let cells: Vec<&str> = line.split(',').collect();
        let device = match cells[1] {
            "logs" => "ftl.log_blocks=9",
            _ => "ftl.kind=page",
        };
        let (size, protected) = (cells[4], cells[2] == "ignored");
        let counts = |policy: &str| {
            let run = format!(
                "run traces/t.csv --preset bplru-2008 --loops 2 --json --set buffer.reads=bypass --set {device} --set \
                 buffer.size={size} --set buffer.protected={protected} --set buffer.policy={policy}"
            );
            let json = lab.json(&run);
            let replay: usize = cells[3].parse().unwrap();
            let counters = &json["loops"][replay - 1]["counters"];
            ["elapsed_ns", "erases"].map(|key| counters[key].as_u64().unwrap())
        };
        let rivals = ["lru", "fab", "blru"].map(|policy| (counts(policy), policy));
        let (best, name) = rivals.into_iter().min_by_key(|rival| rival.0[0]).unwrap();
        let bplru = counts("bplru");
        let [best_s, bplru_s] = [best, bplru].map(|run| run[0] as f64 / 1e9);
        let ratio = bplru_s / best_s;
        let figures = format!(
            ",{name},{best_s:.3},{bplru_s:.3},{ratio:.3},{},{}",
            best[1], bplru[1]
        );
        assert!(line.ends_with(&figures), "{line}: {figures}");
    }
    let page = lab.read("reproduce/c/README.md");
    let start = format!("# Ours\n\nBy hand.\n\n**{sentence}");
    for part in [
        &start,
        "| **bplru** |",
        "| bplru with … |",
        "the best padding there",
        "\n\nThe end.\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for picture in ["regret", "gain"] {
        let svg = lab.read(&format!("reproduce/c/{picture}.svg"));
        assert!(svg.starts_with("<svg "), "{picture}");
    }
    lab.ok(&format!("{REPRODUCE} --check --jobs=1"));
    lab.write("own/c/page.md", PAGE.replace("hand", "heart"));
    let ended = lab.run(&format!("{REPRODUCE} --check"));
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("README.md"), "{}", ended.stderr);
}

/// See [`wrong`]; the parts are the line of the message, and what it says.
const WRONG: &str = r#"
replays = 2 | repeats = 2 | 7 | repeats = 2: unknown field `repeats`
replays = 2 | replays = 0 | 7 | replays = 0: invalid value
["32KiB", "128KiB"] | ["32Kib/s"] | 6 | "32Kib/s" is not a size; must be like
["32KiB", "128KiB"] | [] | 6 | sizes = []: is empty; needs one at least
["32KiB", "128KiB"] | ["32KiB", "32768"] | 6 | appears twice
buffer.reads=bypass | buffer.size=64KiB | 5 | the contest sets this key itself
ftl.kind=page | buffer.protected=true | 22 | the contest sets this key itself
buffer.padding=false | buffer.policy=none | 27 | the contest sets this key itself
"bplru-2008" | "bplru-2009" | 4 | bplru-2009
buffer.reads= | buffer.read= | 5 | did you mean buffer.reads?
competitor = "bplru" | competitor = "bplrr" | 8 | did you mean "bplru"?
competitor = "bplru" | competitor = "fab" | 8 | appears twice
"blru" | "blr" | 9 | blr
baseline = "lru" | baseline = "cbb" | 10 | is no rival; one of: lru, fab, blru
drawn = ["fab"] | drawn = ["cbb"] | 11 | is no rival; one of: lru, fab, blru
"padding", "always" | "padding" | 12 | choice = ["padding"]: invalid length 1
["t.csv"] | ["t.csv", "x/t.csv.zst"] | 13 | appears twice
["t.csv"] | ["u.csv"] | 13 | --traces DIR
"uniform - | "unifrm - | 14 | unifrm
"made" | "t" | 14 | appears twice
log_blocks=9 | log_blocks=none | 18 | ftl.log_blocks
"page, spare" | "logs" | 21 | appears twice
cleans = true | merges = true | 23 | unknown field `merges`, expected one of `name`, `set`, `cleans`
"no padding" | "lru" | 26 | appears twice
buffer.padding=false | buffer.padding=no | 27 | must be one of block, mapped, off
"#;

#[test]
fn bad_descriptions_are_refused_with_line_and_key() {
    for (contest, parts) in wrong(CONTEST, WRONG) {
        let place = format!("contest.toml:{}: ", parts[0]);
        lab(&contest, PAGE).refused(REPRODUCE, &[&place, parts[1]]);
    }
    let page = PAGE.replace("policies", "policy");
    let message = "page.md:5: <!-- measured: policy -->: no such part; one of: result, policies, ";
    lab(CONTEST, &page).refused(REPRODUCE, &[message]);
    let lab = lab(CONTEST, PAGE);
    fs::remove_file(lab.path("own/c/page.md")).unwrap();
    lab.refused(REPRODUCE, &["own/c/page.md: cannot be read"]);
}
