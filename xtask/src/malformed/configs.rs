//! Configurations with one fault.

use super::base::Change::{self, Edit, Whole};
use super::base::{Base, until, utf_16};
use ssdlab_config::Resolver;

pub const BASE: Base = Base {
    prefix: "configs/",
    extension: "toml",
    text: TEXT,
    changes: CHANGES,
    refused,
};

fn refused(bytes: &[u8]) -> bool {
    let mut resolver = Resolver::new();
    let resolved = resolver
        .file("device.toml", bytes)
        .and_then(|resolver| resolver.resolve());
    resolved.is_err()
}

const TEXT: &str = "\
# a small device
drain = true

[flash]
capacity = \"1MiB\"
page_size = 512
pages_per_block = 4

[timing]
read_us = 25.5

[ftl]
kind = \"bast\"
log_blocks = 2
spare_blocks = 1

[buffer]
policy = \"lru\"
size = \"4KiB\"
";

const CHANGES: &[(&str, Change)] = &[
    ("a-json-object", Whole(|_| b"{\"drain\": true}\n".into())),
    (
        "a-merge-conflict",
        Edit(
            "log_blocks = 2\n",
            "<<<<<<< HEAD\nlog_blocks = 2\n=======\nlog_blocks = 3\n>>>>>>> other\n",
        ),
    ),
    (
        "a-table-in-place-of-a-value",
        Edit("policy = \"lru\"", "policy.name = \"lru\""),
    ),
    (
        "a-trace",
        Whole(|_| b"time_ns,op,offset_bytes,size_bytes\n0,W,0,512\n".into()),
    ),
    (
        "array-in-place-of-a-number",
        Edit("log_blocks = 2", "log_blocks = [2]"),
    ),
    ("array-in-place-of-a-table", Edit("[buffer]", "[[buffer]]")),
    (
        "array-of-preset-names",
        Edit("drain = true", "preset = [\"bplru-2008\"]"),
    ),
    (
        "array-not-ascending",
        Edit("spare_blocks = 1", "stable_s = [200.0, 100.0]"),
    ),
    (
        "array-of-mixed-types",
        Edit("spare_blocks = 1", "stable_s = [100.0, \"200\"]"),
    ),
    (
        "a-program",
        Whole(|_| b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".into()),
    ),
    (
        "block-size-without-its-capacity",
        Whole(|_| b"[flash]\npages_per_block = 100\n".into()),
    ),
    (
        "block-size-without-the-capacity-of-a-preset",
        Whole(|_| b"preset = \"bplru-2008\"\n[flash]\npage_size = 1536\n".into()),
    ),
    ("buffer-smaller-than-a-page", Edit("4KiB", "511B")),
    ("byte-order-mark-inside", Edit("[flash]", "\u{FEFF}[flash]")),
    ("capacity-no-whole-blocks", Edit("1MiB", "1025KiB")),
    ("capacity-of-too-many-pages", Edit("1MiB", "4TiB")),
    ("capacity-smaller-than-a-block", Edit("1MiB", "1KiB")),
    (
        "carriage-returns-alone",
        Whole(|text| text.replace('\n', "\r").into()),
    ),
    ("cut-off-in-a-string", Whole(|text| until(text, "\"lr"))),
    ("empty-key", Edit("drain = true", "\"\" = true")),
    ("empty-name", Edit("\"lru\"", "\"\"")),
    ("empty-size", Edit("\"4KiB\"", "\"\"")),
    (
        "equals-sign-missing",
        Edit("log_blocks = 2", "log_blocks 2"),
    ),
    (
        "float-in-place-of-an-integer",
        Edit("log_blocks = 2", "log_blocks = 2.0"),
    ),
    (
        "no-spare-block",
        Edit("spare_blocks = 1", "spare_blocks = 0"),
    ),
    (
        "integer-of-2-to-63",
        Edit("log_blocks = 2", "log_blocks = 9223372036854775808"),
    ),
    (
        "integer-out-of-range",
        Edit("log_blocks = 2", "log_blocks = 65536"),
    ),
    (
        "key-of-another-section",
        Edit("policy = \"lru\"", "policy = \"lru\"\nlog_blocks = 2"),
    ),
    (
        "key-outside-its-section",
        Edit("drain = true", "page_size = 512"),
    ),
    (
        "key-twice",
        Edit("log_blocks = 2", "log_blocks = 2\nlog_blocks = 3"),
    ),
    (
        "key-twice-with-dots",
        Edit(
            "drain = true",
            "flash.page_size = 512\nflash.page_size = 1024",
        ),
    ),
    ("key-unknown", Edit("drain = true", "wear_levelling = true")),
    ("key-with-a-typo", Edit("log_blocks", "logblocks")),
    (
        "key-with-dots-and-its-section",
        Edit("drain = true", "flash.page_size = 512"),
    ),
    (
        "key-with-quoted-dots",
        Edit("drain = true", "\"flash.page_size\" = 1024"),
    ),
    (
        "merge-of-an-ideal-ftl",
        Edit(
            "kind = \"bast\"",
            "kind = \"ideal\"\nbuffer_aware = \"merge\"",
        ),
    ),
    ("name-in-capitals", Edit("\"lru\"", "\"LRU\"")),
    ("name-without-quotes", Edit("\"lru\"", "lru")),
    ("name-with-a-typo", Edit("\"lru\"", "\"bprlu\"")),
    (
        "nesting-too-deep",
        Whole(|_| format!("drain = {}", "[".repeat(2000)).into()),
    ),
    (
        "number-in-place-of-a-switch",
        Edit("drain = true", "drain = 1"),
    ),
    ("number-infinite", Edit("25.5", "inf")),
    ("number-negative", Edit("25.5", "-25.5")),
    ("number-not-a-number", Edit("25.5", "nan")),
    ("number-with-a-comma", Edit("25.5", "25,5")),
    (
        "page-size-no-multiple-of-512",
        Edit("page_size = 512", "page_size = 1000"),
    ),
    (
        "pages-per-block-zero",
        Edit("pages_per_block = 4", "pages_per_block = 0"),
    ),
    (
        "preset-unknown",
        Edit("drain = true", "preset = \"bplru-2009\""),
    ),
    ("section-in-capitals", Edit("[buffer]", "[Buffer]")),
    ("section-in-a-section", Edit("[buffer]", "[ftl.buffer]")),
    ("section-not-closed", Edit("[buffer]", "[buffer")),
    ("section-twice", Edit("[buffer]", "[flash]")),
    ("section-unknown", Edit("[buffer]", "[cache]")),
    ("size-in-bits", Edit("4KiB", "4Kb")),
    ("size-in-parts-of-a-byte", Edit("4KiB", "1.0001KiB")),
    ("size-in-unknown-unit", Edit("4KiB", "4PiB")),
    ("size-without-quotes", Edit("\"4KiB\"", "4KiB")),
    (
        "spare-blocks-and-over-provisioning",
        Edit(
            "spare_blocks = 1",
            "spare_blocks = 1\nover_provisioning = 0.07",
        ),
    ),
    (
        "string-in-place-of-a-number",
        Edit("log_blocks = 2", "log_blocks = \"2\""),
    ),
    ("utf-16", Whole(utf_16)),
    ("value-missing", Edit("log_blocks = 2", "log_blocks =")),
    ("yaml", Whole(|_| b"flash:\n  page_size: 512\n".into())),
    (
        "latin-1",
        Whole(|text| [text.as_bytes(), b"# 25 \xB5s\n"].concat()),
    ),
];
