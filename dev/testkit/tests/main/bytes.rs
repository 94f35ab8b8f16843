//! Devices with bytes against a flat array, under requests that begin and end anywhere in a page.
//!
//! Planted bugs that this test catches: a part of a page that is written over zeros, or over what another page left in
//! memory; a page in the buffer that loses its rest; an unmapped page that enters with bytes of another; each part of a
//! wrapped request cut at both ends, or starting with the first bytes; a read that hands over other bytes of the page;
//! a host write that leaves the old data in the read buffer; the rest of a page that costs a read; padding counted as
//! reads of the host.

use std::cell::RefCell;

use ssdlab_device::Family;
use ssdlab_testkit::bytes::{self, Seen};
use ssdlab_testkit::cases::{self, Case, Systems, names};
use ssdlab_testkit::tally::Tally;

#[test]
fn every_byte_reads_as_it_was_written() {
    let tally = RefCell::new(Tally::default());
    cases::run(&Systems::all(), 3000, |case| {
        for case in [Some(case.clone()), superpages(case)].into_iter().flatten() {
            let legal = case.legal_requests();
            let seen = bytes::serve(&(), &case.config(), case.wrap, &legal)?;
            note(&mut tally.borrow_mut(), &case, seen);
        }
        Ok(())
    });
    tally.into_inner().require(20);
}

/// The same chips under one FTL, if there are several. Memory grows with the pages.
fn superpages(case: &Case) -> Option<Case> {
    let number = |key| case.get(key).and_then(|value| value.parse::<u64>().ok());
    let chips = number("flash.channels")? * number("flash.chips_per_channel")?;
    let memories = ["buffer.size", "read_buffer.size", "ftl.ram"];
    let larger = |key| Some(format!("{key}={}", number(key)? * chips));
    let mut superpages = case.clone();
    superpages
        .settings
        .push("flash.interleave=superpage".to_owned());
    superpages
        .settings
        .extend(memories.into_iter().filter_map(larger));
    (chips > 1).then_some(superpages)
}

fn note(tally: &mut Tally, case: &Case, seen: Seen) {
    let is = |key, value| case.get(key) == Some(value);
    let written = seen.parts_written > 0;
    for partial in ["whole", "rmw"] {
        let written = written && is("partial_writes", partial);
        for ftl in names(Family::Ftl) {
            tally.note(format!("{ftl}, {partial}"), written && is("ftl.kind", ftl));
        }
        for policy in names(Family::Buffer) {
            let is_policy = written && is("buffer.policy", policy);
            tally.note(format!("{policy}, {partial}"), is_policy);
            tally.note(
                format!("{policy}, {partial}, hits"),
                is_policy && (seen.hits > 0 || policy == "none"),
            );
        }
        for interleave in ["page", "superpage"] {
            let several = !is("flash.channels", "1") || !is("flash.chips_per_channel", "1");
            let is_interleave = several && is("flash.interleave", interleave);
            tally.note(format!("{interleave}, {partial}"), written && is_interleave);
        }
    }
    for placement in ["dac+", "deb"] {
        let in_ram = is("ftl.placement", placement) && seen.hits > 0;
        tally.note(format!("{placement} in RAM"), in_ram && written);
    }
    tally.note(
        "rest read",
        is("partial_writes", "rmw") && seen.rests_read > 0,
    );
    tally.note("read buffer", !is("read_buffer.policy", "none") && written);
    tally.note("ageing", !is("buffer.flush_age_s", "0e-9") && written);
    tally.note("wrapped", case.requests.iter().any(|r| case.wraps(r)));
}
