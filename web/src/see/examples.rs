//! The examples: those of the BPLRU paper, and what merges and cleaning do.

use serde_json::{Value, json};

/// A workload with its device, and what to look at.
pub struct Example {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    pub set: &'static [&'static str],
    pub pages: &'static str,
}

macro_rules! small {
    ($($more:literal),*) => {
        &[
            "flash.capacity=10KiB", "flash.page_size=512", "flash.pages_per_block=4", "ftl.kind=bast",
            "ftl.log_blocks=2", "buffer.size=4KiB", "buffer.count_headers=off", $($more),*
        ]
    };
}

/// All of them.
pub const ALL: [Example; 9] = [
    Example {
        name: "table-1-lru",
        title: "BPLRU, Table 1: LRU",
        about: "Kim and Ahn (FAST 2008) write 14 scattered pages through a buffer of eight, over two log blocks. No page is written twice, so LRU is a queue: nearly every page that leaves needs a log block of its own, and 12 full merges follow.",
        set: small!(
            "precondition=empty",
            "ftl.partial_merge=false",
            "buffer.policy=lru"
        ),
        pages: "0 4 8 12 16 1 5 9 13 17 2 6 10 14",
    },
    Example {
        name: "table-1-blru",
        title: "BPLRU, Table 1: block-level LRU",
        about: "The same writes. Block-level LRU lets all pages of a block leave together, so they share a log block: seven merges instead of twelve.",
        set: small!(
            "precondition=empty",
            "ftl.partial_merge=false",
            "buffer.policy=blru"
        ),
        pages: "0 4 8 12 16 1 5 9 13 17 2 6 10 14",
    },
    Example {
        name: "figure-3",
        title: "BPLRU, Figure 3: the list of blocks",
        about: "When page 15 is written again, its whole block moves to the recent end of the list. So page 12 stays, though it is the oldest page; block 1 with pages 5 and 6 leaves first.",
        set: small!("buffer.policy=blru"),
        pages: "12 15 5 6 0 1 8 9 15 16",
    },
    Example {
        name: "figure-4",
        title: "BPLRU, Figure 4: page padding",
        about: "The victim has pages 12 and 15 only. BPLRU reads 13 and 14 from flash and writes all four in order, so the log block can replace the data block: a switch merge, which copies nothing.",
        set: small!("buffer.policy=bplru"),
        pages: "12 15",
    },
    Example {
        name: "figure-5",
        title: "BPLRU, Figure 5: LRU compensation",
        about: "Block 2 was written from its first page to its last. BPLRU expects no more writes to it and moves it to the end that leaves next, though it is the most recent one.",
        set: small!("buffer.policy=bplru"),
        pages: "0 5 13 14 8 9 10 11 17",
    },
    Example {
        name: "merges",
        title: "Switch, partial and full merge",
        about: "Without a buffer, each write goes to the log block of its block. Block 0 is written in order: its log block becomes the data block (switch). Of block 1 the first two pages are written: the rest is copied behind them (partial). Block 2 is written out of order: the newest pages are copied into a third block (full).",
        set: small!("ftl.partial_merge=true", "buffer.policy=none"),
        pages: "0 1 2 3 4 5 8 12 10 9 8 16 11 0 17",
    },
    Example {
        name: "fast",
        title: "FAST: log blocks for all",
        about: "FAST shares its random log blocks among all data blocks. They fill better, but the merge of one log block touches every block that has a page in it.",
        set: &[
            "flash.capacity=10KiB",
            "flash.page_size=512",
            "flash.pages_per_block=4",
            "ftl.kind=fast",
            "ftl.log_blocks=3",
            "buffer.policy=none",
        ],
        pages: "1 6 9 14 18 2 5 10 13 17 0 1 2 3 7",
    },
    Example {
        name: "cleaning",
        title: "Page mapping: cleaning",
        about: "Page mapping writes each page to the next free place and forgets the old one. When free blocks run out, cleaning takes the block with the fewest valid pages, copies those and erases it. The copies are the write amplification.",
        set: &[
            "flash.capacity=12KiB",
            "flash.page_size=512",
            "flash.pages_per_block=4",
            "ftl.kind=page",
            "ftl.spare_blocks=4",
            "ftl.gc_low=1",
            "buffer.policy=none",
        ],
        pages: "0 5 10 15 20 1 6 11 0 16 5 21 2 10 7 12 0 3 17",
    },
    Example {
        name: "padding-buffer",
        title: "A buffer that holds what is rewritten",
        about: "Pages 0 to 3 are written again and again among others. Those hits stay in RAM and never reach flash.",
        set: small!("buffer.policy=fab"),
        pages: "0-3 8 0-3 13 0-3 18 0-3 5 0-3 9 14 0-3",
    },
];

impl Example {
    /// What the page shows of it.
    pub fn said(&self) -> Value {
        json!({ "name": self.name, "title": self.title, "about": self.about, "set": self.set, "pages": self.pages })
    }
}

/// The example of a name.
pub fn named(name: &str) -> Result<&'static Example, String> {
    static EXAMPLES: [Example; 9] = ALL;
    let found = EXAMPLES.iter().find(|example| example.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|example| example.name).collect();
        format!(
            "{name:?} is no example; must be one of {}",
            names.join(", ")
        )
    })
}

/// All of them, for the page.
pub fn all() -> Vec<Value> {
    ALL.iter().map(Example::said).collect()
}
