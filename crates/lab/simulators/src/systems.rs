//! The systems that runs can use, and new devices with them.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_device::{
    BuildError, Catalogue, Device, Future, NotAged, Outlook, Plugins, Registry, Stack, memory,
};
use ssdlab_flash::{Clocked, Fault, Media};
use ssdlab_ftl::Impossible;

use crate::device::{Listeners, SimDevice};
use crate::media::{ClockedMedia, SimMedia};

/// The reason why a device cannot be built. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The systems refuse the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is no memory for it, or it cannot be aged.
    #[error("{0}")]
    Device(String),
}

/// What is called while a device is aged.
pub type Poll = Arc<dyn Fn() + Send + Sync>;

/// The systems that runs can use. It is cheap to clone.
#[derive(Clone)]
pub struct Systems {
    registry: Arc<Registry<SimMedia>>,
    /// The same systems for the parallel model.
    clocked: Arc<Registry<ClockedMedia>>,
    page_by_page: bool,
    poll: Option<Poll>,
}

impl fmt::Debug for Systems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Systems").finish_non_exhaustive()
    }
}

impl Systems {
    // neither generic nor inline, so that this crate compiles the systems
    #[inline(never)]
    fn built_in() -> Self {
        Self {
            registry: Arc::new(Registry::built_in()),
            clocked: Arc::new(Registry::built_in()),
            page_by_page: false,
            poll: None,
        }
    }

    /// The built-in systems and these.
    pub fn with(plugins: &impl Plugins) -> Self {
        let mut systems = Self::built_in();
        let (serial, parallel) = systems.registries();
        plugins.add(serial);
        plugins.add(parallel);
        systems
    }

    /// The registries of the serial and of the parallel model, to which systems are added.
    pub fn registries(&mut self) -> (&mut Registry<SimMedia>, &mut Registry<ClockedMedia>) {
        (
            Arc::make_mut(&mut self.registry),
            Arc::make_mut(&mut self.clocked),
        )
    }

    /// Devices handle each page separately: slower, with the same results.
    pub fn page_by_page(mut self, on: bool) -> Self {
        self.page_by_page = on;
        self
    }

    /// Calls `poll` now and then while a device is aged, in the thread that does it.
    #[must_use]
    pub fn polled_by(self, poll: Poll) -> Self {
        let poll = Some(poll);
        Self { poll, ..self }
    }

    /// All systems by name.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.registry.catalogue()
    }

    /// A resolver of configurations for these systems.
    pub fn resolver(&self) -> Resolver {
        Resolver::of(self.catalogue())
    }

    /// An upper bound of the memory of a device of a run, in bytes.
    pub fn memory(&self, config: &Config) -> u64 {
        let tables = if config.timing.needs_notes() {
            memory(config, &config.stack(&self.clocked))
        } else {
            memory(config, &config.stack(&self.registry))
        };
        with_report(config, tables)
    }

    /// A new device, aged as the configuration says.
    ///
    /// # Errors
    /// If there is no memory for its tables, or its systems refuse the configuration.
    pub fn device(&self, config: &Config) -> Result<SimDevice, Refused> {
        let device = self.device_unless(config, None, &mut || false)?;
        Ok(device.expect("nothing stops it"))
    }

    /// What a device that foresees the writes must know of them; `None` for all others. The capacity must be known. See
    /// [`Outlook::of`].
    pub fn outlook(&self, config: &Config, wraps: bool, repeated: bool) -> Option<Outlook> {
        // the same under both models of time
        Outlook::of(config, &config.stack(&self.registry), wraps, repeated)
    }

    /// Whether the device foresees the writes. The capacity may still be open.
    pub fn foresees(&self, config: &Config) -> bool {
        config.stack(&self.registry).foresees(config)
    }

    /// Like [`device`](Self::device), but it may foresee the writes, and it polls `stopped` while it ages the
    /// device; `None` if it was stopped.
    ///
    /// # Errors
    /// As `device`.
    pub fn device_unless(
        &self,
        config: &Config,
        future: Option<&Future>,
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Option<SimDevice>, Refused> {
        let mut device = self.unaged(config, future)?;
        let mut stopped = || {
            self.poll.iter().for_each(|poll| poll());
            stopped()
        };
        match device.age(&config.precondition, &mut stopped) {
            Ok(()) => Ok(Some(device)),
            Err(NotAged::Stopped) => Ok(None),
            Err(NotAged::Failed(error)) => {
                Err(Refused::Device(BuildError::Ageing(error).to_string()))
            }
        }
    }

    fn unaged(&self, config: &Config, future: Option<&Future>) -> Result<SimDevice, Refused> {
        if config.timing.needs_notes() {
            let stack = config.stack(&self.clocked).with_future(future.cloned());
            let device = build(config, &stack, |array| Ok(Clocked::new(array)))?;
            return Ok(SimDevice::Parallel(Box::new(device), Listeners::default()));
        }
        let stack = config.stack(&self.registry).with_future(future.cloned());
        let mut device = build(config, &stack, Ok)?;
        if self.page_by_page {
            device.page_by_page();
        }
        Ok(SimDevice::Serial(Box::new(device)))
    }
}

/// Devices are allocated one after the other, so that two never count on the same free memory.
static BEGIN: Mutex<()> = Mutex::new(());

/// No device is allocated while the answer is kept; `None` if one is being allocated. For a process that is about to fork.
pub fn no_device_begins() -> Option<MutexGuard<'static, ()>> {
    match BEGIN.try_lock() {
        Ok(held) => Some(held),
        Err(TryLockError::Poisoned(held)) => Some(held.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn build<M: Media<Data = ()>>(
    config: &Config,
    stack: &Stack<M>,
    wrap: impl FnMut(SimMedia) -> Result<M, Fault>,
) -> Result<Device<M>, Refused> {
    let _begin = BEGIN.lock().unwrap_or_else(PoisonError::into_inner);
    room_for(config, memory(config, stack))?;
    let refused = |error: BuildError| match &error {
        BuildError::Impossible(Impossible { key, why }) => {
            let refused = config.refusal(key, why.clone());
            refused.map_or_else(|| Refused::Device(error.to_string()), Refused::Config)
        }
        _ => Refused::Device(error.to_string()),
    };
    Device::unaged_on(config, stack, wrap).map_err(refused)
}

/// The memory of tables and of what the report says of them.
fn with_report(config: &Config, tables: u64) -> u64 {
    // the report copies the erases of each block several times
    tables + 16 * u64::from(config.physical_blocks())
}

/// Refuses a device whose tables of `tables` bytes do not fit in memory: a failed allocation would abort later.
fn room_for(config: &Config, tables: u64) -> Result<(), Refused> {
    /// Memory for the trace, the tables of the report, and the overhead of allocations.
    const REST: u64 = 8 << 20;
    let bytes = with_report(config, tables);
    let refused = || {
        Refused::Device(format!(
            "flash.capacity = {}: no memory for a device of this size; it takes about {} MiB",
            config.flash.capacity,
            bytes.div_ceil(1 << 20)
        ))
    };
    let probe = usize::try_from(bytes + bytes / 16 + REST).map_err(|_| refused())?;
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(probe).map_err(|_| refused())
}
