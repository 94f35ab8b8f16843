//! `compare`: its table, its closing sentence and its report agree with single runs.
//!
//! Planted bugs that these catch: a winner by erases or by name instead of by throughput; a tie within 1 % that a fraction
//! of it decides, not the bytes to flash; a bound that wins; rows in the order in which threads finish; a mark at one size only; a sentence that names all level policies.

use crate::common::{Lab, cells, in_repository, trace, writes};
use serde_json::Value;
use ssdlab_device::{Family, registry::built_in};
use ssdlab_sim::is_bound;

/// A row of the printed table, to be compared with a run.
struct Line {
    label: String,
    /// The printed size: `1 KiB`, `1–4 KiB`, or `-`.
    size: String,
    numbers: Vec<String>,
    /// The text after each number: its difference from the baseline, or nothing.
    relative: Vec<String>,
    mark: String,
}

fn table(text: &str) -> Vec<Line> {
    let rows = text
        .lines()
        .skip(2) // the device, and the titles
        .take_while(|line| !line.trim().is_empty());
    let line = |row: &str| {
        let cells = cells(row);
        let figures = cells[2..9]
            .iter()
            .map(|cell| cell.split_once(' ').unwrap_or((cell, "")));
        let (numbers, relative) = figures.map(|(a, b)| (a.to_owned(), b.to_owned())).unzip();
        Line {
            label: cells[0].into(),
            size: cells[1].into(),
            numbers,
            relative,
            // after the columns of the time and of the counters that the sentence names
            mark: cells[10..]
                .last()
                .filter(|cell| !cell.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
                .copied()
                .unwrap_or_default()
                .into(),
        }
    };
    rows.map(line).collect()
}

impl Line {
    /// The sizes of the row; all sizes if it shows none.
    fn sizes<'a>(&self, all: &[&'a str]) -> Vec<&'a str> {
        let place = |printed: &str| all.iter().position(|size| self::printed(size) == printed);
        let (from, to) = match self.size.split_once('–') {
            None if self.size == "-" => return all.to_vec(),
            None => (place(&self.size), place(&self.size)),
            Some((from, to)) => {
                let unit = to.split_once(' ').map_or("", |(_, unit)| unit);
                (place(from).or(place(&format!("{from} {unit}"))), place(to))
            }
        };
        all[from.expect("a size")..=to.expect("a size")].to_vec()
    }
}

/// The closing sentence.
fn sentence(text: &str) -> &str {
    text.lines()
        .find(|line| line.starts_with("On "))
        .expect("a closing sentence")
}

/// The label of a bound.
const CLAIRVOYANT: &str = "clairvoyant buffer";

/// The policies that compete, in the order of the registry; `none` has no size.
fn policies() -> impl Iterator<Item = &'static str> {
    let names = built_in(Family::Buffer).iter().map(|entry| entry.name);
    names.filter(|name| !is_bound(name))
}

/// The result of a policy at a size.
#[derive(Clone, Copy)]
struct Scored {
    policy: &'static str,
    /// The place of the size among those compared; `none` has the first.
    size: usize,
    /// Throughput, bytes to flash and erases.
    scores: [f64; 3],
}

/// The results of all policies at a size.
fn scored(run: &dyn Fn(&str, &str) -> Value, sizes: &[&str], size: usize) -> Vec<Scored> {
    let score = |policy| {
        let report = run(policy, sizes[size]);
        let bytes = report["endurance"]["flash_bytes"].as_object().unwrap();
        let bytes = bytes.values().map(|bytes| bytes.as_f64().unwrap()).sum();
        let speed = report["derived"]["throughput_mb_s"].as_f64().unwrap_or(0.0);
        let erases = report["counters"]["erases"].as_f64().unwrap();
        Scored {
            policy,
            size,
            scores: [speed, bytes, erases],
        }
    };
    policies().map(score).collect()
}

fn level(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() < 0.01 * a.abs().max(b.abs())
}

