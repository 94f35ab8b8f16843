//! The systems of this crate in the laboratory of ssdlab, and under its power cuts.

mod bytes;
mod cleaning;
mod compare;
mod dftl;
mod power_cuts;
mod serve;
mod streams;

use own_policy::Own;
use ssdlab_config::Config;
use ssdlab_device::{Counters, Device};
use ssdlab_flash::Array;
use ssdlab_host::{Op, Request};
use ssdlab_testkit::configs::{config_with, stack_with};
use ssdlab_testkit::versions::Versions;

const PAGE: u64 = 2048;

fn write(page: u64) -> Request {
    Request::new(0, Op::Write, page * PAGE, PAGE).expect("a page of a small device")
}

/// Copy on write over 6 blocks of 4 pages, new (`empty`) or `full`.
fn copy_on_write(precondition: &str) -> Config {
    let shape = "flash.page_size=512 flash.pages_per_block=4 flash.capacity=12KiB ftl.kind=copy-on-write \
                 ftl.spare_blocks=2 buffer.policy=none";
    let precondition = format!("precondition={precondition}");
    config_with(&Own, shape.split_whitespace().chain([&*precondition]))
}

/// The counters after these writes on page mapping, with a setting. All tables are checked on the way.
fn page_mapping(setting: &str, requests: impl IntoIterator<Item = Request>) -> Counters {
    let shape = "flash.capacity=4MiB flash.pages_per_block=16 ftl.kind=page buffer.policy=none";
    let config = config_with(&Own, shape.split(' ').chain([setting]));
    let device = Device::<Array<u64>>::fresh(&config, &stack_with(&Own, &config));
    let mut device = device.expect("a legal device");
    let mut versions = Versions::new(true);
    for (number, request) in requests.into_iter().enumerate() {
        device
            .submit(&request, &mut versions)
            .expect("a legal request");
        if number % 1000 == 0 {
            device.check().expect("tables that agree with the flash");
        }
    }
    device.counters()
}
