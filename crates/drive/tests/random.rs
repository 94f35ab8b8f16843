//! Random drives with random requests, crashed again and again. A number stands for all choices.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use ssdlab_config::Resolver;
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk};

use crate::damage::damage;
use crate::logged::{Crash, LoggedDisk};
use crate::model::requests;
use crate::setup::{contract, image, keeps_ram, serve};

/// A drive of some kind; none if its settings do not go together.
fn some_design(random: &mut Rng) -> Option<Arc<Design>> {
    let mut choose = |of: &[&str]| of[random.usize(..of.len())].to_owned();
    let ftl = choose(&[
        "block",
        "replacement",
        "bast",
        "fast",
        "superblock",
        "page",
        "page",
    ]);
    let page = choose(&["512", "1KiB", "2KiB"]);
    let mut settings = vec![
        format!("ftl.kind={ftl}"),
        format!("flash.page_size={page}"),
        format!("flash.pages_per_block={}", choose(&["2", "4", "8"])),
        format!("flash.capacity={}", choose(&["32KiB", "64KiB", "128KiB"])),
        format!("flash.channels={}", choose(&["1", "1", "2"])),
        format!(
            "flash.interleave={}",
            choose(&["page", "line", "superpage"])
        ),
        format!(
            "buffer.policy={}",
            choose(&[
                "none",
                "lru",
                "fab",
                "blru",
                "bplru",
                "cflru",
                "three-region"
            ])
        ),
        format!("buffer.size={}", choose(&["4KiB", "8KiB", "20KiB"])),
        format!("buffer.protected={}", choose(&["true", "false"])),
        format!("buffer.reads={}", choose(&["bypass", "cache"])),
        format!("precondition={}", choose(&["full", "empty"])),
        format!("partial_writes={}", choose(&["whole", "rmw"])),
    ];
    match ftl.as_str() {
        "page" => {
            settings.push(format!(
                "ftl.placement={}",
                choose(&["single", "dac", "dac+", "deb"])
            ));
            settings.push(format!(
                "ftl.cleaning={}",
                choose(&["greedy", "cost-benefit", "cat"])
            ));
            settings.push("ftl.spare_blocks=16".into());
            settings.push(format!("ftl.ram={}", choose(&["2KiB", "8KiB"])));
            settings.push("ftl.stable_s=[20, 40, 60, 80]".into());
        }
        "bast" | "fast" => settings.push(format!("ftl.log_blocks={}", choose(&["2", "3", "5"]))),
        _ => {}
    }
    if ["bast", "fast", "superblock", "page"].contains(&ftl.as_str()) {
        let aware = choose(&["off", "merge", "merge+victim"]);
        settings.push(format!("ftl.buffer_aware={aware}"));
    }
    if choose(&["good", "bad"]) == "bad" {
        let faults = [
            "drive.spare_blocks=500",
            "drive.bad_blocks=3",
            "drive.program_failures=0.01",
            "drive.erase_failures=0.05",
            "drive.erase_limit=30",
            // they move before they are lost
            "drive.bit_errors=55",
            "drive.ecc_bits=100",
        ];
        settings.extend(faults.map(String::from));
    }
    let mut resolver = Resolver::new();
    for setting in &settings {
        resolver.set(setting).ok()?;
    }
    Some(Arc::new(Design::new(resolver.resolve().ok()?).ok()?))
}

/// One drive, crashed up to five times; some of what the crashes leave is damaged, too. `None`: its settings do not go together.
fn lives(id: u64) -> Option<Result<(), String>> {
    let mut random = Rng::with_seed(id);
    let design = some_design(&mut random)?;
    let mut contract = contract(&design);
    let mut content = image(&design);
    let one = || -> Result<(), String> {
        for life in 0..=random.u32(1..6) {
            let disk = LoggedDisk::new(content);
            let drive = Drive::open_made_with(disk.clone(), design.clone());
            let mut drive = drive.map_err(|error| format!("opening {life}: {error}"))?;
            contract
                .verify_after_crash(&mut drive)
                .map_err(|what| format!("opening {life}: {what}"))?;
            drive
                .check()
                .map_err(|error| format!("opening {life}: {error}"))?;
            let count = random.usize(..120);
            let all = requests(&mut random, contract.sectors(), count);
            let served = serve(&mut drive, &disk, &mut contract.clone(), all);
            match random.bool() {
                true => drive.close().map_err(|error| error.to_string())?,
                false => drop(drive),
            }
            let log = disk.take();
            let crash = match random.u8(..4) {
                0 => Crash::Killed,
                1 => Crash::NothingArrived,
                _ => Crash::SomeArrived(random.u64(..)),
            };
            let calls = random.usize(..=log.calls.len());
            content = log.after(calls, crash);
            if random.u8(..4) == 0 {
                // after a crash of the system, damage may look like a write that did not arrive
                let mut wrong = log.after(log.calls.len(), Crash::Killed);
                damage(&mut wrong, &mut random, 1);
                let mut contract = contract.clone();
                contract.safe_on_return = false;
                contract.follow(&served, log.calls.len());
                // an error, or what the contract allows
                let opened = Drive::open_made_with(MemoryDisk(wrong), design.clone());
                let held = opened.and_then(|mut drive| contract.holds(&mut drive));
                if let Err(DriveError::Wrong(what)) = held {
                    return Err(format!("damaged after {life}: {what}"));
                }
            }
            contract.safe_on_return = keeps_ram(&design) && crash == Crash::Killed;
            contract.follow(&served, calls);
        }
        Ok(())
    };
    let told = |what| format!("{what}\n{}", design.config().to_toml());
    Some(one().map_err(told))
}

#[test]
fn some_survive() {
    let outcomes: Vec<_> = (0..400).filter_map(|id| Some((id, lives(id)?))).collect();
    for (id, outcome) in &outcomes {
        assert!(
            outcome.is_ok(),
            "id {id}: {}",
            outcome.as_ref().unwrap_err()
        );
    }
    assert!(outcomes.len() > 340, "only {} drives", outcomes.len());
}

/// `cargo xtask powercut` runs this.
#[test]
#[ignore = "runs for as long as SSDLAB_POWERCUT_MINUTES says"]
fn as_long_as_asked() {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    if let Some(id) = number("SSDLAB_POWERCUT_ID") {
        let outcome = lives(id).expect("a handle of a drive that can be");
        return outcome.unwrap_or_else(|what| panic!("id {id}: {what}"));
    }
    let minutes = number("SSDLAB_POWERCUT_MINUTES").unwrap_or(1);
    let (begun, mut drives) = (Instant::now(), 0);
    while begun.elapsed() < Duration::from_secs(60 * minutes) {
        let id = fastrand::u64(..);
        if let Some(outcome) = lives(id) {
            drives += 1;
            assert!(
                outcome.is_ok(),
                "cargo xtask powercut --id {id}\n{}",
                outcome.unwrap_err()
            );
        }
    }
    println!("{drives} drives kept what they promised");
}
