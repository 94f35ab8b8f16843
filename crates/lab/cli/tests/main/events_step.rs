//! `ssdlab events step`: the example of a paper in print and in a terminal.
//!
//! Planted bugs that these catch: the buffer as it was before the request; an order that begins with the page that leaves
//! last; clean pages drawn as dirty ones; a step too many; a key that does nothing, or goes to the next number; a step that
//! cannot be gone back to; a large buffer printed as a whole.

use crate::common::{Lab, in_repository, writes};
use crate::top::Terminal;

/// The example of the BPLRU paper, Table 1, with these options.
fn example(options: &str) -> String {
    let folder = in_repository("examples/steps");
    let folder = folder.display();
    format!(
        "events step --preset bplru-2008 --config '{folder}/bplru-table-1.toml' '{folder}/bplru-table-1.csv' {options}"
    )
}

fn printed(options: &str) -> String {
    let ended = Lab::new().shell(&format!("\"$0\" {}", example(options)));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    ended.stdout
}

#[test]
fn the_example_of_a_paper_block_by_block() {
    let expected = "\
8. write page 9: miss
   buffer: 8 of 8 pages, all dirty; the first one leaves next
     block 3  ■···  12
     block 4  ■···  16
     block 0  ■■··  0-1
     block 1  ■■··  4-5
     block 2  ■■··  8-9
9. write page 13: miss
   evicted 12 to make room
   buffer: 8 of 8 pages, all dirty; the first one leaves next
     block 4  ■···  16
     block 0  ■■··  0-1
     block 1  ■■··  4-5
     block 2  ■■··  8-9
     block 3  ·■··  13
10. write page 17: miss
   evicted 16 to make room
   buffer: 8 of 8 pages, all dirty; the first one leaves next
     block 0  ■■··  0-1
     block 1  ■■··  4-5
     block 2  ■■··  8-9
     block 3  ·■··  13
     block 4  ·■··  17
11. write page 2: miss
   evicted 0-1 to make room
   full merge of block 3 into 2: valid pages 1 in log block 0; 1 copied; erased block 0
   buffer: 7 of 8 pages, all dirty; the first one leaves next
     block 1  ■■··  4-5
     block 2  ■■··  8-9
     block 3  ·■··  13
     block 4  ·■··  17
     block 0  ··■·  2
";
    assert_eq!(printed("--from 8 --to 11"), expected);
    let end = printed("--from 14 --plain");
    let (_, end) = end.split_once("end of the trace\n").expect("an end");
    // the seven merges of the paper, of which two happened before
    assert_eq!(
        end.lines()
            .filter(|line| line.contains(" merge of "))
            .count(),
        5,
        "{end}"
    );
    assert!(end.ends_with("   buffer: 0 of 8 pages\n"), "{end}");
}

#[test]
fn the_example_of_a_paper_page_by_page() {
    let expected = "\
9. write page 13: miss
   evicted 0 to make room
   buffer: 8 of 8 pages, all dirty; the first one leaves next
     4 8 12 16 1 5 9 13
10. write page 17: miss
   evicted 4 to make room
   buffer: 8 of 8 pages, all dirty; the first one leaves next
     8 12 16 1 5 9 13 17
";
    assert_eq!(
        printed("--set buffer.policy=lru --from 9 --to 10"),
        expected
    );
    let fifo = printed("--set buffer.policy=fifo --from 9 --to 10");
    assert_eq!(fifo, expected);
}

