//! Random small devices with random requests, for property tests.
//!
//! A case is text: a failure prints its case, which can be pasted into a test to replay it.

mod clusters;
mod sizes;

use std::fmt;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config as Runs, TestCaseError, TestError, TestRunner};
use ssdlab_config::Config;
use ssdlab_device::registry::{NO_BUFFER, built_in};
use ssdlab_device::{Catalogue, Family};
use ssdlab_host::{Op, Request};

use self::clusters::{Clusters, clusters};
use self::sizes::{PAGE_SIZE, buffer_bytes};
use crate::configs;

/// A device and the requests of its host. Some of the requests must be refused.
#[derive(Clone, PartialEq)]
pub struct Case {
    /// `key=value` settings without white space.
    pub settings: Vec<String>,
    /// Whether page numbers are taken modulo the capacity.
    pub wrap: bool,
    /// The requests.
    pub requests: Vec<Request>,
}

impl Case {
    /// Parses the text of a case, as a failure prints it.
    ///
    /// # Panics
    /// If the text is not a case.
    pub fn replay(settings: &str, wrap: bool, requests: &str) -> Self {
        Self {
            settings: settings.split_whitespace().map(str::to_owned).collect(),
            wrap,
            requests: requests.split_terminator(',').map(parse_request).collect(),
        }
    }

    /// The value of a key that was set.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut last_first = self.settings.iter().rev();
        // most keys have another length
        let ends = |setting: &&String| setting.as_bytes().get(key.len()) == Some(&b'=');
        let found = last_first.find(|setting| ends(setting) && setting.starts_with(key))?;
        Some(&found[key.len() + 1..])
    }

    /// The configuration.
    pub fn config(&self) -> Config {
        configs::config(&self.settings)
    }

    /// The requests that the device must serve.
    pub fn legal_requests(&self) -> Vec<Request> {
        let capacity = self.number("flash.capacity");
        let all = self.requests.iter().copied();
        all.filter(|request| self.fits(request, capacity)).collect()
    }

    /// Whether the device must serve the request: it covers at least one byte, and nothing beyond the device.
    pub fn is_legal(&self, request: &Request) -> bool {
        self.fits(request, self.number("flash.capacity"))
    }

    fn fits(&self, request: &Request, capacity: u64) -> bool {
        let reach = if self.wrap {
            request.size()
        } else {
            request.end()
        };
        request.op() == Op::Flush || request.size() > 0 && reach <= capacity
    }

    /// Whether a request wraps around to the first page, or starts again there.
    pub fn wraps(&self, request: &Request) -> bool {
        let beyond = request.end() > self.number("flash.capacity");
        request.op() != Op::Flush && self.is_legal(request) && beyond
    }

    /// An integer that every case sets.
    fn number(&self, key: &str) -> u64 {
        let value = self.get(key).and_then(|value| value.parse().ok());
        value.unwrap_or_else(|| panic!("{key} is no number"))
    }
}

fn parse_request(text: &str) -> Request {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| fields[at].parse().expect("a number");
    let op = Op::ALL
        .into_iter()
        .find(|op| *fields[1] == *op.letter().to_string());
    Request::new(number(0), op.expect("an op"), number(2), number(3)).expect("a request")
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |r: &Request| {
            let (time, op) = (r.time_ns, r.op().letter());
            format!("{time} {op} {} {}", r.offset, r.size())
        };
        let requests: Vec<String> = self.requests.iter().map(line).collect();
        let (settings, requests) = (self.settings.join(" "), requests.join(", "));
        write!(f, "Case::replay({settings:?}, {}, {requests:?})", self.wrap)
    }
}

/// Runs a test on cases of all registered FTLs until one fails, and then on smaller ones, down to the smallest that
/// still fails. `PROPTEST_CASES` overrides the number.
///
/// # Panics
/// If a case fails; the message contains the smallest one.
pub fn run(cases: u32, test: impl Fn(&Case) -> Result<(), String>) {
    let (ftls, placements) = (names(Family::Ftl), names(Family::Placement));
    run_with(&ftls, &names(Family::Cleaning), &placements, cases, test);
}

/// The names of the built-in systems of a family.
pub fn names(family: Family) -> Vec<&'static str> {
    built_in(family).iter().map(|entry| entry.name).collect()
}

