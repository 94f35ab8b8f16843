//! The worked examples of the BPLRU paper (FAST 2008) and the BAGC paper (2012), followed event by event.
//!
//! Planted bugs that these catch: the victim chosen after the new page has entered its block's list (rows 6 and 14 of
//! Table 1 evict the block that is being written); a merge of the most recently written log block instead of the least
//! recently written one; padding that reads pages in the buffer; compensation that moves the block to the wrong end; a
//! reclaim that leaves the sequential log block of a merged block in use, or whose last erase is not counted for a
//! merge.

use std::collections::BTreeMap;

use crate::common::{Lab, json, trace, words, writes};
use serde_json::Value;

/// The actions of a device for one sequence of page writes: evictions and merges, with the report of the run.
struct Played {
    events: Vec<Value>,
    report: Value,
}

fn play(pages: &[u64], settings: &[&str]) -> Played {
    let lab = Lab::small();
    lab.write("pages.csv", writes(pages));
    let mut args = words("run --json --config small.toml pages.csv --events events.jsonl");
    args.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let report = lab.json(&args);
    let events = lab.read("events.jsonl");
    // what the requests and the merges say at their ends is tested elsewhere
    let actions = ["evict", "merge", "erase"];
    let is_action = |event: &Value| actions.contains(&event["event"].as_str().unwrap());
    let events = events.lines().map(json).filter(is_action).collect();
    Played { events, report }
}

impl Played {
    fn counter(&self, name: &str) -> u64 {
        self.report["counters"][name].as_u64().unwrap()
    }

    fn merges(&self) -> u64 {
        ["switch_merges", "partial_merges", "full_merges"]
            .map(|kind| self.counter(kind))
            .iter()
            .sum()
    }

    fn evictions(&self) -> Vec<Vec<u64>> {
        let evictions = self.events.iter().filter(|event| event["event"] == "evict");
        evictions.map(|event| pages(&event["dirty"])).collect()
    }

    /// In the notation of the paper: the evicted pages, then `M[…]` with the pages of each log block merged for them.
    fn in_print(&self) -> Vec<String> {
        let mut logs: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut steps: Vec<String> = Vec::new();
        for event in &self.events {
            match event["event"].as_str().unwrap() {
                "evict" => {
                    let victim = pages(&event["dirty"]);
                    steps.push(list(&victim));
                    // a victim of these policies lies in one block
                    logs.entry(victim[0] / 4).or_default().extend(victim);
                }
                "merge" => {
                    let log = logs.remove(&event["lbn"].as_u64().unwrap()).unwrap();
                    // the merge makes room for the victim before it
                    *steps.last_mut().unwrap() += &format!(" M[{}]", list(&log));
                }
                _ => {}
            }
        }
        steps
    }
}

fn pages(list: &Value) -> Vec<u64> {
    let pages = list.as_array().unwrap();
    pages.iter().map(|page| page.as_u64().unwrap()).collect()
}

fn list(pages: &[u64]) -> String {
    let pages: Vec<String> = pages.iter().map(u64::to_string).collect();
    pages.join(",")
}

/// The evictions of each write.
fn victims_by_write(order: &[u64], policy: &str) -> Vec<(u64, Vec<Vec<u64>>)> {
    let played = play(order, &[policy, EMPTY, "drain=false"]);
    let evictions = played
        .events
        .iter()
        .filter(|event| event["event"] == "evict");
    let mut steps: Vec<(u64, Vec<Vec<u64>>)> = Vec::new();
    for event in evictions {
        let request = event["request"].as_u64().unwrap();
        let (page, victim) = (order[request as usize - 1], pages(&event["dirty"]));
        match steps.last_mut() {
            Some((last, victims)) if *last == page => victims.push(victim),
            _ => steps.push((page, vec![victim])),
        }
    }
    steps
}

const TABLE_1: [u64; 14] = [0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14];
/// With 16 before 12, the order of the block-level columns of the table.
const TABLE_1_AS_LISTED: [u64; 14] = [0, 4, 8, 16, 12, 1, 5, 9, 13, 17, 2, 6, 10, 14];

const LRU: &str = "buffer.policy=lru";
const BLRU: &str = "buffer.policy=blru";
const EMPTY: &str = "precondition=empty";

