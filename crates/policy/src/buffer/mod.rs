//! Write-buffer policies.

use crate::Entry;

/// Every policy that can run.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "none",
        rule: "no buffer: each host page goes straight to the FTL",
        paper: "",
        keys: &[],
    },
    Entry {
        name: "fifo",
        rule: "",
        paper: "",
        keys: &["buffer.size"],
    },
    Entry {
        name: "lru",
        rule: "",
        paper: "",
        keys: &["buffer.size"],
    },
    Entry {
        name: "cflru",
        rule: "",
        paper: "",
        keys: &["buffer.size", "buffer.window"],
    },
    Entry {
        name: "sof",
        rule: "",
        paper: "",
        keys: &["buffer.size"],
    },
    Entry {
        name: "fab",
        rule: "",
        paper: "",
        keys: &["buffer.size", "buffer.count_headers"],
    },
    Entry {
        name: "blru",
        rule: "",
        paper: "",
        keys: &["buffer.size", "buffer.count_headers"],
    },
    Entry {
        name: "bplru",
        rule: "",
        paper: "",
        keys: &[
            "buffer.size",
            "buffer.count_headers",
            "buffer.padding",
            "buffer.compensation",
        ],
    },
    Entry {
        name: "unbounded",
        rule: "",
        paper: "",
        keys: &[],
    },
];

/// Policies of the papers that are not built yet: refused by name.
pub const PLANNED: &[&str] = &["plru-br", "plru-br-2q", "three-region"];
