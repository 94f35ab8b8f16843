//! Placements.

use std::cell::RefCell;
use std::sync::Arc;

use ssdlab_flash::Lpn;
use ssdlab_policy::CLOCK;
use ssdlab_policy::placement::{Chosen, Place, Placement, Registered};
use ssdlab_sim::Lab;

use super::called::{Called, number, values};
use super::declared::Declared;
use super::ending::Ending;

const METHODS: [&str; 2] = ["of_write", "of_copies"];
const OF_WRITE: usize = 0;
const OF_COPIES: usize = 1;

/// A placement: all its regions are in flash.
struct PyPlacement {
    called: RefCell<Called>,
    regions: u32,
}

/// Adds a placement to a laboratory.
pub fn add(lab: Lab, policy: &Arc<Declared>, ending: &Ending) -> Lab {
    let entry = policy.entry(&[CLOCK.key]);
    let (policy, ending) = (Arc::clone(policy), ending.clone());
    lab.placement(Registered::new(entry, move |inputs| {
        let keys = values(&policy, inputs.settings);
        let regions = policy.regions_with(inputs.settings);
        let (page_size, traced) = (inputs.page_size, inputs.traced);
        let (policy, ending) = (Arc::clone(&policy), ending.clone());
        Chosen::new(entry, regions, 0, move |geometry| {
            let told = vec![
                ("logical_pages", geometry.logical_pages().into()),
                ("page_size", page_size.into()),
                ("regions", regions.into()),
                ("trace_time", traced.into()),
            ];
            let called = Called::new(&policy, &ending, &METHODS, told, keys.clone());
            Box::new(PyPlacement {
                called: RefCell::new(called),
                regions,
            })
        })
    }))
}

impl PyPlacement {
    fn allowed(&self) -> String {
        format!("the number of a region, 0 to {}", self.regions - 1)
    }
}

impl Placement for PyPlacement {
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64, stream: u16) -> Place {
        let region = self.called.borrow_mut().ask(
            OF_WRITE,
            (lpn.0, from, now, stream),
            |value| number(value).filter(|&region| region < self.regions),
            || self.allowed(),
        );
        Place::Flash(region.unwrap_or(0))
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        let to = self.called.borrow_mut().ask(
            OF_COPIES,
            (region,),
            |value| number(value).filter(|&region| region < self.regions),
            || self.allowed(),
        );
        Some(to.unwrap_or(region))
    }
}
