//! Every built-in system and format has prices.

use std::collections::BTreeSet;

use ssdlab_sim::Lab;
use ssdlab_sweep::{BUFFERS, DECODE, FTLS};
use ssdlab_trace::Format;

fn names<P>(table: &[(&'static str, P)]) -> BTreeSet<&'static str> {
    let names: BTreeSet<&str> = table.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), table.len(), "a name is there twice");
    names
}

#[test]
fn every_built_in_system_has_prices() {
    let lab = Lab::new();
    let catalogue = lab.systems().catalogue();
    let buffers = catalogue.buffers().iter().map(|buffer| buffer.entry.name);
    assert_eq!(names(&BUFFERS), buffers.collect());
    let ftls = catalogue.ftls().iter().map(|ftl| ftl.entry.name);
    assert_eq!(names(&FTLS), ftls.collect());
}

#[test]
fn every_format_has_a_price() {
    assert_eq!(names(&DECODE), Format::ALL.map(Format::name).into());
}