/// The names of the built-in cleaning policies that the model has: all that draw no random numbers.
pub fn modelled_cleanings() -> Vec<&'static str> {
    let cleanings = built_in(Family::Cleaning).iter();
    let drawless = cleanings.filter(|entry| !entry.reads("ftl.seed"));
    drawless.map(|entry| entry.name).collect()
}

/// The names of the built-in policies that a read buffer can have, and of "no buffer".
pub fn read_buffers() -> Vec<&'static str> {
    let built_in = Catalogue::built_in();
    built_in
        .read_buffers()
        .map(|info| info.entry.name)
        .collect()
}

/// The names of the built-in FTLs whose merges or cleaning may use the buffer.
pub fn buffer_aware_ftls() -> Vec<&'static str> {
    let ftls = built_in(Family::Ftl).iter();
    let aware = ftls.filter(|entry| entry.reads("ftl.buffer_aware"));
    aware.map(|entry| entry.name).collect()
}

/// As [`run`], with only these FTLs, cleaning policies and placements.
///
/// # Panics
/// As [`run`].
pub fn run_with(
    ftls: &[&'static str],
    cleanings: &[&'static str],
    placements: &[&'static str],
    cases: u32,
    test: impl Fn(&Case) -> Result<(), String>,
) {
    let given = std::env::var_os("PROPTEST_CASES").is_some();
    let defaults = Runs::default();
    let runs = Runs {
        cases: if given { defaults.cases } else { cases },
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..defaults
    };
    let strategy = case(ftls, cleanings, placements);
    let outcome =
        TestRunner::new(runs).run(&strategy, |case| test(&case).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, case)) => panic!("{why}\n  replay: {case:?}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

/// A random case of these FTLs, cleaning policies and placements.
fn case(
    ftls: &[&'static str],
    cleanings: &[&'static str],
    placements: &[&'static str],
) -> impl Strategy<Value = Case> + use<> {
    let parts = (
        flash(),
        ftl(ftls, cleanings, placements),
        buffer(),
        read_buffer(),
        rest(),
        timing(),
    );
    let requests = vec(wish(), 1..50);
    (parts, prop::bool::weighted(0.2), requests).prop_map(|(parts, wrap, wishes)| {
        let (flash, ftl, buffer, read_buffer, rest, timing) = parts;
        let wishes = wishes.repeat(ftl.rounds());
        let settings = flash
            .settings()
            .into_iter()
            .chain(ftl.settings(&flash))
            .chain(buffer)
            .chain(ftl.instead_of_a_buffer())
            .chain(read_buffer)
            .chain(rest);
        Case {
            settings: settings.chain(timing).collect(),
            wrap,
            requests: requests_for(&flash, wrap, wishes),
        }
    })
}

/// The shape of a device.
#[derive(Clone, Debug)]
struct Flash {
    pages_per_block: u64,
    /// Logical blocks of each chip.
    blocks: u64,
    channels: u64,
    /// Chips on each channel.
    ways: u64,
    planes: u64,
    copy_back: bool,
}

impl Flash {
    fn block_bytes(&self) -> u64 {
        self.pages_per_block * PAGE_SIZE
    }

    fn capacity(&self) -> u64 {
        self.channels * self.ways * self.blocks * self.block_bytes()
    }

    fn settings(&self) -> Vec<String> {
        vec![
            format!("flash.page_size={PAGE_SIZE}"),
            format!("flash.pages_per_block={}", self.pages_per_block),
            format!("flash.capacity={}", self.capacity()),
            format!("flash.planes={}", self.planes),
            format!("flash.copy_back={}", self.copy_back),
            format!("flash.channels={}", self.channels),
            format!("flash.chips_per_channel={}", self.ways),
            "flash.interleave=page".to_owned(),
        ]
    }
}

fn flash() -> impl Strategy<Value = Flash> {
    // mostly small blocks; sometimes a block with more pages than one word of the bit map
    let pages = select(vec![1_u64, 3, 4, 7, 8, 3, 4, 7, 8, 65]);
    let chips = prop_oneof![8 => Just((1_u64, 1_u64)), 1 => Just((3, 1)), 1 => Just((2, 2))];
    (pages, 2_u64..=12, chips, 1_u64..=3, any::<bool>()).prop_map(
        |(pages_per_block, blocks, (channels, ways), planes, copy_back)| Flash {
            pages_per_block,
            blocks,
            channels,
            ways,
            planes,
            copy_back,
        },
    )
}

/// An FTL, before the size of the device is known. Each FTL reads the fields for which it has keys.
#[derive(Clone, Debug)]
struct Ftl {
    kind: &'static str,
    log_blocks: u64,
    /// Spare blocks beyond the minimum.
    further_spares: u64,
    partial_merge: bool,
    open_blocks: u64,
    blocks_per_superblock: u64,
    max_update_blocks: u64,
    cleaning: &'static str,
    d: u64,
    shared_frontier: bool,
    clusters: Clusters,
    gc_low: Option<u64>,
    clock: &'static str,
    spares: Spares,
    buffer_aware: &'static str,
    candidates: u64,
    weigh_copy_backs: bool,
}

/// The setting that gives the spare blocks of a page-mapped device.
#[derive(Clone, Copy, Debug)]
enum Spares {
    Default,
    Blocks,
    Fraction,
}

impl Ftl {
    fn settings(&self, flash: &Flash) -> Vec<String> {
        let mut settings = match self.kind {
            "block" => vec![format!("ftl.open_blocks={}", self.open_blocks)],
            // one log block is for sequential writes
            "fast" => vec![format!("ftl.log_blocks={}", self.log_blocks + 1)],
            "bast" => vec![
                format!("ftl.log_blocks={}", self.log_blocks),
                format!("ftl.partial_merge={}", self.partial_merge),
            ],
            "superblock" => vec![
                format!("ftl.log_blocks={}", self.log_blocks),
                format!("ftl.blocks_per_superblock={}", self.blocks_per_superblock),
                format!("ftl.max_update_blocks={}", self.max_update_blocks),
            ],
            "replacement" => vec![format!("ftl.log_blocks={}", self.log_blocks)],
            "page" => self.of_page(),
            _ => Vec::new(),
        };
        settings.push(format!("ftl.kind={}", self.kind));
        if buffer_aware_ftls().contains(&self.kind) {
            settings.push(format!("ftl.buffer_aware={}", self.buffer_aware));
            settings.push(format!("ftl.candidates={}", self.candidates));
            settings.push(format!("ftl.weigh_copy_backs={}", self.weigh_copy_backs));
        }
        settings.extend(self.spares(flash));
        settings
    }

    fn of_page(&self) -> Vec<String> {
        let mut settings = vec![
            format!("ftl.cleaning={}", self.cleaning),
            format!("clock={}", self.clock),
        ];
        settings.extend(self.clusters.settings(self.clock));
        if self.clusters.placement == "single" {
            let gc_frontier = if self.shared_frontier {
                "shared"
            } else {
                "separate"
            };
            settings.push(format!("ftl.gc_frontier={gc_frontier}"));
        }
        settings.extend(self.gc_low.map(|blocks| format!("ftl.gc_low={blocks}")));
        if self.cleaning == "d-choices" {
            settings.push(format!("ftl.d={}", self.d));
        }
        settings
    }

    /// A region in RAM takes no write buffer beside it.
    fn instead_of_a_buffer(&self) -> Option<String> {
        let has_ram = self.kind == "page" && self.clusters.has_ram();
        has_ram.then(|| "buffer.policy=none".to_owned())
    }

    fn frontiers(&self) -> u64 {
        match self.clusters.placement {
            "single" if self.shared_frontier => 1,
            "single" => 2,
            _ => self.clusters.regions_in_flash(),
        }
    }

    /// How many times the requests are repeated: `jffs2` takes each hundredth victim by another rule, and `fast`
    /// chooses a victim only when its random log blocks are full.
    fn rounds(&self) -> usize {
        match (self.kind, self.cleaning, self.buffer_aware) {
            ("page", "jffs2", _) => 8,
            ("fast", _, "merge+victim") => 6,
            _ => 1,
        }
    }

    /// The fewest spare blocks with which the FTL works.
    fn least_spares(&self) -> u64 {
        match self.kind {
            // a full replacement block closes before another one opens, so none is needed
            "ideal" | "block" => 0,
            // a merge, a fold or cleaning fills one
            "replacement" | "bast" | "fast" | "superblock" => 1,
            "page" => {
                let frontiers = self.frontiers();
                self.gc_low.unwrap_or(frontiers + 1) + frontiers + 1
            }
            other => panic!("no cases for {other:?} yet"),
        }
    }

    fn spares(&self, flash: &Flash) -> Option<String> {
        let blocks = self.least_spares() + self.further_spares;
        match self.spares {
            Spares::Default if self.kind == "page" => None,
            Spares::Fraction if self.kind == "page" => {
                let fraction = blocks as f64 / flash.blocks as f64;
                Some(format!("ftl.over_provisioning={fraction:?}"))
            }
            _ => Some(format!("ftl.spare_blocks={blocks}")),
        }
    }
}

fn ftl(
    names: &[&'static str],
    cleanings: &[&'static str],
    placements: &[&'static str],
) -> impl Strategy<Value = Ftl> + use<> {
    let weight = |name: &&'static str| match *name {
        // a bound has the least code to test
        "ideal" => 2,
        // each placement is almost an FTL of its own
        "page" => 2 + 2 * placements.len() as u32,
        _ => 4,
    };
    let kinds: Vec<_> = names
        .iter()
        .map(|name| (weight(name), Just(*name)))
        .collect();
    let kind = prop::strategy::Union::new_weighted(kinds);
    let further_spares = prop_oneof![3 => 0_u64..=2, 1 => 3_u64..=9];
    let blocks = (1_u64..=5, further_spares, 1_u64..=5, 1_u64..=4, 1_u64..=3);
    let cleaning = (select(cleanings.to_vec()), 1_u64..=3);
    let gc_low = option::of(1_u64..=4);
    let clock = select(vec!["writes", "trace"]);
    let spares = select(vec![Spares::Default, Spares::Blocks, Spares::Fraction]);
    let clusters = clusters(placements);
    let page = (cleaning, any::<bool>(), clusters, gc_low, clock, spares);
    let aware = (
        select(vec!["off", "off", "merge", "merge+victim"]),
        0_u64..=4,
        prop::bool::weighted(0.7),
    );
    let parts = (kind, blocks, any::<bool>(), page, aware);
    parts.prop_map(|(kind, blocks, partial_merge, page, aware)| {
        let (log_blocks, further_spares, open_blocks, blocks_per_superblock, max_update_blocks) =
            blocks;
        let ((cleaning, d), shared_frontier, clusters, gc_low, clock, spares) = page;
        Ftl {
            kind,
            log_blocks,
            further_spares,
            partial_merge,
            open_blocks,
            blocks_per_superblock,
            max_update_blocks,
            cleaning,
            d,
            shared_frontier,
            clusters,
            gc_low,
            clock,
            spares,
            buffer_aware: aware.0,
            candidates: aware.1,
            weigh_copy_backs: aware.2,
        }
    })
}

fn buffer() -> impl Strategy<Value = Vec<String>> {
    let age_ns = prop_oneof![Just(0_u64), 1_u64..3000];
    let reads = option::of(select(vec!["bypass", "cache"]));
    let switches = (
        prop::bool::weighted(0.2),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.8),
    );
    let weights = (
        select(vec!["three-quarters", "linear", "root", "none"]),
        select(vec!["learned", "learned", "equal", "first"]),
    );
    let window = select(vec![0.0, 0.1, 0.25, 0.5, 0.77, 1.0]);
    let hot = select(vec![0.0, 0.1, 0.3, 0.5, 1.0]);
    let small = 1_u32..8;
    let policy = any::<Index>();
    let numbers = (window, hot, small);
    (
        policy,
        buffer_bytes(),
        reads,
        age_ns,
        switches,
        weights,
        numbers,
    )
        .prop_map(
            |(
                policy,
                size,
                reads,
                age_ns,
                (protected, headers, padding, compensation, feedback),
                (age, complete),
                (window, hot, small),
            )| {
                let buffers = built_in(Family::Buffer);
                let policy = buffers[policy.index(buffers.len())].name;
                // a counted header takes a slot beside its page
                let size = if headers {
                    size.max(2 * PAGE_SIZE)
                } else {
                    size
                };
                let settings = vec![
                    format!("buffer.policy={policy}"),
                    format!("buffer.size={size}"),
                    format!("buffer.flush_age_s={age_ns}e-9"),
                    format!("buffer.protected={protected}"),
                    format!("buffer.count_headers={headers}"),
                    format!("buffer.padding={padding}"),
                    format!("buffer.compensation={compensation}"),
                    format!("buffer.age={age}"),
                    format!("buffer.complete={complete}"),
                    format!("buffer.feedback={feedback}"),
                    format!("buffer.window={window:?}"),
                    format!("buffer.hot={hot:?}"),
                    format!("buffer.small_request={small}"),
                ];
                let reads = reads.map(|reads| format!("buffer.reads={reads}"));
                settings.into_iter().chain(reads).collect()
            },
        )
}

fn read_buffer() -> impl Strategy<Value = Vec<String>> {
    let policy = prop_oneof![1 => Just(NO_BUFFER), 2 => select(read_buffers())];
    (policy, buffer_bytes()).prop_map(|(policy, size)| {
        vec![
            format!("read_buffer.policy={policy}"),
            format!("read_buffer.size={size}"),
        ]
    })
}

fn rest() -> impl Strategy<Value = Vec<String>> {
    let partial = select(vec!["whole", "rmw"]);
    let precondition = select(vec!["full", "empty"]);
    (partial, precondition, prop::bool::weighted(0.8)).prop_map(|(partial, precondition, drain)| {
        vec![
            format!("partial_writes={partial}"),
            format!("precondition={precondition}"),
            format!("drain={drain}"),
        ]
    })
}

fn timing() -> impl Strategy<Value = Vec<String>> {
    let names = ["read", "program", "erase", "transfer", "buffer"];
    vec(0_u64..10_000, names.len()).prop_map(move |times| {
        let setting = |(name, ns)| format!("timing.{name}_us={}.{:03}", ns / 1000, ns % 1000);
        names.into_iter().zip(times).map(setting).collect()
    })
}

/// The pages that a request covers.
#[derive(Clone, Copy, Debug)]
enum Cover {
    /// A few whole pages.
    Pages,
    /// Any range of bytes.
    Bytes,
    /// The first pages of a block.
    Prefix,
    /// Whole blocks in order.
    Blocks,
    /// Nothing: must be refused, unless it is a flush.
    Nothing,
}

/// A request, before the size of the device is known.
#[derive(Clone, Copy, Debug)]
struct Wish {
    op: Op,
    cover: Cover,
    at: u64,
    length: u64,
    /// Nanoseconds since the previous request; may be negative.
    step_ns: i64,
    /// Do not cut the request at the end of the device: if it reaches further, it must be refused.
    uncut: bool,
}

fn wish() -> impl Strategy<Value = Wish> {
    let op = prop_oneof![
        6 => Just(Op::Write),
        2 => Just(Op::Read),
        1 => Just(Op::Discard),
        1 => Just(Op::Flush),
    ];
    let cover = prop_oneof![
        50 => Just(Cover::Pages),
        20 => Just(Cover::Bytes),
        15 => Just(Cover::Prefix),
        14 => Just(Cover::Blocks),
        1 => Just(Cover::Nothing),
    ];
    // some regions are hot
    let at = prop_oneof![0_u64..8, any::<u32>().prop_map(u64::from)];
    let step = prop_oneof![4 => 0_i64..1000, 1 => -2000_i64..0];
    (
        op,
        cover,
        at,
        any::<u16>(),
        step,
        prop::bool::weighted(0.05),
    )
        .prop_map(|(op, cover, at, length, step_ns, uncut)| Wish {
            op,
            cover,
            at,
            length: u64::from(length),
            step_ns,
            uncut,
        })
}

fn requests_for(flash: &Flash, wrap: bool, wishes: Vec<Wish>) -> Vec<Request> {
    let mut time_ns = 0_u64;
    let mut request = |wish: Wish| {
        time_ns = time_ns.saturating_add_signed(wish.step_ns);
        let (offset, size) = range_for(flash, wrap, &wish);
        Request::new(time_ns, wish.op, offset, size).expect("a small device")
    };
    wishes.into_iter().map(&mut request).collect()
}

fn range_for(flash: &Flash, wrap: bool, wish: &Wish) -> (u64, u64) {
    let Wish { at, length, .. } = *wish;
    let block = flash.block_bytes();
    let reach = if wrap { 3 } else { 1 } * flash.capacity();
    let (offset, size) = match wish.cover {
        Cover::Pages => (at * PAGE_SIZE, (1 + length % 4) * PAGE_SIZE),
        Cover::Bytes => (at * 100, 1 + length % (5 * PAGE_SIZE)),
        Cover::Prefix => (at * block, (1 + length % flash.pages_per_block) * PAGE_SIZE),
        Cover::Blocks => (at * block, (1 + length % 2) * block),
        Cover::Nothing => (at, 0),
    };
    let offset = offset % reach;
    let room = if wrap {
        flash.capacity()
    } else {
        flash.capacity() - offset
    };
    let size = if wish.uncut { size } else { size.min(room) };
    (offset, size)
}