/// The best of some results, and the policies that are level with it in throughput: of those within 1 % of the fastest the
/// ones with the fewest bytes to flash, then with the fewest erases; of these the one with the smallest buffer.
fn best(results: &[Scored]) -> (Scored, Vec<&'static str>) {
    let mut left = results.to_vec();
    left.sort_by(|a, b| b.scores[0].total_cmp(&a.scores[0]));
    for (at, sign) in [(0, -1.0), (1, 1.0), (2, 1.0)] {
        let top = left.iter().map(|one| sign * one.scores[at]);
        let top = sign * top.fold(f64::INFINITY, f64::min);
        left.retain(|one| level(one.scores[at], top));
    }
    let buffer = |one: &&Scored| (one.policy != "none", one.size);
    let best = *left.iter().min_by_key(buffer).unwrap();
    let equal = results
        .iter()
        .filter(|one| level(one.scores[0], best.scores[0]));
    (best, equal.map(|one| one.policy).collect())
}

/// A size such as `16KiB` as the table prints it.
fn printed(size: &str) -> String {
    let unit = size.find(|c: char| !c.is_ascii_digit()).unwrap();
    format!("{} {}", &size[..unit], &size[unit..])
}

/// Compares all policies and checks the result against single runs.
fn check(lab: &Lab, device: &[&str], trace: &str, sizes: &[&str]) -> String {
    let list = format!("--size={}", sizes.join(","));
    let text = lab.ok(&[
        &["compare", "--all", &list, "--baseline=lru"],
        device,
        &[trace],
    ]
    .concat());
    assert!(!text.contains(['\x1b', '│']), "plain when piped: {text}");
    let run = |policy: &str, size: &str| {
        let policy = format!("--set=buffer.policy={policy}");
        let size = format!("--set=buffer.size={size}");
        lab.json(&[&["run", "--json", &policy, &size, trace], device].concat())
    };
    let rows = table(&text);
    let scored: Vec<_> = (0..sizes.len())
        .map(|size| scored(&run, sizes, size))
        .collect();
    let best: Vec<_> = scored.iter().map(|results| self::best(results)).collect();
    let unbounded = rows.iter().any(|row| row.label == "unbounded buffer");
    check_rows(&rows, sizes, unbounded);
    for row in &rows {
        check_row(row, &run, sizes, &best);
    }
    let mut bounds: Vec<&str> = rows
        .iter()
        .filter(|row| row.mark == "bound")
        .map(|row| &*row.label)
        .collect();
    // at some sizes and in some figures policies beat it
    bounds.retain(|label| *label != CLAIRVOYANT);
    bounds.dedup();
    let expected = ["unbounded buffer", "ideal FTL"];
    assert_eq!(bounds, expected[usize::from(!unbounded)..]);
    let (winner, _) = self::best(&scored.concat());
    check_sentence(&text, trace, sizes, winner, &best);
    text
}

/// `none` and the unbounded buffer have no size; the other policies and the ideal FTL have one row for each. A buffer that
/// keeps read pages may hit more than the unbounded buffer, which is then no bound.
fn check_rows(rows: &[Line], sizes: &[&str], unbounded: bool) {
    let runs = rows.iter().filter(|row| row.label != CLAIRVOYANT);
    let runs = runs.map(|row| match row.size.as_str() {
        "-" => 1,
        _ => row.sizes(sizes).len(),
    });
    let all = 1 + usize::from(unbounded) + policies().count() * sizes.len();
    assert_eq!(runs.sum::<usize>(), all);
}

