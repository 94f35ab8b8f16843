//! What numbers mean: who wins, what dominates, what counts as one trace or one figure.

use std::collections::BTreeMap;

use crate::common::{Lab, in_repository};

/// The standard error of a command on a file with this text, and what it writes to a file of this name.
fn of(text: &str, name: &str, args: &[&str]) -> (String, String) {
    let lab = Lab::new();
    lab.write("in.csv", text);
    let output = format!("--output={name}");
    let ended = lab.run(&[&["report", "in.csv", &output], args].concat());
    assert!(
        ended.stderr.contains("note") || ended.stderr.is_empty(),
        "{}",
        ended.stderr
    );
    (ended.stderr, lab.read(name))
}

/// The notes of a spread of a figure over these rows.
fn winners(text: &str, figure: &str) -> String {
    of(
        text,
        "a.csv",
        &[&format!("--plot={figure}"), "--kind=spread"],
    )
    .0
}

// planted bugs: percentages in the unit of pages, of which a hundredth of a point is a lead; points called percent
#[test]
fn percentages_win_by_points() {
    let rows = |lead: f64| {
        let mut text = String::from("trace,buffer_policy,write_hit_ratio\n");
        for (trace, ratio) in [("a", 0.2), ("b", 0.5), ("c", 0.8)] {
            text += &format!("{trace},lru,{ratio}\n{trace},fab,{}\n", ratio + lead);
        }
        text
    };
    let notes = winners(&rows(0.005), "write_hit_ratio");
    assert!(
        notes.contains(
            "no winner by write hits: fab is better than lru in 0 of 3 samples, level in 3"
        ),
        "{notes}"
    );
    let notes = winners(&rows(0.055), "write_hit_ratio");
    assert!(
        notes.contains("fab wins by write hits: at least 5.5 points better"),
        "{notes}"
    );
    let (_, picture) = of(
        &rows(0.055),
        "a.csv",
        &["--plot=write_hit_ratio", "--kind=spread"],
    );
    assert!(picture.contains(",50,"), "{picture}");
}

// planted bugs: settings that count as samples; a key that only some contestants read, which leaves nothing to compare
#[test]
fn samples_are_traces_and_seeds() {
    let mut text = String::from("trace,ftl_kind,ftl_gc_low,buffer_size,waf\n");
    for trace in ["a", "b", "c"] {
        for size in [1, 2] {
            for blocks in [2, 3, 4, 5] {
                text += &format!("{trace},page,{blocks},{size},{}\n", 2 + blocks);
            }
            text += &format!("{trace},bast,,{size},3\n");
        }
    }
    let args = ["--plot=waf", "--kind=spread", "--curves=ftl.kind"];
    let (notes, _) = of(&text, "a.csv", &args);
    for note in [
        "1 B: bast wins by write amplification: at least 83.3 % better than each other one, in all of 3 samples",
        "Samples differ in trace.",
        "The value of a sample is the median over ftl.gc_low.",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
}

// planted bug: a median over the easy traces is on the front
#[test]
fn configurations_on_fewer_traces_are_left_out() {
    let mut text = String::from("trace,buffer_policy,device_ram,waf\n");
    for (policy, ram) in [("lru", 1), ("fab", 2), ("bplru", 3)] {
        for (trace, waf) in [("easy", 1), ("hard", 9)] {
            if (policy, trace) != ("fab", "hard") {
                text += &format!("{trace},{policy},{},{}\n", ram << 20, waf + ram);
            }
        }
    }
    let args = ["--plot=device_ram,waf", "--kind=pareto", "--facet=none"];
    let (notes, picture) = of(&text, "a.csv", &args);
    assert!(
        notes.contains("1 configuration is left out: it lacks runs on some traces"),
        "{notes}"
    );
    assert!(
        !picture.contains("fab") && picture.contains(",lru,1,6,"),
        "{picture}"
    );
    let (notes, table) = of(&text, "a.md", &["--table=waf", "--rows=buffer.policy"]);
    assert!(
        notes.contains("1 of the cells cannot be the best"),
        "{notes}"
    );
    assert!(
        table.contains("| lru | **6.00** |") && table.contains("| fab | 3.00 |"),
        "{table}"
    );
}

// planted bugs: an axis in the units of pages with values in another; a figure that groups rows
#[test]
fn figures_are_no_axes() {
    let lab = Lab::new();
    lab.write(
        "in.csv",
        "trace,buffer_size,device_ram,waf\na,1,2,3\na,2,3,4\n",
    );
    for option in ["--x", "--curves", "--facet", "--y"] {
        let kind = if option == "--y" {
            "--kind=heat"
        } else {
            "--kind=curves"
        };
        lab.refused(
            &[
                "report",
                "in.csv",
                "--plot=waf",
                kind,
                option,
                "device_ram",
                "--output=a.csv",
            ],
            &[&format!("{option} device_ram: is a figure; must be a key")],
        );
    }
}

// planted bugs: a winner by what the trace sets; blocks where lines are erased
#[test]
fn figures_mean_what_they_mean_in_comparisons() {
    let rows = |replay: &str| {
        let mut text =
            String::from("trace,replay,flash_interleave,buffer_policy,throughput,erases\n");
        for trace in ["a", "b", "c"] {
            text += &format!("{trace},{replay},line,lru,10,5\n{trace},{replay},line,fab,20,7\n");
        }
        text
    };
    assert!(winners(&rows("closed"), "throughput").contains("fab wins by throughput"));
    assert!(winners(&rows("timed"), "throughput").contains("nothing to compare"));
    let (_, page) = of(&rows("timed"), "a.html", &[]);
    assert!(page.contains("lru wins by erases of lines") && !page.contains("wins by throughput"));
}

// planted bugs: a trace in two folders is two; a key that a file lacks has one value more; a file that is read twice
#[test]
fn files_of_one_trace_join() {
    let lab = Lab::new();
    let keys = "trace,trace_sha256,buffer_policy,buffer_size,flash_capacity,waf";
    lab.write(
        "a.csv",
        format!("{keys}\n../traces/w.csv,aa11,lru,1,64,2\n../traces/w.csv,aa11,fab,1,64,3\n"),
    );
    lab.write(
        "b.csv",
        "label,kind,buffer_policy,buffer_size,waf,trace,trace_sha256\nlru,policy,lru,2,1.5,w.csv,aa11\n",
    );
    lab.write(
        "c.csv",
        "label,kind,buffer_policy,buffer_size,waf,trace,trace_sha256\nlru,policy,lru,2,1.25,w.csv,bb22\n",
    );
    lab.ok(&["report", "a.csv", "b.csv", "b.csv", "--output=a.html"]);
    let page = lab.read("a.html");
    assert!(page.contains("<h1>3 runs</h1>"));
    assert!(page.contains("results over buffer.policy and buffer.size"));
    assert!(page.contains("1 row is of runs that an earlier row has"));
    lab.ok(&[
        "report",
        "a.csv",
        "b.csv",
        "c.csv",
        "--plot=waf",
        "--output=d.csv",
    ]);
    let picture = lab.read("d.csv");
    assert!(picture.contains("w.csv (bb22),lru,2,1.25"), "{picture}");
}

/// The cells of the first row of a file of CSV, by their columns.
fn first_row(text: &str) -> BTreeMap<String, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let row = reader.records().next().expect("a row").expect("a row");
    let cells = header.iter().zip(&row);
    cells
        .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
        .collect()
}

