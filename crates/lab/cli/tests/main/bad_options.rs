//! Commands and options that must be refused: exit code 2, a message that names the option and the nearest name;
//! nothing on standard output, no report written.
//!
//! Planted bugs that these catch: 0 repetitions or threads taken for "the default"; an error of `--size` reported as
//! one of a `--set` that the user never gave; an invalid combination of `compare` found only after the others ran; a
//! synthetic trace that ends early, or takes all memory, instead of being refused.

use crate::common::{Lab, writes};

/// Command lines, with blanks between the arguments.
const REFUSED: &[&str] = &[
    "compar good.csv",
    "rnu",
    "trace inof good.csv",
    "config shw",
    "list everything",
    "run",
    "run good.csv other.csv",
    "run --jsno good.csv",
    "compare --sizes 1MiB good.csv",
    "run --steady --loops 2 good.csv",
    "run --from 1s good.csv",
    "run --set timing.model=parallel --trace-events t.json --from 2 good.csv",
    "run --set timing.model=parallel --trace-events t.json --from 2s --to 1s good.csv",
    "run --trace-events t.json good.csv",
    "events stpe good.csv",
    "events step --from 0 good.csv",
    "events step --from 5 --to 4 good.csv",
    "events step --from 50 good.csv",
    "compare --steady=1 good.csv",
    "trace generate unifrom",
    "trace generate hotcold",
    "config nosuch",
    "trace generate uniform --interval-us 0.5",
    "trace generate zipf --theta 11",
    "trace generate locality --locality 80",
    "trace generate uniform --capacity 0",
    "trace generate uniform --capacity 1KiB",
    "trace generate uniform --discards 0.5",
    "trace generate uniform --discards 0.1 --reads 0.5",
    "trace generate mixed --streams 3 --capacity 8KiB",
    "trace generate sequential --requests 5000000 --interval-us 4294967295",
    "trace generate postmark --least 20",
    "trace generate postmark --capacity 4096TiB --requests 3",
    "trace generate postmark --capacity 1MiB",
    "trace generate lfs --capacity 1MiB",
    "trace generate lfs --write-size 4KiB",
    "trace generate lfs --segment 100K",
    "trace generate lfs --reads 0.5",
    "trace generate lfs --fill 0",
    "trace generate zones",
    "trace generate zones --zones s0.9+f0.1+x0.1",
    "trace generate zones --zones s0.9+f0.1+seq+s0.2+f0.9",
    "trace generate streams --stream share=0.5,kind=zipf --stream share=0.4",
    "trace generate streams --stream share=0.5 --stream share=0.5,kind=zipf,theta=11",
    "trace generate streams --stream share=1,range=0.5..0.4",
    "trace generate streams --stream share=1,range=0..0.1 --capacity 16KiB",
    "trace generate uniform --sizes 4KiB:0.7,64KiB",
    "trace generate pass --sizes 64KiB",
    "trace generate uniform --bursts 64/10",
    "trace generate uniform --prefill",
    "trace generate zns --active 16",
    "theory",
    "theory --spare 1",
    "theory --spare 0.1,nan",
    "theory --spare 1e-17",
    "theory --over-provisioning 9e-7",
    "theory --spare 0.1 --over-provisioning 0.1",
    "theory --spare 0.1 --block 0",
    "theory --spare 0.1 --block 4194305",
    "theory --spare 0.1 --hot 80",
    "theory --spare 0.1 --discards 0.5",
    "theory --spare 0.1 --pools 80",
    "theory --spare 0.1 --pools 80/20,20/80/log",
    "theory --spare 0.1 --pools 100/20,0/80",
    "theory --spare 0.1 --pools 80/20,20/70",
    "theory --spare 0.1 --split 20,80",
    "theory --spare 0.1 --pools 80/20,20/80 --split 20,much",
    "theory --spare 0.1 --pools 80/20,20/80 --split 100",
    "theory --spare 0.1 --pools 80/20,20/80 --split 20,70",
    "theory --spare 0.2,0.1 --pools 80/20,20/80 --split 30,70",
    "run --repeat 0 good.csv",
    "run --repeat -1 good.csv",
    "run --repeat 4294967296 good.csv",
    "compare --jobs 0 good.csv",
    "compare --jobs many good.csv",
    "compare --size 0 good.csv",
    "compare --size 1MiB,16Mb good.csv",
    "compare --size 1MiB,,2MiB good.csv",
    "compare --size 511 good.csv",
    "compare --ram-total 1MiB --size 1MiB good.csv",
    "compare --ram-total much good.csv",
    "compare --ram-total 1KiB good.csv",
    "compare --buffer lru,nosuch good.csv",
    "compare --buffer lru,bplur good.csv",
    "compare --no-html --html x.html good.csv",
    "trace info --page-size 100 good.csv",
    "trace info --erase-block 2G good.csv",
    // `compare` refuses what `run` refuses, even if all compared runs would override it
    "compare --set buffer.size=0 --size 1MiB good.csv",
];

#[test]
fn messages_on_options() {
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16]));
    let message = |line: &&str| format!("$ ssdlab {line}\n{}\n", lab.refused(*line, &[]));
    insta::assert_snapshot!(REFUSED.iter().map(message).collect::<String>());
}

#[test]
fn values_that_are_valid_alone() {
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16]));
    // refused before the first run finds that the trace exceeds the device
    let compare = "compare --buffer=lru,bplru --size=512 --jobs=1 good.csv --set flash.page_size=512 \
                   --set flash.pages_per_block=1 --set flash.capacity=512 --set buffer.count_headers=true \
                   --set buffer.size=1KiB";
    lab.refused(compare, &["at least 2 pages with buffer.count_headers"]);
}

/// The help is on standard error.
#[test]
fn no_command() {
    let lab = Lab::new();
    let nothing = lab.run("");
    assert_eq!((nothing.code, &*nothing.stdout), (Some(2), ""));
    assert!(nothing.stderr.contains("Usage: ssdlab [OPTIONS] <COMMAND>"));
}

// planted bugs: the advice to write `--`, which makes another file of a wrong option; the nearest option lost with it
#[test]
fn a_wrong_option_is_not_offered_as_a_file() {
    let lab = Lab::new();
    for args in [
        "run t.csv --bogus",
        "compare --sizs 1M t.csv",
        "run -x t.csv",
        "drive info --jsn d.img",
    ] {
        let message = lab.refused(args, &["unexpected argument"]);
        assert!(!message.contains("as a value"), "{message}");
    }
    lab.refused("compare --sizs 1M t.csv", &["'--size'"]);
}