/// The marks and the figures of a row are those of single runs.
fn check_row(
    row: &Line,
    run: &dyn Fn(&str, &str) -> Value,
    sizes: &[&str],
    best: &[(Scored, Vec<&str>)],
) {
    let competes = policies().any(|policy| policy == row.label);
    let of_row = row.sizes(sizes);
    let of_sizes = || {
        sizes
            .iter()
            .zip(best)
            .filter(|(size, _)| of_row.contains(size))
    };
    let won = of_sizes().any(|(_, (best, _))| best.policy == row.label);
    let equal = of_sizes().any(|(_, (_, level))| level.contains(&&*row.label));
    let mark = match (competes, won, equal) {
        (true, true, _) => "best",
        (true, false, true) => "level",
        (true, false, false) => "",
        (false, ..) => "bound",
    };
    let (place, _) = row.mark.split_once("baseline").unwrap_or((&row.mark, ""));
    let place = place.trim_end_matches(", ");
    assert_eq!(place, mark, "{} {}", row.label, row.size);
    assert_eq!(row.mark.ends_with("baseline"), row.label == "lru");
    let of_size = if row.size == "-" {
        &of_row[..1]
    } else {
        &of_row
    };
    for size in of_size.iter().filter(|_| competes) {
        let report = run(&row.label, size);
        let counters = ["erases", "switch_merges", "partial_merges", "full_merges"];
        let counters = counters.map(|name| report["counters"][name].to_string());
        assert_eq!([1, 3, 4, 5].map(|at| row.numbers[at].clone()), counters);
        let bases: Vec<Value> = of_size.iter().map(|size| run("lru", size)).collect();
        check_relative(row, &bases, &report, sizes);
    }
}

/// The difference of erases from lru at the same size, as in the table; empty if it differs among the folded sizes.
fn check_relative(row: &Line, bases: &[Value], report: &Value, sizes: &[&str]) {
    let erases = |run: &Value| run["counters"]["erases"].as_f64().unwrap();
    let base = erases(&bases[0]);
    let expected = match erases(report) {
        _ if row.label == "lru" || row.size == "-" && sizes.len() > 1 => String::new(),
        _ if base == 0.0 || bases.iter().any(|other| erases(other) != base) => String::new(),
        own if level(own, base) => "=".into(),
        own => format!("{:+}%", ((own / base - 1.0) * 100.0).round()),
    };
    assert_eq!(row.relative[1], expected, "{} {}", row.label, row.size);
}

/// The best of all sizes, then the winners at the sizes at which it is worse.
fn check_sentence(
    text: &str,
    trace: &str,
    sizes: &[&str],
    winner: Scored,
    best: &[(Scored, Vec<&str>)],
) {
    let sentence = sentence(text);
    let (winner, size) = (winner.policy, printed(sizes[winner.size]));
    let name = trace.rsplit('/').next().unwrap();
    let start = match winner {
        "none" => format!("On {name}, no buffer serves best"),
        _ if sizes.len() > 1 => format!("On {name}, {winner} serves best with {size}"),
        _ => format!("On {name}, {winner} serves best"),
    };
    assert!(
        sentence.starts_with(&start),
        "{sentence} instead of {start}"
    );
    let mut lines = text.lines();
    let others = lines.find_map(|line| line.strip_prefix("other sizes: "));
    let others: Vec<&str> = others.map_or(Vec::new(), |line| line.split("; ").collect());
    let wins = |policy: &str| {
        let start = format!("{policy} wins at ");
        others.iter().any(|told| told.starts_with(&start))
    };
    for (other, _) in best.iter().filter(|(_, level)| !level.contains(&winner)) {
        assert!(wins(other.policy), "{} in {others:?}", other.policy);
    }
    assert!(!wins(winner), "{others:?}");
}

/// Scattered writes over 20 pages with reads and flushes in between.
fn scattered(lab: &Lab) {
    let line = |i: u64| match i % 11 {
        10 => format!("{i},F,0,0"),
        7 => format!("{i},R,{},512", i * i * 13 % 20 * 512),
        _ => format!("{i},W,{},512", (i * 7 + i * i % 5) % 20 * 512),
    };
    lab.write(
        "scattered.csv",
        trace(&(0..3000).map(line).collect::<Vec<_>>()),
    );
}

const SMALL: [&str; 2] = ["--config", "small.toml"];

#[test]
fn a_small_trace() {
    let lab = Lab::small();
    scattered(&lab);
    let text = check(&lab, &SMALL, "scattered.csv", &["1KiB", "2KiB", "4KiB"]);
    assert!(
        text.ends_with("\nReport: scattered.compare.html\n"),
        "{text}"
    );
    let html = lab.read("scattered.compare.html");
    assert!(html.contains(sentence(&text)), "the sentence in the report");
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
}

