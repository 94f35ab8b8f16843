//! The computed memory of devices against their real memory.
//!
//! Planted bugs that this catches: a table that is not counted; a table that grows during the run.

use peak_alloc::PeakAlloc;
use ssdlab_config::{Config, Resolver};
use ssdlab_device::registry::built_in;
use ssdlab_device::{Device, Family, NoData, Registry, Stack, memory};
use ssdlab_flash::Array;
use ssdlab_host::{Op, Request};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A few large blocks, many small blocks, blocks of one page, a single block.
const SHAPES: [(u32, u32); 4] = [(4096, 12), (16, 4000), (1, 30_000), (65_536, 1)];

fn config(shape: (u32, u32), settings: &[String]) -> Option<Config> {
    let (pages, blocks) = shape;
    let mut resolver = Resolver::new();
    let set = |key: &str| {
        resolver.set(key).expect("a setting");
    };
    [
        format!("flash.pages_per_block={pages}"),
        "flash.page_size=512".into(),
        format!("flash.capacity={}", u64::from(pages * blocks) * 512),
    ]
    .iter()
    .chain(settings)
    .map(String::as_str)
    .for_each(set);
    resolver.resolve().ok()
}

/// The most bytes that a device took while it was built and served requests all over its capacity.
fn taken(config: &Config, stack: &Stack<Array<()>>) -> u64 {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let mut device = Device::fresh(config, stack).expect("a device");
    let pages = u64::from(config.logical_pages());
    for i in 0..4000 {
        let page = i * 2_654_435_761 % pages;
        let op = if i % 5 == 0 { Op::Read } else { Op::Write };
        let request = Request::new(i * 1000, op, page * 512, 512).expect("a request");
        // after an error the device takes no more memory
        if device.submit(&request, &mut NoData).is_err() {
            break;
        }
    }
    drop(device);
    (ALLOCATOR.peak_usage() - before) as u64
}

/// An error text if the computed memory does not fit the real one.
fn check(shape: (u32, u32), settings: &[String]) -> Option<String> {
    let config = config(shape, settings)?;
    let stack = config.stack(&Registry::built_in());
    let (said, taken) = (memory(&config, &stack), taken(&config, &stack));
    // the real memory of these depends on the trace
    let grows = |setting: &String| setting.contains("cat") || setting.contains("age_s");
    let most = match settings.iter().any(grows) {
        true => u64::MAX,
        // some policies keep a heap for each number of pages that a block holds
        false => 4 * taken + 10 * u64::from(shape.0) + (128 << 10),
    };
    let fits = taken <= said && said <= most;
    (!fits).then(|| format!("{shape:?} {settings:?}: said {said}, taken {taken}\n"))
}

#[test]
fn no_device_takes_more_than_is_said() {
    let set = |key: &str, value: &str| format!("{key}={value}");
    let none = set("buffer.policy", "none");
    let mut wrong = String::new();
    let mut check = |shape, settings: &[String]| wrong.extend(check(shape, settings));
    for shape in SHAPES {
        for ftl in built_in(Family::Ftl) {
            let ftl = set("ftl.kind", ftl.name);
            for aware in ["off", "merge+victim"] {
                for logs in [7, 40] {
                    let aware = set("ftl.buffer_aware", aware);
                    let logs = format!("ftl.log_blocks={logs}");
                    check(shape, &[ftl.clone(), aware, logs, none.clone()]);
                }
            }
        }
        for policy in built_in(Family::Buffer) {
            let ideal = set("ftl.kind", "ideal");
            let policy = set("buffer.policy", policy.name);
            for more in [
                "buffer.flush_age_s=0.0001",
                "buffer.size=8KiB",
                "drain=true",
            ] {
                check(shape, &[ideal.clone(), policy.clone(), more.into()]);
            }
            let read = "read_buffer.policy=lru".to_owned();
            check(shape, &[ideal, policy, read]);
        }
        for cleaning in built_in(Family::Cleaning) {
            let cleaning = set("ftl.cleaning", cleaning.name);
            check(shape, &["ftl.kind=page".into(), cleaning, none.clone()]);
        }
        for placement in built_in(Family::Placement) {
            let placement = set("ftl.placement", placement.name);
            let page = "ftl.kind=page".to_owned();
            check(
                shape,
                &[page, placement, none.clone(), "ftl.ram=1MiB".into()],
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
