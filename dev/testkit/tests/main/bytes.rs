//! Devices with bytes against a flat array, under requests that begin and end anywhere in a page.
//!
//! Planted bugs that this test catches: a part of a page that is written over zeros, or over what another page left in
//! memory; a page in the buffer that loses its rest; an unmapped page that enters with bytes of another; each part of a
//! wrapped request cut at both ends, or starting with the first bytes; a read that hands over other bytes of the page;
//! a host write that leaves the old data in the read buffer; the rest of a page that costs a read; padding counted as
//! reads of the host.

use ssdlab_device::Family;
use ssdlab_testkit::bytes::{self, Seen};
use ssdlab_testkit::cases::{self, Case, Systems, names};
use ssdlab_testkit::tally::Tally;

#[test]
fn every_byte_reads_as_it_was_written() {
    let tally = Tally::default();
    cases::run_until(&[(&tally, 20)], &Systems::all(), 2000, |case| {
        let superpages = (case.chips() > 1).then(|| case.with_superpages());
        for case in [Some(case.clone()), superpages].into_iter().flatten() {
            let legal = case.legal_requests();
            let seen = bytes::serve(&(), &case.config(), case.wrap, &legal)?;
            note(&tally, &case, seen);
        }
        Ok(())
    });
}

fn note(tally: &Tally, case: &Case, seen: Seen) {
    let written = seen.parts_written > 0;
    for partial in ["whole", "rmw"] {
        let written = written && case.is("partial_writes", partial);
        for ftl in names(Family::Ftl) {
            let is_ftl = case.is("ftl.kind", ftl);
            tally.note(format!("{ftl}, {partial}"), written && is_ftl);
        }
        for policy in names(Family::Buffer) {
            let is_policy = written && case.is("buffer.policy", policy);
            tally.note(format!("{policy}, {partial}"), is_policy);
            let hits = is_policy && (seen.hits > 0 || policy == "none");
            tally.note(format!("{policy}, {partial}, hits"), hits);
        }
        for interleave in ["page", "superpage"] {
            let is_interleave = case.chips() > 1 && case.is("flash.interleave", interleave);
            tally.note(format!("{interleave}, {partial}"), written && is_interleave);
        }
    }
    for placement in ["dac+", "deb"] {
        let in_ram = case.is("ftl.placement", placement) && seen.hits > 0;
        tally.note(format!("{placement} in RAM"), in_ram && written);
    }
    let modifies = case.is("partial_writes", "rmw");
    tally.note("rest read", modifies && seen.rests_read > 0);
    let reads_are_buffered = !case.is("read_buffer.policy", "none");
    tally.note("read buffer", reads_are_buffered && written);
    let ages = !case.is("buffer.flush_age_s", "0e-9");
    tally.note("ageing", ages && written);
    tally.note("wrapped", case.requests.iter().any(|r| case.wraps(r)));
}