#[test]
fn clean_pages_hits_and_blocks_by_address() {
    let lab = Lab::small();
    lab.write(
        "t.csv",
        "time_ns,op,offset_bytes,size_bytes\n0,W,512,1024\n1,R,0,2048\n2,W,1024,512\n3,D,512,512\n4,F,0,0\n",
    );
    let step = |options: &str| {
        lab.ok(&format!(
            "events step --config small.toml --set precondition=empty t.csv {options}"
        ))
    };
    let pages = step("--set buffer.reads=cache");
    let expected = "\
1. write pages 1-2: 0 hits, 2 missed
   buffer: 2 of 8 pages, all dirty; the first one leaves next
     1 2
2. read pages 0-3: 2 hits, 2 missed
   buffer: 4 of 8 pages, 2 dirty; the first one leaves next
     (0) 1 2 (3)
3. write page 2: hit
   buffer: 4 of 8 pages, 2 dirty; the first one leaves next
     (0) 1 (3) 2
4. discard page 1
   buffer: 3 of 8 pages, 1 dirty; the first one leaves next
     (0) (3) 2
5. flush
   evicted (0)
   evicted (3)
   evicted 2
   buffer: 0 of 8 pages
end of the trace
   buffer: 0 of 8 pages
";
    assert_eq!(pages, expected);
    // CFLRU keeps no order of victims
    let blocks = step("--set buffer.policy=cflru --set buffer.reads=cache --from 2 --to 2");
    assert!(
        blocks.contains("2 dirty; by address\n     block 0  □■■□  (0) 1-2 (3)\n"),
        "{blocks}"
    );
    let none = step("--set buffer.policy=none --from 2 --to 2");
    assert_eq!(none, "2. read pages 0-3: 0 hits, 4 missed\n");
}

/// The blocks of the policies come in the order in which they then leave.
#[test]
fn what_is_first_leaves_first() {
    let lab = Lab::small();
    let pages: Vec<u64> = (0..400)
        .map(|i: u64| ((i * 2_654_435_761) >> 7) % 20)
        .collect();
    lab.write("t.csv", writes(&pages));
    for policy in ["lru", "fifo", "blru", "bplru", "fab"] {
        let shown = lab.ok(&format!(
            "events step --config small.toml --set buffer.policy={policy} --set precondition=empty --set buffer.padding=false t.csv"
        ));
        let (mut next, mut evictions) = (None, 0);
        for line in shown.lines().take_while(|line| !line.starts_with("end")) {
            if let Some(evicted) = line.strip_prefix("   evicted ") {
                let (evicted, _) = evicted.split_once(" to make room").expect(line);
                assert_eq!(next.as_deref(), Some(evicted), "{policy}");
                evictions += 1;
                next = None;
            } else if line.ends_with("leaves next") {
                next = None;
            } else if next.is_none() && line.starts_with("     ") {
                let line = line.trim();
                let first = match line.strip_prefix("block ") {
                    Some(block) => {
                        block
                            .split_once("  ")
                            .and_then(|(_, rest)| rest.split_once("  "))
                            .expect(line)
                            .1
                    }
                    None => line.split(' ').next().expect(line),
                };
                next = Some(first.to_owned());
            }
        }
        assert!(evictions > 20, "{policy}: {evictions}");
    }
}

#[test]
fn a_large_buffer_is_shown_from_its_beginning() {
    let lab = Lab::new();
    lab.ok("trace generate uniform --capacity 64MiB --requests 5k -o u.csv");
    for policy in ["lru", "fab", "cflru"] {
        let shown = lab.ok(&format!(
            "events step --set buffer.policy={policy} --set buffer.size=32MiB --from 4000 --to 4001 u.csv"
        ));
        assert!(shown.lines().count() < 70, "{policy}: {shown}");
        assert!(
            shown.contains("... ") && shown.contains(" more"),
            "{policy}: {shown}"
        );
    }
    let thousand = lab.ok("events step --set buffer.policy=none u.csv");
    let is_step = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    assert_eq!(thousand.lines().filter(is_step).count(), 1000);
    assert!(!thousand.contains("end of the trace"));
}

