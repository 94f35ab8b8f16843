//! `reproduce`: a small paper from its description to its page, and all errors of a description.
//!
//! Planted bugs that these catch: a page that depends on the number of threads; a check that always passes, or that
//! writes; an error in a description found after the runs, or never; a file written outside the folder of its paper; an
//! empty line quoted as the cause; commands of a page without the sizes of its rows.

use std::fs;

use crate::common::{Lab, trace, words, wrong};

pub const PAPER: &str = r#"
[paper]
title = "A Paper"
authors = "Somebody"
venue = "A Venue 2008"
preset = "bplru-2008"
buffers = ["lru", "bplru"]
sizes = ["1MiB", "2MiB"]
leave_out = ["reads"]
device = "A device."

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

[[figure.statement]]
says = "Padding erases less"
section = "1"
paper = -49
test = { metric = "erases", is = "less", pairs = [["bplru (padding true)", "bplru (padding false)"]], traces = ["t"], sizes = ["1MiB"] }

[[figure.statement.because]]
says = "Full merges erase two blocks."
run = "over page mapping"
set = ["ftl.kind=page"]
then = "differs"

[figure.statement.sweep]
over = "log blocks"
key = "ftl.log_blocks"
values = ["7", "400"]

[[figure]]
id = "2"
title = "Two"
missing = "There is no trace."

[[figure.statement]]
says = "It is so"
section = "2"
"#;

const REPRODUCE: &str = "reproduce --descriptions=own p";

/// A folder with the paper `p` and its traces: single pages of 200 blocks, twice, each page read before its write.
pub fn lab(paper: &str) -> Lab {
    let lab = Lab::new();
    fs::create_dir_all(lab.path("own/p")).unwrap();
    fs::create_dir_all(lab.path("traces")).unwrap();
    lab.write("own/p/paper.toml", paper);
    let requests = (0..400).flat_map(|i| {
        let offset = i % 200 * 256 * 1024 + i / 200 * 2048;
        ["R", "W"].map(|op| format!("{i},{op},{offset},2048"))
    });
    let text = trace(&requests.collect::<Vec<_>>());
    lab.write("traces/t.csv", &text);
    lab.write("traces/u.csv", &text);
    lab
}

/// Refuses the paper of a lab with a message that has these fragments, names a line and quotes it.
fn refused_at_its_line(lab: &Lab, fragments: &[&str]) {
    let message = lab.refused(REPRODUCE, fragments);
    let paper = lab.read("own/p/paper.toml");
    let quotes = |(i, line): (usize, &str)| {
        let line = line.trim();
        !line.is_empty() && message.contains(&format!("paper.toml:{}: {line}: ", i + 1))
    };
    assert!(paper.lines().enumerate().any(quotes), "{message}");
}

#[test]
fn a_page_is_written_and_checked() {
    let lab = lab(PAPER);
    let printed = lab.ok(REPRODUCE);
    assert!(printed.contains("Padding erases less"), "{printed}");
    assert!(printed.contains("no stand-in"), "{printed}");
    let page = lab.read("reproduce/p/README.md");
    let missing = "<summary>Figure 2: Two</summary>\n\nThere is no trace.";
    assert!(page.contains(missing), "{page}");
    assert!(page.contains("**reads too**: "));
    let cause = "Full merges erase two blocks. Over page mapping: ";
    assert!(page.contains(cause), "{page}");
    assert!(page.contains("([chart](figure-1-over-1.svg))"), "{page}");
    let chart = lab.read("reproduce/p/figure-1-over-1.svg");
    let difference = "bplru (padding true) against bplru (padding false)";
    assert!(chart.contains(difference), "{chart}");
    // the count of `compare`
    let command = "compare traces/t.csv --preset bplru-2008 --drop-reads --buffer lru,bplru --size 1MiB,2MiB --vary \
                   buffer.padding=true,false";
    assert!(page.contains(&format!("ssdlab {command}\n")), "{page}");
    lab.ok(&format!("{command} --no-html --csv=c.csv"));
    let csv = lab.read("c.csv");
    let line = |start: &str| csv.lines().find(|l| l.starts_with(start)).unwrap();
    let place = line("label,").split(',').position(|n| n == "erases");
    let erases = line("bplru (padding true)").split(',').nth(place.unwrap());
    let mut rows = page.lines();
    let row = rows.find(|l| l.starts_with("| bplru (padding true) | 1 MiB |"));
    assert_eq!(row.unwrap().split(" | ").nth(3), erases);
}