// planted bugs: a comparison without the doubts; keys that a run does not read; another name of a column; a trace that
// another file names otherwise
#[test]
fn a_run_is_the_same_by_sweep_and_by_comparison() {
    let lab = Lab::new();
    let trace = in_repository("traces/w9-ext3-postmark.csv.zst");
    let trace = trace.to_str().expect("a path");
    let plan = format!(
        "traces = [{trace:?}]\npreset = \"bplru-2008\"\n[axes]\n\"ftl.kind\" = [\"page\"]\n\"buffer.size\" = [\"4MiB\"]\n\"ftl.gc_low\" = [3]\n"
    );
    lab.write("plan.toml", plan);
    lab.ok(&["sweep", "run", "plan.toml"]);
    lab.ok(&["sweep", "merge", "plan.toml", "--output=sweep.csv"]);
    lab.ok(&[
        "compare",
        "--preset=bplru-2008",
        "--buffer=bplru",
        "--size=4MiB",
        "--ftl=page",
        "--vary=ftl.gc_low=3",
        "--no-bounds",
        "--no-html",
        "--csv=c.csv",
        "--json=c.json",
        trace,
    ]);
    let sweep = first_row(&lab.read("sweep.csv"));
    let compared = first_row(&lab.read("c.csv"));
    for name in [
        "doubt",
        "warnings",
        "waf",
        "erases",
        "host_writes",
        "trace_sha256",
        "trace_requests",
        "run_id",
    ] {
        assert_eq!(sweep[name], compared[name], "{name}");
    }
    assert_ne!(sweep["doubt"], "", "a run in doubt");
    // both are one run on one trace, so nothing varies
    for file in ["c.csv", "c.json"] {
        lab.run(&["report", "sweep.csv", file, "--output=a.html"]);
        let page = lab.read("a.html");
        assert!(page.contains("nothing varies"), "{file}");
        assert!(page.contains("1 row is in doubt"), "{file}");
        let once = "1 row is of runs that an earlier row has";
        assert!(page.contains(once), "{file}");
    }
}
