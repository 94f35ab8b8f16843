//! The devices against the reference model, decision by decision, on random traces.
//!
//! Planted bugs that this test catches: TODO

use std::cell::RefCell;
use std::rc::Rc;

use ssdlab_device::Device;
use ssdlab_device::registry::{BUFFERS, FTLS};
use ssdlab_flash::{Array, Check, Lpn, Media};
use ssdlab_ftl::{Event, Events, MergeKind};
use ssdlab_host::{Op, Request};
use ssdlab_testkit::cases::{self, Case};
use ssdlab_testkit::model::{self, Merge, ModelConfig, ModelMap, ModelResult};
use ssdlab_testkit::tally::Tally;
use ssdlab_testkit::versions::Versions;

type Watched = Device<Check<Array<u64>>>;
type Verdict = Result<(), String>;

#[test]
fn every_decision_is_that_of_the_model() {
    let tally = RefCell::new(Tally::default());
    cases::run(20000, |case| {
        let mut tally = tally.borrow_mut();
        compare(case, &mut tally)
    });
    tally.into_inner().require(50);
}

fn compare(case: &Case, tally: &mut Tally) -> Verdict {
    let requests: Vec<Request> = case
        .requests
        .iter()
        .copied()
        .filter(|r| case.is_legal(r))
        .collect();
    let expected = model::run(&ModelConfig::from(case), &requests);
    let (mut device, events) = serve(case, &requests)?;
    first_difference("decisions", &events, &expected.events)?;
    first_difference(
        "counters",
        &device.counters().entries(),
        &expected.counters.entries(),
    )?;
    first_difference(
        "erases by block",
        &device.erase_counts(),
        &expected.erase_counts,
    )?;
    match &expected.map {
        ModelMap::Places(places) => compare_places(&device, places)?,
        ModelMap::Mapped(mapped) if case.get("drain") == Some("true") => {
            compare_mapped(&mut device, mapped)?
        }
        ModelMap::Mapped(_) => {}
    }
    note(tally, case, &expected);
    Ok(())
}

/// The device after the trace, and what it decided on the way.
fn serve(case: &Case, requests: &[Request]) -> Result<(Watched, Vec<model::Event>), String> {
    let mut device = Device::fresh_on(&case.config(), Check::new).map_err(|e| e.to_string())?;
    device.wrap_around(case.wrap);
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&events);
    device.report_to(Events::to(Box::new(move |event| {
        sink.borrow_mut().extend(translated(event))
    })));
    let mut versions = Versions::default();
    for request in requests {
        device
            .submit(request, &mut versions)
            .map_err(|e| e.to_string())?;
    }
    device.finish().map_err(|e| e.to_string())?;
    let events = events.take();
    Ok((device, events))
}

fn translated(event: &Event) -> Option<model::Event> {
    match event {
        Event::Evict { dirty, clean, .. } => {
            let mut pages: Vec<u64> = dirty
                .iter()
                .chain(clean)
                .map(|lpn| u64::from(lpn.0))
                .collect();
            pages.sort();
            Some(model::Event::Evicted(pages))
        }
        Event::Merge { kind, lbn, .. } => {
            let kind = match kind {
                MergeKind::Switch => Merge::Switch,
                MergeKind::Partial => Merge::Partial,
                MergeKind::Full => Merge::Full,
            };
            Some(model::Event::Merged(kind, u64::from(lbn.0)))
        }
        Event::Erase { .. } => None,
    }
}

/// The places include the free list: blocks are taken from its head, and so their numbers tell its order.
fn compare_places(device: &Watched, places: &[Option<(u64, u64)>]) -> Verdict {
    let media = device.media();
    let place = |lpn| {
        let (block, position) = media.geometry().place(media.newest(Lpn(lpn))?);
        Some((u64::from(block.0), u64::from(position)))
    };
    let found: Vec<_> = (0..places.len() as u32).map(place).collect();
    first_difference("map", &found, places)
}

/// Of a bound only reads tell what is mapped, and only those that the clean pages in the buffer do not answer.
fn compare_mapped(device: &mut Watched, mapped: &[bool]) -> Verdict {
    let size = u64::from(device.media().geometry().page_size());
    for (page, &mapped) in (0..).zip(mapped) {
        let before = device.counters();
        let read = Request::new(0, Op::Read, page * size, size).expect("a small device");
        device
            .submit(&read, &mut Versions::default())
            .map_err(|e| e.to_string())?;
        let after = device.counters();
        let (found, missing) = (
            after.flash_reads > before.flash_reads,
            after.unmapped_reads > before.unmapped_reads,
        );
        if found && !mapped || missing && mapped {
            return Err(format!(
                "page {page} is mapped: {found}, in the model: {mapped}"
            ));
        }
    }
    Ok(())
}

fn first_difference<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &[T],
    expected: &[T],
) -> Verdict {
    let longest = found.len().max(expected.len());
    match (0..longest).find(|&at| found.get(at) != expected.get(at)) {
        None => Ok(()),
        Some(at) => Err(format!(
            "{what}: number {at} is {:?}, in the model {:?}",
            found.get(at),
            expected.get(at)
        )),
    }
}

fn note(tally: &mut Tally, case: &Case, result: &ModelResult) {
    let counters = &result.counters;
    for policy in BUFFERS.iter().map(|entry| entry.name) {
        let used = counters.evictions > 0 || policy == "none" && counters.host_write_pages > 0;
        tally.note(policy, used && case.get("buffer.policy") == Some(policy));
    }
    for ftl in FTLS.iter().map(|entry| entry.name) {
        tally.note(
            ftl,
            counters.flash_programs > 0 && case.get("ftl.kind") == Some(ftl),
        );
    }
    for kind in [Merge::Switch, Merge::Partial, Merge::Full] {
        let is_kind =
            |event: &model::Event| matches!(event, model::Event::Merged(k, _) if *k == kind);
        tally.note(format!("{kind:?} merge"), result.events.iter().any(is_kind));
    }
    tally.note("padding", counters.padding_reads > 0);
    tally.note("aged page", counters.aged_pages > 0);
    tally.note("unmapped read", counters.unmapped_reads > 0);
    tally.note("copy-back", counters.copy_backs > 0);
    tally.note("wrapped write", case.wrap && counters.host_write_pages > 0);
}
