//! `ssdlab cite` and `ssdlab artifact`.
//!
//! Planted bugs that these catch: a paper that is missing, doubled or of a policy that nobody used; a trace without a
//! citation that is passed over; an artifact of an unfinished sweep; one whose bytes depend on its place; a trace that may
//! not be given to others; a script that takes other results for the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use biblatex::{Bibliography, ChunksExt};
use ssdlab_results::{Cell, Table};

use crate::common::{Lab, binary, in_repository, trace};

/// The shortest shipped trace.
const SHIPPED: &str = "w5-fat16-media.csv.zst";

fn lab() -> Lab {
    let lab = Lab::new();
    for folder in ["traces", "p"] {
        fs::create_dir(lab.path(folder)).unwrap();
    }
    let from = in_repository("traces").join(SHIPPED);
    fs::copy(from, lab.path("traces").join(SHIPPED)).unwrap();
    lab
}

/// Keys and notes of what is printed, which must be BibTeX, sorted by keys.
fn cited(text: &str) -> BTreeMap<String, String> {
    let parsed = Bibliography::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let keys: Vec<&str> = parsed.iter().map(|entry| entry.key.as_str()).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(text.matches("\n@").count() + 1, keys.len(), "{text}");
    let note = |entry: &biblatex::Entry| match entry.get("note") {
        Some(note) => note.format_verbatim(),
        None => String::new(),
    };
    let notes = parsed.iter().map(|entry| (entry.key.clone(), note(entry)));
    notes.collect()
}

#[test]
fn what_results_use_is_cited() {
    let lab = lab();
    let compare = format!(
        "compare traces/{SHIPPED} --preset bplru-2008 --buffer lru,fab --size 1MiB --no-html --no-bounds --no-advice \
         --csv c.csv --json c.json"
    );
    lab.ok(&compare);
    let ended = lab.run("cite c.csv");
    assert_eq!(ended.stderr, "");
    let notes = cited(&ended.stdout);
    let keys: Vec<&str> = notes.keys().map(String::as_str).collect();
    assert_eq!(keys, ["jo2006fab", "kim2002bast", "kim2008bplru", "ssdlab"]);
    assert_eq!(notes["jo2006fab"], "used as: buffer.policy = fab");
    let bplru =
        "used as: buffer.policy = fab, buffer.policy = lru, ftl.kind = bast, preset = bplru-2008";
    assert_eq!(notes["kim2008bplru"], bplru);
    assert!(
        notes["ssdlab"].contains(&format!("trace {SHIPPED}")),
        "{notes:?}"
    );
    assert!(
        ended
            .stdout
            .contains(concat!("version ", env!("CARGO_PKG_VERSION")))
    );
    // however they are written, and however often
    assert_eq!(cited(&lab.ok("cite c.json c.csv")), notes);
    assert_eq!(lab.ok("cite c.csv -o c.bib"), "");
    assert_eq!(lab.read("c.bib"), ended.stdout);
}

#[test]
fn a_run_is_cited_and_what_is_not_known_is_told() {
    let lab = lab();
    lab.write("own.csv", trace(&["0,W,0,4096"]));
    let run =
        "run own.csv --preset bagc-2012 --set flash.capacity=16MiB --set ftl.log_blocks=8 --json";
    lab.write("run.json", lab.ok(run));
    let ended = lab.run("cite run.json");
    let notes = cited(&ended.stdout);
    let keys: Vec<&str> = notes.keys().map(String::as_str).collect();
    assert_eq!(keys, ["lee2007fast", "lee2013bagc", "ssdlab"]);
    let aware = "ftl.buffer_aware = merge+victim";
    assert!(notes["lee2013bagc"].contains(aware), "{notes:?}");
    let told = "note: no citation is known for trace own.csv: it is of no set that the plan names, and does not come with ssdlab\n";
    assert_eq!(ended.stderr, told);
    lab.write(
        "run.json",
        lab.ok("run own.csv --preset emmc --limit 1 --json"),
    );
    let ended = lab.run("cite run.json");
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    for part in [
        "preset = emmc: typical of",
        "trace own.csv --limit=1: only a part",
    ] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
    lab.refused("cite own.csv", &["own.csv", "no column of results"]);
    lab.refused("cite c.csv", &["c.csv"]);
}

