//! What the page answers, without a browser: the same as the command line. `cargo xtask web --test` asks the page itself.
//!
//! Planted bugs: an option that the page drops or that its command line lacks; a workload with another seed; options in another
//! order, so that a preset overrides a key; flash drawn with an old version as the newest one.

use std::sync::Arc;

use serde_json::{Value, json};
use ssdlab_web::{OF_TRACE, Page, see};

use crate::common::{Lab, in_repository, json as parsed};

const CONFIGURATIONS: &str = include_str!("../../../../../web/tests/configurations.json");

fn answer(page: &mut Page, question: &Value, file: &[u8]) -> Result<Value, String> {
    let answer = page.call(
        &question.to_string(),
        file.to_vec(),
        &(Arc::new(|_| ()) as _),
    );
    let answer = parsed(&answer);
    match answer["error"].as_str() {
        Some(why) => Err(why.to_owned()),
        None => Ok(answer["answer"].clone()),
    }
}

fn call(question: &Value, name: &str) -> Value {
    let mut question = question.clone();
    question["call"] = name.into();
    question
}

/// What differs by nature: the name of the trace, and what was measured.
fn comparable(mut comparison: Value) -> Value {
    let rows = comparison["rows"].as_array_mut().expect("rows");
    for row in rows.iter_mut() {
        let row = row.as_object_mut().expect("a row");
        for key in OF_TRACE {
            row.remove(key);
        }
    }
    json!([
        comparison["rows"],
        comparison["device"],
        comparison["varied"]
    ])
}

