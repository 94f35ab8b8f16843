//! Runs at once on several cores.

use rayon::prelude::*;

use crate::SimError;

/// Threads that take one run each until all are done.
pub struct Threads(rayon::ThreadPool);

impl Threads {
    /// So many; 0: one for each core.
    ///
    /// # Errors
    /// The system starts none.
    pub fn start(number: usize) -> Result<Self, SimError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(number).build();
        let pool =
            pool.map_err(|error| SimError::Limit(format!("cannot start threads: {error}")))?;
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
