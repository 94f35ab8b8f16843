//! Reads are counted by cause.
//!
//! Planted bugs that this test catches: a read of the FTL's own that counts under the cause of the last read; a page
//! without a version that counts; the rest of a page that costs a read; pages read together that count as one; a run of
//! reads that goes on behind a page without a version, or behind a place that is not the next.

use ssdlab_flash::{Array, Clocked, Geometry, Lpn, Media, Note, Ppn, ProgramOrder};
use ssdlab_ftl::{Env, Found, Lookup, ReadCause};

const ASKED: [ReadCause; 4] = [
    ReadCause::Host,
    ReadCause::Padding,
    ReadCause::Modify,
    ReadCause::Rest,
];

#[test]
fn each_read_counts_under_its_cause() {
    let mut media = Array::<u64>::new(Geometry::new(512, 4, 1, 1, 1), ProgramOrder::Ascending);
    media.precondition().expect("an empty array");
    let mut env = Env::new(media, false);
    let mut page = 7;
    for cause in ASKED {
        env.read_for(cause);
        assert_eq!(env.read(Ppn(0), &mut page), Ok(Found::Flash));
        assert_eq!(env.read(Ppn::NONE, &mut page), Ok(Found::Unmapped));
        assert_eq!(env.read_own(Ppn(1), &mut page), Ok(()));
    }
    assert_eq!(env.counts().reads, [1, 1, 1, 1, 4]);
    assert_eq!(env.counts().flash_reads(), 7);

    env.read_for(ReadCause::Padding);
    let found = Found::Unmapped;
    let mut pages = [0; 3].map(|page| Lookup { found, page });
    let places = [Ppn(0), Ppn::NONE, Ppn(2)];
    env.read_each(Lpn(0), places.into_iter(), &mut pages)
        .expect("programmed pages");
    assert_eq!(
        pages.map(|page| page.found),
        [Found::Flash, Found::Unmapped, Found::Flash]
    );
    assert_eq!(env.counts().reads_of(ReadCause::Padding), 3);
}

#[test]
fn each_run_of_reads_has_a_note() {
    let mut media = Array::<()>::new(Geometry::new(512, 8, 1, 1, 1), ProgramOrder::Ascending);
    media.precondition().expect("an empty array");
    let mut env = Env::new(Clocked::new(media), false);
    env.read_for(ReadCause::Padding);
    let found = Found::Unmapped;
    let mut pages = [(); 7].map(|page| Lookup { found, page });
    let places = [0, 1, u32::MAX, 2, 3, 6, 7].map(Ppn);
    env.read_each(Lpn(4), places.into_iter(), &mut pages)
        .expect("programmed pages");
    assert_eq!(env.counts().reads_of(ReadCause::Padding), 6);
    let notes = env.media_mut().notes().expect("clocked media");
    let reads = |at, lpn, count| {
        let (at, lpn) = (Ppn(at), Lpn(lpn));
        Note::Reads { at, lpn, count }
    };
    assert_eq!(*notes, [reads(0, 4, 2), reads(2, 7, 2), reads(6, 9, 2)]);
}
