//! Sums that exceed a counter.

use ssdlab_flash::Array;
use ssdlab_ftl::ReadCause;
use ssdlab_ftl::ideal::Ideal;
use ssdlab_host::{Op, Request};

use crate::{Counters, Device, DeviceError, FtlMaker, NoData, Parameters, Stack};

fn device() -> Device<Array<()>> {
    let stack = Stack::new(FtlMaker::of::<Ideal<()>>(()));
    Device::fresh(&Parameters::default(), &stack).expect("a device")
}

fn counter(error: Result<(), DeviceError>) -> &'static str {
    match error {
        Err(DeviceError::Uncountable { counter, .. }) => counter,
        other => panic!("{other:?}"),
    }
}

// planted bugs: a sum that wraps around; a request that is refused but counted
#[test]
fn bytes() {
    type Sum = fn(&mut Counters) -> &mut u64;
    let read: Sum = |counters| &mut counters.host_read_bytes;
    let written: Sum = |counters| &mut counters.host_write_bytes;
    for (op, name, sum) in [
        (Op::Read, "host_read_bytes", read),
        (Op::Write, "host_write_bytes", written),
    ] {
        let mut device = device();
        let request = Request::new(0, op, 0, 2048).expect("a request");
        *sum(&mut device.core.counters) = u64::MAX - 2048;
        assert_eq!(device.submit(&request, &mut NoData), Ok(()));
        let before = device.counters();
        assert_eq!(counter(device.submit(&request, &mut NoData)), name);
        assert_eq!(device.counters(), before);
    }
}

// planted bug: a time that saturates without an error
#[test]
fn time() {
    let mut device = device();
    // 100 µs each
    let mut read = |pages| {
        let chip = device.core.chips.iter_mut().next().expect("a chip");
        chip.env.count_reads(ReadCause::Host, pages);
        device.finish()
    };
    assert_eq!(read(u64::MAX / 100_000), Ok(()));
    assert_eq!(counter(read(1)), "elapsed_ns");
}
