//! Random small devices with random requests, for property tests.
//!
//! A case is text: a failure prints its case, which can be pasted into a test to replay it.

mod clusters;
mod ftl;
mod requests;
mod setting;
mod shape;
mod systems;

use std::collections::BTreeMap;
use std::fmt;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config as Runs, RngSeed, TestCaseError, TestError, TestRunner};
use ssdlab_config::Config;
use ssdlab_device::Family;
use ssdlab_device::registry::{NO_BUFFER, built_in};
use ssdlab_host::{Op, Request};
use ssdlab_policy::Key;
use ssdlab_policy::buffer::{COUNT_HEADERS, SIZE};

use self::ftl::ftl;
use self::requests::{requests_for, wish};
use self::setting::{buffer_bytes, drawn, setting};
use self::shape::{PAGE_SIZE, flash};
pub use self::systems::{Systems, buffer_aware_ftls, modelled_cleanings, names, read_buffers};
use crate::configs;
use crate::tally::Tally;

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
            requests: requests.split_terminator(',').map(request).collect(),
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

    /// Whether a key was set to this value.
    pub fn is(&self, key: &str, value: &str) -> bool {
        self.get(key) == Some(value)
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

    /// The number of chips.
    pub fn chips(&self) -> u64 {
        let chips = ["flash.channels", "flash.chips_per_channel"].map(|key| self.number(key));
        chips.into_iter().flatten().product()
    }

    /// The same chips under one FTL, whose pages span all of them. Memory grows with the pages.
    #[must_use]
    pub fn with_superpages(&self) -> Self {
        let memories = [
            "buffer.size",
            "read_buffer.size",
            "ftl.ram",
            "ftl.ram_threshold",
        ];
        let larger = |key| Some(format!("{key}={}", self.number(key)? * self.chips()));
        let mut case = self.clone();
        case.settings.push("flash.interleave=superpage".to_owned());
        case.settings
            .extend(memories.into_iter().filter_map(larger));
        case
    }

    fn capacity(&self) -> u64 {
        self.number("flash.capacity").expect("every case sets it")
    }

    fn number(&self, key: &str) -> Option<u64> {
        Some(self.get(key)?.parse().expect("a number"))
    }
}

/// A request from its text: time, letter, offset, size, and perhaps its stream.
///
/// # Panics
/// If the text is not a request.
pub fn request(text: &str) -> Request {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| fields[at].parse().expect("a number");
    let op = Op::ALL
        .into_iter()
        .find(|op| *fields[1] == *op.letter().to_string());
    let request = Request::new(number(0), op.expect("an op"), number(2), number(3));
    let stream = fields
        .get(4)
        .map(|stream| stream.parse().expect("a stream"));
    let request = request.expect("a request");
    stream.map_or(request, |stream| request.in_stream(stream))
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |r: &Request| {
            let (time, op) = (r.time_ns, r.op().letter());
            format!("{time} {op} {} {} {}", r.offset, r.size(), r.stream())
        };
        let requests: Vec<String> = self.requests.iter().map(line).collect();
        let (settings, requests) = (self.settings.join(" "), requests.join(", "));
        write!(f, "Case::replay({settings:?}, {}, {requests:?})", self.wrap)
    }
}

/// Runs a test on so many cases, an equal share of each FTL, each cleaning policy and each placement, until one fails, and
/// then on smaller ones, down to the smallest that still fails. The cases are the same each time: `PROPTEST_RNG_SEED` names
/// others, `PROPTEST_CASES` another number.
///
/// # Panics
/// If a case fails; the message contains the smallest one.
pub fn run(systems: &Systems, cases: u32, test: impl Fn(&Case) -> Result<(), String>) {
    round(systems, cases, 0, &test);
}

