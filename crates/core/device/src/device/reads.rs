//! Reads that pad a victim: FTLs and media that must see each read do see it.

use ssdlab_flash::{Array, Fault, Geometry, Lpn, Media, Pbn, Ppn, ProgramOrder, Spare, SpareState};
use ssdlab_ftl::ideal::Ideal;
use ssdlab_ftl::page::{PageConfig, PageMapping};
use ssdlab_ftl::{
    Buffer, Capacity, Entry, Env, Found, Ftl, FtlError, FtlKind, Impossible, Inputs, Needs,
    ReadCause,
};
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::bplru::{Bplru, BplruConfig};
use ssdlab_policy::cleaning::{self, greedy::Greedy};
use ssdlab_policy::placement::{self, single, single::Single};

use crate::{BufferMaker, Device, FtlMaker, NoData, Parameters, Stack};

/// Media that count the reads, as flash does that reads disturb.
struct Disturbed {
    array: Array<()>,
    reads: u64,
}

impl Media for Disturbed {
    type Data = ();

    fn geometry(&self) -> &Geometry {
        self.array.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &()) -> Result<(), Fault> {
        self.array.program(to, spare, page)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.array.copy(from, to, spare)
    }

    fn read(&mut self, at: Ppn, into: &mut ()) -> Result<(), Fault> {
        self.reads += 1;
        self.array.read(at, into)
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.array.erase(block)
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        self.array.barrier()
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.array.record_discard(lpn)
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        self.array.discarded_at(lpn)
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        self.array.read_spare(at)
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.array.erase_count(block)
    }
}

/// An FTL that looks up each page that is read in a table in flash. Nothing else is stored.
struct Cached;

impl<M: Media> Ftl<M> for Cached {
    fn write(
        &mut self,
        _: &mut Env<M>,
        _: &mut Buffer<M::Data>,
        _: Lpn,
        _: &M::Data,
    ) -> Result<(), FtlError> {
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, _: Lpn, _: &mut M::Data) -> Result<Found, FtlError> {
        env.count_reads(ReadCause::Own, 1);
        env.count_reads(env.reading(), 1);
        Ok(Found::Flash)
    }

    fn is_mapped(&self, _: Lpn) -> bool {
        true
    }

    fn discard(&mut self, _: &mut Env<M>, _: Lpn) -> Result<(), FtlError> {
        Ok(())
    }

    fn check(&self, _: &mut M) -> Result<(), String> {
        Ok(())
    }
}

impl FtlKind for Cached {
    const ENTRY: Entry = Ideal::ENTRY;
    type Config = ();

    fn configure(_: &Inputs) {}

    fn needs((): &(), _: &Capacity) -> Result<Needs, Impossible> {
        Ok(Needs::default())
    }

    fn fresh<M: Media>((): &(), _: &Geometry, _: bool) -> Box<dyn Ftl<M>> {
        Box::new(Cached)
    }

    fn mount<M: Media>((): &(), _: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(Cached))
    }
}

/// A device of blocks of 128 pages behind BPLRU with two pages.
fn device<K: FtlKind, M: Media<Data = ()>>(
    config: K::Config,
    wrap: impl FnMut(Array<()>) -> Result<M, Fault>,
) -> Device<M> {
    let mut parameters = Parameters::default();
    parameters.buffer.size = 2 * 2048;
    let buffer = BufferMaker::of::<Bplru>(BplruConfig::default());
    let stack = Stack::new(FtlMaker::of::<K>(config)).with_buffer(buffer);
    Device::fresh_on(&parameters, &stack, wrap).expect("a device")
}

/// Page mapping with greedy cleaning.
fn page() -> PageConfig {
    PageConfig::plain(
        6,
        3,
        cleaning::Chosen::of::<Greedy>(()),
        placement::Chosen::of::<Single>(single::SingleConfig::default()),
    )
}

/// Writes one page of each of ten blocks. Eight of them leave, each with 127 pages that pad it.
fn padded<M: Media<Data = ()>>(mut device: Device<M>) -> Device<M> {
    for block in 0..10 {
        let request = Request::new(0, Op::Write, block * 128 * 2048, 2048).expect("a request");
        device.submit(&request, &mut NoData).expect("room");
    }
    assert_eq!(
        device.core.flash_counts().reads_of(ReadCause::Padding),
        8 * 127
    );
    device
}

// planted bug: padding reads are counted, and the media do not see them
#[test]
fn media_see_the_reads_that_pad() {
    let wrap = |array| Ok(Disturbed { array, reads: 0 });
    let device = padded(device::<PageMapping<()>, Disturbed>(page(), wrap));
    let seen: u64 = device.media().map(|media| media.reads).sum();
    assert_eq!(seen, 8 * 127);
}

// planted bug: padding reads are counted, and an FTL whose reads change its state does not see them
#[test]
fn an_ftl_sees_the_reads_that_pad() {
    let device = padded(device::<Cached, Array<()>>((), Ok));
    assert_eq!(device.core.flash_counts().reads_of(ReadCause::Own), 8 * 127);
}

// planted bug: an array whose reads change what it counts, but need not reach it
#[test]
fn reads_of_an_array_change_nothing() {
    let geometry = Geometry::new(2048, 4, 2, 3, 1);
    let mut array = Array::<()>::new(geometry, ProgramOrder::Ascending);
    array.precondition().expect("room");
    let before = format!("{array:?}");
    array.read(Ppn(0), &mut ()).expect("a page");
    assert_eq!(format!("{array:?}"), before);
}
