//! The map: its pages in RAM, and the blocks at the end of the flash that hold all of them.

use std::collections::VecDeque;

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Payload, Pbn, Ppn, Role, Spare};
use ssdlab_ftl::{Env, FtlError};

/// The pages of the map.
const MAP: Role = Role(1);

/// The size of the map.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Places in a page of the map.
    per_page: u32,
    /// Pages of the map.
    pub pages: u32,
    /// Blocks that hold each of them once.
    home: u32,
}

impl Shape {
    pub fn of(logical_pages: u64, pages_per_block: u64, page_size: u32) -> Self {
        let per_page = page_size / 4;
        let pages = logical_pages.div_ceil(per_page.into());
        Self {
            per_page,
            pages: pages as u32,
            home: pages.div_ceil(pages_per_block) as u32,
        }
    }

    /// The blocks of the map: room for all its pages twice, and a block to write to.
    pub const fn blocks(&self) -> u32 {
        2 * self.home + 1
    }

    /// The page of the map with the place of a page, and which of its numbers that is.
    pub const fn entry(&self, lpn: Lpn) -> (u32, usize) {
        (lpn.0 / self.per_page, (lpn.0 % self.per_page) as usize)
    }
}

/// A page of the map in RAM.
struct Cached {
    index: u32,
    places: Vec<u32>,
    dirty: bool,
}

/// For each logical page, its place.
pub struct Table<P> {
    geometry: Geometry,
    shape: Shape,
    /// For each page of the map, where it is; none if it was never programmed.
    directory: Vec<Ppn>,
    /// The pages in RAM, the one used least recently first.
    cached: VecDeque<Cached>,
    room: usize,
    /// What flash holds, for payloads that have no room for numbers; else empty.
    in_flash: Vec<u32>,
    /// A page of the map that was never programmed says that logical page p is at page p, or nowhere.
    full: bool,
    free: VecDeque<Pbn>,
    /// The next page to program, and how many its block has left.
    next: Ppn,
    left: u32,
    page: P,
}

impl<P: Payload> Table<P> {
    /// The map of a new device.
    pub fn new(geometry: &Geometry, room: usize, full: bool) -> Self {
        let size = geometry.page_size();
        let logical = geometry.logical_pages();
        let shape = Shape::of(logical.into(), geometry.pages_per_block().into(), size);
        let mut table = Self {
            directory: vec![Ppn::NONE; shape.pages as usize],
            cached: VecDeque::new(),
            room,
            in_flash: Vec::new(),
            full,
            free: VecDeque::new(),
            next: Ppn::NONE,
            left: 0,
            page: P::blank(size),
            geometry: geometry.clone(),
            shape,
        };
        if P::of_numbers(size, &[1]).number(0).is_none() {
            table.in_flash = (0..logical).map(|lpn| table.at_first(lpn)).collect();
        }
        table.free = table.blocks().collect();
        table
    }

    /// The first block of the map; the others follow.
    pub fn first_block(&self) -> u32 {
        self.geometry.physical_blocks() - self.shape.blocks()
    }

    /// The blocks of the map.
    pub fn blocks(&self) -> impl Iterator<Item = Pbn> + use<P> {
        (self.first_block()..self.geometry.physical_blocks()).map(Pbn)
    }

    /// The page of the map with the place of a page.
    pub fn page_of(&self, lpn: Lpn) -> usize {
        self.shape.entry(lpn).0 as usize
    }

    /// The place of a page.
    pub fn get<M: Media<Data = P>>(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<Ppn, FtlError> {
        let (index, number) = self.shape.entry(lpn);
        Ok(Ppn(self.load(env, index)?.places[number]))
    }

    /// Changes the place of a page.
    pub fn set<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        lpn: Lpn,
        to: Ppn,
    ) -> Result<(), FtlError> {
        let (index, number) = self.shape.entry(lpn);
        let page = self.load(env, index)?;
        page.places[number] = to.0;
        page.dirty = true;
        Ok(())
    }

    /// The place of a page; changes nothing and counts nothing.
    pub fn peek<M: Media<Data = P>>(&self, media: &mut M, lpn: Lpn) -> Result<Ppn, Fault> {
        let (index, number) = self.shape.entry(lpn);
        if let Some(page) = self.cached.iter().find(|page| page.index == index) {
            return Ok(Ppn(page.places[number]));
        }
        let mut page = P::blank(self.geometry.page_size());
        let at = self.directory[index as usize];
        if at.is_some() {
            media.read(at, &mut page)?;
        }
        Ok(Ppn(self.stored(index, number, &page)))
    }

    /// What flash says of a logical page; `page` holds what was read of this page of the map.
    fn stored(&self, index: u32, number: usize, page: &P) -> u32 {
        let lpn = index * self.shape.per_page + number as u32;
        if let Some(place) = self.in_flash.get(lpn as usize) {
            return *place;
        }
        if self.directory[index as usize].is_some() {
            page.number(number).expect("a payload of bytes")
        } else {
            self.at_first(lpn)
        }
    }

    fn at_first(&self, lpn: u32) -> u32 {
        if self.full { lpn } else { Ppn::NONE.0 }
    }

