//! Requests that are answered at the speed of the simulated drive.

use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::settings;

unsafe extern "C" {
    /// Sleeps; ends early, with -1, if the server or the connection ends.
    safe fn nbdkit_nanosleep(sec: c_uint, nsec: c_uint) -> c_int;
}

/// How late replies are.
pub struct Lateness {
    /// Replies by their lateness; the last class has all later ones.
    classes: [AtomicU64; CLASSES],
    /// The user has been warned.
    warned: AtomicBool,
}

thread_local! {
    /// Linux wakes a thread up to 50 µs late, unless it asks for less.
    static WAKES_LATE: Cell<bool> = const { Cell::new(true) };
}

const CLASSES: usize = 1001;
const CLASS: Duration = Duration::from_micros(10);
/// What counts as late.
const LATE: Duration = Duration::from_millis(1);
/// A share of fewer replies says nothing.
const ENOUGH: u64 = 100;

/// The replies of this server.
pub static REPLIES: Lateness = Lateness {
    classes: [const { AtomicU64::new(0) }; CLASSES],
    warned: AtomicBool::new(false),
};

impl Lateness {
    /// Returns when a request is due, or at once if the server ends.
    pub fn wait(&self, due: Instant) {
        if WAKES_LATE.replace(false) {
            wake_in_time();
        }
        loop {
            let now = Instant::now();
            let Some(early) = due.checked_duration_since(now).filter(|d| !d.is_zero()) else {
                let late = now.duration_since(due).as_nanos() / CLASS.as_nanos();
                let class = usize::try_from(late).unwrap_or(CLASSES).min(CLASSES - 1);
                self.classes[class].fetch_add(1, Ordering::Relaxed);
                if class >= FIRST_LATE && !self.warned.load(Ordering::Relaxed) {
                    self.warn();
                }
                return;
            };
            let seconds = c_uint::try_from(early.as_secs()).unwrap_or(c_uint::MAX);
            if nbdkit_nanosleep(seconds, early.subsec_nanos()) != 0 {
                return;
            }
        }
    }

    /// Tells the user, once, if the machine is too slow.
    fn warn(&self) {
        let counts = self.counts();
        let (all, late) = (counts.iter().sum(), late(&counts));
        if all >= ENOUGH && too_slow(all, late) && !self.warned.swap(true, Ordering::Relaxed) {
            settings::tell(&format!(
                "{late} of {all} replies were more than 1 ms late so far; this machine is too slow for the drive"
            ));
        }
    }

    fn counts(&self) -> Vec<u64> {
        let classes = self.classes.iter();
        classes.map(|count| count.load(Ordering::Relaxed)).collect()
    }

    /// A sentence about the replies so far, if there are any.
    pub fn sentence(&self) -> Option<String> {
        let counts = self.counts();
        let all: u64 = counts.iter().sum();
        let mut below = 0;
        let median = counts.iter().position(|count| {
            below += count;
            2 * below >= all
        });
        let median = (median? + 1) as u128 * CLASS.as_micros();
        let late = late(&counts);
        if all == 0 {
            return None;
        }
        let too_slow = if too_slow(all, late) {
            "; this machine is too slow for the drive"
        } else {
            ""
        };
        Some(format!(
            "{all} replies in real time, half of them at most {median} µs late, {late} more than 1 ms late{too_slow}"
        ))
    }
}

/// From now on this thread ends its sleeps as early as it may. If that is refused, replies are that much later.
fn wake_in_time() {
    #[cfg(target_os = "linux")]
    // SAFETY: it takes a number, and changes nothing but when this thread wakes
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
}

/// The first class of late replies.
const FIRST_LATE: usize = (LATE.as_micros() / CLASS.as_micros()) as usize;

fn late(counts: &[u64]) -> u64 {
    counts[FIRST_LATE..].iter().sum()
}

/// More than 1 % are late.
fn too_slow(all: u64, late: u64) -> bool {
    late * 100 > all
}
