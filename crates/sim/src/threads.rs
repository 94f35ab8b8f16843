//! Runs at once on several cores.

use std::hint::black_box;

use rayon::prelude::*;

use crate::SimError;

/// Threads that take one run each until all are done.
pub struct Threads(rayon::ThreadPool);

impl Threads {
    /// So many, or 0: one for each core; but no more than there are runs.
    ///
    /// # Errors
    /// The system starts none.
    pub fn start(number: usize, runs: usize) -> Result<Self, SimError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if number == 0 { cores() } else { number };
        let number = wanted.min(runs.max(1));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(number).build();
        let pool =
            pool.map_err(|error| SimError::Limit(format!("cannot start threads: {error}")))?;
        // each takes memory for its first allocation: before a device asks how much there is
        pool.broadcast(|_| drop(black_box(Box::new(0_u8))));
        Ok(Self(pool))
    }

    /// How many there are.
    pub fn number(&self) -> usize {
        self.0.current_num_threads()
    }

    /// What comes of each plan, in their order. `progress` is called with the number of all, once before the first and
    /// once after each.
    ///
    /// # Errors
    /// That of a plan that fails.
    pub fn each<P: Sync, R: Send>(
        &self,
        plans: &[P],
        run: impl Fn(&P) -> Result<R, SimError> + Sync,
        progress: impl Fn(usize) + Sync,
    ) -> Result<Vec<R>, SimError> {
        progress(plans.len());
        let run = |plan| {
            let result = run(plan);
            progress(plans.len());
            result
        };
        // one at a time to each thread: runs differ widely in length
        let all = || plans.par_iter().with_max_len(1).map(run).collect();
        self.0.install(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: threads that nothing is left for
    #[test]
    fn no_thread_without_a_run() {
        let number = |wanted, runs| Threads::start(wanted, runs).expect("threads").number();
        assert_eq!((number(200, 12), number(3, 12), number(5, 0)), (12, 3, 1));
        assert_eq!(number(0, 1), 1);
    }
}
