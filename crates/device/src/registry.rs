//! The one registry: joins what the crates below export, and makes systems by name.

use ssdlab_config::{Config, Reads};
use ssdlab_flash::{Geometry, Media};
use ssdlab_policy::buffer::{BufferPolicy, Params, WithPolicy, with_policy};

use crate::buffer::{NoBuffer, Settings, Stage, WriteBuffer};

pub use ssdlab_policy::Entry;

pub use ssdlab_policy::buffer::NO_BUFFER;

/// Every buffer policy that can run.
pub const BUFFERS: &[Entry] = ssdlab_policy::buffer::ENTRIES;
/// Every FTL that can run.
pub const FTLS: &[Entry] = ssdlab_ftl::ENTRIES;
/// Every cleaning policy that can run.
pub const CLEANINGS: &[Entry] = ssdlab_policy::cleaning::ENTRIES;
/// Every placement that can run.
pub const PLACEMENTS: &[Entry] = ssdlab_policy::placement::ENTRIES;
/// Buffer policies of the papers that are not built yet.
pub const PLANNED_BUFFERS: &[&str] = ssdlab_policy::buffer::PLANNED;
/// FTLs of the papers that are not built yet.
pub const PLANNED_FTLS: &[&str] = ssdlab_ftl::PLANNED;
/// Cleaning policies of the papers that are not built yet.
pub const PLANNED_CLEANINGS: &[&str] = ssdlab_policy::cleaning::PLANNED;
/// Placements of the papers that are not built yet.
pub const PLANNED_PLACEMENTS: &[&str] = ssdlab_policy::placement::PLANNED;

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
