//! Devices against the reference model, decision by decision, on random traces.
//!
//! Planted bugs that this test catches: `lru` without promotion on a write hit; ties of `fab` by the most recent block;
//! the window of `cflru` off by one, or blind to pages cleaned by age; `bplru` whose run outlives the header, that
//! compensates one page early, that pads unmapped offsets, or that reads clean pages it holds; headers that need no
//! room; ageing that a rewrite renews, or that is late by a nanosecond; a free list that is a stack; merges that erase
//! in the wrong order, or that take the most recent or first opened log block; log blocks that miscount rewrites or
//! discards; a switch that holes prevent; partial merges despite rewrites; flushes honoured by a protected buffer;
//! read-modify-writes of held pages; copies that are charged one transfer; `cflru` that does not cache reads; hot pages
//! that leave with their block, or that a reported victim lists; regions that a flush resizes, or that forget to; a
//! block that one request promotes twice; a replacement block with copies that counts as a switch; the most recent one
//! closed, the most recent chain folded; a fold after which the pool must give a block although the chain has room;
//! cleaning that starts with a block more to spare, or that loses the old version of the page being written; a frontier
//! opened by cleaning that is passed over; a discard that leaves its page valid; the region of an update looked up
//! after cleaning has moved the page; write-backs of `deb` before the page enters, of `dac+` after it; drains in
//! another order, or at another time; a page that a merge programs from the buffer and leaves dirty; a merge that does
//! not see pages of the victim that are still to be written; padding that goes on behind the end of a log block; a
//! choice of victims without ties, with erases in C_avg, or buffer-aware where both costs are equal.

use std::cell::RefCell;

use ssdlab_device::Family;
use ssdlab_testkit::against_model::compare;
use ssdlab_testkit::cases::{
    self, Case, Systems, buffer_aware_ftls, modelled_cleanings, names, read_buffers,
};
use ssdlab_testkit::model::{Event, Merge, ModelResult};
use ssdlab_testkit::tally::Tally;

#[test]
fn every_decision_is_that_of_the_model() {
    let tally = RefCell::new(Tally::default());
    cases::run(&Systems::modelled(), 6000, |case| {
        let result = compare(case)?;
        note(&mut tally.borrow_mut(), case, &result);
        Ok(())
    });
    tally.into_inner().require(3);
}

fn note(tally: &mut Tally, case: &Case, result: &ModelResult) {
    let counters = &result.counters;
    for policy in names(Family::Buffer) {
        let used = counters.evictions > 0 || policy == "none" && counters.host_write_pages > 0;
        tally.note(policy, used && case.get("buffer.policy") == Some(policy));
    }
    for ftl in names(Family::Ftl) {
        tally.note(
            ftl,
            counters.flash_programs > 0 && case.get("ftl.kind") == Some(ftl),
        );
    }
    for cleaning in modelled_cleanings() {
        let cleans = case.get("ftl.kind") == Some("page") && counters.gc_victims > 0;
        let chosen = cleans && case.get("ftl.cleaning") == Some(cleaning);
        tally.note(
            cleaning,
            chosen && counters.flash_copies + counters.copy_backs > 0,
        );
        tally.note(
            format!("{cleaning}, one frontier"),
            chosen && case.get("ftl.gc_frontier") == Some("shared"),
        );
        tally.note(
            format!("{cleaning}, trace time"),
            chosen && case.get("clock") == Some("trace"),
        );
    }
    for ftl in buffer_aware_ftls() {
        let of_kind = case.get("ftl.kind") == Some(ftl);
        for aware in ["merge", "merge+victim"] {
            let asked = of_kind && case.get("ftl.buffer_aware") == Some(aware);
            let name = format!("{ftl}, buffer_aware {aware}");
            tally.note(name, asked && counters.merge_programs > 0);
        }
        let unaware = of_kind && result.choices.iter().any(|choice| !choice.aware);
        tally.note(format!("{ftl}, chosen unaware"), unaware);
        let late = of_kind && result.choices.iter().any(|choice| choice.chosen > 0);
        tally.note(format!("{ftl}, not the oldest"), late);
    }
    for placement in names(Family::Placement) {
        let cleans = case.get("ftl.kind") == Some("page") && counters.gc_victims > 0;
        let chosen = cleans && case.get("ftl.placement") == Some(placement);
        for clock in ["writes", "trace"] {
            let used = chosen && case.get("clock") == Some(clock);
            tally.note(format!("{placement}, clock {clock}"), used);
        }
    }
    for placement in ["dac+", "deb"] {
        let chosen = |key, value| case.get(key) == Some(value);
        let used = chosen("ftl.kind", "page") && chosen("ftl.placement", placement);
        let hits = used && counters.buffer_write_hits > 0;
        tally.note(format!("{placement} updates in RAM"), hits);
        let overflows = used && counters.evictions > 0 && chosen("drain", "false");
        tally.note(format!("{placement} overflows"), overflows);
    }
    tally.note("hundred victims", counters.gc_victims >= 100);
    for kind in [Merge::Switch, Merge::Partial, Merge::Full] {
        let is_kind = |event: &Event| matches!(event, Event::Merged(k, _) if *k == kind);
        tally.note(format!("{kind:?} merge"), result.events.iter().any(is_kind));
    }
    for policy in read_buffers() {
        let used = counters.buffer_read_hits > 0 && counters.evicted_clean_pages > 0;
        let chosen = case.get("read_buffer.policy") == Some(policy);
        tally.note(format!("read buffer {policy}"), used && chosen);
    }
    tally.note("several chips", case.get("flash.channels") != Some("1"));
    tally.note("padding", counters.padding_reads > 0);
    tally.note("aged page", counters.aged_pages > 0);
    tally.note("unmapped read", counters.unmapped_reads > 0);
    tally.note("copy-back", counters.copy_backs > 0);
    tally.note(
        "wrapped request",
        case.requests.iter().any(|r| case.wraps(r)),
    );
}
