//! A comparison that names no device takes a drive of today, as small as its trace; one that names no buffers, those that
//! matter.
//!
//! Planted bugs that these catch: a device that was named gives way; a drive that is smaller than its trace; a trace of many
//! gigabytes on a drive as large; buffers of the configuration, or of the baseline, left out.

use ssdlab_config::Resolver;
use ssdlab_host::{Op, Request};
use ssdlab_sim::{Axis, Choices, CompareOptions, Lab, RowKind, SHOWN, TODAY, Trace};

use crate::{DEVICE, compared, resolver, scattered, writes};

const GIB: u64 = 1 << 30;

fn options(resolver: Resolver, choices: &Choices) -> CompareOptions {
    let options = CompareOptions::new(&Lab::new(), resolver).or_today(choices);
    let mut options = options.as_configured().expect("a valid configuration");
    options.choose(choices).expect("valid choices");
    options
}

fn set(settings: &[&str]) -> Resolver {
    let mut resolver = Resolver::new();
    for setting in settings {
        resolver.set(setting).expect("a valid setting");
    }
    resolver
}

fn axis(key: &str, values: &[&str]) -> Choices {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Choices {
        vary: vec![Axis {
            key: key.into(),
            values,
        }],
        ..Choices::default()
    }
}

/// A page at each of these bytes.
fn at(bytes: &[u64]) -> Trace {
    let write = |byte: &u64| Request::new(0, Op::Write, *byte, 4096).expect("a request");
    Trace::made("made", bytes.iter().map(write).collect())
}

#[test]
fn what_names_no_device_is_compared_on_a_drive_of_today() {
    let none = Choices::default();
    let preset = |resolver, choices: &Choices| {
        let options = options(resolver, choices);
        let taken = (!options.today.is_empty()).then_some(TODAY);
        let config = options.resolver.resolve().expect("a valid configuration");
        assert_eq!(options.settled, taken.is_some());
        (taken, config.preset)
    };
    let today = (Some(TODAY), Some(TODAY.to_owned()));
    for no_device in [&[][..], &["buffer.size=8MiB"], &["queue_depth=4"]] {
        assert_eq!(preset(set(no_device), &none), today, "{no_device:?}");
    }
    let window = axis("buffer.window", &["0.1", "0.2"]);
    assert_eq!(preset(set(&[]), &window), today);
    for device in [
        "ftl.kind=page",
        "flash.capacity=auto",
        "timing.read_us=1",
        "flash.page_size=4096",
    ] {
        assert_eq!(preset(set(&[device]), &none), (None, None), "{device}");
    }
    assert_eq!(preset(resolver(DEVICE, &[]), &none), (None, None));
    let bplru = set(&["preset=bplru-2008"]);
    let given = (None, Some("bplru-2008".to_owned()));
    assert_eq!(preset(bplru, &none), given);
    let log = axis("ftl.log_blocks", &["7", "14"]);
    assert_eq!(preset(set(&[]), &log), (None, None));
    let ftls = Choices {
        ftls: vec!["bast".into(), "fast".into()],
        ..Choices::default()
    };
    assert_eq!(preset(set(&[]), &ftls), (None, None));
    // a scale names no device, but is kept
    let mut scaled = Resolver::new();
    scaled.scale_to(2 * GIB, "2GiB");
    let mut options = options(scaled, &none);
    options.fit_today(&[&at(&[0])]).expect("a readable trace");
    let config = options.resolver.resolve().expect("a valid configuration");
    assert!((2 * GIB..2 * GIB + GIB / 16).contains(&config.flash.capacity));
    assert_eq!(options.today, ["--preset", TODAY]);
}

// planted bug: a drive of today becomes one of 2008 without a word, as a key of cleaning is varied
#[test]
fn a_device_of_2008_is_not_taken_without_a_word() {
    let told = |resolver, choices: &Choices| {
        let notes = options(resolver, choices).notes;
        notes
            .iter()
            .filter(|note| note.contains("a device of 2008"))
            .count()
    };
    let none = Choices::default();
    let cleaning = axis("ftl.cleaning", &["greedy", "fifo"]);
    assert_eq!(told(set(&[]), &cleaning), 1);
    assert_eq!(told(set(&["ftl.kind=page"]), &none), 1);
    assert_eq!(told(set(&["timing.read_us=1"]), &none), 1);
    for (given, choices) in [
        (&[][..], &none),
        (&["buffer.size=8MiB"], &none),
        (&["flash.capacity=64MiB"], &cleaning),
        (&["preset=bplru-2008"], &cleaning),
        (&[], &axis("flash.page_size", &["2048", "4096"])),
    ] {
        assert_eq!(told(set(given), choices), 0, "{given:?}");
    }
    assert_eq!(told(resolver(DEVICE, &[]), &cleaning), 0);
}