#[test]
fn table_1_lru() {
    let played = play(&TABLE_1, &[LRU, EMPTY]);
    let table = "0; 4; 8 M[0]; 12 M[4]; 16 M[8]; 1 M[12]; 5 M[16]; 9 M[1]; 13 M[5]; 17 M[9]; 2 M[13]; 6 M[17]; \
                 10 M[2]; 14 M[6]";
    assert_eq!(played.in_print().join("; "), table);
    assert_eq!((played.merges(), played.counter("full_merges")), (12, 12));
    let rows = [(13, 0), (17, 4), (2, 8), (6, 12), (10, 16), (14, 1)];
    let rows = rows.map(|(written, victim)| (written, vec![vec![victim]]));
    assert_eq!(victims_by_write(&TABLE_1, LRU), rows);
}

#[test]
fn table_1_blru_as_written() {
    let played = play(&TABLE_1, &[BLRU, EMPTY]);
    let table =
        "12; 16; 0,1 M[12]; 8,9 M[16]; 17 M[0,1]; 2 M[8,9]; 4,5,6 M[17]; 10 M[2]; 13,14 M[4,5,6]";
    assert_eq!(played.in_print().join("; "), table);
    assert_eq!((played.merges(), played.counter("full_merges")), (7, 7));
}

#[test]
fn table_1_blru_as_printed() {
    let played = play(&TABLE_1_AS_LISTED, &[BLRU, EMPTY]);
    let table =
        "16; 0,1; 4,5 M[16]; 12,13 M[0,1]; 17 M[4,5]; 2 M[12,13]; 6 M[17]; 8,9,10 M[2]; 14 M[6]";
    assert_eq!(played.in_print().join("; "), table);
    assert_eq!((played.merges(), played.counter("full_merges")), (7, 7));
    // 6 evicts 4 and 5 of its own block; 14 evicts 12 and 13
    let rows = [
        (13, vec![16]),
        (17, vec![0, 1]),
        (6, vec![4, 5]),
        (14, vec![12, 13]),
    ];
    let rows = rows.map(|(written, victim)| (written, vec![victim]));
    assert_eq!(victims_by_write(&TABLE_1_AS_LISTED, BLRU), rows);
}

/// Blocks 3, 1, 0 and 2 enter in this order and fill the buffer; then 15 is written again, and 16 needs room.
const FIGURE_3: [u64; 10] = [12, 15, 5, 6, 0, 1, 8, 9, 15, 16];

#[test]
fn figure_3_block_level_list() {
    let by_block = play(&FIGURE_3, &[BLRU]).evictions();
    let expected: [&[u64]; 5] = [&[5, 6], &[0, 1], &[8, 9], &[12, 15], &[16]];
    assert_eq!(by_block, expected, "15 brings 12 along");
    let by_page = play(&FIGURE_3, &[LRU]).evictions();
    assert_eq!(by_page[0], [12], "by pages 12 would be the oldest");
}

#[test]
fn figure_4_page_padding() {
    let bplru = "buffer.policy=bplru";
    let played = play(&[12, 15], &[bplru]);
    let evict = &played.events[0];
    let lists = ["dirty", "clean", "padding"].map(|name| pages(&evict[name]));
    assert_eq!(lists, [vec![12, 15], vec![], vec![13, 14]]);
    assert_eq!(played.events[1]["kind"], "switch");
    assert_eq!(played.events[1]["lbn"], 3);
    let counts = |played: &Played| {
        let names = "padding_reads flash_reads flash_programs switch_merges flash_copies erases";
        let names = words(names).into_iter();
        names.map(|name| played.counter(name)).collect::<Vec<_>>()
    };
    assert_eq!(counts(&played), [2, 2, 4, 1, 0, 1]);
    assert_eq!(played.merges(), 1);
    let unpadded =
        ["off", "false"].map(|off| play(&[12, 15], &[bplru, &format!("buffer.padding={off}")]));
    assert_eq!(
        unpadded.map(|played| counts(&played)),
        [[0, 0, 2, 0, 0, 0]; 2]
    );
}

