//! Copy on write keeps what it has written through power cuts at every flash operation.
//!
//! Planted bugs that this test catches: the old block is erased before its copy is durable; a mount takes the older of
//! two copies.

use own_policy::Own;
use ssdlab_testkit::configs::stack_with;
use ssdlab_testkit::power_cut::{Durable, Scenario};
use ssdlab_testkit::workload::Workload;

use super::copy_on_write;

#[test]
fn copy_on_write_survives_a_cut_at_every_operation() {
    for (precondition, durable) in [("empty", Durable::OnReturn), ("full", Durable::OnFlush)] {
        let config = copy_on_write(precondition);
        let scenario = Scenario {
            config: &config,
            stack: &stack_with(&Own, &config),
            requests: &Workload::of(&config, 100).requests(1),
            durable,
        };
        let seen = scenario.cut_everywhere(durable == Durable::OnFlush);
        assert!(seen.unwrap_or_else(|what| panic!("{what}")).cuts > 1000);
    }
}
