//! Configurations that must be refused: exit code 2, a message that names the key, what was found, what is
//! allowed and the nearest name; nothing on standard output, no file written.
//!
//! Planted bugs that these catch: a misspelt key that is ignored; a system that is not built yet taken for another; a
//! value out of range that wraps around; an output file although the run was refused.

use crate::common::{Lab, writes};

/// The small device and a good trace of it.
fn lab() -> Lab {
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16]));
    lab
}

/// The commands that take a configuration, each with an output that must not appear.
const COMMANDS: [&[&str]; 3] = [
    &["run", "--json", "good.csv", "--events", "out.jsonl"],
    &["compare", "good.csv"],
    &["config", "show"],
];

#[test]
fn values_that_are_refused() {
    let cases: &[(&str, &[&str])] = &[
        // names
        (
            "buffer.policy=nosuch",
            &["buffer.policy = \"nosuch\"", "none, fifo, lru"],
        ),
        (
            "buffer.policy=bplur",
            &["buffer.policy = \"bplur\"", "did you mean \"bplru\"?"],
        ),
        (
            "ftl.kind=basst",
            &["ftl.kind = \"basst\"", "did you mean \"bast\"?"],
        ),
        (
            "preset=bplru-2009",
            &["bplru-2009", "did you mean \"bplru-2008\"?"],
        ),
        (
            "buffer.polcy=lru",
            &["unknown key buffer.polcy", "did you mean buffer.policy?"],
        ),
        (
            "bufer.policy=lru",
            &["unknown key bufer.policy", "did you mean buffer.policy?"],
        ),
        (
            "page_size=512",
            &["unknown key page_size", "did you mean flash.page_size?"],
        ),
        (
            "xyzzy=1",
            &["unknown key xyzzy", "keys outside tables", "tables: flash"],
        ),
        ("flash=1", &["flash = 1", "is a table; its keys: capacity"]),
        // syntax
        (
            "buffer.policy",
            &["buffer.policy", "must be key=value", "buffer.policy=lru"],
        ),
        ("", &["must be key=value"]),
        ("=lru", &["must be key=value"]),
        ("buffer.size=16Mb", &["\"16Mb\"", "such as \"16MiB\""]),
        ("drain=yes", &["drain = \"yes\"", "true or false"]),
        // ranges
        (
            "flash.page_size=0",
            &["flash.page_size = 0", "512B to 1MiB in steps of 512"],
        ),
        (
            "flash.page_size=513",
            &["flash.page_size = 513", "in steps of 512"],
        ),
        (
            "flash.page_size=2MiB",
            &["flash.page_size = \"2MiB\"", "512B to 1MiB"],
        ),
        (
            "flash.page_size=-512",
            &["flash.page_size = -512", "512B to 1MiB"],
        ),
        (
            "flash.pages_per_block=0",
            &["flash.pages_per_block = 0", "1 to 65536"],
        ),
        ("flash.pages_per_block=65537", &["= 65537", "1 to 65536"]),
        ("flash.capacity=0", &["flash.capacity = 0", "from 512B"]),
        (
            "flash.capacity=1000448",
            &[
                "whole number of blocks of 262144 bytes",
                "786432 or 1048576",
            ],
        ),
        (
            "flash.capacity=4000TiB",
            &["flash.capacity", "physical pages", "4294967294"],
        ),
        (
            "flash.capacity=all",
            &["flash.capacity = \"all\"", "or \"auto\""],
        ),
        ("ftl.log_blocks=0", &["ftl.log_blocks = 0", "1 to 65535"]),
        (
            "ftl.log_blocks=18446744073709551616",
            &["ftl.log_blocks", "1 to 65535"],
        ),
        (
            "ftl.spare_blocks=0",
            &["ftl.spare_blocks = 0", "at least 1 spare block"],
        ),
        (
            "timing.read_us=nan",
            &["timing.read_us = nan", "0 to 1000000"],
        ),
        (
            "timing.erase_us=-1",
            &["timing.erase_us = -1", "0 to 1000000"],
        ),
        (
            "buffer.size=511",
            &["buffer.size = 511", "at least 1 page, 2KiB"],
        ),
        ("buffer.window=1.5", &["buffer.window = 1.5", "0 to 1"]),
    ];
    let lab = lab();
    for (setting, fragments) in cases {
        let fragments = [&["error: --set "], *fragments].concat();
        for command in COMMANDS {
            lab.refused(&[command, &["--set", setting]].concat(), &fragments);
        }
    }
    for name in ["nosuch", "lfs-2011"] {
        for command in COMMANDS {
            lab.refused(
                &[command, &["--preset", name]].concat(),
                &[name, "bplru-2008"],
            );
        }
    }
}

#[test]
fn more_pages_than_can_be_numbered() {
    // the error is about the capacity, or about the spare blocks beside it
    for setting in ["ftl.spare_blocks=4294967294", "ftl.over_provisioning=99"] {
        let more = [
            "--set",
            "flash.page_size=512",
            "--set",
            "flash.capacity=1TiB",
            "--set",
            setting,
        ];
        for command in COMMANDS {
            lab().refused(
                &[command, &more].concat(),
                &["physical pages", "at most 4294967294"],
            );
        }
    }
}

#[test]
fn files_that_are_refused() {
    let cases: &[(&str, &[u8], &[&str])] = &[
        (
            "binary.toml",
            b"\x00\xFF\xFE",
            &["binary.toml:1: ", "UTF-8"],
        ),
        (
            "endless.toml",
            &[b'#'; (1 << 20) + 1],
            &["endless.toml: more than 1 MiB"],
        ),
        (
            "open.toml",
            b"drain = true\n[flash\n",
            &["open.toml:2: not TOML"],
        ),
        ("trace.toml", b"0,W,0,512\n", &["trace.toml:1: not TOML"]),
        (
            "twice.toml",
            b"drain = true\ndrain = false\n",
            &["twice.toml:2: ", "duplicate key"],
        ),
        (
            "key.toml",
            b"\n[ftl]\nlogblocks = 1\n",
            &["key.toml:3: ", "did you mean ftl.log_blocks?"],
        ),
        (
            "table.toml",
            b"[flsh]\n",
            &["table.toml:1: unknown table flsh", "did you mean flash?"],
        ),
        (
            "type.toml",
            b"[ftl]\nlog_blocks = \"7\"\n",
            &["type.toml:2: ", "\"7\"", "an integer"],
        ),
        (
            "policy.toml",
            b"[buffer]\npolicy = \"lur\"\n",
            &["policy.toml:2: ", "did you mean \"lru\"?"],
        ),
        (
            "block.toml",
            b"[flash]\ncapacity = 1000448\n",
            &["block.toml:2: ", "whole number of blocks"],
        ),
    ];
    let lab = lab();
    for (name, bytes, fragments) in cases {
        lab.write(name, bytes);
        for command in COMMANDS {
            lab.refused(&[command, &["--config", name]].concat(), fragments);
        }
    }
    for command in COMMANDS {
        let refuse = |config, fragments: &[&str]| {
            lab.refused(&[command, &["--config", config]].concat(), fragments);
        };
        refuse("nosuch.toml", &["nosuch.toml: ", "No such file"]);
        refuse(".", &[".: ", "directory"]);
    }
}
