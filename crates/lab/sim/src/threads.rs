//! Runs several simulations at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::SimError;
use crate::room::{Room, free_memory};

#[cfg(not(target_arch = "wasm32"))]
struct Pool(rayon_core::ThreadPool);

#[cfg(not(target_arch = "wasm32"))]
impl Pool {
    fn start(number: usize) -> Result<Self, String> {
        let pool = rayon_core::ThreadPoolBuilder::new()
            .num_threads(number)
            .build();
        let pool = pool.map_err(|error| format!("cannot start threads: {error}"))?;
        // each thread allocates at its start: before a device checks the free memory
        pool.broadcast(|_| drop(std::hint::black_box(Box::new(0_u8))));
        Ok(Self(pool))
    }

    fn number(&self) -> usize {
        self.0.current_num_threads()
    }

    fn each_thread<R: Send>(&self, work: impl Fn() -> R + Sync) -> Vec<R> {
        self.0.broadcast(|_| work())
    }
}

/// WebAssembly has no threads: the caller does all work.
#[cfg(target_arch = "wasm32")]
struct Pool;

#[cfg(target_arch = "wasm32")]
impl Pool {
    fn start(_: usize) -> Result<Self, String> {
        Ok(Self)
    }

    fn number(&self) -> usize {
        1
    }

    fn each_thread<R>(&self, work: impl Fn() -> R) -> Vec<R> {
        vec![work()]
    }
}

/// Threads that take one run each until all are done, while memory is left for it.
pub struct Threads {
    pool: Pool,
    room: Room,
}

impl Threads {
    /// Starts `number` threads, or one for each core if it is 0, but no more than there are runs. Runs at the same time take
    /// `memory` bytes, or what is free; one that needs more runs alone.
    ///
    /// # Errors
    /// The operating system starts no threads.
    pub fn start(number: usize, runs: usize, memory: Option<u64>) -> Result<Self, SimError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if number == 0 { cores() } else { number };
        let number = wanted.min(runs.max(1));
        let pool = Pool::start(number).map_err(SimError::Limit)?;
        let memory = memory.or_else(free_memory).unwrap_or(u64::MAX);
        Ok(Self {
            pool,
            room: Room::new(memory),
        })
    }

    /// The number of threads.
    pub fn number(&self) -> usize {
        self.pool.number()
    }

    /// What to tell the user if a run had to wait for memory.
    pub fn note(&self) -> Option<String> {
        self.room.note()
    }

    /// The results of all plans, each of which takes so many `bytes`, in their order. `progress` is called with the total number of plans: once before the
    /// first and once after each.
    ///
    /// # Errors
    /// The error of the first plan that fails; no other plan begins after it.
    pub fn each<P: Sync, R: Send, E: Send>(
        &self,
        plans: &[P],
        bytes: impl Fn(&P) -> u64 + Sync,
        run: impl Fn(&P) -> Result<R, E> + Sync,
        progress: impl Fn(usize) + Sync,
    ) -> Result<Vec<R>, E> {
        progress(plans.len());
        let next = AtomicUsize::new(0);
        // each thread takes one plan at a time, because the runs differ widely in length
        let work = || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(number) else {
                    return done;
                };
                let inside = self.room.enter(bytes(plan));
                let result = run(plan);
                drop(inside);
                progress(plans.len());
                if result.is_err() {
                    next.store(plans.len(), Ordering::Relaxed);
                }
                done.push((number, result));
            }
        };
        let all = self.pool.each_thread(work);
        let mut all: Vec<_> = all.into_iter().flatten().collect();
        all.sort_unstable_by_key(|&(number, _)| number);
        all.into_iter().map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: more threads than runs
    #[test]
    fn no_thread_without_a_run() {
        let number = |wanted, runs| {
            Threads::start(wanted, runs, None)
                .expect("threads")
                .number()
        };
        assert_eq!((number(200, 12), number(3, 12), number(5, 0)), (12, 3, 1));
        assert_eq!(number(0, 1), 1);
    }

    // planted bugs: the error of a later plan, which another thread met first; results in the order of their ends; plans
    // that begin after an error
    #[test]
    fn the_first_error_counts() {
        let threads = Threads::start(2, 9, None).expect("threads");
        let begun = AtomicUsize::new(0);
        let both = std::sync::Barrier::new(2);
        let plans: Vec<usize> = (0..9).collect();
        let run = |&plan: &usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            both.wait();
            if plan == 0 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            Err::<(), usize>(plan)
        };
        assert_eq!(threads.each(&plans, |_| 0, run, |_| ()), Err(0));
        assert_eq!(begun.into_inner(), 2);
        let doubled = threads.each(&plans, |_| 0, |&plan| Ok::<_, ()>(2 * plan), |_| ());
        assert_eq!(doubled, Ok(plans.iter().map(|plan| 2 * plan).collect()));
    }
}