#[test]
fn twenty_configurations_give_what_the_command_line_gives() {
    let all = parsed(CONFIGURATIONS);
    let all = all.as_array().expect("a list");
    assert_eq!(all.len(), 20);
    for question in all {
        let lab = Lab::new();
        let mut page = Page::default();
        let file = question["file"].as_str().map(|name| {
            let bytes = std::fs::read(in_repository(&format!("traces/{name}"))).expect(name);
            lab.write(name, &bytes);
            bytes
        });
        let said = answer(&mut page, &call(question, "said"), &[]).expect("a command");
        let command = said["command"].as_str().expect("a text");
        let command = command.replace("ssdlab ", "\"$0\" ").replace('\n', " &&\n");
        let ended = lab.shell(&format!("{command} --no-html --json by-command.json"));
        assert_eq!(ended.code, Some(0), "{command}\n{}", ended.stderr);
        let shown = answer(
            &mut page,
            &call(question, "compare"),
            &file.unwrap_or_default(),
        );
        let shown = shown.unwrap_or_else(|why| panic!("{question}: {why}"));
        for part in ["rows", "charts", "how"] {
            assert!(!shown[part].as_array().expect(part).is_empty(), "{part}");
        }
        let saved = answer(
            &mut page,
            &json!({ "call": "saved", "as_file": "json" }),
            &[],
        );
        let saved = parsed(saved.expect("a file").as_str().expect("a text"));
        let by_command = parsed(&lab.read("by-command.json"));
        assert_eq!(comparable(saved), comparable(by_command), "{question}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let mut page = Page::default();
    let mut refused = |question: Value, file: &str| {
        answer(&mut page, &question, file.as_bytes()).expect_err("a refusal")
    };
    let file = json!({ "call": "compare", "file": "t.csv", "buffer": ["lru"] });
    let malformed = "time_ns,op,offset_bytes,size_bytes\n0,W,0,4096\n1,W,x,4096\n";
    let why = refused(file.clone(), malformed);
    assert!(why.contains("t.csv, line 3"), "{why}");
    for (key, value, named) in [
        ("preset", json!("bplru"), "bplru-2008"),
        ("set", json!(["ftl.log_block=7"]), "ftl.log_blocks"),
        ("buffer", json!(["lruu"]), "--buffer lruu"),
        ("size", json!(["big"]), "--size big"),
        (
            "vary",
            json!(["ftl.log_blocks"]),
            "--vary ftl.log_blocks: must be KEY=VALUE",
        ),
        ("by", json!("speed"), "--by speed"),
        ("scale-to", json!("0"), "--scale-to 0"),
        ("workload", json!("zip"), "zip"),
        ("colour", json!("red"), "colour"),
    ] {
        let mut question = file.clone();
        question[key] = value;
        let why = refused(question, "time_ns,op,offset_bytes,size_bytes\n0,W,0,4096\n");
        assert!(why.contains(named), "{key}: {why}");
    }
    let why = refused(json!({ "call": "life", "written": "much" }), "");
    assert!(why.contains("--written much"), "{why}");
    let why = refused(json!({ "call": "see", "pages": "0 x" }), "");
    assert!(why.contains("\"x\" is no request"), "{why}");
    let large = json!({ "call": "see", "pages": "0", "set": ["flash.capacity=1GiB"] });
    let why = refused(large, "");
    assert!(why.contains("flash.capacity"), "{why}");
}

#[test]
fn life_says_what_the_command_line_says() {
    let lab = Lab::new();
    let log = LOG;
    lab.write("drive.txt", log);
    let printed = lab.shell("\"$0\" life --rate 20GB/day --json drive.txt");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let mut page = Page::default();
    // the text has the date of the reading only
    let question = json!({ "call": "life", "rate": "20GB/day", "now": 1_700_000_000 });
    let answer = answer(&mut page, &question, log.as_bytes()).expect("an answer");
    assert_eq!(answer["life"], parsed(&printed.stdout)["life"]);
}

/// What smartctl prints of a drive, as far as it matters.
const LOG: &str = "\
smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)

=== START OF INFORMATION SECTION ===
Model Number:                       Samsung SSD 970 EVO Plus 1TB
Serial Number:                      S4EWNX0N000000X
Namespace 1 Size/Capacity:          1,000,204,886,016 [1.00 TB]

=== START OF SMART DATA SECTION ===
SMART/Health Information (NVMe Log 0x02)
Percentage Used:                    9%
Data Units Read:                    31,000,000 [15.8 TB]
Data Units Written:                 95,000,000 [48.6 TB]
Power On Hours:                     9,100
";

#[test]
fn the_examples_do_what_the_paper_says() {
    let mut page = Page::default();
    let mut merges = |example: &str| {
        let walk = answer(
            &mut page,
            &json!({ "call": "see", "example": example }),
            &[],
        );
        let walk = walk.unwrap_or_else(|why| panic!("{example}: {why}"));
        let frames = walk["frames"].as_array().expect("frames");
        // each page of a full device has one newest version, whatever moves; those of Table 1 are written on an empty one
        let mapped = match example {
            _ if example.starts_with("table-1") => None,
            "cleaning" => Some(24),
            _ => Some(20),
        };
        let mut last = 0;
        for frame in 0..frames.len() {
            let draw = json!({ "call": "draw", "step": frame, "width": 400 });
            let svg = answer(&mut page, &draw, &[]).expect("a picture");
            let svg = svg.as_str().expect("a text");
            last = svg.matches("\"cell valid\"").count();
            assert!(
                mapped.is_none_or(|mapped| last == mapped),
                "{example}, frame {frame}: {svg}"
            );
        }
        assert_eq!(mapped.unwrap_or(14), last, "{example}");
        let says = frames.iter().filter_map(|frame| frame["says"].as_str());
        let count = |kind: &str| says.clone().filter(|says| says.contains(kind)).count();
        ["switch merge", "partial merge", "full merge"].map(count)
    };
    assert_eq!(merges("table-1-lru"), [0, 0, 12]);
    assert_eq!(merges("table-1-blru"), [0, 0, 7]);
    assert_eq!(merges("figure-4"), [1, 0, 0]);
    let [switch, partial, full] = merges("merges");
    assert!(switch > 0 && partial > 0 && full > 0);
    for example in see::examples() {
        merges(example);
    }
}

#[test]
fn pictures_of_the_documents_are_current() {
    for (name, picture) in see::Picture::ALL {
        let file = in_repository(&format!("docs/merges/{name}.svg"));
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let made = picture.svg().expect(name);
        assert_eq!(
            kept,
            made,
            "{}: run cargo xtask web --pictures",
            file.display()
        );
    }
}
