//! The computed memory of devices against their real memory.
//!
//! Planted bugs that this catches: a table that is not counted; a table that grows during the run; clocks with a table
//! of all pages; clocks that never forget a busy stretch; a recording that is not counted.

use std::sync::{Mutex, PoisonError};

use peak_alloc::PeakAlloc;
use ssdlab_config::{Config, Resolver};
use ssdlab_device::registry::built_in;
use ssdlab_device::{Device, DeviceError, Family, NoData, Registry, memory, recording_bytes};
use ssdlab_flash::{Clocked, Fault, Media};
use ssdlab_host::{Op, Request};
// the crate that has compiled all systems for these media
use ssdlab_simulators::{ClockedMedia, SimMedia};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Held by the test that measures.
static ALONE: Mutex<()> = Mutex::new(());

/// A few large blocks, many small blocks, blocks of one page, a single block.
const SHAPES: [(u32, u32); 4] = [(4096, 12), (16, 4000), (1, 30_000), (65_536, 1)];

/// A preset or the defaults with these settings, unless they do not fit together.
fn resolved<'a>(
    mut resolver: Resolver,
    settings: impl IntoIterator<Item = &'a str>,
) -> Option<Config> {
    for setting in settings {
        resolver.set(setting).expect("a setting");
    }
    resolver.resolve().ok()
}

fn config((pages, blocks): (u32, u32), settings: &[String]) -> Option<Config> {
    let shape = [
        format!("flash.pages_per_block={pages}"),
        "flash.page_size=512".into(),
        format!("flash.capacity={}", u64::from(pages * blocks) * 512),
    ];
    let settings = shape.iter().chain(settings).map(String::as_str);
    resolved(Resolver::new(), settings)
}

/// The memory that is said, and the most bytes that a device took while it was built and served requests all over its
/// capacity.
fn said_and_taken(config: &Config) -> (u64, u64) {
    if config.has_clocks() {
        on_media(config, false, |array| Ok(Clocked::new(array)))
    } else {
        on_media(config, false, Ok)
    }
}

fn on_media<M: Media<Data = ()>>(
    config: &Config,
    recorded: bool,
    wrap: impl FnMut(SimMedia) -> Result<M, Fault>,
) -> (u64, u64) {
    let stack = config.stack(&Registry::<M>::built_in());
    let said = memory(config, &stack);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let mut device = Device::fresh_on(config, &stack, wrap).expect("a device");
    if recorded {
        device.record();
    }
    let pages = u64::from(config.logical_pages());
    for i in 0..4000 {
        let page = i * 2_654_435_761 % pages;
        let op = if i % 5 == 0 { Op::Read } else { Op::Write };
        let size = u64::from(config.flash.page_size);
        let request = Request::new(i * 1000, op, page * size, size).expect("a request");
        // after an error the device takes no more memory
        if device.submit(&request, &mut NoData).is_err() {
            break;
        }
    }
    drop(device);
    (said, (ALLOCATOR.peak_usage() - before) as u64)
}

/// An error text if the computed memory does not fit the real one.
fn check(shape: (u32, u32), settings: &[String]) -> Option<String> {
    let config = config(shape, settings)?;
    let (said, taken) = said_and_taken(&config);
    // the real memory of these depends on the trace
    let grows = |setting: &String| {
        ["cat", "age_s", "parallel"]
            .iter()
            .any(|part| setting.contains(part))
    };
    let most = if settings.iter().any(grows) {
        u64::MAX
    } else {
        // some policies keep a heap for each number of pages that a block holds
        4 * taken + 10 * u64::from(shape.0) + (128 << 10)
    };
    let fits = taken <= said && said <= most;
    (!fits).then(|| format!("{shape:?} {settings:?}: said {said}, taken {taken}\n"))
}

#[test]
fn what_a_recording_takes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (chips, channels) in [(1, 1), (4, 8)] {
        let settings = [
            "timing.model=parallel".to_owned(),
            "flash.interleave=line".to_owned(),
            format!("flash.channels={channels}"),
            format!("flash.chips_per_channel={chips}"),
            "queue_depth=64".to_owned(),
        ];
        let config = config((16, 4096), &settings).expect("a configuration");
        let taken = |recorded| on_media(&config, recorded, |array| Ok(Clocked::new(array))).1;
        let recording = taken(true) - taken(false);
        let said = recording_bytes(chips * channels, channels);
        assert!(recording <= said, "{recording} bytes, said {said}");
        // few requests fill the lists of one chip only
        assert!(
            chips > 1 || recording > said / 20,
            "{recording} bytes, said {said}"
        );
    }
}

#[test]
fn no_device_takes_more_than_is_said() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
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
                "timing.model=parallel",
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

