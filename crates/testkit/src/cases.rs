//! Random small devices with random requests, for property tests.
//!
//! A case is text: a failure prints its case, which can be pasted into a test to replay it.

mod clusters;
mod sizes;

use std::fmt;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
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
        let all = self.requests.iter().copied();
        all.filter(|request| self.is_legal(request)).collect()
    }

    /// Whether the device must serve the request: it covers at least one byte, and nothing beyond the device.
    pub fn is_legal(&self, request: &Request) -> bool {
        let reach = if self.wrap {
            request.size()
        } else {
            request.end()
        };
        request.op() == Op::Flush || request.size() > 0 && reach <= self.capacity()
    }

    /// Whether a request wraps around to the first page, or starts again there.
    pub fn wraps(&self, request: &Request) -> bool {
        let beyond = request.end() > self.capacity();
        request.op() != Op::Flush && self.is_legal(request) && beyond
    }

    fn capacity(&self) -> u64 {
        let bytes = self.get("flash.capacity").expect("every case sets it");
        bytes.parse().expect("a number")
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

/// The names of the systems that cases draw, beside the buffers.
pub struct Systems {
    /// FTLs.
    pub ftls: Vec<&'static str>,
    /// Cleaning policies.
    pub cleanings: Vec<&'static str>,
    /// Placements.
    pub placements: Vec<&'static str>,
}

impl Systems {
    /// All built-in systems.
    pub fn all() -> Self {
        Self {
            ftls: names(Family::Ftl),
            cleanings: names(Family::Cleaning),
            placements: names(Family::Placement),
        }
    }

    /// The systems that the model has.
    pub fn modelled() -> Self {
        Self {
            cleanings: modelled_cleanings(),
            ..Self::all()
        }
    }
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

/// The names of the built-in policies that a read buffer can have.
pub fn read_buffers() -> Vec<&'static str> {
    let built_in = Catalogue::built_in();
    let policies = built_in.read_buffers();
    policies.map(|info| info.entry.name).collect()
}

/// The names of the built-in FTLs whose merges or cleaning may use the buffer.
pub fn buffer_aware_ftls() -> Vec<&'static str> {
    let ftls = built_in(Family::Ftl).iter();
    let aware = ftls.filter(|entry| entry.reads("ftl.buffer_aware"));
    aware.map(|entry| entry.name).collect()
}