#[test]
fn the_page_is_checked_and_the_same_on_one_thread() {
    let lab = lab(PAPER);
    lab.ok(REPRODUCE);
    let page = lab.read("reproduce/p/README.md");
    let svg = lab.read("reproduce/p/figure-1-t.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("bplru (padding false)"));
    lab.ok("reproduce --descriptions=own all --check");
    fs::rename(lab.path("traces"), lab.path("moved")).unwrap();
    lab.ok("reproduce --descriptions=own p --output=elsewhere --traces=moved --jobs=1");
    fs::rename(lab.path("moved"), lab.path("traces")).unwrap();
    assert_eq!(lab.read("elsewhere/p/README.md"), page);
    assert_eq!(lab.read("elsewhere/p/figure-1-t.svg"), svg);

    let stale = |name: &str| {
        let ended = lab.run("reproduce --descriptions=own p --check");
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
    lab.ok(REPRODUCE);
    lab.write(
        "reproduce/p/README.md",
        page.replace("A Venue", "Another Venue"),
    );
    stale("README.md");
}

// Planted bugs: a variant on the traces of the figures; a statement about one trace that finds no row; traces one after
// the other, or on the same pages; the command of a merged trace without its distance
#[test]
fn merged_traces() {
    let trace_of = |name: &str, keys: &str| {
        format!(
            "\n[[variant]]\nname = \"{name}\"\nabout = \"At once.\"\ntrace = \"{name}\"\nset = \
             [\"flash.capacity=2GiB\"]\n\n[trace.{name}]\n{keys}\nabout = \"t and u\"\n"
        )
    };
    let merge = "merge = [\"t.csv\", \"u.csv\"]\noffset_each = \"1GiB\"\nstretch_s = 600";
    let merged = trace_of("merged", merge);
    let whole = trace_of("whole", "file = \"whole.csv\"");
    let figure = "\n[[figure]]\nid = \"3\"\ntitle = \"Three\"\ntraces = [\"merged\"]\nvary = { \"flash.capacity\" = [\"2GiB\"] }\n\
                  leave_out = []\n";
    let paper = PAPER.replace("\n[trace.t]", &format!("{merged}{whole}\n[trace.t]"));
    let lab = lab(&(paper + figure));
    let t = |i: u64| format!("{i},W,{},2048", i % 200 * 256 * 1024 + i / 200 * 2048);
    // in sequence, for which padding does nothing
    let u = |start: u64| move |i: u64| format!("{i},W,{},131072", start + i * 131_072);
    lab.write("traces/t.csv", trace(&(0..400).map(t).collect::<Vec<_>>()));
    lab.write(
        "traces/u.csv",
        trace(&(0..400).map(u(0)).collect::<Vec<_>>()),
    );
    let both = (0..400).flat_map(|i| [t(i), u(1 << 30)(i)]);
    lab.write("traces/whole.csv", trace(&both.collect::<Vec<_>>()));
    lab.ok(REPRODUCE);
    let page = lab.read("reproduce/p/README.md");
    let of = |name: &str| {
        let start = format!("- **{name}**: ");
        let line = page.lines().position(|line| line.starts_with(&start));
        let lines: Vec<&str> = page.lines().skip(line.expect("a variant")).collect();
        (lines[0].replace(name, ""), lines[1])
    };
    assert_eq!(of("merged"), of("whole"), "{page}");
    let (about, changed) = of("whole");
    assert_eq!(about, "- ****: 1 of 1 agree. At once. Other verdicts:");
    assert!(
        changed.starts_with("  - 1, Padding erases less: "),
        "{changed}"
    );
    let command = "ssdlab trace merge traces/t.csv traces/u.csv --offset-each 1GiB --stretch 600 --output merged.csv\n";
    assert!(page.contains(command), "{page}");
    assert!(page.contains("ssdlab compare merged.csv "), "{page}");
}

/// See [`wrong`].
const BAD_SOURCES: &str = r##"
keep = ["reads"] | trace = "w" | trace = | no such trace; one of: t, u
file = "u.csv" | merge = [] | needs one of file, generate
file = "u.csv" | file = "u.csv"\nmerge = ["t.csv"] | needs one of file, generate
file = "u.csv" | file = "u.csv"\nstretch_s = 600 | offset_each and stretch_s are for merge
file = "u.csv" | merge = ["t.csv", "v.csv"] | merge = | v.csv | --traces DIR
file = "u.csv" | file = "u.csv"\noption = [{ words = "--unit 8KiB", is = "", from = "" }] | option is for generate
title = "Two"\nmissing = "There is no trace." | title = "Two"\ntraces = ["u"]\npicture = true | id = | is a picture, which runs nothing
missing = "There is no trace." | missing = "no"\npicture = true | id = | is a picture, but has no traces
file = "u.csv" | merge = ["t.csv", "t.csv"]\noffset_each = "1MiB" | merge = | reaches into the next trace
"##;

#[test]
fn bad_sources_are_refused() {
    for (paper, fragments) in wrong(PAPER, BAD_SOURCES) {
        lab(&paper).refused(REPRODUCE, &fragments);
    }
    let compares = PAPER
        .replace("keep = [\"reads\"]", "trace = \"t\"")
        .replace("traces = [\"t\"], sizes", "over = \"traces\", sizes");
    lab(&compares).refused(REPRODUCE, &["test = ", "a variant has only one"]);
}

/// The main result of [`PAPER`], and what became of it.
const MAIN: &str = r#"
[main]
paper = "Padding halves the erases."
here = "NUMBER on t."
verdict = "VERDICT"
why = "it is so."
"#;

// planted bugs: a main result whose numbers are not those of the runs, or whose verdict is another; a page, a table or a
// list without it
#[test]
fn the_main_result_is_that_of_the_runs() {
    let lab = lab(PAPER);
    lab.ok(REPRODUCE);
    let page = lab.read("reproduce/p/README.md");
    let line = page
        .lines()
        .find(|line| line.contains("| Padding erases less | "));
    let cells: Vec<&str> = line.expect("a line").split(" | ").collect();
    let number = cells[3].split("<br>").next().expect("a number");
    let paper = |number: &str, verdict: &str| {
        let main = MAIN.replace("NUMBER", number).replace("VERDICT", verdict);
        let paper = PAPER.replacen("\n[[variant]]", &(main + "\n[[variant]]"), 1);
        let marked = "section = \"1\"\nbrief = \"Padding: erases\"\nmain = true";
        lab.write("own/p/paper.toml", paper.replace("section = \"1\"", marked));
    };
    paper(number, "reproduced");
    let printed = lab.ok(REPRODUCE);
    let sentence =
        format!("Reproduced. The paper: Padding halves the erases. Here: {number} on t.");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&printed).contains(&sentence), "{printed}");
    let page = lab.read("reproduce/p/README.md");
    let top = page.split("<details>").next().expect("a top");
    let brief = format!("| Padding: erases | −49 % | {number} | in the paper's range |");
    for line in [
        "**The paper:** Padding halves the erases.",
        &format!("**Here:** {number} on t."),
        "**Reproduced:** it is so.",
        &brief,
    ] {
        assert!(top.contains(line), "{line}: {top}");
    }
    for (number, verdict, why) in [
        (
            "−99 %",
            "reproduced",
            "here = | lacks a number of our runs: ",
        ),
        (
            &format!("{number}, +7 %")[..],
            "reproduced",
            "here = | +7 % is no number of our runs",
        ),
        (
            number,
            "in its direction",
            "verdict = | the runs show \"reproduced\"",
        ),
        (number, "true", "verdict = | `reproduced`"),
    ] {
        paper(number, verdict);
        lab.refused(REPRODUCE, &why.split(" | ").collect::<Vec<_>>());
    }
}