/// The same where pages 13 and 14 have no version, and reads of three pages afterwards.
#[test]
fn figure_4_with_blank_pages() {
    let counts = |before: &[&str], padding: &str, settings: &[&str]| {
        let lab = Lab::small();
        let after = ["4,F,0,0", "5,R,6144,512", "6,R,6656,512", "7,R,4608,512"];
        let lines = [before, &["2,W,6144,512", "3,W,7680,512"], &after].concat();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        lab.write("t.csv", trace(&lines));
        let mut args = words(
            "run --json --config small.toml t.csv --set buffer.policy=bplru --set drain=false",
        );
        let padding = format!("buffer.padding={padding}");
        args.extend(
            settings
                .iter()
                .copied()
                .chain([&*padding])
                .flat_map(|setting| ["--set", setting]),
        );
        let report = lab.json(&args);
        let names = "padding_reads flash_programs switch_merges erases flash_reads unmapped_reads";
        words(names)
            .into_iter()
            .map(|name| report["counters"][name].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    for whole in ["block", "true"] {
        assert_eq!(counts(&[], whole, &[EMPTY]), [0, 4, 1, 0, 2, 1]);
        // page 13 is discarded
        assert_eq!(counts(&["1,D,6656,512"], whole, &[]), [1, 4, 1, 1, 4, 0]);
    }
    assert_eq!(counts(&[], "mapped", &[EMPTY]), [0, 2, 0, 0, 1, 2]);
    assert_eq!(counts(&["1,D,6656,512"], "mapped", &[]), [1, 3, 0, 0, 3, 1]);
}

#[test]
fn headers_of_bplru_and_of_all() {
    let evictions = |policy: &str, headers: &str| {
        let headers = format!("buffer.count_headers={headers}");
        let policy = format!("buffer.policy={policy}");
        let played = play(
            &[0, 4, 8, 12],
            &[&policy, &headers, "buffer.size=3072", "drain=false"],
        );
        played.evictions()
    };
    for policy in ["fab", "blru", "three-region"] {
        for none in ["off", "bplru", "true", "false"] {
            assert!(evictions(policy, none).is_empty(), "{policy}, {none}");
        }
        assert_eq!(evictions(policy, "all"), [[0]], "{policy}");
    }
    for counted in ["bplru", "true", "all"] {
        assert_eq!(evictions("bplru", counted), [[0]], "{counted}");
    }
    assert!(evictions("bplru", "off").is_empty());
}

/// Block 2 is written from its first page to its last, and is the most recent one when 17 needs room.
const FIGURE_5: [u64; 9] = [0, 5, 13, 14, 8, 9, 10, 11, 17];

#[test]
fn figure_5_compensation() {
    let bplru = "buffer.policy=bplru";
    let compensated = play(&FIGURE_5, &[bplru]);
    assert_eq!(compensated.evictions()[0], [8, 9, 10, 11]);
    assert_eq!(compensated.events[1]["kind"], "switch");
    let plain = play(&FIGURE_5, &[bplru, "buffer.compensation=false"]);
    assert_eq!(plain.evictions()[0], [0]);
    // the same pages in another order are not a sequential write
    let mut shuffled = FIGURE_5;
    shuffled.swap(5, 6);
    assert_eq!(play(&shuffled, &[bplru]).evictions()[0], [0]);
}

/// Pages 0, 1, 6 and 7 are updated; 9 reclaims L0. The paper also shows page 0 in L0, but FAST puts it into SW.
const BAGC_FIGURE_1: [u64; 6] = [1, 6, 7, 6, 0, 9];

#[test]
fn bagc_figure_1_unaware() {
    let fast = ["ftl.kind=fast", "ftl.log_blocks=2", "buffer.policy=none"];
    let played = play(&BAGC_FIGURE_1, &fast);
    let merged = |event: &Value| (event["lbn"].as_u64(), event["data"].as_u64());
    let merges = played.events.iter().filter(|e| e["event"] == "merge");
    let expected = [(Some(0), Some(0)), (Some(1), Some(1))];
    assert_eq!(merges.map(merged).collect::<Vec<_>>(), expected);
    let counts = ["full_merges", "flash_copies", "erases"].map(|name| played.counter(name));
    assert_eq!(counts, [2, 8, 4]);
    // B0, SW, B1, and finally L0
    let log = played.events[0]["log"].as_u64();
    let erases = played.events.iter().filter(|e| e["event"] == "erase");
    let erased: Vec<_> = erases.map(|event| event["block"].as_u64()).collect();
    assert_eq!((erased[0], erased[2], erased[3]), (Some(0), Some(1), log));
    let derived = &played.report["derived"];
    assert_eq!(
        derived["merge_time_ns"]["full"],
        derived["time_ns"]["merge"]
    );
}
