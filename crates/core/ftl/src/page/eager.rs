//! Eager cleaning (`ftl.eager`): nearly empty blocks are cleaned before free blocks are short, as FEMU does in the
//! background. Every 32 pages instead of behind each request is our reading.

use ssdlab_flash::{Geometry, Media, Payload};

use super::{PageConfig, PageMapping};
use crate::{Buffer, Env, FtlError};

/// The host pages between two looks at the emptiest block.
const EVERY: u64 = 32;

/// What is cleaned early.
pub(super) struct Eager {
    /// The most valid pages of a victim.
    valid: u32,
    /// It ends above this many free blocks.
    free: u32,
}

impl Eager {
    /// None if it is off.
    pub fn new(config: &PageConfig, geometry: &Geometry) -> Option<Self> {
        (config.eager > 0.0).then(|| Self {
            valid: (config.eager * f64::from(geometry.pages_per_block())) as u32,
            free: config.eager_free,
        })
    }

    /// The pages that the host writes before the next look.
    pub fn pages_before(written: u64) -> u32 {
        (EVERY - written % EVERY) as u32
    }
}

impl<P: Payload> PageMapping<P> {
    /// Cleans nearly empty blocks, if it is time.
    pub(super) fn clean_eagerly<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        let Some(Eager { valid: most, free }) = self.eager else {
            return Ok(());
        };
        if !self.written.is_multiple_of(EVERY) {
            return Ok(());
        }
        while self.free.len() <= free
            && let Some((block, valid)) = self.victims.emptiest()
            && valid <= most
        {
            env.counts.eager_victims += 1;
            self.begin_with(env, buffer, block);
            self.move_first_pages(env, buffer, u32::MAX)?;
            self.erase_victim(env)?;
        }
        Ok(())
    }
}
