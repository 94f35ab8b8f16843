//! `compare` takes the settings of the configuration and drops none of them silently.
//!
//! Planted bugs that these catch: five sizes although the file gives one; a baseline other than that of the file; an
//! ignored size of a preset; a given capacity replaced; a derived capacity that is too small.

use ssdlab_config::Resolver;
use ssdlab_sim::{Axis, Choices, CompareOptions, Lab, RunOptions, run_loaded};

use crate::{DEVICE, compared, resolver, writes};

fn configured(resolver: Resolver) -> CompareOptions {
    CompareOptions::new(&Lab::new(), resolver)
        .as_configured()
        .expect("a valid configuration")
}

fn preset(name: &str) -> Resolver {
    let mut resolver = Resolver::new();
    resolver.preset(name);
    resolver
}

#[test]
fn the_size_and_the_baseline_are_those_of_the_configuration() {
    let of = |resolver: Resolver| {
        let options = configured(resolver);
        (options.sizes, options.baseline)
    };
    let five = [1, 2, 4, 8, 16].map(|mib: u64| mib << 20).to_vec();
    assert_eq!(of(Resolver::new()), (five.clone(), None));
    assert_eq!(of(resolver(DEVICE, &["ftl.kind=page"])), (five, None));
    let fab = Some("fab".to_owned());
    let file = format!("{DEVICE}[buffer]\npolicy = \"fab\"\nsize = \"4KiB\"\n");
    assert_eq!(of(resolver(&file, &[])), (vec![4 << 10], fab.clone()));
    let set = ["buffer.size=8KiB", "buffer.policy=lru"];
    assert_eq!(
        of(resolver(&file, &set)),
        (vec![8 << 10], Some("lru".into()))
    );
    assert_eq!(
        of(preset("bplru-2008")),
        (vec![16 << 20], Some("bplru".into()))
    );
    // a bound cannot be the baseline
    let bound = ["buffer.policy=unbounded"];
    assert_eq!(of(resolver(DEVICE, &bound)).1, None);
}

#[test]
fn a_capacity_that_nothing_gives_is_what_the_trace_needs() {
    const GIB: u64 = 1 << 30;
    let fitted = |resolver: Resolver, page: u64| {
        let mut options = configured(resolver);
        options.buffers = vec!["none".into()];
        options.baseline = None;
        options.bounds = false;
        let comparison = compared(&options, &writes([page]));
        let capacity = comparison.rows[0].outcome.config["flash"]["capacity"].as_u64();
        (capacity.expect("bytes"), comparison.fitted_capacity)
    };
    let beyond = 3 * GIB / 512;
    let block = 128 * 2048;
    assert_eq!(fitted(Resolver::new(), 0), (GIB, Some(GIB)));
    assert_eq!(
        fitted(Resolver::new(), beyond),
        (3 * GIB + block, Some(3 * GIB + block))
    );
    assert_eq!(fitted(resolver(DEVICE, &[]), 0), (128 << 10, None));
    assert_eq!(fitted(preset("bplru-2008"), 0), (GIB, None));
    assert_eq!(
        fitted(resolver("", &["flash.capacity=auto"]), 0),
        (block, None)
    );
}

