//! Neither the payload of pages nor the fast path changes a result. Each case runs with empty pages in runs and page by
//! page, with and without a listener, with version numbers, and with bytes.
//!
//! Planted bugs that this test catches: runs, or single pages, that do not notice rewrites inside a log block; clean
//! pages of a padded run whose programs count as the host's; padding that reads clean held pages page by page; a merge
//! in runs that copies discarded pages, or that takes pages of the log block for pages of the data block; a run that
//! `bplru` counts as one page, or `req-block` as one use; a run that enters without room; victims that leave in runs
//! past the end of their block, or with pages that stay; padding that is read from the first page of a data block; copies
//! by region that fill frontiers in the order of the regions.

use std::sync::{Arc, Mutex};

use ssdlab_config::Config;
use ssdlab_device::{Counters, Device, Family, HostData, NoData, Part, TimeParts};
use ssdlab_flash::{Array, Bytes, Fault, Media, Payload, Ppn};
use ssdlab_ftl::{Event, Events};
use ssdlab_host::{Op, Request};
use ssdlab_testkit::cases::{self, Case, Systems, names};
use ssdlab_testkit::configs::stack;
use ssdlab_testkit::flash::Flash;
use ssdlab_testkit::recorder::Recorder;
use ssdlab_testkit::tally::Tally;
use ssdlab_testkit::versions::Versions;

/// How a device handles pages without payload.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// The device decides.
    Any,
    /// Page by page.
    Plain,
}

#[test]
fn neither_payloads_nor_runs_change_a_result() {
    let (tally, pairs) = (Tally::default(), Tally::default());
    let required = [(&tally, 5), (&pairs, 1)];
    cases::run_until(&required, &Systems::all(), 4000, |case| {
        let used = served_every_way(case)?;
        note(&tally, case, used);
        note_pair(&pairs, case);
        Ok(())
    });
}

/// Planted: under `fast`, two pages at consecutive positions moved in one run, although the second had been merged long
/// before and its position was from an earlier use of the log block.
#[test]
fn a_place_of_long_ago_is_no_neighbour() {
    let settings = "flash.page_size=512 flash.pages_per_block=3 flash.capacity=3072 flash.planes=1 \
        ftl.kind=fast ftl.log_blocks=2 ftl.spare_blocks=1 buffer.policy=none precondition=full";
    // 1 and 2 go into a log block that is reclaimed and used again, where 1 gets its old position; 3 causes a merge of
    // 0, 1, 2
    let writes = [1, 2, 1, 1, 1, 1, 1, 0, 3].map(|page| format!("0 W {} 512", page * 512));
    let case = Case::replay(settings, false, &writes.join(","));
    served_every_way(&case).unwrap_or_else(|what| panic!("{what}"));
}

/// Serves a case in every way and compares the results.
fn served_every_way(case: &Case) -> Result<Used, String> {
    let config = &case.config();
    let empty = |way, listen| serve((case, config), way, &mut NoData, listen, recorded, itself);
    let (fast, used) = empty(Way::Any, false)?;
    let (plain, unused) = empty(Way::Plain, false)?;
    same("page by page", &fast, &plain)?;
    if unused != Used::default() {
        return Err("runs where single pages were asked for".into());
    }
    let mut versions = Versions::default();
    let (numbers, _) = serve(
        (case, config),
        Way::Any,
        &mut versions,
        false,
        Flash::recorded,
        Flash::recorder,
    )?;
    same("version numbers", &fast, &numbers)?;
    let mut stamps = Stamps::default();
    let (bytes, _) = serve(
        (case, config),
        Way::Any,
        &mut stamps,
        false,
        recorded,
        itself,
    )?;
    same("bytes", &fast, &bytes)?;
    let (heard, _) = empty(Way::Any, true)?;
    let (plain, _) = empty(Way::Plain, true)?;
    if heard.events != plain.events {
        return Err("other events page by page".into());
    }
    same(
        "a listener",
        &fast,
        &Left {
            events: Vec::new(),
            ..heard
        },
    )?;
    Ok(used)
}

/// The results that payload or fast path could change.
#[derive(PartialEq)]
struct Left {
    counters: Counters,
    time: TimeParts,
    erase_counts: Vec<u32>,
    /// Per logical page, the position of its last program.
    places: Vec<Ppn>,
    /// Per logical page, the position that a read at the end touches.
    reads: Vec<(Counters, Ppn)>,
    events: Vec<Event>,
}

/// Runs of several pages that were programmed or copied at once.
#[derive(Clone, Copy, Default, PartialEq)]
struct Used {
    programs: u64,
    copies: u64,
}

fn recorded<P: Payload>(array: Array<P>) -> Result<Recorder<Array<P>>, Fault> {
    Ok(Recorder::new(array))
}

fn itself<P: Payload>(recorder: &Recorder<Array<P>>) -> &Recorder<Array<P>> {
    recorder
}