#[test]
fn the_drive_is_as_small_as_its_trace() {
    let capacity = |traces: &[&Trace], wraps: bool| {
        let mut options = options(Resolver::new(), &Choices::default());
        options.replay.wrap = wraps;
        options.fit_today(traces).expect("a readable trace");
        let config = options.resolver.resolve().expect("a valid configuration");
        assert_eq!(options.sizes, [config.buffer.size]);
        (config.flash.capacity, options.today[3].clone())
    };
    let (small, large) = (at(&[0]), at(&[3 * GIB]));
    let (bytes, given) = capacity(&[&small], false);
    assert!((GIB..GIB + GIB / 16).contains(&bytes), "{bytes}");
    assert_eq!(given, "1GiB");
    let (bytes, given) = capacity(&[&small, &large], false);
    assert!(
        (3 * GIB + 4096..3 * GIB + GIB / 4).contains(&bytes),
        "{bytes}"
    );
    assert_eq!(given, "3073MiB");
    assert_eq!(capacity(&[&large], true).1, "1GiB");
}

#[test]
fn a_wide_trace_is_compacted() {
    let mut options = options(Resolver::new(), &Choices::default());
    options.buffers = vec!["none".into()];
    (options.baseline, options.bounds) = (None, false);
    let wide = at(&[0, 500 * GIB, 2000 * GIB, 500 * GIB]);
    options.fit_today(&[&wide]).expect("a readable trace");
    assert!(options.replay.compact);
    let config = options.resolver.resolve().expect("a valid configuration");
    assert!(config.flash.capacity < 2 * GIB);
    options.resolver.set("precondition=full").expect("a value");
    assert_eq!(compared(&options, &wide).rows.len(), 1);
}

// planted bug: a drive that was filled in order beside drives that are aged
#[test]
fn the_bounds_are_drives_in_the_same_state() {
    let trace = writes(scattered(2000, 256));
    let bounds = |kind: &str, settled| {
        let settings = [kind, "ftl.log_blocks=20", "buffer.size=4096"];
        let mut options = options(resolver(DEVICE, &settings), &Choices::default());
        options.settled = settled;
        let rows = compared(&options, &trace).rows;
        let bounds = rows.into_iter().filter(|row| row.kind == RowKind::Bound);
        bounds.map(|row| row.name).collect::<Vec<_>>()
    };
    let [unbounded, clairvoyant, ideal] = ["unbounded buffer", "clairvoyant buffer", "ideal FTL"];
    assert_eq!(bounds("ftl.kind=page", true), [unbounded, ideal]);
    assert_eq!(
        bounds("ftl.kind=page", false),
        [unbounded, clairvoyant, ideal]
    );
    assert_eq!(
        bounds("ftl.kind=bast", true),
        [unbounded, clairvoyant, ideal]
    );
}

#[test]
fn a_comparison_has_the_buffers_that_matter() {
    let buffers = |resolver, choices: &Choices| {
        let options = options(resolver, choices);
        (options.buffers, options.further_buffers)
    };
    let none = Choices::default();
    let shown = SHOWN.map(str::to_owned).to_vec();
    let (all, further) = buffers(
        Resolver::new(),
        &Choices {
            all_buffers: true,
            ..Choices::default()
        },
    );
    assert_eq!(further, 0);
    assert_eq!(
        buffers(Resolver::new(), &none),
        (shown.clone(), all.len() - 5)
    );
    let with = |more: &str| {
        let mut names = all.clone();
        names.retain(|name| SHOWN.contains(&name.as_str()) || name == more);
        (names, all.len() - 6)
    };
    assert_eq!(buffers(set(&["preset=bplru-2008"]), &none), with("bplru"));
    let baseline = Choices {
        baseline: Some("fifo".into()),
        ..Choices::default()
    };
    assert_eq!(buffers(Resolver::new(), &baseline), with("fifo"));
    let named = Choices {
        buffers: vec!["sof".into()],
        ..Choices::default()
    };
    assert_eq!(
        buffers(Resolver::new(), &named),
        (vec!["sof".to_owned()], 0)
    );
    // and the table says how many there are beside them
    let comparison = compared(&options(resolver(DEVICE, &[]), &none), &writes([0, 1, 2]));
    let told = ssdlab_sim::how_replayed(&comparison);
    let further = format!("{} further ones are compared with --all", all.len() - 5);
    assert!(told.contains(&("buffers", further)), "{told:?}");
}
