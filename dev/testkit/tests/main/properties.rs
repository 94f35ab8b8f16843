//! Rules for every device, checked after every request of random traces on random devices.
//!
//! Planted bugs that this test catches: log blocks that miscount rewrites or discards; an old data block that is
//! not erased after a partial merge; a rewrite that leaves the old data in the buffer, or a discard its page;
//! padding with pages that are unmapped; discards that are not recorded; a flush that leaves one page dirty, or
//! that a protected buffer honours; a buffer one page too large; read hits without an access, or copies with one
//! transfer, in the time; every wrapped part of a write taken for a partial one; a discard of a page that it covers
//! in part; `cflru` that does not cache reads; data of a victim that stay behind in the buffer.

use ssdlab_device::{Counters, Family};
use ssdlab_testkit::cases::{self, Case, Systems, names};
use ssdlab_testkit::checked::Checked;
use ssdlab_testkit::tally::Tally;

#[test]
fn every_request_leaves_a_consistent_device() {
    let tally = Tally::default();
    cases::run_until(&[(&tally, 3)], &Systems::all(), 2000, |case| {
        let counters = Checked::run(case)?;
        note(&tally, case, &counters);
        Ok(())
    });
}

/// What each run of random cases must have done.
pub fn note_common(tally: &Tally, case: &Case, c: &Counters) {
    for policy in names(Family::Buffer) {
        let used = c.evictions > 0 || policy == "none" && c.host_write_pages > 0;
        tally.note(policy, used && case.is("buffer.policy", policy));
    }
    for ftl in names(Family::Ftl) {
        tally.note(ftl, c.flash_programs > 0 && case.is("ftl.kind", ftl));
    }
    tally.note("padding", c.padding_reads > 0);
    tally.note("aged page", c.aged_pages > 0);
    tally.note("unmapped read", c.unmapped_reads > 0);
    tally.note("copy-back", c.copy_backs > 0);
    let wraps = case.requests.iter().any(|r| case.wraps(r));
    tally.note("wrapped request", wraps);
}

fn note(tally: &Tally, case: &Case, c: &Counters) {
    note_common(tally, case, c);
    tally.note("switch merge", c.switch_merges > 0);
    tally.note("partial merge", c.partial_merges > 0);
    tally.note("full merge", c.full_merges > 0);
    let merged = c.switch_merges + c.partial_merges + 2 * c.full_merges;
    let aged = case.is("ftl.kind", "bast") && case.is("precondition", "full");
    tally.note("log block without a valid page", aged && c.erases > merged);
    tally.note("copy", c.flash_copies > 0);
    tally.note("clean page evicted", c.evicted_clean_pages > 0);
    tally.note("read hit", c.buffer_read_hits > 0);
    let refused = case.requests.iter().any(|r| !case.is_legal(r));
    tally.note("refused request", refused);
}
