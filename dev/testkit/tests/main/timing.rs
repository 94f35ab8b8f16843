//! The models with clocks: small devices whose times are known, and random ones under both models of time.
//!
//! Planted bugs that the examples catch: a chip that does two things at a time; a request issued while too many are
//! outstanding; a cell that reads the next page while its register is full; a channel that is busy while cells work; a
//! page that enters a slot which is not free yet; moves of one request that overlap; a read that does not wait for the
//! program of its own page; a flush that forgets a suspended program; reads of a merge that wait for its programs; an
//! erase that does not wait for the programs of its merge, or concerns one chip of a line.

use fastrand::Rng;
use ssdlab_device::{Completion, Counters, Device, Issue, NoData};
use ssdlab_flash::{Array, Clocked};
use ssdlab_host::Request;
use ssdlab_testkit::cases::{self, Case, Systems};
use ssdlab_testkit::configs::{config, foreseeing_stack, stack};
use ssdlab_testkit::model::{self, ModelConfig};

pub type Timed = Device<Clocked<Array<()>>>;

pub fn device(settings: &[String]) -> Timed {
    let config = config(settings);
    Device::fresh_on(&config, &stack(&config), |array| Ok(Clocked::new(array))).expect("a device")
}

/// The device of a case that will serve these requests.
pub fn device_of(case: &Case, requests: &[Request]) -> Timed {
    let config = config(&case.settings);
    let stack = foreseeing_stack(&config, case.wrap, requests);
    let mut device =
        Device::fresh_on(&config, &stack, |array| Ok(Clocked::new(array))).expect("a device");
    device.wrap_around(case.wrap);
    device
}

const PAGE: u64 = 4096;

/// Requests such as `W 0`, `R 3-4` (pages) or `F`, all with time stamp 0.
fn requests(text: &str) -> Vec<Request> {
    let request = |text: &str| {
        let (op, pages) = text.split_once(' ').unwrap_or((text, ""));
        let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
        let [first, last] = [first, last].map(|page| page.parse::<u64>());
        let (offset, size) = match (first, last) {
            (Ok(first), Ok(last)) => (first * PAGE, (last + 1 - first) * PAGE),
            _ => (0, 0),
        };
        cases::request(&format!("0 {op} {offset} {size}"))
    };
    text.split(", ").map(request).collect()
}

/// The issue and completion of each request and the time at the end, in units of 100 ns.
fn times(settings: &str, text: &str) -> (Vec<[u64; 2]>, u64) {
    times_of(settings, requests(text))
}

fn times_of(settings: &str, requests: Vec<Request>) -> (Vec<[u64; 2]>, u64) {
    let common = "timing.model=parallel flash.page_size=4096 flash.pages_per_block=4 flash.capacity=128KiB \
                  timing.read_us=60 timing.program_us=800 timing.erase_us=1500 timing.bus_mb_s=0 timing.channel_mb_s=0 \
                  ftl.kind=page buffer.policy=none";
    let settings = common.split_whitespace().chain(settings.split_whitespace());
    let mut device = device(&settings.map(str::to_owned).collect::<Vec<_>>());
    let in_units = |ns: u64| {
        assert_eq!(ns % 100, 0);
        ns / 100
    };
    let times = requests.iter().map(|request| {
        device
            .submit(request, &mut NoData)
            .expect("a legal request");
        let done = device.completion().expect("a clock");
        assert_eq!(done.op, request.op());
        [done.issued_ns, done.completed_ns].map(in_units)
    });
    let times = times.collect();
    device.finish().expect("an end");
    (times, in_units(device.counters().elapsed_ns))
}

fn completions(settings: &str, text: &str) -> Vec<u64> {
    let (times, _) = times(settings, text);
    times.into_iter().map(|[_, completed]| completed).collect()
}

