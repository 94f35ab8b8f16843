//! Compares a device with the reference model, decision by decision.

use std::sync::{Arc, Mutex};

use ssdlab_device::{Device, Stripes};
use ssdlab_flash::{Lpn, Media};
use ssdlab_ftl::{Event, Events, MergeKind};
use ssdlab_host::{Op, Request};

use crate::cases::Case;
use crate::configs::foreseeing_stack;
use crate::flash::Flash;
use crate::model::{self, Merge, ModelConfig, ModelMap, ModelResult};
use crate::versions::Versions;

type Watched = Device<Flash>;
type Verdict = Result<(), String>;

/// Serves the legal requests of a case in both; the first difference is an error. Compares victims, merges and
/// cleaning in their order, all counters, those of regions, the erases of each block and, as far as it is visible, the map.
pub fn compare(case: &Case) -> Result<ModelResult, String> {
    let requests = case.legal_requests();
    let expected = model::run(&ModelConfig::from(case), &requests);
    let (mut device, events) = serve(case, &requests)?;
    first_difference("decisions", &events, &expected.events)?;
    let counters = device.counters().entries();
    first_difference("counters", &counters, &expected.counters.entries())?;
    let regions = device.regions().into_iter();
    let regions: Vec<[u64; 4]> = regions
        .map(|r| [r.host_pages, r.copied_in, r.copied_out, r.victims])
        .collect();
    first_difference("counts by region", &regions, &expected.regions)?;
    first_difference(
        "erases by block",
        &device.erase_counts(),
        &expected.erase_counts,
    )?;
    match &expected.map {
        ModelMap::Places(places) => compare_places(&device, case.config().flash.stripes(), places)?,
        // reads may evict, but write nothing after the buffer is drained
        ModelMap::Mapped(mapped) if case.is("drain", "true") => {
            let page_size = case.config().flash.page_size;
            compare_mapped(&mut device, u64::from(page_size), mapped)?;
        }
        ModelMap::Mapped(_) => {}
    }
    Ok(expected)
}

/// The device after the trace, and its decisions.
fn serve(case: &Case, requests: &[Request]) -> Result<(Watched, Vec<model::Event>), String> {
    let config = case.config();
    let stack = foreseeing_stack(&config, case.wrap, requests);
    let mut device =
        Device::fresh_on(&config, &stack, Flash::checked).map_err(|e| e.to_string())?;
    device.wrap_around(case.wrap);
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&events);
    let stripes = config.flash.stripes();
    device.report_to(Events::to(move |context, event| {
        // a chip among several counts its own pages
        let host_page = |lpn: Lpn| match context.chip {
            Some(chip) => u64::from(stripes.of_host(chip, lpn).0),
            None => u64::from(lpn.0),
        };
        let mut events = sink.lock().expect("one thread");
        events.extend(translated(event, host_page));
    }));
    let mut versions = Versions::default();
    for request in requests {
        device
            .submit(request, &mut versions)
            .map_err(|e| e.to_string())?;
    }
    device.finish().map_err(|e| e.to_string())?;
    let events = std::mem::take(&mut *events.lock().expect("one thread"));
    Ok((device, events))
}

fn translated(event: &Event, host_page: impl Fn(Lpn) -> u64) -> Option<model::Event> {
    match event {
        Event::Evict { dirty, clean, .. } => {
            let pages = dirty.iter().chain(clean);
            let mut pages: Vec<u64> = pages.map(|&lpn| host_page(lpn)).collect();
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
        Event::Clean { victim, .. } => Some(model::Event::Cleaned(u64::from(victim.0))),
        Event::Merged {
            aware,
            benefit_ns,
            copied,
            from_buffer,
            ..
        } => Some(model::Event::Decided {
            aware: *aware,
            benefit_ns: *benefit_ns,
            copied: *copied,
            from_buffer: *from_buffer,
        }),
        Event::Regions { sizes } => Some(model::Event::Regions(*sizes)),
        Event::Erase { .. }
        | Event::MergeEnd { .. }
        | Event::Write { .. }
        | Event::Read { .. }
        | Event::Flush
        | Event::Discard { .. } => None,
    }
}

/// This also compares the order of the free list: blocks come from its head, so their numbers show the order.
fn compare_places(device: &Watched, stripes: Stripes, places: &[Option<(u64, u64)>]) -> Verdict {
    let chips: Vec<_> = device.media().collect();
    let place = |lpn| {
        let (chip, lpn) = stripes.on_chip(Lpn(lpn));
        let chip = chip as usize;
        let (block, position) = chips[chip]
            .geometry()
            .place(chips[chip].check().newest(lpn)?);
        Some((u64::from(block.0), u64::from(position)))
    };
    let found: Vec<_> = (0..places.len() as u32).map(place).collect();
    first_difference("map", &found, places)
}

/// For a bound, only reads show which pages are mapped, and only reads that no clean page in the buffer serves.
fn compare_mapped(device: &mut Watched, size: u64, mapped: &[bool]) -> Verdict {
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
