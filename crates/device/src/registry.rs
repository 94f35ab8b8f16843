//! The one registry: joins what the crates below export, and makes systems by name.

use ssdlab_config::{Config, Precondition, Reads};
use ssdlab_flash::{Geometry, Media, Payload, ProgramOrder};
use ssdlab_ftl::{Bast, BastConfig, Ftl, FtlError, Ideal};
use ssdlab_policy::buffer::{BufferPolicy, Params, WithPolicy, with_policy};

use crate::buffer::{NoBuffer, Settings, Stage, WriteBuffer};

pub use ssdlab_policy::Entry;

pub use ssdlab_policy::buffer::NO_BUFFER;

/// Every buffer policy that can run.
pub const BUFFERS: &[Entry] = ssdlab_policy::buffer::ENTRIES;
/// Every FTL that can run.
pub const FTLS: &[Entry] = ssdlab_ftl::ENTRIES;
/// FTLs of the papers that are not built yet.
pub const PLANNED_FTLS: &[&str] = ssdlab_ftl::PLANNED;

/// In which order an FTL programs the pages of a block, as it declares.
pub(crate) fn program_order<P: Payload>(kind: &str) -> ProgramOrder {
    match kind {
        "ideal" => Ideal::<P>::PROGRAM_ORDER,
        _ => Bast::PROGRAM_ORDER,
    }
}

/// Do the FTL's migrations and erases count as cleaning, or as merges?
pub(crate) fn cleans(kind: &str) -> bool {
    kind == "ideal"
}

fn bast(config: &Config) -> BastConfig {
    BastConfig {
        log_blocks: config.ftl.log_blocks,
        partial_merge: config.ftl.partial_merge,
    }
}

/// The FTL of a new device.
pub(crate) fn fresh_ftl<M: Media>(config: &Config, geometry: &Geometry) -> Box<dyn Ftl<M>>
where
    M::Page: 'static,
{
    let full = config.precondition == Precondition::Full;
    match config.ftl.kind {
        "ideal" => Box::new(Ideal::<M::Page>::new(geometry, full)),
        "bast" => Box::new(Bast::fresh(&bast(config), geometry, full)),
        other => unreachable!("ftl.kind {other:?} passed the validation but is not registered"),
    }
}

/// The FTL of a device that was in use.
pub(crate) fn mount_ftl<M: Media>(
    config: &Config,
    media: &mut M,
) -> Result<Box<dyn Ftl<M>>, FtlError>
where
    M::Page: 'static,
{
    match config.ftl.kind {
        "bast" => Ok(Box::new(Bast::mount(&bast(config), media)?)),
        _ => Err(FtlError::CannotMount),
    }
}

/// The buffer of a device.
pub(crate) fn stage<M: Media>(config: &Config, geometry: &Geometry) -> Box<dyn Stage<M>>
where
    M::Page: 'static,
{
    let buffer = &config.buffer;
    let params = Params {
        geometry: geometry.clone(),
        buffer_pages: u64::from(config.buffer_pages()),
        window: buffer.window,
        hot: buffer.hot,
        padding: buffer.padding,
        compensation: buffer.compensation,
    };
    let settings = Settings {
        cache_reads: buffer.reads == Reads::Cache,
        protected: buffer.protected,
        count_headers: buffer.count_headers,
        flush_age_ns: buffer.flush_age_ns,
    };
    let build = BuildStage {
        params,
        settings,
        media: std::marker::PhantomData,
    };
    with_policy(buffer.policy, build)
        .unwrap_or_else(|| Box::new(NoBuffer::new(geometry.page_size())))
}

struct BuildStage<M> {
    params: Params,
    settings: Settings,
    media: std::marker::PhantomData<M>,
}

impl<M: Media> WithPolicy for BuildStage<M>
where
    M::Page: 'static,
{
    type Out = Box<dyn Stage<M>>;

    fn with<B: BufferPolicy + 'static>(self, new: fn(&Params) -> B) -> Self::Out {
        Box::new(WriteBuffer::<B, M::Page>::new(
            new,
            &self.params,
            self.settings,
        ))
    }
}
