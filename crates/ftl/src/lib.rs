//! Flash translation layers.

use ssdlab_policy::Entry;

/// Every FTL that can run.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "ideal",
        rule: "",
        paper: "",
        keys: &[],
    },
    Entry {
        name: "bast",
        rule: "",
        paper: "",
        keys: &[
            "ftl.log_blocks",
            "ftl.spare_blocks",
            "ftl.over_provisioning",
            "ftl.partial_merge",
        ],
    },
];

/// FTLs of the papers that are not built yet: refused by name.
pub const PLANNED: &[&str] = &["block", "replacement", "fast", "superblock", "page"];
