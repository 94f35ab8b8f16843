//! DFTL keeps its map in flash: it loses nothing, counts what it reads and programs for itself, and needs less RAM.
//!
//! Planted bugs that these tests catch: a map page that is dropped although it was changed; a map page taken for current
//! after a power cut, although a page was written since, or programmed before what it maps is durable; originals erased
//! before their copies are durable; copies that a mount drops, but not from the map; a compaction
//! without its erases; programs of the map that are not part of write amplification; a read-modify-write that changes
//! which map pages are in RAM; work on the map between two reads that pad a block, for which no clock moves.

use own_policy::{Dftl, Own};
use ssdlab_config::Config;
use ssdlab_device::{Cause, Device, DeviceError, FtlMaker, NoData, RequestBytes, Stack};
use ssdlab_flash::{Array, Bytes, Clocked, Cut, Fault, InFlight, PowerCut};
use ssdlab_ftl::{FtlError, FtlKind};
use ssdlab_host::{Op, Request};
use ssdlab_testkit::bytes;
use ssdlab_testkit::configs::{config_with, stack_with};
use ssdlab_testkit::power_cut::{Durable, Scenario};
use ssdlab_testkit::versions::Versions;
use ssdlab_testkit::workload::Workload;

/// 40 blocks of 8 pages, whose map has three pages; `in_ram` of them are in RAM.
fn dftl(in_ram: u32, settings: &str) -> Config {
    let shape = "flash.page_size=512 flash.pages_per_block=8 flash.capacity=160KiB ftl.kind=dftl buffer.policy=none";
    let in_ram = format!("ftl.map_pages_in_ram={in_ram}");
    let settings = shape.split(' ').chain(settings.split_whitespace());
    config_with(&Own, settings.chain([&*in_ram]))
}

#[test]
fn it_survives_a_cut_at_every_operation() {
    for (settings, durable) in [
        ("ftl.spare_blocks=2 precondition=full", Durable::OnReturn),
        ("ftl.spare_blocks=2 precondition=full", Durable::OnFlush),
        ("ftl.spare_blocks=3 precondition=empty", Durable::OnFlush),
    ] {
        let config = dftl(1, settings);
        let scenario = Scenario {
            config: &config,
            stack: &stack_with(&Own, &config),
            requests: &Workload::of(&config, 60).requests(1),
            durable,
        };
        let seen = scenario.cut_everywhere(durable == Durable::OnFlush);
        assert!(
            seen.unwrap_or_else(|what| panic!("{settings}: {what}"))
                .cuts
                > 1000
        );
    }
}

#[test]
fn every_byte_reads_as_it_was_written() {
    for seed in 0..20 {
        let rmw = ["whole", "rmw"][seed as usize % 2];
        let config = dftl(
            1,
            &format!("ftl.spare_blocks=2 precondition=full partial_writes={rmw}"),
        );
        let workload = Workload {
            reads: 20,
            ..Workload::of(&config, 400)
        };
        let seen = bytes::serve(&Own, &config, false, &workload.requests(seed));
        let seen = seen.unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        assert!(seen.parts_written > 20, "requests of whole pages");
    }
}

/// With bytes as payload, the map is read from flash. After a cut at every operation, and two more soon after, it must say
/// where the spare areas have the pages.
#[test]
fn the_map_in_flash_is_right_after_a_cut_at_every_operation() {
    let config = dftl(1, "ftl.spare_blocks=2 precondition=full");
    let dftl = <Dftl<()> as FtlKind>::configure(&config.inputs());
    let stack = Stack::<PowerCut<Bytes>>::new(FtlMaker::of::<Dftl<()>>(dftl));
    let cut = |at| Cut {
        at,
        in_flight: [InFlight::NotDone, InFlight::Torn, InFlight::Done][at as usize % 3],
        lose: Some(at),
    };
    let requests = Workload::of(&config, 100).requests(3);
    // whether power was lost
    let serve = |device: &mut Device<PowerCut<Bytes>>| {
        let mut bytes = vec![0xee; config.flash.capacity as usize];
        requests.iter().any(|request| {
            let bytes = &mut bytes[..request.size() as usize];
            match device.submit(request, &mut RequestBytes(bytes)) {
                Ok(()) => false,
                Err(DeviceError::Ftl(FtlError::Flash(Fault::PowerLost))) => true,
                Err(error) => panic!("{request:?}: {error}"),
            }
        })
    };
    let mut mounts = 0;
    for first in 1.. {
        let fresh = Device::fresh_on(&config, &stack, |array| {
            Ok(PowerCut::new(array, cut(first)))
        });
        let mut device = fresh.expect("a legal device");
        if !serve(&mut device) {
            break;
        }
        let mut media = device.into_media();
        for at in [1 + first % 7, 3 + first % 31, 0] {
            let arrays = media.into_iter().map(PowerCut::into_array);
            let again = arrays.map(|array| PowerCut::new(array, cut(at)));
            media = match Device::mount(&config, &stack, again.collect()) {
                Ok(mut device) => {
                    mounts += 1;
                    let checked = device.check();
                    checked.unwrap_or_else(|what| panic!("cut at {first}, then {at}: {what}"));
                    serve(&mut device);
                    device.into_media()
                }
                Err((left, FtlError::Flash(Fault::PowerLost))) => left,
                Err((_, error)) => panic!("cut at {first}, then {at}: {error}"),
            };
        }
    }
    assert!(mounts > 1000, "{mounts}");
}