/// One trace that may be given to others, a workload, and two buffers.
const PLAN: &str = r#"
traces = ["../traces/w5-*.csv.zst", { generate = "zipf --requests 500 --capacity 4MiB", seeds = [1] }]
preset = "bplru-2008"
[axes]
"buffer.policy" = ["lru", "bplru"]
"#;

/// The files below a folder: paths and bytes.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let below = tree(&entry.path()).into_iter();
            found.extend(below.map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

fn script(lab: &Lab, folder: &str) -> std::process::Output {
    let mut run = Command::new(lab.path(folder).join("run.sh"));
    run.env("SSDLAB", binary()).current_dir(lab.path("p"));
    run.output().unwrap()
}

#[test]
fn an_artifact_is_complete_and_runs_again() {
    let lab = lab();
    lab.write("p/plan.toml", PLAN);
    lab.ok("sweep plan p/plan.toml --out parts");
    let artifact = "artifact p/plan.toml --results parts --out";
    let missing = [
        "of 2 parts are missing",
        "go on with: ssdlab sweep run p/plan.toml --out parts",
    ];
    lab.refused(&format!("{artifact} a"), &missing);
    lab.ok("sweep run p/plan.toml --out parts --log log.csv");
    let said = lab.ok(&format!("{artifact} a"));
    assert_eq!(said, "a: 4 runs, 9 files\n");
    lab.ok(&format!("{artifact} in/b"));
    let files = tree(&lab.path("a"));
    assert!(files == tree(&lab.path("in/b")), "two artifacts differ");
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "README.md",
        "SHA256SUMS",
        "citations.bib",
        "input/plan/plan.toml",
        "input/traces/w5-fat16-media.csv.zst",
        "provenance.json",
        "report.html",
        "results.parquet",
        "run.sh",
    ];
    assert_eq!(names, expected);
    assert!(cited(&lab.read("a/citations.bib")).contains_key("kim2008bplru"));
    let provenance = lab.read_json("a/provenance.json");
    assert_eq!(provenance["ssdlab"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(provenance["runs"], 4);
    assert_eq!(provenance["traces"][0]["licence"], "MIT OR Apache-2.0");
    let own = lab.path("").display().to_string();
    for (name, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        assert!(
            !text.contains(&own),
            "{name} names a folder of this machine"
        );
    }
    lab.refused(&format!("{artifact} a"), &["a: is there already"]);
    lab.ok(&format!("{artifact} timed --log log.csv"));
    assert!(lab.read("timed/README.md").contains("The runs took "));

    let sums = lab.shell("cd a && sha256sum -c --quiet SHA256SUMS");
    assert_eq!(sums.code, Some(0), "{}", sums.stderr);
    let again = script(&lab, "a");
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success(), "{text}");

    // one erase more in one row
    let path = lab.path("a/results.parquet");
    let mut table = Table::read(&path).unwrap();
    let mut cells = table.column("erases").unwrap().to_vec();
    let Cell::Int(erases) = &mut cells[1] else {
        panic!("{:?}", cells[1]);
    };
    *erases += 1;
    table.set_column("erases", cells);
    fs::write(&path, table.write_parquet(&[], Vec::new()).unwrap()).unwrap();
    let again = script(&lab, "a");
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(again.status.code(), Some(1), "{text}");
    assert!(
        text.contains("row 2 (") && text.contains(": erases is "),
        "{text}"
    );
    assert_ne!(
        lab.shell("cd a && sha256sum -c --quiet SHA256SUMS").code,
        Some(0)
    );
}

#[test]
fn traces_are_given_as_their_licences_allow() {
    let lab = lab();
    lab.write("own.csv", trace(&["0,W,0,4096"]));
    lab.write("free.csv", trace(&["0,W,4096,4096"]));
    let plan = r#"
traces = ["own.csv", { file = "free.csv", licence = "CC0-1.0" }]
[axes]
"buffer.policy" = ["lru", "none"]
"#;
    lab.write("plan.toml", plan);
    lab.ok("sweep run plan.toml");
    let ended = lab.run("artifact plan.toml --out a");
    let told = "note: own.csv: not in the folder: its licence is not known\n";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let has = |folder: &str, name: &str| lab.path(folder).join("input").join(name).exists();
    assert!(has("a", "free.csv") && !has("a", "own.csv"));
    assert!(lab.read("a/README.md").contains("| `input/own.csv` | "));
    lab.run("artifact plan.toml --out none --without-traces")
        .success();
    assert!(!has("none", "free.csv") && has("none", "plan.toml"));
    lab.run("artifact plan.toml --out all --all-traces")
        .success();
    assert!(has("all", "free.csv") && has("all", "own.csv"));
    // without its trace, the script says which one is missing
    let again = script(&lab, "a");
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("own.csv"));
    lab.write("free.csv", trace(&["0,W,8192,4096"]));
    let changed = "artifact plan.toml --out changed";
    lab.refused(
        changed,
        &["free.csv", "changed since the sweep was planned"],
    );
}