/// The same, and then on further cases while an event is too rare: each tally with the least number of its events.
///
/// # Panics
/// If a case fails, or if an event remains too rare in ten times as many cases.
pub fn run_until(
    required: &[(&Tally, u64)],
    systems: &Systems,
    cases: u32,
    test: impl Fn(&Case) -> Result<(), String>,
) {
    round(systems, cases, 0, &test);
    let is_rare = |(tally, least): &(&Tally, u64)| tally.has_fewer(*least);
    let mut more = 1..=40;
    while required.iter().any(is_rare)
        && let Some(number) = more.next()
    {
        round(systems, cases.div_ceil(4), number, &test);
    }
    for (tally, least) in required {
        tally.require(*least);
    }
}

/// The seed of the cases, unless the environment names one.
const SEED: u64 = 1;

fn round(systems: &Systems, cases: u32, number: u64, test: &impl Fn(&Case) -> Result<(), String>) {
    let given = Runs::default();
    let kinds = systems.each();
    let of_all = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => given.cases,
        None => cases,
    };
    let seed = match given.rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => SEED,
    };
    for (kind, seeds) in kinds.iter().zip(seed.wrapping_add(number << 32)..) {
        let runs = Runs {
            cases: of_all.div_ceil(kinds.len() as u32),
            failure_persistence: None,
            max_shrink_iters: 20_000,
            rng_seed: RngSeed::Fixed(seeds),
            ..given.clone()
        };
        let test = |case| test(&case).map_err(TestCaseError::fail);
        match TestRunner::new(runs).run(&case(kind), test) {
            Ok(()) => {}
            Err(TestError::Fail(why, case)) => {
                panic!("{why}\n  with PROPTEST_RNG_SEED={seed}\n  replay: {case:?}")
            }
            Err(TestError::Abort(why)) => panic!("{why}"),
        }
    }
}

/// A random case of these systems.
fn case(systems: &Systems) -> impl Strategy<Value = Case> + use<> {
    let requests = vec(wish(), 1..50);
    let wrap = prop::bool::weighted(0.2);
    let reads = option::of(setting("buffer.reads", select(vec!["bypass", "cache"])));
    let buffer = (size_and_headers(), reads, buffer());
    let parts = (flash(), ftl(systems), buffer, others(), wrap, requests);
    parts.prop_map(
        |(flash, ftl, (size, reads, buffer), others, wrap, wishes)| {
            let wishes = wishes.repeat(ftl.rounds());
            let mut settings = flash.settings();
            settings.extend(ftl.settings(&flash));
            settings.extend(size.into_iter().chain(reads).chain(buffer));
            settings.extend(ftl.instead(&flash));
            settings.extend(others);
            Case {
                settings,
                wrap,
                requests: requests_for(&flash, wrap, wishes),
            }
        },
    )
}

fn buffer() -> Vec<BoxedStrategy<String>> {
    let age_ns = prop_oneof![Just(0_u64), 1_u64..3000];
    let mut all = vec![
        setting("buffer.policy", select(names(Family::Buffer))),
        setting(
            "buffer.flush_age_s",
            age_ns.prop_map(|ns| format!("{ns}e-9")),
        ),
        setting("buffer.protected", prop::bool::weighted(0.2)),
    ];
    let entries = built_in(Family::Buffer).iter();
    let keys: BTreeMap<&str, Key> = entries
        .flat_map(|entry| entry.keys)
        .map(|key| (key.path, *key))
        .collect();
    let sized = [SIZE.key.path, COUNT_HEADERS.key.path];
    let own = keys.values().filter(|key| !sized.contains(&key.path));
    all.extend(own.map(drawn));
    all
}

/// A counted header takes a slot beside its page.
fn size_and_headers() -> impl Strategy<Value = Vec<String>> {
    let headers = select(vec!["off", "bplru", "all"]);
    (buffer_bytes(), headers).prop_map(|(size, headers)| {
        let least = if headers == "off" { 0 } else { 2 * PAGE_SIZE };
        vec![
            format!("buffer.size={}", size.max(least)),
            format!("buffer.count_headers={headers}"),
        ]
    })
}

/// The settings of the read buffer, the host and the times.
fn others() -> Vec<BoxedStrategy<String>> {
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
        setting("read_buffer.writes", select(vec!["bypass", "cache"])),
    ]
}