#[test]
fn ties_go_to_fewer_erases() {
    let lab = Lab::small();
    let pages: Vec<u64> = (0..500).map(|i| (i * 7 + i * i % 5) % 20).collect();
    lab.write("writes.csv", writes(&pages));
    // only the buffer takes time, so all policies with a buffer are equally fast
    let free = ["read", "program", "erase", "transfer"].map(|key| format!("timing.{key}_us=0"));
    let mut device = SMALL.to_vec();
    device.extend(free.iter().flat_map(|setting| ["--set", setting]));
    device.extend(["--set", "timing.buffer_us=1"]);
    let text = check(&lab, &device, "writes.csv", &["1KiB", "4KiB"]);
    let speeds = table(&text).into_iter().map(|row| row.numbers[0].clone());
    let mut speeds: Vec<String> = speeds.filter(|speed| speed != "-").collect();
    speeds.dedup();
    assert_eq!(speeds.len(), 1, "{text}");
}

#[test]
fn a_shipped_trace() {
    let lab = Lab::new();
    let path = in_repository("traces/w2-ntfs-browser-cache.csv.zst");
    let device = ["--preset", "bplru-2008"];
    check(&lab, &device, path.to_str().unwrap(), &["1MiB", "4MiB"]);
}

#[test]
fn threads_change_nothing() {
    let lab = Lab::small();
    scattered(&lab);
    let run = |jobs| {
        let options = format!("--jobs {jobs}");
        let text = lab.ok(&format!(
            "compare --config small.toml --size=4KiB,1KiB,1KiB,2KiB {options} scattered.csv"
        ));
        let report = lab.read("scattered.compare.html");
        (text, report.replace(&options, ""))
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn as_the_user_chooses() {
    let lab = Lab::small();
    scattered(&lab);
    let args = "compare --no-html --config small.toml --buffer bplru,lru --size 2KiB scattered.csv";
    let text = lab.ok(args);
    let labels: Vec<String> = table(&text).into_iter().map(|row| row.label).collect();
    let bounds = ["unbounded buffer", CLAIRVOYANT, "ideal FTL"];
    assert_eq!(labels, [&["bplru", "lru"], &bounds[..]].concat());
    assert!(!text.contains("Report:"), "{text}");
    assert_eq!(lab.files(), ["scattered.csv", "small.toml"], "no report");
    // the same from standard input
    let args = args.replace("scattered.csv", "-");
    let stream = lab.piped(&args, lab.read("scattered.csv"));
    assert_eq!(stream.success(), text.replace("On scattered.csv", "On -"));
}

// planted bug: a wrong unit of the trace is told only after it has aged a drive for minutes, or twice
#[test]
fn doubts_about_the_trace_come_before_it_ages_a_drive() {
    let lab = Lab::small();
    lab.write(
        "back.csv",
        trace(&["5000,W,0,512", "4000,W,0,512", "8000,W,1000000000,512"]),
    );
    let doubt = "warning: back.csv: 1 request has an earlier time stamp than the previous request, by up to 1.0 µs; --sort 1us puts";
    let args = "compare --no-html --no-advice --config small.toml --settled --buffer lru back.csv";
    let stopped = lab.run(args);
    assert_eq!(stopped.code, Some(2), "{}", stopped.stderr);
    assert!(stopped.stderr.starts_with(doubt), "{}", stopped.stderr);
    let ended = lab.run(&format!("{args} --wrap"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches(doubt).count(), 1, "{}", ended.stderr);
}

/// Planted bugs: a winner among runs without reads and writes; a size for a policy that has none; a tie with one name
/// left out; the bound as a competitor.
#[test]
fn the_sentence_says_no_more_than_was_measured() {
    let lab = Lab::small();
    lab.write("flushes.csv", trace(&["0,F,0,0", "1,F,0,0"]));
    let compare = |options: &str| {
        let text = lab.ok(&format!(
            "compare --no-html --no-advice --config small.toml {options}"
        ));
        text.lines().last().expect("a sentence").to_owned()
    };
    for clocks in [
        "",
        "--set timing.model=parallel",
        "--set timing.model=drive",
    ] {
        let sentence = compare(&format!("flushes.csv {clocks}"));
        assert!(
            sentence.contains("nothing to compare"),
            "{clocks}: {sentence}"
        );
    }
    lab.write("once.csv", trace(&["0,W,0,512"]));
    let sentence = compare("--buffer none,none,fifo,lru --size 2KiB once.csv");
    assert!(
        sentence.contains("no buffer serves best, level with "),
        "{sentence}"
    );
    assert!(!sentence.contains("than"), "{sentence}");
    for (buffers, others) in [
        ("none,fifo,lru", "fifo and lru"),
        ("fifo,lru,cflru", "fifo, lru and cflru"),
        ("fifo,lru,cflru,sof", "fifo, lru, cflru and 1 other"),
        ("fifo,lru,cflru,sof,fab", "fifo, lru, cflru and 2 others"),
    ] {
        let sentence = compare(&format!("--buffer none,{buffers} --size 2KiB once.csv"));
        assert!(
            sentence.contains(&format!(", level with {others}: ")),
            "{sentence}"
        );
    }
    let bound = "compare --no-html --buffer unbounded once.csv";
    lab.refused(bound, &["--buffer unbounded", "bound"]);
}

/// Planted bug: a sweep of the ages that removes nothing, so that the next sweep follows at once.
#[test]
fn equal_time_stamps_do_not_slow_ageing_down() {
    let lab = Lab::small();
    lab.write(
        "equal.csv",
        trace(&["0,W,0,512", "0,F,0,0"].repeat(100_000)),
    );
    let started = std::time::Instant::now();
    lab.ok("run --config small.toml --set buffer.policy=lru --set buffer.flush_age_s=30 equal.csv");
    // quadratic work took over ten minutes in this profile, linear work takes a fraction of a second
    assert!(started.elapsed().as_secs() < 60);
}

// planted bugs: a report of another trace, or a file that is not a report, is overwritten; a new number for every run
#[test]
fn a_report_is_named_after_its_trace() {
    let lab = Lab::small();
    for (folder, pages) in [("a", [1, 2, 3]), ("b", [4, 5, 6])] {
        std::fs::create_dir(lab.path(folder)).expect("a folder");
        lab.write(&format!("{folder}/t.csv"), writes(&pages));
    }
    lab.write("t.compare.html", "notes");
    let report = |more: &str| {
        let text = lab.ok(&format!(
            "compare --config small.toml --buffer lru --size 2K {more}"
        ));
        text.lines().last().unwrap_or_default().to_owned()
    };
    for _ in 0..2 {
        assert_eq!(report("a/t.csv"), "Report: t.compare-2.html");
        assert_eq!(report("b/t.csv"), "Report: t.compare-3.html");
        assert_eq!(report("--limit 2 b/t.csv"), "Report: t.compare-4.html");
    }
    assert_eq!(lab.read("t.compare.html"), "notes");
    // a file that the user names is overwritten
    assert_eq!(
        report("--html t.compare.html a/t.csv"),
        "Report: t.compare.html"
    );
    assert_eq!(report("a/t.csv"), "Report: t.compare.html");
    // other settings leave it there
    for more in [
        "--no-bounds a/t.csv",
        "--by waf a/t.csv",
        "--set buffer.reads=cache a/t.csv",
    ] {
        let other = report(more);
        assert!(
            !["t.compare.html", "t.compare-2.html"]
                .iter()
                .any(|name| other.ends_with(name)),
            "{other}"
        );
        assert_eq!(report(more), other);
    }
    // how it is computed is no setting
    assert_eq!(
        report("--jobs 1 --csv t.table a/t.csv"),
        "Report: t.compare.html"
    );
}

// planted bugs: a baseline that is not compared gives way without a word if it is the default policy; a bound that runs
#[test]
fn what_is_named_is_compared_and_nothing_else() {
    let lab = Lab::small();
    lab.write("t.csv", writes(&[0, 9, 3]));
    let compare = "compare --set ftl.kind=bast --no-html --size 2K t.csv";
    lab.refused_in_a_line(
        &format!("{compare} --buffer fab,cbb --baseline bplru"),
        &["--baseline bplru: is not compared; one of: fab; cbb"],
    );
    let with = lab.ok(&format!("{compare} --buffer fab"));
    let without = lab.ok(&format!("{compare} --buffer fab --no-bounds"));
    assert!(
        ["ideal FTL", "unbounded buffer", CLAIRVOYANT]
            .iter()
            .all(|bound| with.contains(bound)),
        "{with}"
    );
    assert!(
        !without.contains("bound") && without.contains("fab"),
        "{without}"
    );
}

// planted bugs: a column of clocks without a word why it is empty; that word where there are clocks; columns that do not
// reach the report
#[test]
fn columns_are_in_the_report_and_say_why_they_are_empty() {
    let lab = Lab::small();
    lab.write("t.csv", writes(&[0, 9, 3]));
    let compare =
        "compare --set ftl.kind=bast --size 2K t.csv --buffer fab,lru --html t.html --columns";
    let why = "-: p99 and max need timing.model = parallel";
    let text = lab.ok(&format!("{compare} waf,p99,max"));
    assert!(text.contains(why), "{text}");
    let report = lab.read("t.html");
    assert!(report.contains(&why[3..]), "{why}");
    let has = |report: &str, title: &str| {
        report.contains(&format!("<button type=\"button\">{title}<small>"))
    };
    assert!(has(&report, "p99 of writes"), "{report}");
    let text = lab.ok(&format!("{compare} waf,p99 --set timing.model=parallel"));
    assert!(!text.contains("\n-: "), "{text}");
    assert!(!lab.ok(&format!("{compare} waf")).contains("\n-: "));
    assert!(!has(&lab.read("t.html"), "p99 of writes"));
}

// planted bugs: no columns for the origin; a preset that varies twice in the header
#[test]
fn a_csv_file_says_where_its_rows_come_from() {
    let lab = Lab::small();
    lab.write("t.csv", writes(&[0, 9, 3]));
    let csv = |more: &str| {
        lab.ok(&format!(
            "compare --no-html --no-bounds --buffer lru --size 64K t.csv --csv all {more}"
        ));
        let text = lab.read("all");
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
        let lines = reader.records().map(|line| line.expect("a row"));
        let mut lines = lines.map(|line| line.iter().map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().expect("a header");
        let of = move |row: &Vec<String>, name: &str| {
            let places: Vec<usize> = (0..header.len())
                .filter(|place| header[*place] == name)
                .collect();
            assert_eq!(places.len(), 1, "{name} in {header:?}");
            row[places[0]].clone()
        };
        let rows = lines.map(|row| ["trace", "trace_sha256", "preset"].map(|name| of(&row, name)));
        rows.collect::<Vec<_>>()
    };
    let own = |row: &[String; 3], preset: &str| {
        assert_eq!(
            (row[0].as_str(), row[1].len(), row[2].as_str()),
            ("t.csv", 64, preset)
        );
    };
    own(&csv("--config small.toml")[0], "");
    own(&csv("--preset bplru-2008")[0], "bplru-2008");
    let both = csv("--vary preset=bplru-2008,plru-br-2q");
    own(&both[0], "bplru-2008");
    own(&both[1], "plru-br-2q");
    let part = csv("--config small.toml --limit 1 --skip-malformed=3");
    let expected = ["t.csv --limit=1 --skip-malformed=3", "", ""];
    assert_eq!(part[0], expected);
}

// planted bugs: a unit that one option accepts and another refuses; a note lost among those of the rows
#[test]
fn sizes_and_counts_as_people_write_them() {
    let lab = Lab::small();
    scattered(&lab);
    let same = |sizes: &str, limit: &str| {
        lab.ok(&format!(
            "compare --no-html --buffer=lru --size {sizes} --limit {limit} --config small.toml scattered.csv"
        ))
    };
    assert_eq!(same("2KiB,4KiB", "2000"), same("2k,4096", "2K"));
    let ended = lab.run(
        "compare --no-html --buffer=lru --set=flash.capacity=20KB scattered.csv --config small.toml",
    );
    let note = "flash.capacity = \"20KB\" is rounded down to 18432 bytes, a whole number of blocks of 2048 bytes";
    assert!(ended.stderr.contains(note), "{}", ended.stderr);
    let info = |size: &str| lab.ok(&["trace", "info", "--page-size", size, "scattered.csv"]);
    assert_eq!(info("1024"), info("1K"));
}

// planted bugs: a device without a word which; a drive of today although one is named; an old buffer under page mapping without
// a word
#[test]
fn the_first_line_says_which_device() {
    let lab = Lab::new();
    lab.write(
        "t.csv",
        trace(&["0,W,0,4096", "1,W,4096,4096", "2,W,0,4096"]),
    );
    let first = |args: &str| {
        let text = lab.ok(args);
        text.lines().next().unwrap_or_default().to_owned()
    };
    let old = first("run t.csv");
    assert!(old.starts_with("device "), "{old}");
    assert!(
        old.contains("the default, a device of 2008: 1 GiB of flash"),
        "{old}"
    );
    assert!(old.ends_with("FTL bast, buffer bplru"), "{old}");
    let few = "--buffer lru --no-html --no-bounds --no-advice";
    let today = first(&format!("compare t.csv {few}"));
    assert!(
        today.starts_with("device: nvme-tlc (1 TB NVMe drive"),
        "{today}"
    );
    assert!(today.ends_with(", FTL page, aged by the trace"), "{today}");
    assert!(today.contains(", scaled to "), "{today}");
    assert_eq!(first("recommend t.csv --ram 32MiB --buffer lru"), today);
    let papers = first(&format!("compare t.csv --preset bplru-2008 {few}"));
    assert!(
        papers.starts_with("device: bplru-2008 (1 GiB MLC"),
        "{papers}"
    );
    let own = first(&format!("compare t.csv --set ftl.kind=bast {few}"));
    assert!(
        own.starts_with("device: no preset: 1 GiB of flash"),
        "{own}"
    );
    let mixed = lab.run("run t.csv --set ftl.kind=page");
    let warning = "warning: buffer.policy = \"bplru\" by default: it writes whole blocks";
    assert!(mixed.stderr.contains(warning), "{}", mixed.stderr);
    let chosen = lab.run("run t.csv --set ftl.kind=page --set buffer.policy=lru");
    assert!(!chosen.stderr.contains("bplru"), "{}", chosen.stderr);
}

// planted bugs: a value with a comma is cut; the quotes belong to the value; a base without a preset cannot be scaled
#[test]
fn any_value_can_vary() {
    let lab = Lab::new();
    lab.write(
        "t.csv",
        trace(&["0,W,0,4096", "1,W,4096,4096", "2,W,0,4096"]),
    );
    let compared = |more: &[&str]| {
        let usual = [
            "compare",
            "t.csv",
            "--buffer=lru",
            "--no-html",
            "--no-bounds",
            "--no-advice",
        ];
        lab.ok(&[&usual, more].concat())
    };
    let text = compared(&[
        "--set=ftl.kind=page",
        "--set=flash.capacity=16MiB",
        "--size=64KiB",
        "--vary=precondition=full,\"0.6,random:2\"",
    ]);
    for label in ["lru (precondition full)", "lru (precondition 0.6,random:2)"] {
        assert!(text.contains(label), "{text}");
    }
    let text = compared(&[
        "--vary=preset=sata-tlc,nvme-tlc",
        "--scale-to=1GiB",
        "--size=1MiB",
    ]);
    for label in ["lru (preset sata-tlc)", "lru (preset nvme-tlc)"] {
        assert!(text.contains(label), "{text}");
    }
}
