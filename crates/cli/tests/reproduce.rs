//! `reproduce`: a small paper from its description to its page, and all errors of a description.
//!
//! Planted bugs that these catch: a page that depends on the number of threads; a check that always passes, or that
//! writes; an error in a description found after the runs, or never; a file written outside the folder of its paper; an
//! empty line quoted as the cause; commands of a page without the sizes of its rows.

use std::fs;

use crate::common::{Lab, trace};

const PAPER: &str = r#"
[paper]
title = "A Paper"
authors = "Somebody"
venue = "A Venue 2008"
preset = "bplru-2008"
buffers = ["lru", "bplru"]
sizes = ["1MiB", "2MiB"]
leave_out = ["reads"]

[[variant]]
name = "reads too"
about = "As they are."
keep = ["reads"]
set = ["precondition=empty"]

[trace.t]
file = "t.csv"
about = "a trace"

[trace.u]
file = "u.csv"
about = "another one"

[[figure]]
id = "1"
title = "One"
traces = ["t", "u"]
vary = { "buffer.padding" = ["true", "false"] }

[[figure.claim]]
says = "Padding erases less"
section = "1"
paper = -10
test = { metric = "erases", row = "bplru (padding true)", against = "bplru (padding false)", trace = "t", sizes = ["1MiB"], relation = "< 0" }

[[figure]]
id = "2"
title = "Two"
missing = "There is no trace."

[[figure.claim]]
says = "It is so"
section = "2"
"#;