#[test]
fn writes_to_one_chip_and_to_two() {
    let empty = "precondition=empty ";
    let chips = |interleave| {
        format!("{empty} queue_depth=2 flash.channels=2 flash.interleave={interleave}")
    };
    assert_eq!(completions(empty, "W 0, W 1"), [8000, 16_000]);
    let (both, _) = times(&format!("{empty} queue_depth=2"), "W 0, W 1");
    assert_eq!(both, [[0, 8000], [0, 16_000]]);
    for interleave in ["page", "line"] {
        assert_eq!(completions(&chips(interleave), "W 0, W 1"), [8000, 8000]);
    }
}

#[test]
fn a_read_moves_over_its_channel() {
    let one = "timing.channel_mb_s=40";
    let two = "timing.channel_mb_s=40 flash.chips_per_channel=2 flash.interleave=page";
    assert_eq!(completions(one, "R 5"), [1624]);
    assert_eq!(completions(one, "R 4-5"), [3248]);
    assert_eq!(completions(two, "R 4-5"), [2648]);
}

#[test]
fn pages_wait_for_a_slot() {
    let buffer = "buffer.policy=lru buffer.size=8192";
    let (three, elapsed) = times(buffer, "W 0, W 1, W 2");
    assert_eq!(three, [[0, 0], [0, 0], [0, 8000]]);
    assert_eq!(elapsed, 24_000);
    let (six, _) = times(
        &format!("{buffer} queue_depth=4"),
        "W 0, W 1, W 2, W 3, W 4, W 5",
    );
    let ends = [0, 0, 8000, 16_000, 24_000, 32_000];
    assert_eq!(six, ends.map(|end| [0, end]));
    let (one, elapsed) = times(&format!("{buffer} timing.bus_mb_s=40.96"), "W 0-3");
    assert_eq!((one, elapsed), (vec![[0, 18_000]], 34_000));
    let (spare, _) = times(
        &format!("{buffer} timing.spare_slots=1"),
        "W 0, W 1, W 2, W 3",
    );
    assert_eq!(spare, [[0, 0], [0, 0], [0, 0], [0, 8000]]);
}

#[test]
fn reads_suspend_programs() {
    let suspends = "timing.read_suspends=true queue_depth=5";
    let ends = completions(suspends, "W 0, R 1, R 0, W 2, F");
    assert_eq!(ends, [8000, 600, 8600, 17_200, 17_200]);
}

#[test]
fn a_merge_of_lines() {
    let lines = "flash.pages_per_block=2 flash.channels=2 flash.interleave=line ftl.kind=bast ftl.log_blocks=1";
    assert_eq!(completions(lines, "W 1, W 5"), [8000, 63_800]);
}

/// A full device of golden example 8, with blocks 0 to 2 half invalid and two blocks free.
const PACED: &str = "ftl.spare_blocks=6 ftl.pace=paced";

#[test]
fn paced_cleaning_follows_the_write() {
    let ends = completions(
        PACED,
        "W 0, W 1, W 4, W 8, W 12, W 16, W 20, W 24, W 28, W 5, W 3, W 9",
    );
    assert_eq!(ends[9..], [80_000, 96_600, 119_600]);
}

// planted bugs: a step that begins before the gap is long enough, or after the request; one that waits for nothing; gaps
// that clean until all blocks are free
#[test]
fn gaps_between_requests_are_for_cleaning() {
    for (idle_us, end) in [(1000, 156_800), (4000, 153_000)] {
        let settings = format!("{PACED} replay=timed ftl.idle_cleaning_us={idle_us}");
        let pages = [0, 1, 4, 8, 12, 16, 20, 24, 28, 5, 3];
        let times = (0..10).map(|number| number * 1_000_000).chain([14_500_000]);
        let requests = pages
            .iter()
            .zip(times)
            .map(|(page, time)| cases::request(&format!("{time} W {} {PAGE}", page * PAGE)));
        let (times, _) = times_of(&settings, requests.collect());
        let [[_, before], [_, last]] = times[9..] else {
            panic!("eleven requests");
        };
        assert_eq!((before, last), (98_000, end), "{idle_us}");
    }
}