// planted bugs: the capacity of the first run, or of the configuration without what varies
#[test]
fn a_capacity_that_differs_between_runs_is_none_of_all() {
    let fitted = |key: &str, values: &[&str]| {
        let mut options = configured(Resolver::new());
        options.buffers = vec!["none".into()];
        options.vary = vec![Axis {
            key: key.into(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        }];
        compared(&options, &writes([0])).fitted_capacity
    };
    assert_eq!(fitted("preset", &["bplru-2008", "plru-br-2q"]), None);
    assert_eq!(fitted("flash.capacity", &["1GiB", "2GiB"]), None);
    assert_eq!(
        fitted("flash.pages_per_block", &["64", "128"]),
        Some(1 << 30)
    );
    // whole blocks of 96 pages are no GiB
    assert_eq!(fitted("flash.pages_per_block", &["96", "128"]), None);
}

// planted bugs: a key that one value reads is refused for all of them; it is in the label of a run that has no such key; a run
// twice
#[test]
fn a_key_that_a_value_forbids_is_none_of_its_runs() {
    let axis = |key: &str, values: [&str; 2]| Axis {
        key: key.into(),
        values: values.map(str::to_owned).to_vec(),
    };
    let choices = |vary| Choices {
        buffers: vec!["none".into()],
        vary,
        ..Choices::default()
    };
    let page = [
        "ftl.kind=page",
        "ftl.over_provisioning=0.5",
        "flash.capacity=16MiB",
        "flash.page_size=4096",
    ];
    let options = || configured(resolver("", &page));
    let mut compared_all = options();
    let keys = vec![
        axis("ftl.placement", ["single", "dac-updates"]),
        axis("ftl.regions", ["2", "4"]),
    ];
    compared_all.choose(&choices(keys)).expect("valid choices");
    (compared_all.bounds, compared_all.baseline) = (false, None);
    let comparison = compared(&compared_all, &writes([0, 1, 2]));
    let labels = comparison.rows.iter().map(|row| row.label.as_str());
    assert_eq!(
        labels.collect::<Vec<_>>(),
        [
            "none (placement single)",
            "none (placement dac-updates, regions 2)",
            "none (placement dac-updates, regions 4)"
        ]
    );
    // what no combination takes is refused as before
    let wrong = options().choose(&choices(vec![axis("ftl.regions", ["2", "4"])]));
    let error = wrong.expect_err("no placement has regions").to_string();
    assert!(error.contains("must not be given with"), "{error}");
}

#[test]
fn what_no_policy_reads_is_told_once_and_only_if_it_was_given() {
    let warnings = |set: &[&str]| {
        let mut options = configured(resolver(DEVICE, set));
        options.buffers = vec!["none".into()];
        let trace = writes([0, 1, 2, 3]);
        compared(&options, &trace).warnings
    };
    assert_eq!(warnings(&["ftl.log_blocks=9"]), Vec::<String>::new());
    let idle = "buffer.size has no effect on anything compared";
    assert_eq!(warnings(&["buffer.size=4KiB"]), [idle]);
}

#[test]
fn a_device_that_takes_no_write_buffer_is_compared_without_one() {
    let mut options = configured(preset("deb"));
    assert_eq!(options.buffers, ["none"]);
    assert!(options.notes[0].starts_with("not compared: fifo, lru, "));
    options.jobs = 1;
    let comparison = compared(&options, &writes([0, 1, 2]));
    let labels = comparison.rows.iter().map(|row| row.label.as_str());
    assert_eq!(labels.collect::<Vec<_>>(), ["none", "ideal FTL"]);
    assert!(comparison.sizes.is_empty() && comparison.rows[0].best);
    assert_eq!(comparison.warnings[0], options.notes[0]);
}

// planted bug: what a device refuses is an error of the machine, or does not say where the value is from
#[test]
fn units_that_a_device_refuses_are_bad_input() {
    for (set, why) in [
        (
            "timing.program_pages=3",
            "--set timing.program_pages = 3: must divide the 4 pages of a block of one chip",
        ),
        (
            "timing.sense_pages=2",
            "--set timing.sense_pages = 2: must divide the 1 of timing.program_pages",
        ),
        (
            "timing.spare_slots=1",
            "--set timing.spare_slots = 1: must be at least 2: a unit of 1 pages for each block that \
             the FTL fills at a time",
        ),
    ] {
        let today = ["timing.model=drive", "ftl.kind=page", "buffer.policy=lru"];
        let config = resolver(DEVICE, &[&today[..], &[set]].concat());
        let config = config.resolve().expect("values in their ranges");
        let refused = run_loaded(config, &writes([0]), RunOptions::new(&Lab::new()));
        let error = refused.expect_err(set);
        assert_eq!((error.is_bad_input(), &*error.to_string()), (true, why));
    }
}