// planted bugs: a cause that its run no longer shows; the run of a cause under the paper's own settings
#[test]
fn a_cause_that_its_run_does_not_show_is_refused() {
    for then in ["agrees", "halves", "remains"] {
        let paper = PAPER.replace("then = \"differs\"", &format!("then = \"{then}\""));
        let why = [
            "then = ",
            "its run shows \"differs\": ",
            "over page mapping: ",
        ];
        lab(&paper).refused(REPRODUCE, &why);
    }
    // all of them at once: the runs take minutes
    let cause = PAPER.find("[[figure.statement.because]]").expect("a cause");
    let end = PAPER.find("[figure.statement.sweep]").expect("a sweep");
    let other = PAPER[cause..end].replace("\"differs\"", "\"halves\"");
    let two = PAPER.replace("\"differs\"", "\"agrees\"");
    let two = two.replacen(
        "[figure.statement.sweep]",
        &(other + "[figure.statement.sweep]"),
        1,
    );
    let all = [
        "then = \"agrees\": its run shows",
        "then = \"halves\": its run shows",
    ];
    lab(&two).refused(REPRODUCE, &all);
}

/// An example of three writes, and a figure whose rows were served, too.
const EXAMPLE: &str = r#"
[[example]]
id = "Figure 3"
title = "a victim"
set = ["flash.pages_per_block=4", "flash.capacity=64KiB", "buffer.count_headers=false", "buffer.size=4KiB"]
requests = "W4 W5 F W0 R4"
system = [{ name = "one", set = ["buffer.policy=bplru"], counters = { switch_merges = 2, padding_reads = 5 } }]

