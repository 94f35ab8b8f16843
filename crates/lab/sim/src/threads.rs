//! Runs several simulations at once.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::SimError;

/// Threads that take one run each until all are done.
pub struct Threads(rayon_core::ThreadPool);

impl Threads {
    /// Starts `number` threads, or one for each core if it is 0, but no more than there are runs.
    ///
    /// # Errors
    /// The operating system starts no threads.
    pub fn start(number: usize, runs: usize) -> Result<Self, SimError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if number == 0 { cores() } else { number };
        let number = wanted.min(runs.max(1));
        let pool = rayon_core::ThreadPoolBuilder::new()
            .num_threads(number)
            .build();
        let pool =
            pool.map_err(|error| SimError::Limit(format!("cannot start threads: {error}")))?;
        // each thread allocates at its start: before a device checks the free memory
        pool.broadcast(|_| drop(black_box(Box::new(0_u8))));
        Ok(Self(pool))
    }

    /// The number of threads.
    pub fn number(&self) -> usize {
        self.0.current_num_threads()
    }

    /// The results of all plans, in their order. `progress` is called with the total number of plans: once before the
    /// first and once after each.
    ///
    /// # Errors
    /// The error of a plan that fails; no other plan begins after it.
    pub fn each<P: Sync, R: Send>(
        &self,
        plans: &[P],
        run: impl Fn(&P) -> Result<R, SimError> + Sync,
        progress: impl Fn(usize) + Sync,
    ) -> Result<Vec<R>, SimError> {
        progress(plans.len());
        let next = AtomicUsize::new(0);
        // each thread takes one plan at a time, because the runs differ widely in length
        let work = || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(number) else {
                    return Ok(done);
                };
                let result = run(plan);
                progress(plans.len());
                match result {
                    Ok(result) => done.push((number, result)),
                    Err(error) => {
                        next.store(plans.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
        };
        let mut all = Vec::with_capacity(plans.len());
        for done in self.0.broadcast(|_| work()) {
            all.extend(done?);
        }
        all.sort_unstable_by_key(|&(number, _)| number);
        Ok(all.into_iter().map(|(_, result)| result).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: more threads than runs
    #[test]
    fn no_thread_without_a_run() {
        let number = |wanted, runs| Threads::start(wanted, runs).expect("threads").number();
        assert_eq!((number(200, 12), number(3, 12), number(5, 0)), (12, 3, 1));
        assert_eq!(number(0, 1), 1);
    }
}
