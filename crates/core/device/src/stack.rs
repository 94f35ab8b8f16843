//! The systems of a device: its write buffer, its read buffer and its FTL, each as a constructor.

use std::fmt;
use std::sync::Arc;

use ssdlab_flash::{Geometry, Media, ProgramOrder};
use ssdlab_ftl::{Capacity, Ftl, FtlError, FtlKind, Impossible, Needs};
use ssdlab_policy::buffer::{BufferKind, BufferPolicy, Future, Nature, Shape};

use crate::buffer::{NoBuffer, ReadBuffer, ReadStage, Settings, Stage, WriteBuffer};
use crate::{Cause, Parameters, Reads};

type MakeStage<M> = dyn Fn(&Shape, Settings) -> Box<dyn Stage<M>> + Send + Sync;
type MakeReadStage<M> = dyn Fn(&Shape) -> Box<dyn ReadStage<<M as Media>::Data>> + Send + Sync;
type MakeFtl<M> = dyn Fn(&Geometry, bool) -> Box<dyn Ftl<M>> + Send + Sync;
type MountFtl<M> = dyn Fn(&mut M) -> Result<Box<dyn Ftl<M>>, FtlError> + Send + Sync;
type NeedsOf = dyn Fn(&Capacity) -> Result<Needs, Impossible> + Send + Sync;

/// A buffer policy with its parameters, ready to be built.
pub struct BufferMaker<M: Media> {
    pub(crate) nature: Nature,
    stage: Arc<MakeStage<M>>,
    read_stage: Arc<MakeReadStage<M>>,
}

impl<M: Media> BufferMaker<M> {
    /// A policy of the registry.
    pub fn of<B: BufferKind>(config: B::Config) -> Self {
        Self::new(B::nature(&config), move |shape| B::new(shape, &config))
    }

    /// Any policy.
    pub fn new<B: BufferPolicy + 'static>(
        nature: Nature,
        new: impl Fn(&Shape) -> B + Send + Sync + 'static,
    ) -> Self {
        let new = Arc::new(new);
        let of_write = new.clone();
        Self {
            nature,
            stage: Arc::new(move |shape, settings| {
                let policy = of_write(shape);
                Box::new(WriteBuffer::<B, M::Data>::new(policy, shape, settings))
            }),
            read_stage: Arc::new(move |shape| {
                Box::new(ReadBuffer::<B, M::Data>::new(new(shape), shape))
            }),
        }
    }
}

impl<M: Media> Clone for BufferMaker<M> {
    fn clone(&self) -> Self {
        Self {
            nature: self.nature,
            stage: self.stage.clone(),
            read_stage: self.read_stage.clone(),
        }
    }
}

/// The cause of an FTL's copies and erases.
pub(crate) fn moves<K: FtlKind>() -> Cause {
    if K::CLEANS {
        Cause::Cleaning
    } else {
        Cause::Merge
    }
}

/// An FTL with its parameters, ready to be built.
pub struct FtlMaker<M: Media> {
    program_order: ProgramOrder,
    moves: Cause,
    needs: Arc<NeedsOf>,
    fresh: Arc<MakeFtl<M>>,
    mount: Arc<MountFtl<M>>,
}

impl<M: Media> FtlMaker<M> {
    /// An FTL with these parameters.
    pub fn of<K: FtlKind>(config: K::Config) -> Self {
        let config = Arc::new(config);
        let (of_fresh, of_mount) = (config.clone(), config.clone());
        Self {
            program_order: K::PROGRAM_ORDER,
            moves: moves::<K>(),
            needs: Arc::new(move |capacity| K::needs(&config, capacity)),
            fresh: Arc::new(move |geometry, full| K::fresh(&of_fresh, geometry, full)),
            mount: Arc::new(move |media| K::mount(&of_mount, media)),
        }
    }

    /// See [`FtlKind::fresh`].
    pub(crate) fn fresh(&self, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        (self.fresh)(geometry, full)
    }

    /// See [`FtlKind::mount`].
    pub(crate) fn mount(&self, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        (self.mount)(media)
    }
}

impl<M: Media> Clone for FtlMaker<M> {
    fn clone(&self) -> Self {
        Self {
            program_order: self.program_order,
            moves: self.moves,
            needs: self.needs.clone(),
            fresh: self.fresh.clone(),
            mount: self.mount.clone(),
        }
    }
}

/// The systems of a device.
///
/// ```
/// use ssdlab_device::{BufferMaker, Device, FtlMaker, Parameters, Stack};
/// use ssdlab_flash::{Array, Bytes};
/// use ssdlab_ftl::{Aware, FreeLists};
/// use ssdlab_ftl::bast::{self, Bast};
/// use ssdlab_policy::buffer::lru::Lru;
///
/// let bast = bast::BastConfig {
///     log_blocks: 7,
///     spare_blocks: 2,
///     partial_merge: true,
///     map_updates: false,
///     aware: Aware::default(),
///     free_lists: FreeLists::One,
/// };
/// let stack = Stack::new(FtlMaker::of::<Bast>(bast)).with_buffer(BufferMaker::of::<Lru>(()));
/// let mut parameters = Parameters::default();
/// parameters.flash.capacity = 8 << 20;
/// let device = Device::<Array<Bytes>>::fresh(&parameters, &stack)?;
/// # Ok::<(), ssdlab_device::BuildError>(())
/// ```
pub struct Stack<M: Media> {
    buffer: Option<BufferMaker<M>>,
    read_buffer: Option<BufferMaker<M>>,
    ftl: FtlMaker<M>,
    future: Option<Future>,
}