/// A folder with the paper `p` and its traces: single pages of 200 blocks, twice, each page read before its write.
fn lab(paper: &str) -> Lab {
    let lab = Lab::new();
    fs::create_dir_all(lab.path("own/p")).unwrap();
    fs::create_dir_all(lab.path("traces")).unwrap();
    lab.write("own/p/paper.toml", paper);
    let requests = (0..400).flat_map(|i| {
        let offset = i % 200 * 256 * 1024 + i / 200 * 2048;
        ["R", "W"].map(|op| format!("{i},{op},{offset},2048"))
    });
    let lines: Vec<String> = requests.collect();
    let text = trace(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    lab.write("traces/t.csv", &text);
    lab.write("traces/u.csv", &text);
    lab
}

#[test]
fn a_page_is_written_and_checked() {
    let lab = lab(PAPER);
    let printed = lab.ok(&["reproduce", "--descriptions=own", "p"]);
    assert!(printed.contains("Padding erases less"), "{printed}");
    assert!(printed.contains("no stand-in"), "{printed}");
    let page = lab.read("reproduce/p/README.md");
    assert!(page.contains("## Figure 2: Two\n\nThere is no trace."));
    assert!(page.contains("**reads too**: "));
    // the count of `compare`
    let command = "compare traces/t.csv --preset bplru-2008 --drop-reads --buffer lru,bplru --size 1MiB,2MiB --vary buffer.padding=true,false";
    assert!(page.contains(&format!("ssdlab {command}\n")), "{page}");
    let mut args: Vec<&str> = command.split(' ').collect();
    args.extend(["--no-html", "--csv=c.csv"]);
    lab.ok(&args);
    let csv = lab.read("c.csv");
    let line = csv.lines().find(|l| l.starts_with("bplru (padding true)"));
    let erases = csv
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|n| n == "erases");
    let erases = line.unwrap().split(',').nth(erases.unwrap()).unwrap();
    let mut row = page
        .lines()
        .filter(|l| l.starts_with("| bplru (padding true) | 1 MiB |"));
    assert_eq!(row.next().unwrap().split(" | ").nth(3), Some(erases));

    let svg = lab.read("reproduce/p/figure-1-t.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("bplru (padding false)"));
    lab.ok(&["reproduce", "--descriptions=own", "all", "--check"]);
    fs::rename(lab.path("traces"), lab.path("moved")).unwrap();
    lab.ok(&[
        "reproduce",
        "--descriptions=own",
        "p",
        "--output=elsewhere",
        "--traces=moved",
        "--jobs=1",
    ]);
    fs::rename(lab.path("moved"), lab.path("traces")).unwrap();
    assert_eq!(lab.read("elsewhere/p/README.md"), page);
    assert_eq!(lab.read("elsewhere/p/figure-1-t.svg"), svg);

    let stale = |name: &str| {
        let ended = lab.run(&["reproduce", "--descriptions=own", "p", "--check"]);
        assert_eq!(ended.code, Some(1), "{name}");
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
    };
    lab.write("reproduce/p/figure-9-t.svg", "");
    stale("figure-9-t.svg");
    fs::remove_file(lab.path("reproduce/p/figure-9-t.svg")).unwrap();
    lab.write("reproduce/p/figure-1-u.svg", "<svg>");
    stale("figure-1-u.svg");
    assert_eq!(lab.read("reproduce/p/figure-1-u.svg"), "<svg>");
    fs::remove_file(lab.path("reproduce/p/figure-1-u.svg")).unwrap();
    stale("figure-1-u.svg");
    lab.ok(&["reproduce", "--descriptions=own", "p"]);
    lab.write(
        "reproduce/p/README.md",
        page.replace("A Venue", "Another Venue"),
    );
    stale("README.md");
}

// Planted bugs: a variant on the traces of the figures; a claim about one trace that finds no row; traces one after the
// other, or on the same pages.
#[test]
fn a_variant_on_a_mixed_trace() {
    let trace_of = |name: &str, keys: &str| {
        format!(
            "\n[[variant]]\nname = \"{name}\"\nabout = \"At once.\"\ntrace = \"{name}\"\nset = \
             [\"flash.capacity=2GiB\"]\n\n[trace.{name}]\n{keys}\nabout = \"t and u\"\n"
        )
    };
    let mixed = trace_of("mixed", "mix = [\"t.csv\", \"u.csv\"]");
    let own = trace_of("own", "file = \"own.csv\"");
    let paper = PAPER.replace("\n[trace.t]", &format!("{mixed}{own}\n[trace.t]"));
    let lab = lab(&paper);
    let t = |i: u64| format!("{i},W,{},2048", i % 200 * 256 * 1024 + i / 200 * 2048);
    // in sequence, for which padding does nothing
    let u = |start: u64| move |i: u64| format!("{i},W,{},131072", start + i * 131_072);
    let text = |lines: Vec<String>| trace(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    lab.write("traces/t.csv", text((0..400).map(t).collect()));
    lab.write("traces/u.csv", text((0..400).map(u(0)).collect()));
    let both = (0..400).flat_map(|i| [t(i), u(1 << 30)(i)]);
    lab.write("traces/own.csv", text(both.collect()));
    lab.ok(&["reproduce", "--descriptions=own", "p"]);
    let page = lab.read("reproduce/p/README.md");
    let about = "- **mixed**: 1 of 1 claims have the same shape; 1 verdicts are those of our reading. At once. Its \
                 trace: t and u.\n";
    assert!(page.contains(about), "{page}");
    let line = page
        .lines()
        .find(|l| l.starts_with("| 1 | Padding erases less |"));
    let cells: Vec<&str> = line.expect("a line of variants").split(" | ").collect();
    let [.., ours, _, mixed, own] = cells[..] else {
        panic!("{cells:?}")
    };
    assert_eq!(format!("{mixed} |"), own);
    assert_ne!(mixed, ours);
}

#[test]
fn bad_traces_of_variants_are_refused() {
    for (found, put, fragments) in [
        (
            "keep = [\"reads\"]",
            "trace = \"w\"",
            &["trace = ", "no such trace; one of: t, u"][..],
        ),
        (
            "file = \"u.csv\"",
            "mix = [\"t.csv\"]",
            &["traces = ", "only a variant may name it"],
        ),
        (
            "file = \"u.csv\"",
            "mix = []",
            &["needs one of file, generate"],
        ),
        (
            "file = \"u.csv\"",
            "file = \"u.csv\"\nmix = [\"t.csv\"]",
            &["needs one of file, generate"],
        ),
    ] {
        assert_eq!(PAPER.matches(found).count(), 1, "{found}");
        let lab = lab(&PAPER.replace(found, put));
        lab.refused(&["reproduce", "--descriptions=own", "p"], fragments);
    }
    let compares = PAPER
        .replace("keep = [\"reads\"]", "trace = \"t\"")
        .replace("relation = \"< 0\"", "relation = \"largest of traces\"");
    lab(&compares).refused(
        &["reproduce", "--descriptions=own", "p"],
        &["relation = ", "a variant has only one"],
    );
}

/// The same with systems, a synthetic trace, a table and another buffer in RAM as the size.
const SYSTEMS: &str = r#"
[paper]
title = "A Log"
authors = "Somebody"
venue = "A Venue"
preset = "deb"
charts = ["time", "erases"]
leave_out = ["reads"]

[trace.t]
generate = "update --locality 10/90 --capacity 8MiB --requests 9000 --reads 0.2"
about = "updates"

[trace.u]
generate = "update --locality 50/50 --capacity 8MiB --requests 9000"
about = "others"

[[figure]]
id = "1"
kind = "table"
title = "One"
traces = ["t", "u"]
vary = { "ftl.cleaning" = ["greedy", "cat"] }

[[figure.system]]
name = "log"
set = ["ftl.placement=single", "ftl.gc_frontier=shared", "ftl.cleaning=jffs2"]

[[figure.system]]
name = "DEB"
set = ["ftl.placement=deb"]

[[figure.claim]]
says = "It erases less"
section = "1"
test = { metric = "erases", row = "DEB (cleaning cat)", against = "log", base = "log", relation = "< 0" }

[[figure]]
id = "1"
title = "Two"
traces = ["t"]
sizes = ["256KiB", "512KiB"]
size_key = "ftl.ram"

[[figure.system]]
name = "DEB"
set = []

[[figure.claim]]
says = "More RAM, fewer erases"
section = "1"
test = { metric = "time", row = "DEB", against = "DEB", sizes = ["256KiB", "512KiB"], relation = ">= 0" }
"#;

// planted bugs: a row of a system for each value that it sets itself; a made trace with requests that are left out;
// commands that count something else
#[test]
fn systems_on_made_traces() {
    let lab = lab(SYSTEMS);
    let printed = lab.ok(&["reproduce", "--descriptions=own", "p"]);
    assert!(printed.contains("Table 1"), "{printed}");
    let page = lab.read("reproduce/p/README.md");
    let rows = |start: &str| page.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(rows("| log | – |"), 2);
    assert_eq!(rows("| DEB (cleaning cat) | – |"), 2);
    assert_eq!(rows("| DEB | 256 KiB |"), 1);
    assert!(
        page.contains("| [Table 1](#table-1) | It erases less |"),
        "{page}"
    );
    assert!(page.contains("\n| t | RAM | Time, s | Erases |"), "{page}");
    for chart in ["table-1-t", "table-1-u", "figure-1-t"] {
        let svg = lab.read(&format!("reproduce/p/{chart}.svg"));
        assert!(
            svg.contains("DEB") && svg.contains("Simulated time, s"),
            "{chart}"
        );
    }
    let mut commands = page.lines().filter(|line| line.starts_with("ssdlab "));
    for (command, start) in [
        (0, "ssdlab trace generate update --locality 10/90"),
        (1, "ssdlab run t.csv "),
    ] {
        let line = commands.next().unwrap();
        assert!(line.starts_with(start), "{line}");
        let args: Vec<&str> = line.split(' ').skip(1).collect();
        let json = if command == 0 { &[][..] } else { &["--json"] };
        let out = lab.ok(&[&args[..], json].concat());
        if command == 0 {
            continue;
        }
        let counted: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(counted["counters"]["host_reads"], 0);
        let row = page
            .lines()
            .find(|line| line.starts_with("| log | – |"))
            .unwrap();
        let erases = row.split(" | ").nth(3).unwrap().replace(',', "");
        assert_eq!(counted["counters"]["erases"].to_string(), erases);
    }
    lab.ok(&["reproduce", "--descriptions=own", "p", "--check"]);
}

#[test]
fn bad_systems_are_refused_with_line_and_key() {
    let base = ", against = \"log\", base = \"log\"";
    for (found, put, line, fragments) in [
        (
            "[\"time\", \"erases\"]",
            "[\"tim\"]",
            7,
            &["charts = ", "`tim`", "`time`"][..],
        ),
        (
            "generate = \"update --locality 10/90",
            "generate = \"updat --locality 10/90",
            11,
            &["generate = ", "updat"],
        ),
        (
            "10/90 --capacity 8MiB",
            "10/90 --capacity 4KiB",
            11,
            &["--capacity: has 1 units"],
        ),
        (
            "10/90 --capacity 8MiB",
            "10/90 --capacity 8GiB --requests 4000000",
            11,
            &["generate = ", "cannot be used multiple times", "--requests"],
        ),
        (
            "about = \"updates\"",
            "about = \"updates\"\nfile = \"t.csv\"",
            10,
            &["needs one of file, generate"],
        ),
        (
            "kind = \"table\"",
            "kind = \"tabel\"",
            20,
            &["kind = ", "`tabel`", "`table`"],
        ),
        (
            "[\"ftl.placement=deb\"]",
            "[\"ftl.placement=debb\"]",
            31,
            &["set = ", "debb"],
        ),
        (
            "name = \"DEB\"\nset = [\"ftl",
            "name = \"log\"\nset = [\"ftl",
            30,
            &["name = ", "appears twice"],
        ),
        (
            "row = \"DEB (cleaning cat)\"",
            "row = \"DEB\"",
            36,
            &["no such row; one of: log; DEB (cleaning greedy)"],
        ),
        (
            base,
            ", against = \"log\", base = \"lag\"",
            36,
            &["no such row"],
        ),
        (base, ", base = \"log\"", 36, &["lacks `against`"]),
        (
            "relation = \"< 0\"",
            "trace = \"t\", relation = \"grows with trace\"",
            36,
            &["leave out `trace`"],
        ),
        (
            "relation = \"< 0\"",
            "relation = \"largest of traces\"",
            36,
            &["several traces"],
        ),
        (
            "relation = \"< 0\"",
            "sizes = [\"4MiB\"], relation = \"< 0\"",
            36,
            &["not among the sizes"],
        ),
        (
            "\"ftl.ram\"",
            "\"ftl.rom\"",
            43,
            &["size_key = ", "ftl.rom"],
        ),
        (
            "sizes = [\"256KiB\", \"512KiB\"], relation",
            "relation",
            52,
            &["needs sizes"],
        ),
    ] {
        assert_eq!(SYSTEMS.matches(found).count(), 1, "{found}");
        let lab = lab(&SYSTEMS.replace(found, put));
        let place = format!("paper.toml:{line}: ");
        lab.refused(
            &["reproduce", "--descriptions=own", "p"],
            &[&[place.as_str()], fragments].concat(),
        );
    }
    let nothing = SYSTEMS.replace("[[figure.system]]\nname = \"DEB\"\nset = []\n", "");
    let what = ["paper.toml:39: id = \"1\": needs buffers or systems"];
    lab(&nothing).refused(&["reproduce", "--descriptions=own", "p"], &what);
}

// planted bugs: descriptions looked for in the folder at hand; a name resolved outside them
#[test]
fn papers_of_ssdlab_are_in_every_folder() {
    let lab = Lab::new();
    let listed = lab.ok(&["list"]);
    for name in [
        "bagc-2012",
        "bplru-2008",
        "deb",
        "lfs-2010",
        "plru-br-2q",
        "theory",
    ] {
        assert!(listed.contains(&format!("\n {name} ")), "{name}: {listed}");
    }
    lab.refused(
        &["reproduce", "q"],
        &["q: no such paper; one of: bagc-2012, bplru-2008, deb"],
    );
    // before any run, and with the way out
    lab.refused(
        &["reproduce", "bplru-2008"],
        &[
            "built-in bplru-2008/paper.toml:",
            "traces/w1-ntfs-office-install.csv.zst",
            "--traces DIR",
        ],
    );
}

#[test]
fn what_does_not_exist_is_refused() {
    lab(PAPER).refused(
        &["reproduce", "--descriptions=own", "q"],
        &["own/q: has no paper.toml or theory.toml; one of: p"],
    );
    let moved = lab(PAPER);
    fs::rename(moved.path("own/p"), moved.path("p")).unwrap();
    for name in ["../p", "..", ".", "p/", "/", "./p", ""] {
        let why = format!("error: {name}: must be the name of a folder, without a path");
        moved.refused(&["reproduce", "--descriptions=own", name], &[&why]);
    }
    Lab::new().refused(
        &["reproduce", "--descriptions=own", "all"],
        &["own has no description of a study"],
    );
    let lab = lab(PAPER);
    fs::remove_file(lab.path("traces/u.csv")).unwrap();
    lab.refused(
        &["reproduce", "--descriptions=own", "p"],
        &["paper.toml:22: file = \"u.csv\": ", "u.csv"],
    );
}

#[test]
fn bad_descriptions_are_refused_with_line_and_key() {
    let relation = r#"relation = "< 0""#;
    let against = r#"against = "bplru (padding false)", "#;
    for (found, put, line, fragments) in [
        ("[paper]", "[paper", 2, &["[paper"][..]),
        (
            "venue = \"A Venue 2008\"\n",
            "",
            2,
            &["missing field `venue`"],
        ),
        (
            "venue",
            "venu",
            5,
            &["venu = ", "unknown field `venu`", "`venue`"],
        ),
        (
            "preset = \"bplru-2008\"",
            "preset = \"bplru\"",
            6,
            &["preset = \"bplru\": ", "bplru-2008"],
        ),
        (
            "[\"lru\", \"bplru\"]",
            "[\"lru\", \"bplur\"]",
            7,
            &["buffers = ", "bplur", "did you mean"],
        ),
        (
            "\"2MiB\"",
            "\"2Mb\"",
            8,
            &["sizes = ", "\"2Mb\" is not a size"],
        ),
        (
            "[\"reads\"]\n\n",
            "[\"writes\"]\n\n",
            9,
            &["leave_out = ", "writes", "`reads`"],
        ),
        (
            "precondition=empty",
            "precondition=emty",
            15,
            &["set = ", "emty"],
        ),
        (
            "[\"t\", \"u\"]",
            "[\"t\", \"w\"]",
            28,
            &["traces = ", "no such trace; one of: t, u"],
        ),
        (
            "[\"t\", \"u\"]",
            "[\"t\"]",
            22,
            &["file = ", "is used by no figure"],
        ),
        (
            "traces = [\"t\", \"u\"]\n",
            "",
            26,
            &["id = \"1\": needs either traces, or missing"],
        ),
        (
            "missing = \"There is no trace.\"\n",
            "",
            38,
            &["id = \"2\": needs either"],
        ),
        (
            "id = \"2\"",
            "id = \"1\"",
            38,
            &["id = \"1\": appears twice"],
        ),
        (
            "id = \"1\"",
            "id = \"../../x\"",
            26,
            &["id = \"../../x\": ", "letters, digits"],
        ),
        (
            "id = \"2\"",
            "id = \"1..2\"",
            38,
            &["id = \"1..2\": ", "without .."],
        ),
        ("id = \"2\"", "id = \"\"", 38, &["id = \"\": ", "letters"]),
        (
            "[trace.u]",
            "[trace.\"../u\"]",
            22,
            &["file = \"u.csv\": ", "\"../u\"", "letters, digits"],
        ),
        (
            "paper = -10",
            "paper = nan",
            34,
            &["paper = nan: ", "must be finite"],
        ),
        (
            "paper = -10",
            "paper = -inf",
            34,
            &["paper = -inf: ", "must be finite"],
        ),
        (
            "buffer.padding",
            "buffer.paddin",
            29,
            &["vary = ", "did you mean buffer.padding?"],
        ),
        (
            "\"true\", \"false\"",
            "\"true\", \"maybe\"",
            29,
            &["vary = ", "maybe"],
        ),
        (
            "section = \"1\"\n",
            "",
            31,
            &["[[figure.claim]]: ", "missing field `section`"],
        ),
        (
            "metric = \"erases\", ",
            "",
            35,
            &["test = ", "missing field `metric`"],
        ),
        (
            "metric = \"erases\"",
            "metric = \"wear\"",
            35,
            &["test = ", "wear", "`erases`"],
        ),
        (
            "row = \"bplru (",
            "row = \"bplur (",
            35,
            &["no such row; one of: lru; bplru (padding true)"],
        ),
        (against, "", 35, &["lacks `against`"]),
        (against, "against = \"fab\", ", 35, &["no such row"]),
        (
            "trace = \"t\", ",
            "trace = \"v\", ",
            35,
            &["is not a trace of this figure"],
        ),
        (
            "sizes = [\"1MiB\"]",
            "sizes = [\"4MiB\"]",
            35,
            &["not among the sizes"],
        ),
        ("sizes = [\"1MiB\"]", "sizes = []", 35, &["needs sizes"]),
        (
            "sizes = [\"1MiB\"]",
            "sizes = [\"1MiB\"], against_size = \"4MiB\"",
            35,
            &["4MiB", "not among the sizes"],
        ),
        (
            relation,
            "relation = \"<0\"",
            35,
            &["`<0`", "`< 0`", "`grows with size`"],
        ),
        (
            relation,
            "relation = \"grows with size\"",
            35,
            &["two sizes"],
        ),
        (
            relation,
            "relation = \"largest of rows\"",
            35,
            &["leave out `against`"],
        ),
    ] {
        assert_eq!(PAPER.matches(found).count(), 1, "{found}");
        let lab = lab(&PAPER.replace(found, put));
        let place = format!("paper.toml:{line}: ");
        lab.refused(
            &["reproduce", "--descriptions=own", "p"],
            &[&[place.as_str()], fragments].concat(),
        );
        let files = fs::read_dir(lab.path("own/p")).unwrap();
        assert_eq!(files.count(), 1);
    }
    let empty = lab("");
    empty.refused(
        &["reproduce", "--descriptions=own", "p"],
        &["paper.toml:1: missing field"],
    );
    // two ids, one file
    let ids = PAPER.replace("\"1\"\ntitle", "\"A\"\ntitle");
    let ids = ids.replace("\"2\"\ntitle", "\"a\"\ntitle");
    let twice = ["paper.toml:38: id = \"a\": appears twice"];
    lab(&ids).refused(&["reproduce", "--descriptions=own", "p"], &twice);
    let start = PAPER.find("test = {").unwrap();
    let end = start + PAPER[start..].find('\n').unwrap() + 1;
    let untested = [&PAPER[..start], &PAPER[end..]].concat();
    lab(&untested).refused(
        &["reproduce", "--descriptions=own", "p"],
        &["paper.toml:32: says = ", "has no test"],
    );
    let tested = PAPER.to_owned() + &PAPER[start..end];
    let what = ["says = \"It is so\"", "its figure cannot be run"];
    lab(&tested).refused(&["reproduce", "--descriptions=own", "p"], &what);
}
