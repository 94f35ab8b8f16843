//! The policies that a read buffer can have.
//!
//! Planted bugs that this test catches: a policy that evicts blocks in a read buffer; a list of names that leaves
//! foreign policies out.

use ssdlab_config::{ConfigError, Resolver};
use ssdlab_policy::Entry;
use ssdlab_policy::buffer::lru::Lru;
use ssdlab_policy::buffer::{BufferKind, Nature, Shape};
use ssdlab_simulators::Systems;

#[test]
fn a_policy_serves_reads_if_it_says_so() {
    let mut systems = Systems::with(&());
    let (registry, _) = systems.registries();
    let nature = Nature::page_level([4, 12, 0]);
    for (name, nature) in [("mine", nature.serving_reads()), ("other", nature)] {
        let entry = Entry { name, ..Lru::ENTRY };
        registry.add_policy(entry, nature, |_| |shape: &Shape| Lru::new(shape, &()));
    }
    let resolve = |policy: &str| -> Result<_, ConfigError> {
        let mut resolver = Resolver::of(registry.catalogue());
        resolver.set(&format!("read_buffer.policy={policy}"))?;
        Ok(resolver.resolve()?.read_policy)
    };
    for served in ["none", "fifo", "lru", "sof", "zone", "mine"] {
        assert_eq!(resolve(served), Ok(served));
    }
    for refused in ["cflru", "bplru", "plru-br", "unbounded", "other"] {
        let error = resolve(refused).expect_err(refused).to_string();
        let (_, names) = error.split_once("must be one of ").expect(&error);
        let names: Vec<&str> = names.split([',', ';']).map(str::trim).collect();
        assert!(
            names.contains(&"mine") && !names.contains(&refused),
            "{error}"
        );
    }
}