// planted bugs: whether a path is absolute is asked of the file that was found, and not of the plan; a folder of the plan
// that begins with `.`; the name of the plan is a word of the script
#[test]
fn an_artifact_is_the_same_however_its_plan_is_named() {
    let lab = lab();
    let from = in_repository("traces").join(SHIPPED);
    fs::copy(from, lab.path("p").join(SHIPPED)).unwrap();
    lab.write("p/device.toml", "preset = \"bplru-2008\"\n");
    let absolute = lab.path("p").canonicalize().unwrap();
    let absolute = absolute.display();
    // both lie in the folder of the plan
    let far = format!("config = \"{absolute}/device.toml\"\ntraces = [\"{absolute}/*.zst\"]");
    let near = "config = \"device.toml\"\ntraces = [\"*.zst\", \"../traces/*.zst\"]".to_owned();
    let plans = [("far", far), ("near", near)];
    for (name, text) in &plans {
        fs::create_dir(lab.path(name)).unwrap();
        let plan = lab.path("p/RESULTS-PLAN.toml");
        fs::write(plan, text).unwrap();
        let ways = ["p".to_owned(), "./p".to_owned(), format!("{absolute}")];
        let mut trees = ways.iter().enumerate().map(|(number, way)| {
            let at = format!("{name}/{number}");
            let plan = format!("{way}/RESULTS-PLAN.toml");
            lab.ok(&format!("sweep run {plan} --out {at}.parts"));
            let ended = lab.run(&format!("artifact {plan} --results {at}.parts --out {at}"));
            (tree(&lab.path(&at)), ended.stderr)
        });
        let first = trees.next().unwrap();
        assert!(
            trees.all(|other| other == first),
            "{name}: the folders differ"
        );
        let (files, told) = first;
        let copied = files.keys().filter(|file| file.starts_with("input/"));
        let copied: Vec<&str> = copied.map(String::as_str).collect();
        let provenance = lab.read_json(&format!("{name}/0/provenance.json"));
        if *name == "near" {
            let plan = "input/plan/RESULTS-PLAN.toml";
            let near = format!("input/plan/{SHIPPED}");
            let above = format!("input/traces/{SHIPPED}");
            assert_eq!(copied, [plan, "input/plan/device.toml", &near, &above]);
            assert_eq!(told, "");
            fs::remove_dir_all(lab.path("p")).unwrap();
            fs::create_dir(lab.path("p")).unwrap();
            let again = script(&lab, "near/0");
            assert!(
                again.status.success(),
                "{}",
                String::from_utf8_lossy(&again.stderr)
            );
        } else {
            assert_eq!(copied, ["input/RESULTS-PLAN.toml"]);
            assert_eq!(
                told.matches("the plan names it by an absolute path")
                    .count(),
                2,
                "{told}"
            );
            assert!(provenance["traces"][0]["file"].is_null() && provenance["config"].is_null());
        }
    }
}