// planted bugs: the chip ignored; the chip of the logical page instead of that of the place in the log
#[test]
fn a_copy_back_stays_on_its_chip() {
    let lines = "flash.page_size=4096 flash.capacity=128KiB flash.pages_per_block=2 flash.channels=2 \
                 flash.interleave=line flash.copy_back=true ftl.kind=bast ftl.log_blocks=1 buffer.policy=none";
    let settings: Vec<_> = lines.split_whitespace().map(str::to_owned).collect();
    for (requests, moved) in [("W 1, W 5", (3, 1)), ("W 1, W 1, W 5", (4, 0))] {
        let mut device = device(&settings);
        for request in &self::requests(requests) {
            device
                .submit(request, &mut NoData)
                .expect("a legal request");
        }
        let counters = device.counters();
        assert_eq!(
            (counters.copy_backs, counters.flash_copies),
            moved,
            "{requests}"
        );
    }
}

/// The same requests on a device with clocks and another interleaving, all drawn from the text of the case.
pub fn with_clocks(case: &Case) -> Case {
    let text = format!("{case:?}");
    let seed = text
        .bytes()
        .fold(0, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
    let mut random = Rng::with_seed(seed);
    let mut draw =
        |key: &str, values: &[&str]| format!("{key}={}", values[random.usize(..values.len())]);
    let clocks = [
        draw("timing.model", &["parallel"]),
        draw("timing.bus_mb_s", &["0", "80", "512", "1000"]),
        draw("timing.channel_mb_s", &["0", "70", "300", "1000"]),
        draw("timing.read_suspends", &["false", "true"]),
        draw("timing.spare_slots", &["0", "0", "1", "5"]),
        draw("replay", &["closed", "closed", "timed"]),
        draw("queue_depth", &["1", "2", "3", "16"]),
        draw("speedup", &["1", "0.1", "0.013", "7"]),
        draw("flash.interleave", &["page", "block", "line", "superpage"]),
    ];
    let is_superpage = clocks.contains(&"flash.interleave=superpage".to_owned());
    let mut case = if is_superpage {
        case.with_superpages()
    } else {
        case.clone()
    };
    let is_timed = clocks.contains(&"replay=timed".to_owned());
    case.settings.extend(clocks);
    if is_timed && case.is("ftl.kind", "page") && case.is("ftl.pace", "paced") {
        let idle = draw("ftl.idle_cleaning_us", &["0", "0.001", "1", "40"]);
        case.settings.push(idle);
    }
    case
}

// planted bugs: those of the examples; there(p) of an older version, or of a page that pads; a slot that waits for the
// program of another page; a header without a slot; a write-back that begins no call; an erase of a line on one chip
#[test]
fn every_time_is_that_of_the_model() {
    cases::run(&Systems::modelled(), 1500, |case| {
        agrees(&with_clocks(case))
    });
}

// planted bugs: the read of a copy, or a run of programs, in the time of the keys; a factor of another block or chip
#[test]
fn every_time_is_that_of_the_model_if_blocks_differ() {
    cases::run(&Systems::modelled(), 600, |case| {
        let mut case = with_clocks(case);
        let differ = ["timing.spread=0.3", "timing.spread_seed=7"];
        case.settings.extend(differ.map(str::to_owned));
        agrees(&case)
    });
}

// One chip that never waits is busy as long as the serial model says.
//
// planted bugs: what pads, or what leaves a region in RAM, is left out of the sum; the erase of a victim is
#[test]
fn blocks_differ_under_the_serial_model_as_on_one_chip() {
    cases::run(&Systems::all(), 600, |case| {
        let elapsed = ["serial", "parallel"].map(|model| {
            let mut case = case.clone();
            let one_chip = format!(
                "timing.model={model} timing.spread=0.3 timing.transfer_us=0 timing.buffer_us=0 timing.bus_mb_s=0 \
                 timing.channel_mb_s=0 flash.channels=1 flash.chips_per_channel=1"
            );
            let settings = one_chip.split_whitespace().map(str::to_owned);
            case.settings.extend(settings);
            let requests = case.legal_requests();
            let mut device = device_of(&case, &requests);
            for request in &requests {
                let answer = device.submit(request, &mut NoData);
                answer.map_err(|error| error.to_string())?;
            }
            device.finish().map_err(|error| error.to_string())?;
            Ok::<_, String>(device.counters().elapsed_ns)
        });
        match elapsed {
            [Ok(sum), Ok(chip)] if sum == chip => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
}

/// Whole blocks that a victim pads, which one chip handles in one step.
#[test]
fn padding_in_one_step_takes_the_times_of_the_model() {
    let systems = Systems {
        ftls: vec!["bast"],
        ..Systems::all()
    };
    cases::run(&systems, 600, |case| {
        let mut case = with_clocks(case);
        for setting in [
            "flash.channels=1",
            "flash.chips_per_channel=1",
            "buffer.policy=bplru",
            "buffer.padding=true",
            "ftl.buffer_aware=off",
            "timing.read_suspends=false",
            "read_buffer.policy=none",
            "precondition=full",
        ] {
            case.settings.push(setting.to_owned());
        }
        agrees(&case)
    });
}

/// The same requests on a drive of today, all drawn from the text of the case.
fn as_drive(case: &Case) -> Case {
    let mut case = with_clocks(case);
    let text = format!("{case:?}");
    let mut random = Rng::with_seed(
        text.bytes()
            .fold(7, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte)),
    );
    let of_others = ["timing.spare_slots", "timing.read_suspends"];
    let is_other = |setting: &String| of_others.iter().any(|key| setting.starts_with(key));
    case.settings.retain(|setting| !is_other(setting));
    case.settings.push("timing.model=drive".into());
    let config = case.config();
    let has_units = config.ftl == "page"
        && config.policy != "none"
        && !config.flash.copy_back
        && !case.is("ftl.gc_frontier", "in-place");
    let chips = if config.flash.erases_lines() {
        config.flash.chips()
    } else {
        1
    };
    let divisor_of = |number: u32, random: &mut Rng| {
        let divisors: Vec<u32> = (1..=number).filter(|d| number.is_multiple_of(*d)).collect();
        divisors[random.usize(..divisors.len())]
    };
    let unit = match has_units {
        true => divisor_of(config.flash.pages_per_block / chips, &mut random),
        false => 1,
    };
    let group = divisor_of(unit, &mut random);
    let mut draw =
        |key: &str, values: &[&str]| format!("{key}={}", values[random.usize(..values.len())]);
    let drawn = [
        format!("timing.program_pages={unit}"),
        format!("timing.sense_pages={group}"),
        draw("timing.reads_at_once", &["1", "2", "4"]),
        draw("timing.suspend_us", &["0", "50", "3.7"]),
        draw("timing.suspend_window_us", &["0", "100", "400", "5000"]),
        draw("timing.command_us", &["0", "0", "1.724"]),
        draw("timing.dispatch_us", &["0", "0", "33"]),
        draw("timing.read_host_us", &["0", "5"]),
        draw("timing.write_host_us", &["0", "8.5"]),
    ];
    let more = draw("", &["", "", "0", "1", "7"]);
    case.settings.extend(drawn);
    if let Ok(more) = more[1..].parse::<u64>() {
        let frontiers = match &ModelConfig::from(&case).ftl {
            model::ModelFtl::Page(page) => page.frontiers(),
            _ => 1,
        };
        let slots = frontiers * u64::from(unit) + more;
        case.settings.push(format!("timing.spare_slots={slots}"));
    }
    case
}

// planted bugs: those of the examples; a unit that a flush closes though it holds copies only, or out of order; the pages
// of a group that moved already are moved again; a slot that comes back before all units that took its data are
// programmed; an erase of a line at once, or behind the first page of its block; a page that is sensed while it is in
// memory; a read that waits for a unit behind the one that it suspends
#[test]
fn every_time_of_a_drive_of_today_is_that_of_the_model() {
    cases::run(&Systems::modelled(), 1500, |case| agrees(&as_drive(case)));
}

/// Found by random cases: the model counted pages that cleaning skips among those that move with their group.
#[test]
fn a_group_moves_without_the_pages_that_cleaning_skips() {
    let case = Case::replay(
        "flash.page_size=512 flash.pages_per_block=65 flash.capacity=266240 flash.channels=1 flash.chips_per_channel=1 \
         flash.interleave=superpage ftl.kind=page ftl.buffer_aware=skip ftl.eager=0.73 ftl.eager_free=8 ftl.regions=2 \
         ftl.stable_s=[2.0,5.0] ftl.cleaning=jffs2 ftl.placement=dac ftl.over_provisioning=0.875 buffer.policy=zone \
         buffer.size=2980 read_buffer.policy=fifo read_buffer.size=1290 partial_writes=rmw precondition=full drain=false \
         timing.model=drive timing.read_us=6.769 timing.program_us=4.423 timing.erase_us=0.048 timing.buffer_us=4.762 \
         timing.bus_mb_s=1000 timing.channel_mb_s=1000 timing.program_pages=65 timing.sense_pages=5 \
         timing.reads_at_once=2 timing.suspend_us=0 timing.dispatch_us=33 timing.spare_slots=137",
        false,
        &"W 1536 512, W 66560 14848, W 99840 33280, R 50176 1536, W 166400 33280, D 0 1024, "
            .repeat(8)
            .split_terminator(", ")
            .map(|request| format!("0 {request}"))
            .collect::<Vec<_>>()
            .join(", "),
    );
    agrees(&case).unwrap_or_else(|what| panic!("{what}"));
}

// planted bug: a decision of a drive of today that depends on a time
#[test]
fn a_drive_of_today_counts_as_a_device_without_clocks() {
    cases::run(&Systems::modelled(), 300, |case| {
        let mut case = as_drive(case);
        // what gaps hold depends on times
        case.settings.push("ftl.idle_cleaning_us=0".into());
        counts_alike(&case)
    });
}

/// Golden examples of a drive of today: in µs, on one chip that programs three pages at once, from a buffer of two.
fn today(settings: &str, text: &str) -> Vec<u64> {
    today_at(settings, requests(text))
}

fn today_at(settings: &str, requests: Vec<Request>) -> Vec<u64> {
    let settings = format!(
        "timing.model=drive flash.pages_per_block=6 flash.capacity=192KiB ftl.pace=paced buffer.policy=lru \
         buffer.size=8KiB timing.program_us=2000 timing.erase_us=5000 timing.program_pages=3 timing.spare_slots=6 \
         drain=false {settings}"
    );
    let (times, _) = times_of(&settings, requests);
    times.into_iter().map(|[_, end]| end / 10).collect()
}

/// Requests at these times in µs, of single pages.
fn at_times(requests: &[(u64, &str, u64)]) -> Vec<Request> {
    let request = |(time, op, page): &(u64, &str, u64)| {
        cases::request(&format!("{} {op} {} {PAGE}", time * 1000, page * PAGE))
    };
    requests.iter().map(request).collect()
}

const FIFTEEN: &str =
    "W 0, W 1, W 2, W 3, W 4, W 5, W 6, W 7, W 8, W 9, W 10, W 11, W 12, W 13, W 14";

#[test]
fn units_and_slots() {
    let mut expected = vec![0; 8];
    expected.extend([2000, 2000, 2000, 4000, 4000, 4000, 6000]);
    assert_eq!(today("precondition=empty", FIFTEEN), expected);
}

// planted bug: a page that leaves gives its slot back behind the copies that its write causes
#[test]
fn copies_behind_a_page_take_the_slot_that_it_left() {
    let writes = "W 5, W 4, W 38, W 3, W 29, W 30, W 3, W 10, W 22, W 7, W 23, W 13, W 3, W 8, W 19, W 6, W 42, W 3, W 2, W 17";
    let settings =
        "precondition=full ftl.gc_frontier=shared ftl.spare_blocks=4 timing.spare_slots=3";
    assert_eq!(today(settings, writes)[18..], [30780, 40080]);
}

#[test]
fn reads_suspend_a_program_if_its_rest_is_long() {
    let settings = "precondition=full buffer.size=4KiB buffer.protected=true replay=timed";
    let unit = [(0, "W", 0), (0, "W", 1), (0, "W", 2), (0, "W", 3)];
    let then = |reads: &[(u64, &str, u64)], settings: &str| {
        let all: Vec<_> = unit.iter().chain(reads).copied().collect();
        today_at(settings, at_times(&all))[4..].to_vec()
    };
    let reads = [
        (100, "R", 20),
        (1690, "R", 21),
        (1830, "R", 22),
        (1900, "R", 1),
    ];
    assert_eq!(then(&reads, settings), [210, 1800, 2280, 1900]);
    let two = [(100, "R", 20), (120, "R", 21)];
    assert_eq!(then(&two, settings), [210, 270]);
    let at_once = format!("{settings} timing.reads_at_once=2");
    assert_eq!(then(&two, &at_once), [210, 210]);
}

#[test]
fn neighbours_share_a_sense() {
    let lines = "precondition=full flash.pages_per_block=4 flash.capacity=256KiB flash.channels=2 \
                 flash.interleave=line timing.program_pages=4 timing.sense_pages=2 timing.spare_slots=8";
    assert_eq!(today(lines, "R 0-7"), [120]);
    let slow = format!("{lines} timing.channel_mb_s=40.96");
    assert_eq!(today(&slow, "R 0-7"), [460]);
}

#[test]
fn the_command_processor_takes_its_time() {
    let host = "precondition=empty buffer.size=32KiB queue_depth=4 timing.command_us=10 timing.write_host_us=8 \
                timing.read_host_us=5";
    assert_eq!(today(host, "W 0, W 1, R 9"), [18, 28, 35]);
    // the end of a trace takes a command, but not that of an empty one
    let elapsed = |requests| times_of(&format!("timing.model=drive {host}"), requests).1 / 10;
    assert_eq!(elapsed(requests("R 9")), 20);
    assert_eq!(elapsed(Vec::new()), 0);
    let dispatched = today("precondition=empty timing.dispatch_us=100", FIFTEEN);
    assert_eq!(dispatched[..9], [0, 0, 0, 0, 0, 100, 100, 100, 2000]);
}

#[test]
fn a_flush_programs_open_units() {
    assert_eq!(
        today("precondition=empty", "W 0, W 1, W 2, F"),
        [0, 0, 0, 2000]
    );
    assert_eq!(today("precondition=empty", "W 0, F"), [0, 2000]);
}

// Planted bugs: a flush without a write before it that is a commit; the last write in place of the slowest, or of those before
// the flush before; the flush alone.
#[test]
fn a_commit_is_its_slowest_write_and_its_flush() {
    let settings = "timing.model=parallel flash.page_size=4096 flash.pages_per_block=4 flash.capacity=128KiB \
                    timing.read_us=60 timing.program_us=800 timing.bus_mb_s=0 timing.channel_mb_s=0 ftl.kind=page \
                    buffer.policy=lru buffer.size=8192 precondition=empty";
    let mut device = device(
        &settings
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    );
    // the third and the fourth write wait for a slot; the first flush writes two pages back, the last one a page
    for request in requests("F, W 0, W 1, W 2, W 3, W 3, F, F, R 0, W 9, F") {
        device
            .submit(&request, &mut NoData)
            .expect("a legal request");
    }
    let latencies = device.take_latencies().expect("clocks");
    let us = |ns: Option<u64>| ns.expect("a latency") / 1000;
    assert_eq!((latencies.flushes.count, latencies.commits.count), (4, 2));
    assert_eq!(
        [us(latencies.commits.min), us(latencies.commits.max)],
        [800, 800 + 1600]
    );
    let none = device.take_latencies().expect("clocks");
    assert_eq!(none.commits.count, 0);
}

/// Whether each request of a case takes the times of the model, and all counters agree.
pub fn agrees(case: &Case) -> Result<(), String> {
    counts_of_model(case).map(drop)
}

/// The counters of a case, if all times and counters are those of the model.
pub fn counts_of_model(case: &Case) -> Result<Counters, String> {
    let config = ModelConfig::from(case);
    let requests = case.legal_requests();
    let expected = model::run(&config, &requests);
    let mut device = device_of(case, &requests);
    for (number, (request, times)) in requests.iter().zip(&expected.completions).enumerate() {
        device
            .submit(request, &mut NoData)
            .map_err(|error| error.to_string())?;
        let done = device.completion().expect("a clock");
        let found = (done.issued_ns, done.completed_ns);
        if found != *times {
            return Err(format!(
                "{case:?}: request {number}: {found:?} instead of {times:?}"
            ));
        }
    }
    device.finish().map_err(|error| error.to_string())?;
    little(case, &mut device)?;
    let counters = device.counters();
    if counters == expected.counters {
        Ok(counters)
    } else {
        Err(format!(
            "{case:?}: {counters:?} instead of {:?}",
            expected.counters
        ))
    }
}

/// Little's law on what the device reports: mean latency times requests is the elapsed time times the mean number of
/// outstanding requests, which is at most the depth.
fn little(case: &Case, device: &mut Timed) -> Result<(), String> {
    let Issue::Closed { depth } = case.config().timing.parallel.issue else {
        return Ok(());
    };
    let latencies = device.take_latencies().expect("clocks");
    let all = [
        latencies.reads,
        latencies.writes,
        latencies.flushes,
        latencies.discards,
    ];
    let sum: f64 = all
        .iter()
        .map(|of| of.mean.unwrap_or(0.0) * of.count as f64)
        .sum();
    let elapsed = device.counters().elapsed_ns as f64;
    if sum <= f64::from(depth) * elapsed * (1.0 + 1e-9) {
        Ok(())
    } else {
        Err(format!(
            "{case:?}: latencies of {sum} ns in {elapsed} ns, depth {depth}"
        ))
    }
}

/// Both devices, the clocked one with the times of its requests; `None` if they refuse a request.
fn both(case: &Case) -> Option<(Device<Array<()>>, Timed, Vec<Completion>)> {
    let config = case.config();
    let mut serial = Device::<Array<()>>::fresh(&config, &stack(&config)).expect("a device");
    let mut timed = device(&case.settings);
    serial.wrap_around(case.wrap);
    timed.wrap_around(case.wrap);
    timed.keep_completions();
    for request in &case.requests {
        let answers = (
            serial.submit(request, &mut NoData),
            timed.submit(request, &mut NoData),
        );
        assert_eq!(answers.0, answers.1);
    }
    serial.finish().and(timed.finish()).ok()?;
    let completions = timed.take_completions();
    Some((serial, timed, completions))
}

// planted bugs: a decision that depends on a time; runs of pages with clocks, whose operations nobody notes; a copy-back
// between two chips of a line
#[test]
fn clocks_change_no_counter() {
    cases::run(&Systems::all(), 400, counts_alike);
}

fn counts_alike(case: &Case) -> Result<(), String> {
    let Some((serial, timed, completions)) = both(case) else {
        return Ok(());
    };
    let (mut expected, found) = (serial.counters(), timed.counters());
    expected.elapsed_ns = found.elapsed_ns;
    if found != expected || serial.time() != timed.time() {
        return Err(format!("{found:?} instead of {expected:?}"));
    }
    let issued = completions
        .windows(2)
        .all(|two| two[0].issued_ns <= two[1].issued_ns);
    let ends = completions.iter().map(|done| done.completed_ns);
    if issued && ends.max() <= Some(found.elapsed_ns) {
        Ok(())
    } else {
        Err(format!("{completions:?} until {}", found.elapsed_ns))
    }
}
