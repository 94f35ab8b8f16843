//! Systems of another crate in every kind of experiment.
//!
//! Planted bugs that these tests catch: measurements or theory with the built-in systems alone; a study, a sweep or a
//! search that makes its devices with other systems than it was given.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ssdlab_device::{Media, Plugins, Registry};
use ssdlab_flash::Lpn;
use ssdlab_policy::Entry;
use ssdlab_policy::buffer::lru::Lru;
use ssdlab_policy::buffer::{BufferKind, Nature, Shape};
use ssdlab_policy::placement::single::Single;
use ssdlab_policy::placement::{Chosen, Place, Placement, PlacementKind, Registered};
use ssdlab_recommend::{Search, recommend, within};
use ssdlab_report::{About, html};
use ssdlab_reproduce::{Descriptions, Settings};
use ssdlab_sim::{Choices, CompareOptions, Lab, Trace, WAF};
use ssdlab_sweep::Planned;
use ssdlab_trace::ReadOptions;
use tempfile::TempDir;

/// A buffer and a placement that the registry lacks; counts the devices that have one of them.
#[derive(Clone, Default)]
struct Foreign(Arc<AtomicUsize>);

/// One region for host writes, one for copies.
struct Halves;

impl Placement for Halves {
    fn of_write(&mut self, _: Lpn, _from: Option<u32>, _now: u64, _stream: u16) -> Place {
        Place::Flash(0)
    }

    fn of_copies(&self, _: u32) -> Option<u32> {
        Some(1)
    }
}

impl Plugins for Foreign {
    fn add<M: Media>(&self, registry: &mut Registry<M>) {
        let entry = Entry {
            name: "my-lru",
            ..Lru::ENTRY
        };
        let count = self.clone();
        registry.add_policy(entry, Nature::page_level([4, 12, 0]), move |_| {
            let count = count.clone();
            move |shape: &Shape| {
                count.0.fetch_add(1, Ordering::Relaxed);
                Lru::new(shape, &())
            }
        });
        let entry = Entry {
            name: "my-halves",
            keys: &[],
            ..Single::ENTRY
        };
        let count = self.clone();
        registry.add_placement(Registered::new(entry, move |_| {
            let count = count.clone();
            Chosen::new(entry, 2, 0, move |_| {
                count.0.fetch_add(1, Ordering::Relaxed);
                Box::new(Halves)
            })
        }));
    }
}

