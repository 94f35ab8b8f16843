//! What a life is made of, and how it can end.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastrand::Rng;

use crate::event::{self, Event};
use crate::life::Life;
use crate::settings;
use crate::theme::Theme;

/// A drive and all that happens to it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings of the configuration.
    pub settings: Vec<String>,
    /// The file is memory, without syncs and without crashes of the system.
    pub is_memory: bool,
    /// In the order in which they happen.
    pub events: Vec<Event>,
}

/// What was seen, by name.
pub type Seen = BTreeMap<&'static str, u64>;

/// A broken promise.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Which one.
    pub promise: &'static str,
    /// How it shows.
    pub what: String,
    /// The event at which it shows.
    pub event: usize,
}

impl Plan {
    /// The life of this number.
    pub fn of(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let theme = Theme::some(&mut random);
        let settings = settings::some(&mut random, theme);
        let design = settings::design(&settings).expect("it was drawn so");
        let capacity = design.config().flash.capacity as usize;
        Self {
            settings,
            is_memory: theme == Theme::Any && random.u8(..6) == 0,
            events: event::some(&mut random, theme, capacity),
        }
    }

    /// Lives it, counts what happens, and stores the number of the current event in `now`.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn live(&self, seen: &mut Seen, now: &AtomicUsize) -> Result<(), Broken> {
        let Some(design) = settings::design(&self.settings) else {
            return Ok(());
        };
        let mut life = Life::new(design, self.is_memory, seen);
        for (number, event) in self.events.iter().enumerate() {
            life.event = number;
            now.store(number, Ordering::Relaxed);
            life.happens(event)?;
        }
        life.event = self.events.len();
        life.ends()
    }
}
