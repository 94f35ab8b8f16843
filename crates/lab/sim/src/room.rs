//! Memory for runs at the same time: a run waits until its device fits beside those of the others.

use std::sync::{Condvar, Mutex, PoisonError};

/// Memory that runs share.
pub struct Room {
    bytes: u64,
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    /// The memory of the runs inside.
    taken: u64,
    runs: usize,
    /// A run had to wait, and what it takes.
    waited: Option<u64>,
    /// The most memory that was taken at once.
    #[cfg(test)]
    most: u64,
}

/// A run that is inside; it leaves when this is dropped.
pub struct Inside<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Room {
    /// Room for this many bytes.
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes,
            state: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Waits until this many bytes are left, or until no other run is inside.
    pub fn enter(&self, bytes: u64) -> Inside<'_> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.runs > 0 && state.taken.saturating_add(bytes) > self.bytes {
            state.waited = state.waited.max(Some(bytes));
            state = self
                .left
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.taken += bytes;
        state.runs += 1;
        #[cfg(test)]
        {
            state.most = state.most.max(state.taken);
        }
        Inside { room: self, bytes }
    }

    /// What to tell the user if a run had to wait for memory.
    pub fn note(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        state.waited.map(|bytes| {
            format!(
                "memory: runs waited for others to end: one takes up to {} MiB, and there are {} MiB for all",
                mib(bytes),
                mib(self.bytes)
            )
        })
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let mut state = self
            .room
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        state.taken -= self.bytes;
        state.runs -= 1;
        self.room.left.notify_all();
    }
}

/// The memory that this process can still take, as far as the operating system says.
pub fn free_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| available(&text));
    // a control group may have less than the machine
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, taken)| most.saturating_sub(taken));
    machine.into_iter().chain(group).min()
}

/// The free memory of a machine in bytes, from the text of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let rest = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = rest.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    // planted bugs: runs that start whatever the others take; a run that alone is too large and waits for ever; a run
    // that keeps its memory
    #[test]
    fn runs_take_no_more_than_there_is() {
        let room = Room::new(100);
        let run = |bytes: u64| {
            for _ in 0..50 {
                let _inside = room.enter(bytes);
                thread::yield_now();
            }
        };
        thread::scope(|scope| {
            for bytes in [30, 40, 50, 60] {
                scope.spawn(move || run(bytes));
            }
        });
        assert!(room.state.lock().expect("no panic").most <= 100);
        drop(room.enter(500));
        let state = room.state.lock().expect("no panic");
        assert_eq!((state.taken, state.runs, state.most), (0, 0, 500));
    }

    // planted bug: a line although no run waited
    #[test]
    fn only_a_run_that_waits_is_told_of() {
        let room = Room::new(3 << 20);
        drop(room.enter(3 << 20));
        assert_eq!(room.note(), None);
        thread::scope(|scope| {
            let inside = room.enter(2 << 20);
            scope.spawn(|| drop(room.enter(5 << 18)));
            while room.note().is_none() {
                thread::yield_now();
            }
            drop(inside);
        });
        let note = "memory: runs waited for others to end: one takes up to 2 MiB, and there are 3 MiB for all";
        assert_eq!(room.note().as_deref(), Some(note));
    }

    #[test]
    fn free_memory_is_read_from_the_kernel() {
        let text = "MemTotal:       24689764 kB\nMemFree:  1 kB\nMemAvailable:   23456 kB\nBuffers: 2 kB\n";
        assert_eq!(available(text), Some(23_456 << 10));
        assert_eq!(available("MemTotal: 5 kB\n"), None);
    }
}
