//! The registry of all systems: joins the lists of the crates below, and builds systems by name.

use std::marker::PhantomData;

use ssdlab_config::{Config, Reads};
use ssdlab_flash::{Geometry, Media, Payload};
use ssdlab_policy::buffer::{BufferPolicy, Params, WithPolicy, with_policy};

use crate::buffer::{NoBuffer, ReadBuffer, ReadStage, Settings, Stage, WriteBuffer};

pub use ssdlab_policy::Entry;

pub use ssdlab_policy::buffer::NO_BUFFER;

/// All buffer policies.
pub const BUFFERS: &[Entry] = ssdlab_policy::buffer::ENTRIES;
/// All FTLs.
pub const FTLS: &[Entry] = ssdlab_ftl::ENTRIES;
/// All cleaning policies.
pub const CLEANINGS: &[Entry] = ssdlab_policy::cleaning::ENTRIES;
/// All placements.
pub const PLACEMENTS: &[Entry] = ssdlab_policy::placement::ENTRIES;

/// The write buffer of a device.
pub(crate) fn stage<M: Media>(config: &Config, geometry: &Geometry) -> Box<dyn Stage<M>>
where
    M::Page: 'static,
{
    let buffer = &config.buffer;
    let settings = Settings {
        cache_reads: buffer.reads == Reads::Cache,
        protected: buffer.protected,
        count_headers: buffer.count_headers,
        flush_age_ns: buffer.flush_age_ns,
    };
    let build = BuildStage {
        params: params(config, geometry, config.buffer_pages()),
        settings,
        media: PhantomData,
    };
    with_policy(buffer.policy, build)
        .unwrap_or_else(|| Box::new(NoBuffer::new(geometry.page_size())))
}

/// The read buffer of a device, if it has one.
pub(crate) fn read_stage<P: Payload + 'static>(
    config: &Config,
    geometry: &Geometry,
) -> Option<Box<dyn ReadStage<P>>> {
    let buffer = config.read_buffer.as_ref()?;
    let build = BuildReadStage {
        params: params(config, geometry, config.read_buffer_pages()),
        page: PhantomData,
    };
    with_policy(buffer.policy, build)
}

fn params(config: &Config, geometry: &Geometry, buffer_pages: u32) -> Params {
    Params {
        geometry: geometry.clone(),
        buffer_pages: u64::from(buffer_pages),
        window: config.buffer.window,
        hot: config.buffer.hot,
        padding: config.buffer.padding,
        compensation: config.buffer.compensation,
    }
}

struct BuildStage<M> {
    params: Params,
    settings: Settings,
    media: PhantomData<M>,
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

struct BuildReadStage<P> {
    params: Params,
    page: PhantomData<P>,
}

impl<P: Payload + 'static> WithPolicy for BuildReadStage<P> {
    type Out = Box<dyn ReadStage<P>>;

    fn with<B: BufferPolicy + 'static>(self, new: fn(&Params) -> B) -> Self::Out {
        Box::new(ReadBuffer::<B, P>::new(new, &self.params))
    }
}