    /// The logical pages of a page of the map.
    fn lpns(&self, index: u32) -> std::ops::Range<u32> {
        let (first, per_page) = (index * self.shape.per_page, self.shape.per_page);
        first..(first + per_page).min(self.geometry.logical_pages())
    }

    /// Brings a page of the map into RAM, as the one used last.
    fn load<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
    ) -> Result<&mut Cached, FtlError> {
        let page = match self.cached.iter().position(|page| page.index == index) {
            Some(at) => self.cached.remove(at).expect("just found"),
            None => {
                while self.cached.len() >= self.room {
                    self.evict(env)?;
                }
                let at = self.directory[index as usize];
                if at.is_some() {
                    env.read_own(at, &mut self.page)?;
                }
                let numbers = 0..self.lpns(index).len();
                let places = numbers.map(|number| self.stored(index, number, &self.page));
                let (places, dirty) = (places.collect(), false);
                Cached {
                    index,
                    places,
                    dirty,
                }
            }
        };
        self.cached.push_back(page);
        Ok(self.cached.back_mut().expect("just added"))
    }

    /// Drops the page used least recently from RAM. A barrier stands before its program: what it maps is durable then.
    fn evict<M: Media<Data = P>>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let is_dirty = |page: &Option<&Cached>| page.is_some_and(|page| page.dirty);
        if is_dirty(&self.cached.front()) {
            self.make_room(env)?;
        }
        // making room may have programmed it
        if is_dirty(&self.cached.front()) {
            env.barrier()?;
            self.program(env, 0)?;
        }
        self.cached.pop_front();
        Ok(())
    }

    /// Programs a page that is in RAM, at this place in the order of use. There must be room.
    fn program<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        place: usize,
    ) -> Result<(), FtlError> {
        let to = self.take();
        let Cached { index, places, .. } = &self.cached[place];
        let page = P::of_numbers(self.geometry.page_size(), places);
        env.program_own(to, *index, MAP, &page)?;
        self.directory[*index as usize] = to;
        if !self.in_flash.is_empty() {
            let lpns = self.lpns(*index);
            self.in_flash[lpns.start as usize..lpns.end as usize].copy_from_slice(places);
        }
        self.cached[place].dirty = false;
        Ok(())
    }

    fn take(&mut self) -> Ppn {
        self.left -= 1;
        let at = self.next;
        self.next = at.plus(1);
        at
    }

    fn open(&mut self) -> Result<(), FtlError> {
        let block = self.free.pop_front().ok_or(FtlError::NoFreeBlock)?;
        self.next = self.geometry.ppn(block, 0);
        self.left = self.geometry.pages_per_block();
        Ok(())
    }

    /// Makes sure that a page can be programmed. As many blocks stay free as hold the whole map.
    fn make_room<M: Media<Data = P>>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        if self.left == 0 && self.free.len() <= self.shape.home as usize {
            self.compact(env)?;
        }
        match self.left {
            0 => self.open(),
            _ => Ok(()),
        }
    }

    /// Writes the map into free blocks and erases all others. What RAM holds is programmed from there: a copy of the older
    /// page would be newer than what it does not map yet.
    fn compact<M: Media<Data = P>>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let free = &self.free;
        let used: Vec<Pbn> = self
            .blocks()
            .filter(|block| !free.contains(block))
            .collect();
        env.barrier()?;
        for index in 0..self.shape.pages {
            let changed = |page: &Cached| page.index == index && page.dirty;
            let changed = self.cached.iter().position(changed);
            let from = self.directory[index as usize];
            if self.left == 0 && (changed.is_some() || from.is_some()) {
                self.open()?;
            }
            if let Some(place) = changed {
                self.program(env, place)?;
            } else if from.is_some() {
                let to = self.take();
                let (lpn, role) = (self.geometry.own_page(index), MAP);
                env.copy(from, to, Spare { lpn, role })?;
                self.directory[index as usize] = to;
            }
        }
        env.barrier()?;
        for block in used {
            env.erase(block)?;
            self.free.push_back(block);
        }
        Ok(())
    }

    /// What a mount found: the places of the pages of the map, those that are current, and the free blocks. `newest` are
    /// the places of all logical pages, which the other pages of the map get in RAM.
    pub fn restore(
        &mut self,
        directory: Vec<Ppn>,
        current: &[bool],
        free: VecDeque<Pbn>,
        newest: &[Ppn],
    ) {
        self.directory = directory;
        self.free = free;
        for (lpn, place) in self.in_flash.iter_mut().enumerate() {
            *place = newest[lpn].0;
        }
        for index in (0..self.shape.pages).filter(|index| !current[*index as usize]) {
            let places = self.lpns(index).map(|lpn| newest[lpn as usize].0).collect();
            let dirty = true;
            self.cached.push_back(Cached {
                index,
                places,
                dirty,
            });
        }
    }

    /// Whether so many free blocks can only be left by an interrupted compaction.
    pub fn is_interrupted(&self, free: usize) -> bool {
        free < self.shape.home as usize
    }
}
