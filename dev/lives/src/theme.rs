//! What a life is about, so that what is rare by chance happens often enough.

use fastrand::Rng;

/// What a life is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Nothing fails but what the drive is made to survive.
    Calm,
    /// RAM that survives: its mirror begins anew, and its disk is full.
    Ram,
    /// Flash that wears out soon.
    Wear,
    /// Damage to the file.
    Damage,
    /// Disks that fail or are full.
    Disk,
    /// The process or the system ends again and again.
    Crashes,
    /// All of that.
    Any,
}

impl Theme {
    /// One of them.
    pub fn some(random: &mut Rng) -> Self {
        use Theme::*;
        let all = [Calm, Ram, Wear, Damage, Disk, Crashes, Any, Any, Any];
        all[random.usize(..all.len())]
    }
}
