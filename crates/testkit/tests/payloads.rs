//! What pages carry changes no counter: nothing, in runs or page by page, a version number, or all their bytes.
//!
//! Planted bugs that this test catches: runs, or single pages, that do not notice rewrites inside a log block; clean
//! pages of a padded run whose programs count as the host's; padding that reads clean held pages page by page.

use std::cell::RefCell;
use std::process::Command;

use ssdlab_device::registry::{BUFFERS, FTLS};
use ssdlab_device::{Counters, Device, HostData, NoData, TimeParts};
use ssdlab_flash::{Array, Bytes, Lpn, Payload};
use ssdlab_testkit::cases::{self, Case};
use ssdlab_testkit::run_counter::RunCounter;
use ssdlab_testkit::tally::Tally;
use ssdlab_testkit::versions::Versions;

const PLAIN: &str = "SSDLAB_PLAIN";

/// The switch between runs and single pages is read from the environment, so each half is a process of its own. The
/// version numbers, always page by page, stand in both and compare one half with the other.
#[test]
fn what_pages_carry_changes_no_counter() {
    let plain = std::env::var_os(PLAIN).is_some_and(|value| value == "1");
    compare_all(plain);
    if !plain {
        let this = std::env::current_exe().expect("a test binary");
        let child = Command::new(this).env(PLAIN, "1").status();
        assert!(
            child.expect("the same binary runs again").success(),
            "page by page"
        );
    }
}

/// All payloads on random cases; `plain`: single pages are expected wherever runs could be.
fn compare_all(plain: bool) {
    let tally = RefCell::new(Tally::default());
    cases::run(6000, |case| {
        let (nothing, runs) = serve::<()>(case, &mut NoData)?;
        let (versions, _) = serve(case, &mut Versions::default())?;
        same("version numbers", &nothing, &versions)?;
        let (bytes, _) = serve(case, &mut Stamps::new())?;
        same("bytes", &nothing, &bytes)?;
        note(&mut tally.borrow_mut(), case, runs, plain);
        match plain && runs > 0 {
            true => Err(format!("{runs} runs, where single pages are expected")),
            false => Ok(()),
        }
    });
    tally.into_inner().require(50);
}

/// What a run leaves that a payload could change.
#[derive(PartialEq)]
struct Left {
    counters: Counters,
    time: TimeParts,
    erase_counts: Vec<u32>,
}

/// Serves all requests; also says how many runs of pages were programmed at once.
fn serve<P: Payload + 'static>(
    case: &Case,
    data: &mut dyn HostData<P>,
) -> Result<(Left, u64), String> {
    let media = |array: Array<P>| Ok(RunCounter::new(array));
    let mut device = Device::fresh_on(&case.config(), media).map_err(|e| e.to_string())?;
    device.wrap_around(case.wrap);
    for request in case.requests.iter().filter(|r| case.is_legal(r)) {
        device.submit(request, data).map_err(|e| e.to_string())?;
    }
    device.finish().map_err(|e| e.to_string())?;
    let left = Left {
        counters: device.counters(),
        time: device.time(),
        erase_counts: device.erase_counts(),
    };
    Ok((left, device.media().runs()))
}

fn same(what: &str, nothing: &Left, other: &Left) -> Result<(), String> {
    let pairs = nothing
        .counters
        .entries()
        .into_iter()
        .zip(other.counters.entries());
    for ((name, without), (_, with)) in pairs {
        if without != with {
            return Err(format!("{name}: {with} with {what}, {without} without"));
        }
    }
    match nothing == other {
        true => Ok(()),
        false => Err(format!(
            "the times or the erases by block differ with {what}"
        )),
    }
}

/// A host that writes whole pages of bytes, each of one number.
struct Stamps {
    writes: u8,
    page: Bytes,
}

impl Stamps {
    fn new() -> Self {
        Self {
            writes: 0,
            page: Payload::blank(512),
        }
    }
}

impl HostData<Bytes> for Stamps {
    fn written(&mut self, _: Lpn) -> &Bytes {
        self.writes = self.writes.wrapping_add(1);
        self.page.0.fill(self.writes);
        &self.page
    }

    fn read(&mut self, _: Lpn, _: Option<&Bytes>) {}
}

fn note(tally: &mut Tally, case: &Case, runs: u64, plain: bool) {
    for policy in BUFFERS.iter().map(|entry| entry.name) {
        tally.note(policy, case.get("buffer.policy") == Some(policy));
    }
    for ftl in FTLS.iter().map(|entry| entry.name) {
        tally.note(ftl, case.get("ftl.kind") == Some(ftl));
    }
    for policy in ["none", "fifo", "lru", "fab", "blru", "bplru"] {
        let is_policy = case.get("buffer.policy") == Some(policy);
        tally.note(
            format!("{policy} in runs"),
            is_policy && (plain || runs > 0),
        );
    }
}