// planted bugs: a buffer that foresees is not told what comes; a page behind the last one
#[test]
fn what_comes_is_known_and_page_numbers_begin_again() {
    let lab = Lab::small();
    let pages: Vec<u64> = (0..200).map(|at| at * at % 19).collect();
    lab.write("trace.csv", writes(&pages));
    let device = "--config small.toml --set buffer.policy=clairvoyant --set buffer.granularity=page --set ftl.kind=ideal --set buffer.size=2KiB trace.csv";
    lab.ok(&format!("run --events events.jsonl {device}"));
    let evictions = lab
        .read("events.jsonl")
        .matches("\"event\":\"evict\"")
        .count();
    let steps = lab.ok(&format!("events step --plain {device}"));
    assert_eq!(steps.matches("\n   evicted ").count(), evictions);
    let piped = lab.piped(
        &format!("events step --plain {}", device.replace("trace.csv", "-")),
        writes(&pages),
    );
    assert_eq!(piped.code, Some(2));
    assert!(
        piped.stderr.contains("needs a trace in a file"),
        "{}",
        piped.stderr
    );
    // 20 pages of 512 bytes
    lab.write("wraps.csv", crate::common::trace(&["0,W,9728,1024"]));
    let step = lab.ok("events step --plain --wrap --config small.toml wraps.csv");
    assert!(
        step.starts_with("1. write pages 19-19 and 0-0: 0 hits, 2 missed"),
        "{step}"
    );
}

#[test]
fn steps_that_do_not_exist_are_refused() {
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4]));
    lab.write("far.csv", writes(&[0, 400]));
    let step = "events step --config small.toml";
    lab.refused(&format!("{step} good.csv --from 0"), &["--from"]);
    lab.refused(
        &format!("{step} good.csv --from 2 --to 1"),
        &["--to must not be smaller than --from"],
    );
    lab.refused(
        &format!("{step} good.csv --from 4"),
        &["--from 4: the trace has 2 requests"],
    );
    lab.refused(&format!("{step} missing.csv"), &["missing.csv"]);
    lab.refused(
        &format!("{step} good.csv --set buffer.policy=bplur"),
        &["did you mean \"bplru\"?"],
    );
    let ended = lab.run(&format!("{step} far.csv"));
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("far.csv, line 3") && ended.stderr.contains("flash.capacity"),
        "{}",
        ended.stderr
    );
    let auto = lab.piped(&format!("{step} --set flash.capacity=auto -"), writes(&[0]));
    assert_eq!(auto.code, Some(2), "{}", auto.stderr);
    let piped = lab.piped(&format!("{step} -"), writes(&[0, 0]));
    assert!(
        piped.stdout.contains("2. write page 0: hit\n"),
        "{}",
        piped.stdout
    );
}

/// Forward, back and to a number; the terminal is given back.
#[test]
fn keys_walk_through_the_example() {
    let lab = Lab::new();
    let program = crate::common::binary();
    let command = format!("'{}' {}; echo gone", program.display(), example(""));
    let terminal = Terminal::run(&lab, &command);
    terminal.shows(&[
        "buffer blru, FTL bast",
        "1. write page 0: miss",
        "block 0  ■···  0",
        "q quit",
    ]);
    let key = |key: &str| terminal.tmux(&["send-keys", key]);
    key("n");
    terminal.shows(&["2. write page 4: miss"]);
    key("Space");
    terminal.shows(&["3. write page 8: miss"]);
    key("Left");
    terminal.shows(&["2. write page 4: miss"]);
    for typed in ["g", "1", "1"] {
        key(typed);
    }
    terminal.shows(&["go to request 11_"]);
    key("Enter");
    terminal.shows(&[
        "11. write page 2: miss",
        "full merge of block 3",
        "block 0  ··■·  2",
    ]);
    // what came before is simulated again
    key("p");
    terminal.shows(&["10. write page 17: miss", "evicted 16 to make room"]);
    key("Right");
    terminal.shows(&["11. write page 2: miss"]);
    for typed in ["g", "9", "9", "Enter"] {
        key(typed);
    }
    terminal.shows(&["end of the trace", "evicted 13-14"]);
    key("n");
    terminal.shows(&["the trace has ended"]);
    for typed in ["g", "9", "9", "Enter"] {
        key(typed);
    }
    terminal.shows(&["the trace has 14 requests", "end of the trace"]);
    for typed in ["g", "1", "Enter", "p"] {
        key(typed);
    }
    terminal.shows(&["request 1 is the first one", "1. write page 0"]);
    key("q");
    let left = terminal.shows(&["gone"]);
    assert!(!left.contains("write page"), "{left}");
}