/// Serves all requests on the device that the case configures, and then reads every page.
fn serve<M: Media>(
    (case, config): (&Case, &Config),
    way: Way,
    data: &mut dyn HostData<M::Data>,
    listen: bool,
    media: fn(Array<M::Data>) -> Result<M, Fault>,
    recorder: fn(&M) -> &Recorder<Array<M::Data>>,
) -> Result<(Left, Used), String> {
    let mut device = Device::fresh_on(config, &stack(config), media).map_err(|e| e.to_string())?;
    device.wrap_around(case.wrap);
    if way == Way::Plain {
        device.page_by_page();
    }
    let events = Arc::new(Mutex::new(Vec::new()));
    if listen {
        let events = Arc::clone(&events);
        device.report_to(Events::to(move |_, event| {
            events.lock().expect("one thread").push(event.clone());
        }));
    }
    for request in case.legal_requests() {
        device.submit(&request, data).map_err(|e| e.to_string())?;
    }
    device.finish().map_err(|e| e.to_string())?;
    let chips = || device.media().map(recorder);
    let used = Used {
        programs: chips().map(Recorder::runs).sum(),
        copies: chips().map(Recorder::copy_runs).sum(),
    };
    let mut left = Left {
        counters: device.counters(),
        time: device.time(),
        erase_counts: device.erase_counts(),
        places: chips().flat_map(Recorder::places).copied().collect(),
        reads: Vec::new(),
        events: std::mem::take(&mut *events.lock().expect("one thread")),
    };
    let last_read = |device: &Device<M>| {
        let reads = device.media().map(|media| recorder(media).take_last_read());
        // of all chips, so that none is left for the next page
        reads.fold(Ppn::NONE, |last, at| if last.is_some() { last } else { at })
    };
    last_read(&device);
    let size = config.flash.page_size.into();
    let mut evictions = left.counters.evictions;
    for page in 0..left.places.len() as u64 {
        let read = Request::new(0, Op::Read, page * size, size).expect("a small device");
        device.submit(&read, data).map_err(|e| e.to_string())?;
        let at = last_read(&device);
        let counters = device.counters();
        // padding reads go page by page
        let is_plain = counters.evictions == evictions;
        evictions = counters.evictions;
        let at = if is_plain { at } else { Ppn::NONE };
        left.reads.push((counters, at));
    }
    Ok((left, used))
}

fn same(what: &str, fast: &Left, other: &Left) -> Result<(), String> {
    let pairs = fast
        .counters
        .entries()
        .into_iter()
        .zip(other.counters.entries());
    for ((name, without), (_, with)) in pairs {
        if without != with {
            return Err(format!("{name}: {with} with {what}, {without} without"));
        }
    }
    let parts = [
        ("times", fast.time == other.time),
        ("erases by block", fast.erase_counts == other.erase_counts),
        ("places of pages", fast.places == other.places),
        ("reads at the end", fast.reads == other.reads),
        ("events", fast.events == other.events),
    ];
    match parts.iter().find(|(_, equal)| !equal) {
        Some((name, _)) => Err(format!("the {name} differ with {what}")),
        None => Ok(()),
    }
}

/// A host that writes parts of pages, each full of one number.
#[derive(Default)]
struct Stamps(u8);

impl HostData<Bytes> for Stamps {
    fn write(&mut self, part: &Part, page: &mut Bytes) {
        self.0 = self.0.wrapping_add(1);
        page.0[part.bytes.clone()].fill(self.0);
    }

    fn read(&mut self, _: &Part, _: Option<&Bytes>) {}
}

/// Every buffer works over every FTL.
fn note_pair(pairs: &Tally, case: &Case) {
    for policy in names(Family::Buffer) {
        for ftl in names(Family::Ftl) {
            let both = case.is("buffer.policy", policy) && case.is("ftl.kind", ftl);
            pairs.note(format!("{policy} over {ftl}"), both);
        }
    }
}

fn note(tally: &Tally, case: &Case, used: Used) {
    let bast = case.is("ftl.kind", "bast");
    for policy in names(Family::Buffer) {
        let is_policy = case.is("buffer.policy", policy);
        tally.note(policy, is_policy);
        tally.note(
            format!("merges in runs under {policy}"),
            is_policy && used.copies > 0,
        );
        if !["cflru", "sof", "zone", "unbounded"].contains(&policy) {
            tally.note(format!("{policy} in runs"), is_policy && used.programs > 0);
        }
    }
    for (key, value) in [("precondition", "empty"), ("buffer.flush_age_s", "0e-9")] {
        tally.note(format!("{key}={value}"), bast && case.is(key, value));
    }
    for op in Op::ALL {
        let asked = case.requests.iter().any(|request| request.op() == op);
        tally.note(format!("{op:?}"), asked);
    }
}
