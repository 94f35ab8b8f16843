//! Commands and options that must be refused: exit code 2, a message that names the option and the nearest name;
//! nothing on standard output, no report written.
//!
//! Planted bugs that these catch: 0 repetitions or threads taken for "the default"; an error of `--size` reported as
//! one of a `--set` that the user never gave; an invalid combination of `compare` found only after the others ran; a
//! synthetic trace that ends early, or takes all memory, instead of being refused.

use crate::common::{Lab, ended, writes};

#[test]
fn options_that_are_refused() {
    let cases: &[(&str, &[&str])] = &[
        (
            "compar good.csv",
            &["'compar'", "similar subcommand exists: 'compare'"],
        ),
        ("trace inof good.csv", &["'inof'", "'info'"]),
        ("config shw", &["'shw'", "'show'"]),
        ("list everything", &["'everything'"]),
        ("run", &["<TRACE>"]),
        ("run good.csv other.csv", &["'other.csv'"]),
        ("run --jsno good.csv", &["'--jsno'", "'--json'"]),
        ("compare --sizes 1MiB good.csv", &["'--sizes'", "'--size'"]),
        (
            "run --steady --loops 2 good.csv",
            &["'--steady[=<N>]'", "cannot be used with '--loops <N>'"],
        ),
        ("compare --steady=1 good.csv", &["'1'", "--steady", "2..="]),
        (
            "trace generate unifrom",
            &["'unifrom'", "similar subcommand exists: 'uniform'"],
        ),
        (
            "trace generate zipf --theta 11",
            &["'11'", "--theta", "from 0 to 10"],
        ),
        (
            "trace generate locality --locality 80",
            &["'80'", "such as 20/80"],
        ),
        (
            "trace generate uniform --capacity 0",
            &["'0'", "--capacity", "such as 4KiB"],
        ),
        (
            "trace generate uniform --capacity 1KiB",
            &["error: --capacity: has 0 units of 4096 bytes"],
        ),
        (
            "trace generate uniform --discards 0.5",
            &["'0.5'", "--discards", "below 0.5"],
        ),
        (
            "trace generate uniform --discards 0.1 --reads 0.5",
            &["error: --discards: cannot be combined with --reads"],
        ),
        (
            "trace generate mixed --streams 3 --capacity 8KiB",
            &["has 2 units", "a part for each stream needs at least 3"],
        ),
        (
            "trace generate sequential --requests 5000000 --interval-us 4294967295",
            &[
                "error: --requests 5000000: ",
                "--interval-us",
                "at most 4294968",
            ],
        ),
        (
            "trace generate postmark --least 20",
            &["error: --least 20: is more than --most, 8"],
        ),
        (
            "trace generate postmark --capacity 4096TiB --requests 3",
            &["error: --capacity: has 1099511627776 units", "at most 2^28"],
        ),
        (
            "trace generate postmark --capacity 1MiB",
            &["error: --files 500: ", "256 units"],
        ),
        ("theory", &["--spare"]),
        ("theory --spare 1", &["'1'", "--spare", "below 1"]),
        ("theory --spare 0.1,nan", &["'nan'", "--spare", "from 1e-6"]),
        ("theory --spare 1e-17", &["'1e-17'", "--spare", "from 1e-6"]),
        (
            "theory --over-provisioning 9e-7",
            &["'9e-7'", "--over-provisioning", "from 1e-6"],
        ),
        (
            "theory --spare 0.1 --over-provisioning 0.1",
            &["--spare", "--over-provisioning"],
        ),
        ("theory --spare 0.1 --block 0", &["'0'", "--block", "1..="]),
        (
            "theory --spare 0.1 --hot 80",
            &["'80'", "--hot", "such as 80/20"],
        ),
        (
            "theory --spare 0.1 --discards 0.5",
            &["'0.5'", "--discards", "below 0.5"],
        ),
        ("run --repeat 0 good.csv", &["'0'", "--repeat", "1..="]),
        ("run --repeat -1 good.csv", &["-1"]),
        (
            "run --repeat 4294967296 good.csv",
            &["'4294967296'", "--repeat"],
        ),
        ("compare --jobs 0 good.csv", &["'0'", "--jobs", "1..="]),
        ("compare --jobs many good.csv", &["'many'", "--jobs"]),
        (
            "compare --size 0 good.csv",
            &["error: --size 0: buffer.size = 0", "at least 1 page"],
        ),
        (
            "compare --size 1MiB,16Mb good.csv",
            &["error: --size 16Mb: ", "such as \"16MiB\""],
        ),
        (
            "compare --size 1MiB,,2MiB good.csv",
            &["--size", "must be a size"],
        ),
        (
            "compare --size 511 good.csv",
            &["--size 511: ", "at least 1 page"],
        ),
        (
            "compare --buffer lru,nosuch good.csv",
            &["error: --buffer nosuch: ", "none, fifo, lru"],
        ),
        (
            "compare --buffer lru,bplur good.csv",
            &["--buffer bplur: ", "did you mean \"bplru\"?"],
        ),
        (
            "compare --no-html --html x.html good.csv",
            &["--no-html", "--html"],
        ),
        (
            "trace info --page-size 100 good.csv",
            &["'100'", "--page-size", "from 512 bytes to 1MiB"],
        ),
        // `compare` refuses what `run` refuses, even if all compared runs would override it
        (
            "compare --set buffer.size=0 --size 1MiB good.csv",
            &["--set buffer.size = 0"],
        ),
    ];
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16]));
    for (line, fragments) in cases {
        let args: Vec<&str> = line.split(' ').collect();
        lab.refused(&args, fragments);
    }
    // two values that are valid alone: refused before the first run finds that the trace exceeds the device
    let tiny = [
        "flash.page_size=512",
        "flash.pages_per_block=1",
        "flash.capacity=512",
        "buffer.count_headers=true",
    ];
    let mut args = vec![
        "compare",
        "--buffer=lru,bplru",
        "--size=512",
        "--jobs=1",
        "good.csv",
    ];
    args.extend(tiny.iter().flat_map(|setting| ["--set", setting]));
    args.extend(["--set", "buffer.size=1KiB"]);
    lab.refused(&args, &["at least 2 pages with buffer.count_headers"]);
    // without a command: the help, on standard error
    let nothing = ended(&mut lab.command(&[]));
    assert_eq!((nothing.code, &*nothing.stdout), (Some(2), ""));
    assert!(nothing.stderr.contains("Usage: ssdlab <COMMAND>"));
}