/// Runs a test on cases of these systems until one fails, and then on smaller ones, down to the smallest that still
/// fails. `PROPTEST_CASES` overrides the number.
///
/// # Panics
/// If a case fails; the message contains the smallest one.
pub fn run(systems: &Systems, cases: u32, test: impl Fn(&Case) -> Result<(), String>) {
    let mut runs = Runs {
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Runs::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        runs.cases = cases;
    }
    let test = |case| test(&case).map_err(TestCaseError::fail);
    match TestRunner::new(runs).run(&case(systems), test) {
        Ok(()) => {}
        Err(TestError::Fail(why, case)) => panic!("{why}\n  replay: {case:?}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

/// A random case of these systems.
fn case(systems: &Systems) -> impl Strategy<Value = Case> + use<> {
    let requests = vec(wish(), 1..50);
    let wrap = prop::bool::weighted(0.2);
    let parts = (flash(), ftl(systems), others(), wrap, requests);
    parts.prop_map(|(flash, ftl, others, wrap, wishes)| {
        let wishes = wishes.repeat(ftl.rounds());
        let mut settings = flash.settings();
        settings.extend(ftl.settings(&flash));
        settings.extend(others.concat());
        settings.extend(ftl.instead_of_a_buffer());
        Case {
            settings,
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

/// An FTL, before the size of the device is known.
#[derive(Clone, Debug)]
struct Ftl {
    kind: &'static str,
    cleaning: &'static str,
    clusters: Clusters,
    gc_frontier: &'static str,
    gc_low: Option<u64>,
    clock: &'static str,
    buffer_aware: &'static str,
    /// Settings that depend on nothing, of any system.
    others: Vec<String>,
    /// The setting that gives the spare blocks of a page-mapped device.
    spares: Spares,
    /// Spare blocks beyond the minimum.
    further_spares: u64,
}

#[derive(Clone, Copy, Debug)]
enum Spares {
    Default,
    Blocks,
    Fraction,
}

impl Ftl {
    fn settings(&self, flash: &Flash) -> Vec<String> {
        let mut settings = vec![
            format!("ftl.buffer_aware={}", self.buffer_aware),
            format!("ftl.gc_frontier={}", self.gc_frontier),
        ];
        settings.extend(self.others.iter().cloned());
        settings.extend(self.gc_low.map(|blocks| format!("ftl.gc_low={blocks}")));
        settings.extend(self.clusters.settings(self.clock));
        settings.retain(|setting| self.reads(setting));
        settings.push(format!("ftl.kind={}", self.kind));
        if self.kind == "page" {
            settings.push(format!("ftl.cleaning={}", self.cleaning));
            settings.push(format!("ftl.placement={}", self.clusters.placement));
            settings.push(format!("clock={}", self.clock));
        }
        settings.extend(self.spares(flash));
        settings
    }

    /// Whether the FTL or a policy that it uses reads the key of a setting.
    fn reads(&self, setting: &str) -> bool {
        let (key, _) = setting.split_once('=').expect("a setting");
        let reads = |family, name| {
            let mut entries = built_in(family).iter();
            entries.any(|entry| entry.name == name && entry.reads(key))
        };
        let is_page = self.kind == "page";
        reads(Family::Ftl, self.kind)
            || is_page && reads(Family::Cleaning, self.cleaning)
            || is_page && reads(Family::Placement, self.clusters.placement)
    }

    /// A region in RAM takes no write buffer beside it.
    fn instead_of_a_buffer(&self) -> Option<String> {
        let has_ram = self.kind == "page" && self.clusters.has_ram();
        has_ram.then(|| "buffer.policy=none".to_owned())
    }

    fn frontiers(&self) -> u64 {
        match self.clusters.placement {
            "single" if self.gc_frontier == "shared" => 1,
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

fn ftl(systems: &Systems) -> impl Strategy<Value = Ftl> + use<> {
    let placements = &systems.placements;
    let weight = |name: &&'static str| match *name {
        // a bound has the least code to test
        "ideal" => 2,
        // each placement is almost an FTL of its own
        "page" => 2 + 2 * placements.len() as u32,
        _ => 4,
    };
    let kinds = systems.ftls.iter();
    let kinds = kinds.map(|name| (weight(name), Just(*name))).collect();
    let kind = prop::strategy::Union::new_weighted(kinds);
    let page = (
        select(systems.cleanings.clone()),
        clusters(placements),
        select(vec!["separate", "shared"]),
        option::of(1_u64..=4),
        select(vec!["writes", "trace"]),
        select(vec![Spares::Default, Spares::Blocks, Spares::Fraction]),
    );
    let aware = select(vec!["off", "off", "merge", "merge+victim"]);
    let others = vec![
        setting("ftl.partial_merge", any::<bool>()),
        setting("ftl.open_blocks", 1_u64..=5),
        setting("ftl.blocks_per_superblock", 1_u64..=4),
        setting("ftl.max_update_blocks", 1_u64..=3),
        setting("ftl.d", 1_u64..=3),
        setting("ftl.candidates", 0_u64..=4),
        setting("ftl.weigh_copy_backs", prop::bool::weighted(0.7)),
    ];
    let further_spares = prop_oneof![3 => 0_u64..=2, 1 => 3_u64..=9];
    let parts = (kind, page, aware, others, 1_u64..=5, further_spares);
    parts.prop_map(
        |(kind, page, buffer_aware, mut others, logs, further_spares)| {
            let (cleaning, clusters, gc_frontier, gc_low, clock, spares) = page;
            // one log block of fast is for sequential writes
            let log_blocks = logs + u64::from(kind == "fast");
            others.push(format!("ftl.log_blocks={log_blocks}"));
            Ftl {
                kind,
                cleaning,
                clusters,
                gc_frontier,
                gc_low,
                clock,
                buffer_aware,
                others,
                spares,
                further_spares,
            }
        },
    )
}

/// A key with a random value.
fn setting<V: fmt::Display + fmt::Debug>(
    key: &'static str,
    value: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<String> {
    value
        .prop_map(move |value| format!("{key}={value}"))
        .boxed()
}

/// The settings of the buffers, the host and the times.
fn others() -> impl Strategy<Value = Vec<Vec<String>>> {
    let single = |setting: BoxedStrategy<String>| setting.prop_map(|one| vec![one]).boxed();
    let mut settings: Vec<_> = buffer().into_iter().chain(rest()).map(single).collect();
    settings.push(size_and_headers().boxed());
    let reads = setting("buffer.reads", select(vec!["bypass", "cache"]));
    settings.push(vec(reads, 0..=1).boxed());
    settings
}

fn buffer() -> Vec<BoxedStrategy<String>> {
    let age_ns = prop_oneof![Just(0_u64), 1_u64..3000];
    let ages = select(vec!["three-quarters", "linear", "root", "none"]);
    let complete = select(vec!["learned", "learned", "equal", "first"]);
    let windows = select(vec!["0.0", "0.1", "0.25", "0.5", "0.77", "1.0"]);
    vec![
        setting("buffer.policy", select(names(Family::Buffer))),
        setting(
            "buffer.flush_age_s",
            age_ns.prop_map(|ns| format!("{ns}e-9")),
        ),
        setting("buffer.protected", prop::bool::weighted(0.2)),
        setting("buffer.padding", any::<bool>()),
        setting("buffer.compensation", any::<bool>()),
        setting("buffer.age", ages),
        setting("buffer.complete", complete),
        setting("buffer.feedback", prop::bool::weighted(0.8)),
        setting("buffer.window", windows),
        setting(
            "buffer.hot",
            select(vec!["0.0", "0.1", "0.3", "0.5", "1.0"]),
        ),
        setting("buffer.small_request", 1_u32..8),
    ]
}

/// A counted header takes a slot beside its page.
fn size_and_headers() -> impl Strategy<Value = Vec<String>> {
    (buffer_bytes(), any::<bool>()).prop_map(|(size, headers)| {
        let least = if headers { 2 * PAGE_SIZE } else { 0 };
        vec![
            format!("buffer.size={}", size.max(least)),
            format!("buffer.count_headers={headers}"),
        ]
    })
}

fn rest() -> Vec<BoxedStrategy<String>> {
    let read_policy = prop_oneof![1 => Just(NO_BUFFER), 2 => select(read_buffers())];
    let us = || (0_u64..10_000).prop_map(|ns| format!("{}.{:03}", ns / 1000, ns % 1000));
    vec![
        setting("read_buffer.policy", read_policy),
        setting("read_buffer.size", buffer_bytes()),
        setting("partial_writes", select(vec!["whole", "rmw"])),
        setting("precondition", select(vec!["full", "empty"])),
        setting("drain", prop::bool::weighted(0.8)),
        setting("timing.read_us", us()),
        setting("timing.program_us", us()),
        setting("timing.erase_us", us()),
        setting("timing.transfer_us", us()),
        setting("timing.buffer_us", us()),
    ]
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
