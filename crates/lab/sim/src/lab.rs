//! The laboratory: adds systems to the built-in ones, runs and compares them.

use std::path::Path;
use std::sync::Arc;

use ssdlab_config::{Config, Resolver};
use ssdlab_device::registry::Entry;
use ssdlab_device::{Figure, Figures, Plugins};
use ssdlab_ftl::FtlKind;
use ssdlab_policy::buffer::{BufferPolicy, Nature, Shape};
use ssdlab_policy::{Settings, cleaning, placement};
use ssdlab_trace::ReadOptions;

use crate::compare::compare;
use crate::comparison::Comparison;
use crate::error::SimError;
use crate::input::Trace;
use crate::outcome::Outcome;
use crate::plan::CompareOptions;
use crate::run::{RunOptions, run};
use ssdlab_simulators::{Poll, Systems};

/// Adds a system to the registries of both models of time.
macro_rules! adding {
    ($lab:expr, $registry:ident => $add:expr) => {{
        let mut lab = $lab;
        let (serial, parallel) = lab.systems.registries();
        let $registry = serial;
        $add;
        let $registry = parallel;
        $add;
        lab
    }};
}

/// All systems, and how to run and compare them: the only place where a command, a study or a package gets systems from,
/// so that those of other crates work wherever the built-in ones do.
///
/// ```no_run
/// use ssdlab_policy::Entry;
/// use ssdlab_policy::buffer::{BufferPolicy, Nature, Shape};
/// use ssdlab_sim::{CompareOptions, Lab, Trace};
///
/// # fn example<P: BufferPolicy + 'static>(entry: Entry, mine: fn() -> P) -> Result<(), ssdlab_sim::SimError> {
/// let lab = Lab::new().buffer(entry, Nature::page_level([0; 3]), move |_| move |_: &Shape| mine());
/// let trace = Trace::load("trace.csv".as_ref(), &Default::default(), u64::MAX)?;
/// let comparison = lab.compare(&trace, CompareOptions::new(&lab, lab.resolver()))?;
/// println!("{}", comparison.sentence);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Lab {
    systems: Systems,
}

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

impl Lab {
    /// The built-in systems.
    pub fn new() -> Self {
        Self::with(&())
    }

    /// The built-in systems and these.
    pub fn with(plugins: &impl Plugins) -> Self {
        let systems = Systems::with(plugins);
        Self { systems }
    }

    /// Calls `poll` now and then while a device is aged, in the thread that does it.
    #[must_use]
    pub fn polled_by(mut self, poll: Poll) -> Self {
        self.systems = self.systems.polled_by(poll);
        self
    }

    /// Adds a buffer policy. `configure` reads its keys and returns what builds it.
    ///
    /// # Panics
    /// If the name is taken; so do the other functions that add systems.
    pub fn buffer<B: BufferPolicy + 'static, N: Fn(&Shape) -> B + Send + Sync + 'static>(
        self,
        entry: Entry,
        nature: Nature,
        configure: impl Fn(&dyn Settings) -> N + Send + Sync + 'static,
    ) -> Self {
        let configure = Arc::new(configure);
        adding!(self, registry => {
            let configure = configure.clone();
            registry.add_policy(entry, nature, move |settings| configure(settings))
        })
    }

    /// Adds an FTL.
    pub fn ftl<K: FtlKind>(self) -> Self {
        adding!(self, registry => registry.add_ftl::<K>())
    }

    /// Adds a cleaning policy of page mapping.
    pub fn cleaning(self, policy: cleaning::Registered) -> Self {
        adding!(self, registry => registry.add_cleaning(policy.clone()))
    }

    /// Adds a placement of page mapping.
    pub fn placement(self, placement: placement::Registered) -> Self {
        adding!(self, registry => registry.add_placement(placement.clone()))
    }

    /// Adds a figure of runs.
    pub fn figure(self, figure: Figure) -> Self {
        adding!(self, registry => registry.add_figure(figure))
    }

    /// Devices handle each page separately: slower, with the same results.
    pub fn page_by_page(self, on: bool) -> Self {
        let systems = self.systems.page_by_page(on);
        Self { systems }
    }

    /// The systems.
    pub fn systems(&self) -> &Systems {
        &self.systems
    }

    /// The figures of runs.
    pub fn figures(&self) -> Figures {
        self.systems.catalogue().figures().clone()
    }

    /// A resolver of configurations for these systems.
    pub fn resolver(&self) -> Resolver {
        self.systems.resolver()
    }

    /// Replays a trace on one device.
    ///
    /// # Errors
    /// A trace that cannot be read or does not fit the device, or a device that cannot be built.
    pub fn run(
        &self,
        config: Config,
        trace: &Path,
        read: &ReadOptions,
        options: RunOptions,
    ) -> Result<Outcome, SimError> {
        let lab = self.clone();
        let options = RunOptions { lab, ..options };
        run(config, trace, read, options)
    }

    /// Runs a comparison.
    ///
    /// # Errors
    /// An invalid configuration, a baseline that is not compared, or a trace that does not fit the device.
    pub fn compare(&self, trace: &Trace, options: CompareOptions) -> Result<Comparison, SimError> {
        let lab = self.clone();
        let options = CompareOptions { lab, ..options };
        compare(trace, &options, |_| ())
    }
}