impl<M: Media> Stack<M> {
    /// An FTL without buffers.
    pub fn new(ftl: FtlMaker<M>) -> Self {
        Self {
            buffer: None,
            read_buffer: None,
            ftl,
            future: None,
        }
    }

    /// The same with this write buffer.
    pub fn with_buffer(mut self, buffer: impl Into<Option<BufferMaker<M>>>) -> Self {
        self.buffer = buffer.into();
        self
    }

    /// The same with this read buffer. Its policy must evict single pages; see [`Nature::serves_reads`].
    pub fn with_read_buffer(mut self, buffer: impl Into<Option<BufferMaker<M>>>) -> Self {
        self.read_buffer = buffer.into();
        self
    }

    /// The same with the writes to come, if they are known, for a write buffer or an FTL that foresees them; see
    /// [`Outlook`](crate::Outlook).
    pub fn with_future(mut self, future: Option<Future>) -> Self {
        self.future = future;
        self
    }

    /// What the write buffer is; none without one.
    pub fn buffer_nature(&self) -> Option<Nature> {
        self.buffer.as_ref().map(|buffer| buffer.nature)
    }

    /// The order in which the FTL programs the pages of a block.
    pub fn program_order(&self) -> ProgramOrder {
        self.ftl.program_order
    }

    /// The cause of the FTL's copies and erases: merges or cleaning.
    pub fn moves(&self) -> Cause {
        self.ftl.moves
    }

    /// What the FTL needs on each chip with its own FTL.
    ///
    /// # Errors
    /// Parameters that cannot work.
    pub fn needs(&self, of: &Parameters) -> Result<Needs, Impossible> {
        (self.ftl.needs)(&of.flash.chip_capacity())
    }

    /// Whether the write buffer or the FTL foresees the writes.
    pub fn foresees(&self, of: &Parameters) -> bool {
        let buffer = self.buffer_nature().is_some_and(|nature| nature.foresees);
        buffer || self.needs(of).is_ok_and(|needs| needs.future)
    }

    pub(crate) fn future(&self) -> Option<&Future> {
        self.future.as_ref()
    }

    pub(crate) fn ftl_maker(&self) -> &FtlMaker<M> {
        &self.ftl
    }

    pub(crate) fn buffer(&self) -> Option<&BufferMaker<M>> {
        self.buffer.as_ref()
    }

    pub(crate) fn read_buffer(&self) -> Option<&BufferMaker<M>> {
        self.read_buffer.as_ref()
    }

    /// Whether there is a write buffer with a size.
    pub(crate) fn has_sized_buffer(&self) -> bool {
        self.buffer.as_ref().is_some_and(|b| b.nature.bounded)
    }

    /// The most pages that the write buffer holds, which may be more than there are: all logical pages if it is
    /// unbounded, or if there is none.
    pub(crate) fn buffer_pages(&self, of: &Parameters) -> u64 {
        if self.has_sized_buffer() {
            of.flash.pages_in(of.buffer.size)
        } else {
            of.flash.logical_pages().into()
        }
    }

    /// The write buffer of these parameters, or none.
    pub(crate) fn stage(&self, geometry: &Geometry, of: &Parameters) -> Box<dyn Stage<M>> {
        let Some(buffer) = &self.buffer else {
            return Box::new(NoBuffer::new(geometry.page_size()));
        };
        let settings = Settings {
            bounded: buffer.nature.bounded,
            cache_reads: of.buffer.reads == Reads::Cache,
            protected: of.buffer.protected,
            count_headers: of.buffer.count_headers,
            flush_age_ns: of.buffer.flush_age_ns,
        };
        let pages = self.buffer_pages(of);
        let geometry = geometry.clone();
        let shape = Shape {
            geometry,
            pages,
            future: self.future.clone(),
        };
        (buffer.stage)(&shape, settings)
    }

    /// The read buffer of these parameters, if there is one.
    pub(crate) fn read_stage(
        &self,
        geometry: &Geometry,
        of: &Parameters,
    ) -> Option<Box<dyn ReadStage<M::Data>>> {
        let buffer = self.read_buffer.as_ref()?;
        let pages = of.flash.pages_in(of.read_buffer_size);
        let geometry = geometry.clone();
        let shape = Shape {
            geometry,
            pages,
            future: None,
        };
        Some((buffer.read_stage)(&shape))
    }
}

impl<M: Media> Clone for Stack<M> {
    fn clone(&self) -> Self {
        Self {
            buffer: self.buffer.clone(),
            read_buffer: self.read_buffer.clone(),
            ftl: self.ftl.clone(),
            future: self.future.clone(),
        }
    }
}

impl<M: Media> fmt::Debug for Stack<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nature = |buffer: &Option<BufferMaker<M>>| buffer.as_ref().map(|b| b.nature);
        f.debug_struct("Stack")
            .field("buffer", &nature(&self.buffer))
            .field("read_buffer", &nature(&self.read_buffer))
            .field("moves", &self.ftl.moves)
            .finish()
    }
}