/// A laboratory with them, and a folder with the trace `t.csv`.
struct Bench {
    foreign: Foreign,
    lab: Lab,
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let (foreign, folder) = (Foreign::default(), TempDir::new().expect("a folder"));
        let line = |at: u64| format!("{at},W,{},2048\n", at * at % 61 * 16384 + at % 8 * 2048);
        let lines: String = (0..600).map(line).collect();
        let text = format!("time_ns,op,offset_bytes,size_bytes\n{lines}");
        fs::write(folder.path().join("t.csv"), text).expect("a trace");
        Self {
            lab: Lab::with(&foreign),
            foreign,
            folder,
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn trace(&self) -> Trace {
        let path = self.path().join("t.csv");
        Trace::load(&path, &ReadOptions::default(), u64::MAX).expect("a trace")
    }

    /// The devices with a foreign system that were made since the last call.
    fn devices(&self) -> usize {
        self.foreign.0.swap(0, Ordering::Relaxed)
    }

    /// The page of a study with these files.
    fn page(&self, files: &[(&str, &str)]) -> String {
        let studies = TempDir::new().expect("a folder");
        fs::create_dir(studies.path().join("s")).expect("a folder");
        for (name, text) in files {
            fs::write(studies.path().join("s").join(name), text).expect("a file");
        }
        let descriptions = Descriptions::Folder(studies.path().to_owned());
        let study = descriptions.read("s", &self.lab).expect("a valid study");
        let settings = Settings {
            traces: self.path().to_owned(),
            jobs: 2,
            ..Settings::default()
        };
        let report = study.run(&settings, &|_| ()).expect("a report");
        report.files[0].1.clone()
    }
}

#[test]
fn measurements_know_them() {
    let place = Bench::new();
    let measured = r#"
[measured]
title = "Some Drives"
source = "Somebody 2026"
about = "A load and a trace."
set = ["buffer.policy=none", "ftl.kind=page", "ftl.placement=my-halves", "flash.pages_per_block=16", "ftl.spare_blocks={at}"]
seed = 3

[load.uniform]
about = "all pages alike"
words = "uniform --prefill"

[load.traced]
about = "a trace"
trace = "t.csv"

[[table]]
id = "made"
title = "Made"
axis = "spare blocks"
before = 1
writes = 2
windows = ["last-half"]
load = "uniform"
set = ["flash.page_size=4096", "flash.capacity=1MiB"]
point = [{ at = "8" }]
series = [{ name = "halves" }]

[[table]]
id = "traced"
title = "Traced"
axis = "spare blocks"
replays = 2
windows = ["last-replay"]
load = "traced"
set = ["flash.capacity=auto"]
point = [{ at = "8" }]
series = [{ name = "halves again" }]
"#;
    let page = place.page(&[("measured.toml", measured)]);
    assert!(page.contains("halves again"), "{page}");
    assert_eq!(place.devices(), 2);
}

#[test]
fn theory_knows_them() {
    let place = Bench::new();
    let theory = r#"
[theory]
title = "Some Theory"
source = "Somebody 1999"
set = ["ftl.kind=page", "buffer.policy=none", "ftl.placement=my-halves"]
page_size = 512
blocks = 100
warm_up = 1
measured = 1
seed = 4
within_percent = 50

[[table]]
title = "Greedy"
formula = "greedy"
spare = [0.25]
pages_per_block = [8]
reserve = 4
"#;
    let page = place.page(&[("theory.toml", theory)]);
    assert!(page.contains("--set ftl.placement=my-halves"), "{page}");
    assert_eq!(place.devices(), 1);
}

#[test]
fn contests_and_papers_know_them() {
    let place = Bench::new();
    let contest = r#"
title = "Mine"
source = "Me"
preset = "bplru-2008"
sizes = ["32KiB"]
replays = 1
competitor = "my-lru"
rivals = ["fifo", "none"]
baseline = "fifo"
devices = [{ name = "log", set = ["ftl.log_blocks=9"] }]
traces = ["t.csv"]
"#;
    let page = "<!-- measured: result -->\n";
    let page = place.page(&[("contest.toml", contest), ("page.md", page)]);
    assert!(page.contains("`my-lru` takes"), "{page}");
    // flushes honoured, and ignored
    assert_eq!(place.devices(), 2);
    let paper = r#"
[paper]
title = "Mine"
authors = "Somebody"
venue = "A Venue"
preset = "bplru-2008"
buffers = ["fifo", "my-lru"]
sizes = ["64KiB"]
charts = ["erases"]
leave_out = []
device = "A device."

[trace.t]
file = "t.csv"
about = "a few blocks"

[[figure]]
id = "1"
title = "Erases"
traces = ["t"]

[[figure.statement]]
says = "It erases no more."
section = "1"
test = { metric = "erases", is = "no more", pairs = [["my-lru", "fifo"]] }
"#;
    let page = place.page(&[("paper.toml", paper)]);
    assert!(page.contains("my-lru"), "{page}");
    assert_eq!(place.devices(), 1);
}

#[test]
fn comparisons_and_their_reports_know_them() {
    let place = Bench::new();
    let mut options = CompareOptions::new(&place.lab, place.lab.resolver());
    options.buffers = ["lru", "my-lru"].map(str::to_owned).to_vec();
    options.sizes = vec![64 << 10];
    let comparison = place.lab.compare(&place.trace(), options);
    let comparison = comparison.expect("a comparison");
    assert_eq!(place.devices(), 1);
    let about = About {
        command: "compare".into(),
        version: "1".into(),
        config_toml: String::new(),
        trace_lines: Vec::new(),
        columns: Vec::new(),
    };
    assert!(html(&comparison, &about).contains("my-lru"));
}

#[test]
fn sweeps_know_them() {
    let place = Bench::new();
    let plan = r#"
traces = ["t.csv"]
[device]
ftl.kind = "page"
[axes]
buffer.policy = ["lru", "my-lru"]
ftl.placement = ["single", "my-halves"]
"#;
    let planned = Planned::of("s.toml", plan.into(), place.path(), &place.lab, "1");
    let sweep = planned.and_then(|planned| planned.sweep(None, 1, || ()));
    let sweep = sweep.expect("a sweep");
    let tables = (0..sweep.shards.len()).map(|shard| sweep.rows(shard, None).expect("rows"));
    assert_eq!(tables.map(|table| table.rows()).sum::<usize>(), 4);
    // two of four devices have the buffer, two the placement
    assert_eq!(place.devices(), 4);
}

#[test]
fn searches_know_them() {
    let place = Bench::new();
    let choices = Choices {
        buffers: ["my-lru".to_owned()].into(),
        ram_total: vec![4 << 20],
        ..Choices::default()
    };
    let options = CompareOptions::new(&place.lab, place.lab.resolver());
    let search = Search {
        options: within(options, &choices).expect("valid choices"),
        by: WAF,
        seed: 1,
        exhaustive: true,
    };
    let answer = recommend(&[&place.trace()], &search, |_, _| ()).expect("an answer");
    assert!(answer.finalists[0].label.starts_with("my-lru"));
    assert_eq!(place.devices(), answer.candidates);
}
