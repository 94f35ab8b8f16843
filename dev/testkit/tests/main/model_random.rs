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
//! paced cleaning that begins a page late, moves a page too few, keeps the last free block for itself, or waits for a
//! victim without valid pages; cleaning that starts with a block more to spare, or that loses the old version of the page being written; a frontier
//! opened by cleaning that is passed over; a discard that leaves its page valid; the region of an update looked up
//! after cleaning has moved the page; write-backs of `deb` before the page enters, of `dac+` after it; drains in
//! another order, or at another time; a page that a merge programs from the buffer and leaves dirty; a merge that does
//! not see pages of the victim that are still to be written; padding that goes on behind the end of a log block; a
//! choice of victims without ties, with erases in C_avg, or buffer-aware where both costs are equal.

use ssdlab_device::{Counters, Family};
use ssdlab_testkit::against_model::compare;
use ssdlab_testkit::cases::{
    self, Case, Systems, buffer_aware_ftls, modelled_cleanings, names, read_buffers,
};
use ssdlab_testkit::model::{Event, Merge, ModelResult};
use ssdlab_testkit::tally::Tally;

use crate::properties::note_common;

#[test]
fn every_decision_is_that_of_the_model() {
    let tally = Tally::default();
    cases::run_until(&[(&tally, 3)], &Systems::modelled(), 4000, |case| {
        let result = compare(case)?;
        note(&tally, case, &result);
        Ok(())
    });
}

fn note(tally: &Tally, case: &Case, result: &ModelResult) {
    let c = &result.counters;
    note_common(tally, case, c);
    if case.is("ftl.kind", "page") {
        note_page_mapping(tally, case, c);
    }
    note_awareness(tally, case, result);
    tally.note("hundred victims", c.gc_victims >= 100);
    for kind in [Merge::Switch, Merge::Partial, Merge::Full] {
        let is_kind = |event: &Event| matches!(event, Event::Merged(k, _) if *k == kind);
        tally.note(format!("{kind:?} merge"), result.events.iter().any(is_kind));
    }
    for policy in read_buffers() {
        let used = c.buffer_read_hits > 0 && c.evicted_clean_pages > 0;
        let is_policy = case.is("read_buffer.policy", policy);
        tally.note(format!("read buffer {policy}"), used && is_policy);
        let writes = case.is("read_buffer.writes", "cache");
        tally.note(format!("written to {policy}"), used && is_policy && writes);
    }
    tally.note("several chips", !case.is("flash.channels", "1"));
}

fn note_page_mapping(tally: &Tally, case: &Case, c: &Counters) {
    for cleaning in modelled_cleanings() {
        let used = c.gc_victims > 0 && case.is("ftl.cleaning", cleaning);
        tally.note(cleaning, used && c.flash_copies + c.copy_backs > 0);
        let shared = case.is("ftl.gc_frontier", "shared");
        tally.note(format!("{cleaning}, one frontier"), used && shared);
        let paced = case.is("ftl.pace", "paced");
        tally.note(format!("{cleaning}, paced"), used && paced);
        let trace = case.is("clock", "trace");
        tally.note(format!("{cleaning}, trace time"), used && trace);
    }
    for placement in names(Family::Placement) {
        let used = c.gc_victims > 0 && case.is("ftl.placement", placement);
        for clock in ["writes", "trace"] {
            let is_clock = case.is("clock", clock);
            tally.note(format!("{placement}, clock {clock}"), used && is_clock);
        }
    }
    for placement in ["dac+", "deb"] {
        let used = case.is("ftl.placement", placement);
        let hits = used && c.buffer_write_hits > 0;
        tally.note(format!("{placement} updates in RAM"), hits);
        let overflows = used && c.evictions > 0 && case.is("drain", "false");
        tally.note(format!("{placement} overflows"), overflows);
    }
}

fn note_awareness(tally: &Tally, case: &Case, result: &ModelResult) {
    for ftl in buffer_aware_ftls() {
        let is_ftl = case.is("ftl.kind", ftl);
        let counters = &result.counters;
        for (aware, sees) in [
            ("watch", counters.useless_migrations),
            ("merge", counters.merge_programs),
            ("merge+victim", counters.merge_programs),
            ("skip", counters.skipped_migrations),
        ] {
            let asks = is_ftl && case.is("ftl.buffer_aware", aware);
            tally.note(format!("{ftl}, buffer_aware {aware}"), asks && sees > 0);
        }
        for (what, count) in [
            ("realised", counters.realised_benefit_ns),
            ("predicted", counters.predicted_benefit_ns),
            ("updated", counters.cleaned_then_updated),
            ("aware", counters.aware_merges),
            ("unaware", counters.unaware_merges),
        ] {
            tally.note(format!("{ftl}, {what}"), is_ftl && count > 0);
        }
        let unaware = result.choices.iter().any(|choice| !choice.aware);
        tally.note(format!("{ftl}, chosen unaware"), is_ftl && unaware);
        let late = result.choices.iter().any(|choice| choice.chosen > 0);
        tally.note(format!("{ftl}, not the oldest"), is_ftl && late);
    }
}