/// A device with bytes, whose map is read from flash, is mounted again and again.
#[test]
fn the_map_in_flash_is_the_map_after_a_mount() {
    let config = dftl(1, "ftl.spare_blocks=3 precondition=empty");
    let stack = stack_with(&Own, &config);
    let mut device = Device::<Array<Bytes>>::fresh(&config, &stack).expect("a legal device");
    let mut expected = vec![0; config.flash.capacity as usize];
    for round in 0..30 {
        for request in Workload::of(&config, 40).requests(round) {
            let range = request.offset as usize..request.end() as usize;
            let mut written = vec![round as u8 + 1; request.size() as usize];
            match request.op() {
                Op::Write => expected[range].copy_from_slice(&written),
                Op::Discard => expected[range].fill(0),
                _ => {}
            }
            let served = device.submit(&request, &mut RequestBytes(&mut written));
            served.expect("a legal request");
        }
        device.check().expect("tables that agree with the flash");
        let media = device.into_media().into_iter().map(Array::power_on);
        let mounted = Device::mount(&config, &stack, media.collect());
        device = mounted.unwrap_or_else(|(_, error)| panic!("{error}"));
        device.check().expect("tables that agree with the flash");
        let mut found = vec![0xee; expected.len()];
        let all = Request::new(0, Op::Read, 0, found.len() as u64).expect("all bytes");
        let read = device.submit(&all, &mut RequestBytes(&mut found));
        read.expect("a legal request");
        assert!(found == expected, "round {round}");
    }
}

#[test]
fn tables_have_counters_and_a_cause_of_their_own() {
    let run = |in_ram| {
        let config = dftl(in_ram, "ftl.spare_blocks=4 timing.transfer_us=0");
        let device = Device::<Array<u64>>::fresh(&config, &stack_with(&Own, &config));
        let (mut device, mut versions) = (device.expect("a legal device"), Versions::new(true));
        for request in Workload::of(&config, 2000).requests(5) {
            device
                .submit(&request, &mut versions)
                .expect("a legal request");
        }
        device.check().expect("tables that agree with the flash");
        assert_eq!(versions.wrong(), None);
        (device.counters(), device.time(), device.flash_bytes())
    };
    let (all, time, bytes) = run(3);
    // no page of the map leaves RAM
    assert_eq!((all.table_reads, all.table_programs), (0, 0));
    assert_eq!((time[Cause::Tables], bytes[Cause::Tables]), (0, 0));
    let (one, time, bytes) = run(1);
    assert!(one.table_reads > 500 && one.table_programs > 300, "{one:?}");
    assert_eq!(bytes[Cause::Tables], 512 * one.table_programs);
    assert_eq!(bytes.total(), 512 * one.programs());
    let config = dftl(1, "");
    let timing = &config.timing;
    let expected = one.table_reads * timing.read_ns + one.table_programs * timing.program_ns;
    assert_eq!(time[Cause::Tables], expected);
    assert_eq!(time.total(), one.elapsed_ns);
    // the map in RAM costs the data nothing
    assert_eq!(all.flash_programs, one.flash_programs);
    assert!(one.waf_pages() > all.waf_pages());
}

/// The map page of page 1 is on the first chip, the page itself on the second one: they could be read together.
#[test]
fn a_read_waits_for_the_map() {
    let settings = "ftl.spare_blocks=4 timing.model=parallel flash.channels=2 flash.pages_per_block=4 \
                    flash.interleave=line replay=timed";
    let latency = |in_ram| {
        let config = dftl(in_ram, settings);
        let stack = stack_with(&Own, &config);
        let device = Device::<Clocked<Array<()>>>::fresh_on(&config, &stack, |array| {
            Ok(Clocked::new(array))
        });
        let mut device = device.expect("a legal device");
        device.keep_completions();
        // page 300 brings a page of the map into RAM that was not changed; the last request waits for no program
        for (op, page, time) in [
            (Op::Write, 0, 0),
            (Op::Write, 1, 0),
            (Op::Write, 200, 0),
            (Op::Read, 300, 0),
            (Op::Read, 1, 1_000_000_000),
        ] {
            let request = Request::new(time, op, 512 * page, 512).expect("a page");
            device
                .submit(&request, &mut NoData)
                .expect("a legal request");
        }
        let last = device.take_completions().pop().expect("a completion");
        last.completed_ns - last.issued_ns
    };
    let timing = dftl(1, settings).timing.clone();
    let read_of_map = timing.read_ns + timing.parallel.channel_ns;
    assert_eq!(latency(1), latency(3) + read_of_map);
}

/// Whatever the FTL counts, the chips are busy with: here a buffer that pads reads through the map.
#[test]
fn clocks_miss_no_work_on_the_map() {
    let padded = "ftl.spare_blocks=4 timing.model=parallel buffer.policy=bplru buffer.size=4KiB";
    let config = dftl(1, padded);
    let stack = stack_with(&Own, &config);
    let device =
        Device::<Clocked<Array<()>>>::fresh_on(&config, &stack, |array| Ok(Clocked::new(array)));
    let mut device = device.expect("a legal device");
    for request in Workload::of(&config, 2000).requests(7) {
        device
            .submit(&request, &mut NoData)
            .expect("a legal request");
    }
    let c = device.counters();
    assert!(c.padding_reads > 1000 && c.table_programs > 500, "{c:?}");
    let timing = &config.timing;
    let work = (c.flash_reads + c.flash_copies) * timing.read_ns
        + c.programs() * timing.program_ns
        + c.erases * timing.erase_ns;
    let busy = device.take_busy().expect("clocks").chips_ns;
    assert_eq!(busy.iter().sum::<u64>(), work);
}
