//! Where page mapping tells the map in flash what happens.

use ssdlab_flash::{Lpn, Media, Payload, Ppn};

use super::super::PageMapping;
use super::{Access, Io};
use crate::{Buffer, Env, FtlError, ReadCause};

impl<P: Payload> PageMapping<P> {
    /// Looks a page up before it is read.
    pub(in super::super) fn look_up<M: Media>(
        &mut self,
        env: &mut Env<M>,
        lpn: Lpn,
    ) -> Result<(), FtlError> {
        if let Some(maps) = &mut self.maps
            && env.reading != ReadCause::Rest
        {
            maps.access(&mut Io::new(env, &self.map), lpn, Access::Read)?;
        }
        Ok(())
    }

    /// Writes a page to a place of the frontier of a region.
    #[inline(never)]
    pub(in super::super) fn write_mapped<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        (region, to): (u32, Ppn),
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        let at = self.map[lpn.index()];
        if let Some(maps) = &mut self.maps {
            maps.access(&mut Io::new(env, &self.map), lpn, Access::Write)?;
        }
        self.program_page(env, region, to, lpn, data)?;
        if let Some(maps) = &mut self.maps {
            maps.written(&mut Io::new(env, &self.map), lpn, at)?;
        }
        self.clean_behind(env, buffer)?;
        if let Some(maps) = &mut self.maps {
            maps.sync_behind(&mut Io::new(env, &self.map))?;
        }
        Ok(())
    }

    /// Moves pages of the victim, in order: one by one if the cache learns the places as they change.
    pub(in super::super) fn move_mapped<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        region: u32,
        to: Ppn,
        pages: &[(Ppn, Lpn)],
    ) -> Result<(), FtlError> {
        let learns = self.maps.as_ref().is_some_and(|maps| maps.learns());
        let at_once = if learns { 1 } else { pages.len().max(1) };
        for (pages, to) in pages.chunks(at_once).zip((to.0..).step_by(at_once)) {
            self.move_pages(env, buffer, region, Ppn(to), pages)?;
            if let Some(maps) = &mut self.maps {
                for &(from, lpn) in pages {
                    maps.moved(&mut Io::new(env, &self.map), lpn, from)?;
                }
            }
        }
        Ok(())
    }
}