// planted bug: a placement without clustering counts times of all pages
#[test]
fn a_page_of_a_large_drive_takes_twelve_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for policy in ["none", "lru"] {
        let drive = |more: &[String]| {
            let mut resolver = Resolver::new();
            resolver.preset("nvme-tlc");
            let policy = format!("buffer.policy={policy}");
            let settings = more.iter().chain([&policy]).map(String::as_str);
            resolved(resolver, settings).expect("a configuration")
        };
        let whole = drive(&[]);
        let clocked = whole.stack(&Registry::<ClockedMedia>::built_in());
        let said = memory(&whole, &clocked);
        let pages = u64::from(whole.logical_pages());
        assert!(said <= 12 * pages, "{policy}: {said} for {pages} pages");
        // a tenth of it, but large enough for the tables of large drives
        let capacity = 86 * whole.flash.capacity_step();
        let tenth = drive(&[
            format!("flash.capacity={capacity}"),
            "precondition=empty".into(),
        ]);
        let (said, taken) = said_and_taken(&tenth);
        assert!(taken <= said, "{policy}: said {said}, taken {taken}");
    }
}

/// The settings of small clocked devices that differ in what their clocks must remember.
const CLOCKED: [&str; 8] = [
    "ftl.kind=page buffer.policy=none flash.chips_per_channel=2 flash.interleave=line",
    "ftl.kind=bast buffer.policy=bplru buffer.count_headers=true",
    "ftl.kind=page buffer.policy=lru timing.read_suspends=true flash.channels=2 flash.chips_per_channel=2 \
     flash.interleave=line",
    "ftl.kind=block buffer.policy=fab read_buffer.policy=lru timing.read_suspends=true flash.channels=4 \
     flash.interleave=page",
    "ftl.kind=page ftl.placement=deb ftl.regions=3 ftl.stable_s=[400,900,9000] ftl.ram=64KiB \
     ftl.over_provisioning=0.5 buffer.policy=none",
    "ftl.kind=page buffer.policy=unbounded",
    "timing.model=drive timing.program_pages=8 timing.sense_pages=4 ftl.kind=page ftl.pace=paced buffer.policy=lru \
     flash.channels=2 flash.chips_per_channel=2 flash.interleave=line",
    "timing.model=drive ftl.kind=bast buffer.policy=fab flash.channels=4 flash.interleave=page",
];

fn clocked(settings: &str, more: &[&str]) -> Config {
    let common = "timing.model=parallel flash.page_size=4096 flash.pages_per_block=16 flash.capacity=16MiB \
                  buffer.size=128KiB read_buffer.size=128KiB";
    let all = common.split_whitespace().chain(settings.split_whitespace());
    resolved(Resolver::new(), all.chain(more.iter().copied())).expect("a configuration")
}

/// Serves random requests, one in each `step_ns`, until the device refuses one. Returns the memory that was taken at most
/// in each tenth of the requests, and that from the start on where one was refused.
fn memory_by_tenth(
    config: &Config,
    requests: u64,
    step_ns: u64,
) -> (Vec<usize>, Option<(usize, DeviceError)>) {
    let stack = config.stack(&Registry::<ClockedMedia>::built_in());
    let before = ALLOCATOR.current_usage();
    let mut device =
        Device::fresh_on(config, &stack, |array| Ok(Clocked::new(array))).expect("a device");
    let pages = u64::from(config.logical_pages());
    let mut random = fastrand::Rng::with_seed(1);
    let mut tenths = Vec::with_capacity(10);
    for tenth in 0..10 {
        ALLOCATOR.reset_peak_usage();
        for i in tenth * requests / 10..(tenth + 1) * requests / 10 {
            let op = match i % 1000 {
                0 => Op::Flush,
                _ => [Op::Write, Op::Write, Op::Read][random.usize(..3)],
            };
            let count = random.u64(1..5);
            let (first, size) = match op {
                Op::Flush => (0, 0),
                _ => (random.u64(..pages - count), count * 4096),
            };
            let request = Request::new(i * step_ns, op, first * 4096, size).expect("a request");
            if let Err(error) = device.submit(&request, &mut NoData) {
                return (tenths, Some((ALLOCATOR.peak_usage() - before, error)));
            }
        }
        tenths.push(ALLOCATOR.peak_usage() - before);
    }
    (tenths, None)
}

// planted bug: busy stretches that are kept for ever
#[test]
fn clocks_forget_what_is_past() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for settings in CLOCKED {
        let closed = clocked(settings, &["queue_depth=64"]);
        // a page takes up to 20 ms
        let timed = clocked(settings, &["replay=timed"]);
        for (config, step_ns) in [(&closed, 0), (&timed, 200_000_000)] {
            let (tenths, refused) = memory_by_tenth(config, 20_000, step_ns);
            assert_eq!(refused, None, "{settings}");
            let early = *tenths[..5].iter().max().expect("tenths");
            let late = *tenths[5..].iter().max().expect("tenths");
            assert!(
                late <= early + 1024,
                "{settings}, step {step_ns}: {tenths:?}"
            );
        }
    }
}

// planted bug: a backlog without a limit
#[test]
fn a_backlog_takes_no_more_than_is_said() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for settings in CLOCKED {
        let config = clocked(settings, &["replay=timed"]);
        let stack = config.stack(&Registry::<ClockedMedia>::built_in());
        let said = memory(&config, &stack);
        let (tenths, refused) = memory_by_tenth(&config, 2_000_000, 1);
        let Some((taken, error)) = refused else {
            panic!("{settings}: {tenths:?}")
        };
        assert_eq!(error, DeviceError::Overload { speedup: 1.0 });
        assert!(
            taken as u64 <= said,
            "{settings}: said {said}, taken {taken}"
        );
    }
}