[trace.start]
file = "t.csv"
limit = 100
about = "the start of t"

[[figure]]
id = "20"
title = "Served"
traces = ["start"]
sizes = ["1MiB"]
set = ["drain=true"]
served = "served.csv"

[[figure.statement]]
says = "Something else is as fast"
section = "20"
missing = "Nothing else was served."
"#;

// planted bugs: an example whose counters are not compared; merges that belong to the eviction before; a limit that counts
// reads; the seconds of another row; a row without seconds
#[test]
fn examples_and_served_runs() {
    let lab = lab(&(PAPER.to_owned() + EXAMPLE));
    let command = "run traces/t.csv --preset bplru-2008 --limit 100 --drop-reads --set drain=true --set buffer.size=1MiB \
                   --json --set";
    let seconds = |policy: &str| {
        let run = lab.json(&format!("{command} buffer.policy={policy}"));
        run["counters"]["elapsed_ns"].as_u64().unwrap() as f64 / 1e9
    };
    let served = |slower: f64| {
        let (lru, bplru) = (seconds("lru"), slower * seconds("bplru"));
        lab.write(
            "own/p/served.csv",
            format!("trace,row,seconds\nstart,lru,{lru}\nstart,bplru,{bplru}\n"),
        );
    };
    served(1.0);
    lab.ok(REPRODUCE);
    let page = lab.read("reproduce/p/README.md");
    let example = "- `one`: padding reads 5 and switch merges 2. [4 5] padded with [6 7] → switch merge of block 1, [0] padded \
                   with [1 2 3] → switch merge of block 0.";
    assert!(page.contains(example), "{page}");
    let untested =
        "| Something else is as fast |  |  |  | cannot be tested | Nothing else was served. |";
    assert!(page.contains(untested), "{page}");
    assert!(
        page.contains("| Seconds, simulated / served | lru | bplru |"),
        "{page}"
    );
    // a check of the drive counts nowhere
    let deviates =
        |most: &str| format!("served, the requests take at most {most} % more or less time");
    assert!(page.contains(&deviates("0.0")), "{page}");
    assert!(page.contains("2 more cannot be tested here"), "{page}");
    assert!(
        page.contains("ssdlab compare traces/t.csv --limit 100 "),
        "{page}"
    );
    served(1.25);
    lab.ok(REPRODUCE);
    let page = lab.read("reproduce/p/README.md");
    assert!(page.contains(&deviates("25.0")), "{page}");

    let paper = lab.read("own/p/paper.toml");
    for (old, new, fragments) in [
        (
            "padding_reads = 5",
            "padding_reads = 4",
            "one: padding_reads is 5, in the paper 4",
        ),
        (
            "W4 W5 F",
            "W4 X5 F",
            "requests = | \"X5\" is no request; must be like W0, R4 or F",
        ),
        ("W4 W5 F", "W4 W F", "requests = | \"W\" is no request"),
        (
            "missing = \"Nothing else was served.\"",
            "test = { metric = \"time\", is = \"less\", pairs = [[\"lru\", \"bplru\"]] }\nmissing = \"no\"",
            "says = | has a test or a cause, but cannot be tested",
        ),
        (
            "sizes = [\"1MiB\"]\nset",
            "sizes = [\"1MiB\", \"2MiB\"]\nset",
            "served = | one size",
        ),
        ("limit = 100", "limit = \"a\"", "limit = "),
    ] {
        assert!(paper.contains(old), "{old}");
        lab.write("own/p/paper.toml", paper.replace(old, new));
        let fragments: Vec<&str> = fragments.split(" | ").collect();
        lab.refused(REPRODUCE, &fragments);
    }
    lab.write("own/p/paper.toml", &paper);
    for (file, why) in [
        (
            "trace,row,seconds\nstart,lru,1\n",
            "has no seconds of bplru on start",
        ),
        (
            "trace,row\n",
            "served.csv:1: trace,row: must begin with trace,row,seconds",
        ),
        (
            "trace,row,seconds\nstart,lru\n",
            "served.csv:2: start,lru: must have a trace, a row and seconds",
        ),
        (
            "trace,row,seconds\nstart,lru,0\n",
            "served.csv:2: start,lru,0: \"0\" is not a number of seconds",
        ),
    ] {
        lab.write("own/p/served.csv", file);
        lab.refused(REPRODUCE, &[why]);
    }
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
device = "A device."

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

[[figure.statement]]
says = "It erases less"
section = "1"
test = { metric = "erases", is = "less", pairs = [["DEB (cleaning cat)", "log"]], base = ["log"] }

[[figure]]
id = "1"
title = "Two"
traces = ["t"]
sizes = ["256KiB", "512KiB"]
size_key = "ftl.ram"

[[figure.system]]
name = "DEB"
set = []

[[figure.statement]]
says = "More RAM, fewer erases"
section = "1"
test = { metric = "time", is = "no less", pairs = [["DEB", "DEB"]], over = "sizes" }
"#;

// planted bugs: a row of a system for each value that it sets itself; a made trace with requests that are left out;
// commands that count something else
#[test]
fn systems_on_made_traces() {
    let lab = lab(SYSTEMS);
    let printed = lab.ok(REPRODUCE);
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
    for start in [
        "ssdlab trace generate update --locality 10/90",
        "ssdlab trace generate update --locality 50/50",
        "ssdlab run t.csv ",
    ] {
        let line = commands.next().unwrap();
        assert!(line.starts_with(start), "{line}");
        let args: Vec<&str> = line.split(' ').skip(1).collect();
        if args[0] == "trace" {
            lab.ok(&args);
            continue;
        }
        let counters = &lab.json(&[&args[..], &["--json"]].concat())["counters"];
        assert_eq!(counters["host_reads"], 0);
        let row = page.lines().find(|line| line.starts_with("| log | – |"));
        let erases = row.unwrap().split(" | ").nth(3).unwrap();
        assert_eq!(counters["erases"].to_string(), erases.replace(',', ""));
    }
    let others = "The other traces: `u.csv` in place of `t.csv`.\n";
    assert_eq!(page.matches(others).count(), 1, "{page}");
    lab.ok("reproduce --descriptions=own p --check");
}

// planted bugs: options that the page explains and the workload lacks; a picture of another trace, or without the names of
// its streams; counts of one stream under another
#[test]
fn a_generated_trace_is_explained_and_shown() {
    let paper = SYSTEMS
        .replace(
            "generate = \"update --locality 50/50 --capacity 8MiB --requests 9000\"",
            "generate = \"lfs --files 100 --transactions 500 --cleaner-below 1 --cleaner-interval 20 --requests 1000\"\nstreams = [\"of files\", \"of the cleaner\"]\n\
             option = [{ words = \"--capacity 8MiB --segment 128KiB --cache 0\", is = \"a volume\", from = \"section 3\" }]",
        )
        .replace("traces = [\"t\", \"u\"]", "traces = [\"t\"]")
        + "\n[[figure]]\nid = \"3\"\ntitle = \"Three\"\ntraces = [\"u\"]\npicture = true\nleave_out = []\n";
    let lab = lab(&paper);
    lab.ok(REPRODUCE);
    let page = lab.read("reproduce/p/README.md");
    let made = "trace generate lfs --files 100 --transactions 500 --cleaner-below 1 --cleaner-interval 20 --requests 1000 \
                --capacity 8MiB --segment 128KiB --cache 0";
    assert!(page.contains(&format!("(`ssdlab {made}`)")), "{page}");
    let option = "| `--capacity 8MiB --segment 128KiB --cache 0` | a volume | section 3 |";
    assert!(page.contains(option), "{page}");
    assert!(page.contains("(figure-3-u.svg)"), "{page}");
    lab.ok(&format!("{made} --output made.csv"));
    let trace = lab.read("made.csv");
    let svg = lab.read("reproduce/p/figure-3-u.svg");
    for (op, stream, kind) in [
        (",R,", ",0", "reads of files"),
        (",W,", ",0", "writes of files"),
        (",R,", ",1", "reads of the cleaner"),
        (",W,", ",1", "writes of the cleaner"),
    ] {
        let of_kind = |line: &&str| line.contains(op) && line.ends_with(stream);
        let count = trace.lines().filter(of_kind).count();
        assert!(count > 0, "{kind}: {trace}");
        assert!(page.contains(&format!("| {kind} | {count} |")), "{page}");
        assert!(svg.contains(&format!(">{kind}</text>")), "{kind}");
    }
}

/// See [`wrong`].
const BAD_SYSTEMS: &str = r##"
["time", "erases"] | ["tim"] | charts = | "tim" is no figure | elapsed
generate = "update --locality 10/90 | generate = "updat --locality 10/90 | generate = | updat
10/90 --capacity 8MiB | 10/90 --capacity 4KiB | --capacity: has 1 units
10/90 --capacity 8MiB | 10/90 --capacity 8GiB --requests 4000000 | generate = | cannot be used multiple times | --requests
about = "updates" | about = "updates"\nfile = "t.csv" | needs one of file, generate
kind = "table" | kind = "tabel" | kind = | `tabel` | `table`
["ftl.placement=deb"] | ["ftl.placement=debb"] | set = | debb
name = "DEB"\nset = ["ftl | name = "log"\nset = ["ftl | name = | appears twice
[["DEB (cleaning cat)" | [["DEB" | no such row; one of: log; DEB (cleaning greedy)
base = ["log"] | base = ["lag"] | test = | no such row
[["DEB (cleaning cat)", "log"]] | [["DEB (cleaning cat)"]] | test = | leave out `base`
[["DEB (cleaning cat)", "log"]] | [["log", "log", "log"]] | test = | has 3 labels of rows
[["DEB (cleaning cat)", "log"]] | [] | test = | no pairs of rows
base = ["log"] | traces = ["t"], over = "traces" | test = | leave out `traces`
base = ["log"] | over = "other traces" | test = | needs `traces`
base = ["log"] | sizes = ["4MiB"] | test = | not among the sizes
base = ["log"] | needs = "full_mergers" | test = | no such counter; one of: host_reads,
base = ["log"] | values = [1.0] | test = | a pair has one row
base = ["log"] | each_trace = true, over = "mean" | test = | leave out `over`
base = ["log"] | values = [1.0, 2.0] | test = | needs 1 bounds of the paper, has 2
"ftl.ram" | "ftl.rom" | size_key = | ftl.rom
sizes = ["256KiB", "512KiB"] | sizes = ["256KiB"] | test = | two sizes at least
"##;

#[test]
fn bad_systems_are_refused_with_line_and_key() {
    for (paper, fragments) in wrong(SYSTEMS, BAD_SYSTEMS) {
        refused_at_its_line(&lab(&paper), &fragments);
    }
    let nothing = SYSTEMS.replace("[[figure.system]]\nname = \"DEB\"\nset = []\n", "");
    let what = [": id = \"1\": needs buffers or systems"];
    lab(&nothing).refused(REPRODUCE, &what);
}

// planted bugs: descriptions looked for in the folder at hand; a name resolved outside them
#[test]
fn papers_of_ssdlab_are_in_every_folder() {
    let lab = Lab::new();
    let listed = lab.ok("list");
    for name in words(
        "bagc-2012 bplru-2008 deb drive-times equal-ram leaftl-2023 lfs-2010 own-buffer plru-br-2q real-drives sepbit-2022 ssdiq-2025 theory warp-2026 write-cliffs",
    ) {
        assert!(listed.contains(&format!("\n {name} ")), "{name}: {listed}");
    }
    lab.refused(
        "reproduce q",
        &["q: no such paper; one of: bagc-2012, bplru-2008, deb"],
    );
    // before any run, and with the way out
    lab.refused(
        "reproduce bplru-2008",
        &[
            "built-in bplru-2008/paper.toml:",
            "traces/w1b-ntfs-install.csv.zst",
            "--traces DIR",
        ],
    );
}

#[test]
fn what_does_not_exist_is_refused() {
    lab(PAPER).refused(
        "reproduce --descriptions=own q",
        &["own/q: has no paper.toml, theory.toml, measured.toml, times.toml, fills.toml, equal.toml, learned.toml or contest.toml; one of: p"],
    );
    let moved = lab(PAPER);
    fs::rename(moved.path("own/p"), moved.path("p")).unwrap();
    for name in ["../p", "..", ".", "p/", "/", "./p", ""] {
        let why = format!("error: {name}: must be the name of a folder, without a path");
        moved.refused(&["reproduce", "--descriptions=own", name], &[&why]);
    }
    Lab::new().refused(
        "reproduce --descriptions=own all",
        &["own has no description of a study"],
    );
    let lab = lab(PAPER);
    fs::remove_file(lab.path("traces/u.csv")).unwrap();
    lab.refused(REPRODUCE, &["paper.toml:23: file = \"u.csv\": ", "u.csv"]);
}

/// See [`wrong`].
const BAD: &str = r##"
[paper] | [paper | [paper
venue = "A Venue 2008"\n |  | missing field `venue`
venue = "A Venue 2008" | cite = "kim2008bplru" | cite = | says title too
title = "A Paper"\nauthors = "Somebody"\nvenue = "A Venue 2008" | cite = "kim2007" | cite = | no such paper; one of: kim2008bplru
venue | venu | venu = | unknown field `venu` | `venue`
preset = "bplru-2008" | preset = "bplru" | preset = "bplru": | bplru-2008
["lru", "bplru"] | ["lru", "bplur"] | buffers = | bplur | did you mean
"2MiB" | "2Mb" | sizes = | "2Mb" is not a size
leave_out = ["reads"] | leave_out = ["writes"] | leave_out = | writes | `reads`
set = ["precondition=empty"]\n\n[trace | set = ["precondition=emty"]\n\n[trace | set = | emty
["t", "u"] | ["t", "w"] | traces = | no such trace; one of: t, u
["t", "u"] | ["t"] | file = | is used by no figure
traces = ["t", "u"]\n |  | id = "1": needs either traces, or missing
missing = "There is no trace."\n |  | id = "2": needs either
id = "2" | id = "1" | id = "1": appears twice
id = "1" | id = "../../x" | id = "../../x": | letters, digits
id = "2" | id = "1..2" | id = "1..2": | without ..
id = "2" | id = "" | id = "": | letters
[trace.u] | [trace."../u"] | file = "u.csv": | "../u" | letters, digits
paper = -49 | paper = nan | paper = nan: | must be a number
paper = -49 | paper = -inf | paper = -inf: | must be a number
buffer.padding | buffer.paddin | vary = | did you mean buffer.padding?
"true", "false" | "true", "maybe" | vary = | maybe
section = "1"\n |  | [[figure.statement]]: | missing field `section`
metric = "erases",  |  | test = | missing field `metric`
metric = "erases" | metric = "wear" | test = | "wear" is no figure | erases
paper = -49 | paper = 49 | test = | another sign
paper = -49 | papers = [-49, -50] | test = | has 1 pairs, but the paper 2 numbers
paper = -49 | paper = [-40, -50] | paper = | the least and the most
["bplru (padding true)", "bplru (padding false)"] | ["bplur (padding true)", "lru"] | test = | no such row; one of: lru; bplru (padding true)
["bplru (padding true)", "bplru (padding false)"] | ["lru", "fab"] | test = | no such row
traces = ["t"],  | traces = ["v"],  | test = | is not a trace of this figure
sizes = ["1MiB"] | sizes = ["4MiB"] | test = | not among the sizes
sizes = ["1MiB"] | against_size = "4MiB" | test = | not among the sizes
is = "less" | is = "fewer" | test = | `fewer` | `less` | `no more`
run = "over page mapping"\nset = ["ftl.kind=page"] | run = "on a new device" | says = | its run changes 0 things
run = "over page mapping"\n | run = "on a new device"\nkeep = ["reads"]\n | says = | its run changes 2 things
run = "over page mapping"\nset = ["ftl.kind=page"] | open = "The FTL is open."\nrun = "elsewhere"\nset = ["ftl.kind=page", "precondition=empty"] | open = | sets one key
paper = -49 | mean = 49 | test = | another sign
run = "over page mapping"\nset = ["ftl.kind=page"] | run = "on a new device"\nset = ["precondition=new"] | set = | new
run = "over page mapping"\n | run = "on a new device"\ntraces = ["v"]\n | traces = | no such trace
then = "differs" | then = "holds" | then = | `holds` | `remains`
values = ["7", "400"] | values = ["7", "none"] | values = | none
values = ["7", "400"] | values = [] | test = | no values
key = "ftl.log_blocks" | key = "ftl.log_blocks"\ngenerate = "update" | values = | one of key and generate
key = "ftl.log_blocks" | generate = "update" | generate = | has no {}
key = "ftl.log_blocks" | generate = "zipf --theta {}" | generate =
key = "ftl.log_blocks" | key = "buffer.size" | values =
"##;

#[test]
fn bad_descriptions_are_refused_with_line_and_key() {
    for (paper, fragments) in wrong(PAPER, BAD) {
        let lab = lab(&paper);
        refused_at_its_line(&lab, &fragments);
        let files = fs::read_dir(lab.path("own/p")).unwrap();
        assert_eq!(files.count(), 1);
    }
    let empty = lab("");
    empty.refused(REPRODUCE, &["paper.toml:1: missing field"]);
    // two ids, one file
    let ids = PAPER.replace("\"1\"\ntitle", "\"A\"\ntitle");
    let ids = ids.replace("\"2\"\ntitle", "\"a\"\ntitle");
    let twice = [": id = \"a\": appears twice"];
    lab(&ids).refused(REPRODUCE, &twice);
    let start = PAPER.find("test = {").unwrap();
    let end = start + PAPER[start..].find('\n').unwrap() + 1;
    let untested = [&PAPER[..start], &PAPER[end..]].concat();
    refused_at_its_line(&lab(&untested), &["says = ", "has no test"]);
    let tested = PAPER.to_owned() + &PAPER[start..end];
    let what = ["says = \"It is so\"", "cannot be tested"];
    lab(&tested).refused(REPRODUCE, &what);
}