// planted bugs: a trace of which only a part was read is not compared; the file of two traces is compared for one of them
#[test]
fn a_trace_with_a_limit_may_not_change() {
    let lab = lab();
    lab.write(
        "own.csv",
        trace(&["0,W,0,4096", "1,W,4096,4096", "2,W,8192,4096"]),
    );
    let limited = "{ file = \"own.csv\", limit = 1, licence = \"MIT\" }";
    for (name, traces) in [
        ("part.toml", limited.to_owned()),
        (
            "both.toml",
            format!("{limited}, {{ file = \"own.csv\", licence = \"MIT\" }}"),
        ),
    ] {
        lab.write(name, format!("traces = [{traces}]\n"));
        lab.ok(&format!("sweep run {name}"));
    }
    lab.run("artifact part.toml --out part").success();
    let provenance = lab.read_json("part/provenance.json");
    assert_eq!(
        provenance["traces"][0]["sha256"].as_str().unwrap().len(),
        64
    );
    // a byte of the part that is not read
    lab.write(
        "own.csv",
        trace(&["0,W,0,4096", "1,W,4096,4096", "2,W,4096,4096"]),
    );
    lab.run("artifact part.toml --out behind").success();
    let changed = ["own.csv", "changed since the sweep was planned"];
    lab.refused("artifact both.toml --out a", &changed);
    // as long as it was
    lab.write(
        "own.csv",
        trace(&["0,W,0,8192", "1,W,4096,4096", "2,W,8192,4096"]),
    );
    lab.refused("artifact part.toml --out b", &changed);
    lab.refused("artifact part.toml --out c --without-traces", &changed);
    lab.write("own.csv", trace(&["0,W,0,4096", "1,W,4096,4096"]));
    lab.refused("artifact part.toml --out d", &changed);
}

// planted bug: a licence that the plan names for a trace of a set is taken for that of the set
#[test]
fn the_terms_of_a_set_win() {
    let lab = lab();
    lab.write("own.csv", trace(&["0,W,0,4096"]));
    let shipped = format!("{{ file = \"traces/{SHIPPED}\", licence = \"CC0-1.0\" }}");
    let of_set =
        |set: &str| format!("{{ file = \"own.csv\", set = \"{set}\", licence = \"CC0-1.0\" }}");
    for (set, included, licence) in [
        ("alibaba", true, "CC BY 4.0"),
        (
            "msr-cambridge",
            false,
            "SNIA Trace Data Files Download License",
        ),
    ] {
        lab.write(
            "plan.toml",
            format!("traces = [{}, {shipped}]\n", of_set(set)),
        );
        lab.ok(&format!("sweep run plan.toml --out {set}.parts"));
        lab.run(&format!(
            "artifact plan.toml --results {set}.parts --out {set}"
        ))
        .success();
        let traces = &lab.read_json(&format!("{set}/provenance.json"))["traces"];
        assert_eq!(traces[0]["included"], included);
        let found = traces[0]["licence"].as_str().unwrap();
        assert!(found.starts_with(licence), "{found}");
        assert_eq!(traces[1]["licence"], "MIT OR Apache-2.0");
    }
}

// planted bug: a trace that was captured anew, whose hash is still the old one
#[test]
fn shipped_traces_are_known_by_their_hashes() {
    let mut known = 0;
    for (hash, path) in ssdlab_publish::shipped_traces() {
        let script = format!(
            "sha256sum '{}'",
            in_repository("traces").join(path).display()
        );
        let printed = Lab::new().shell(&script).stdout;
        assert_eq!(printed.split(' ').next(), Some(hash), "{path}");
        known += 1;
    }
    let folders = ["traces", "traces/samples"].map(in_repository);
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let is_trace = |file: &std::path::PathBuf| {
        let ending = file.extension().unwrap_or_default();
        file.is_file() && ending != "md" && ending != "json"
    };
    assert_eq!(files.filter(is_trace).count(), known);
}
