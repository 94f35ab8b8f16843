//! A write buffer's policy alone.

use std::ffi::c_char;

use ssdlab_flash::{Geometry, Lbn, Lpn, Page};
use ssdlab_policy::buffer::{
    self, Access, BufferKind, BufferPolicy, EachKind, Nature, Shape, Victim,
};

use crate::{SSDLAB_INVALID, SSDLAB_OK, guarded, tell, text};

/// A policy of a write buffer: it keeps only orders, and names victims. One thread at a time may use it.
pub struct SsdlabBuffer {
    policy: Box<dyn Policy>,
    geometry: Geometry,
    /// One bit for each logical page: is it held?
    held: Vec<u64>,
    count: u32,
}

impl SsdlabBuffer {
    fn page(&self, page: u32) -> Option<Page> {
        (page < self.geometry.logical_pages()).then(|| self.geometry.page(Lpn(page)))
    }

    fn holds(&self, page: u32) -> bool {
        self.held[page as usize / 64] >> (page % 64) & 1 == 1
    }

    fn set(&mut self, page: u32, held: bool) {
        self.held[page as usize / 64] ^= 1 << (page % 64);
        self.count = if held { self.count + 1 } else { self.count - 1 };
    }
}

/// What C sees of a policy.
trait Policy {
    fn used(&mut self, page: Page, access: Access, is_held: bool);
    fn left(&mut self, page: Page);
    fn stays(&self, page: Lpn) -> bool;
    fn victim(&mut self) -> Victim;
    fn pads(&mut self, block: Lbn) -> bool;
}

impl<B: BufferPolicy> Policy for B {
    fn used(&mut self, page: Page, access: Access, is_held: bool) {
        self.begin_request();
        match is_held {
            true => self.hit(page, access),
            false => self.enter(page, access),
        }
    }

    fn left(&mut self, page: Page) {
        BufferPolicy::left(self, page);
    }

    fn stays(&self, page: Lpn) -> bool {
        self.first_staying(page, page.plus(1)) == page
    }

    fn victim(&mut self) -> Victim {
        self.victim_for_room()
    }

    fn pads(&mut self, block: Lbn) -> bool {
        BufferPolicy::pads(self, block)
    }
}

/// Builds the policy of a name, among those that a drive can have.
struct Find<'a> {
    name: &'a str,
    shape: &'a Shape,
    found: Option<Box<dyn Policy>>,
    names: Vec<&'static str>,
}

impl EachKind for Find<'_> {
    fn kind<B: BufferKind>(&mut self) {
        let Nature {
            bounded, foresees, ..
        } = B::NATURE;
        if !bounded || foresees {
            return;
        }
        self.names.push(B::ENTRY.name);
        if B::ENTRY.name == self.name {
            let policy = B::new(self.shape, &B::configure(&()));
            self.found = Some(Box::new(policy));
        }
    }
}

/// A policy by its name, such as "lru" or "cbb", with its default parameters, for a buffer of `pages` pages before
/// `logical_blocks` blocks of `pages_per_block` pages. Null on an error; `error` says why. To be freed by ssdlab_buffer_free.
///
/// # Safety
/// `name` is a text, and `error` is null or has room for `error_length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_buffer_new(
    name: *const c_char,
    pages: u32,
    logical_blocks: u32,
    pages_per_block: u32,
    error: *mut c_char,
    error_length: usize,
) -> *mut SsdlabBuffer {
    let mut made = std::ptr::null_mut();
    guarded(|| {
        // SAFETY: as this function demands
        let name = unsafe { text(name) }.unwrap_or_default();
        match new(name, pages, logical_blocks, pages_per_block) {
            Ok(buffer) => made = Box::into_raw(Box::new(buffer)),
            // SAFETY: as this function demands
            Err(why) => unsafe { tell(&why, error, error_length) },
        }
        SSDLAB_OK
    });
    made
}

fn new(
    name: &str,
    pages: u32,
    logical_blocks: u32,
    pages_per_block: u32,
) -> Result<SsdlabBuffer, String> {
    let all = u64::from(logical_blocks) * u64::from(pages_per_block);
    if pages == 0 || all == 0 || all >= u64::from(u32::MAX) {
        return Err(
            "the buffer must hold a page, and there must be 1 to 2^32 - 2 logical pages".into(),
        );
    }
    let geometry = Geometry::new(512, pages_per_block, logical_blocks, logical_blocks, 1);
    let shape = Shape {
        geometry: geometry.clone(),
        pages: pages.into(),
        future: None,
    };
    let mut find = Find {
        name,
        shape: &shape,
        found: None,
        names: Vec::new(),
    };
    buffer::each_kind(&mut find);
    let names = find.names.join(", ");
    let policy = find.found.ok_or_else(|| {
        format!("{name:?} is no buffer that a drive can have; must be one of {names}")
    })?;
    Ok(SsdlabBuffer {
        policy,
        held: vec![0; all.div_ceil(64) as usize],
        geometry,
        count: 0,
    })
}

/// Frees a policy. Null is none.
///
/// # Safety
/// `buffer` is null or from ssdlab_buffer_new, and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_buffer_free(buffer: *mut SsdlabBuffer) {
    if !buffer.is_null() {
        // SAFETY: as this function demands
        drop(unsafe { Box::from_raw(buffer) });
    }
}

/// The host writes or reads a page: it is held from now on.
///
/// # Safety
/// `buffer` is from ssdlab_buffer_new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_buffer_use(
    buffer: *mut SsdlabBuffer,
    page: u32,
    writes: bool,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function demands
        let Some(buffer) = (unsafe { buffer.as_mut() }) else {
            return SSDLAB_INVALID;
        };
        let Some(of_block) = buffer.page(page) else {
            return SSDLAB_INVALID;
        };
        let access = if writes { Access::Write } else { Access::Read };
        let is_held = buffer.holds(page);
        buffer.policy.used(of_block, access, is_held);
        if !is_held {
            buffer.set(page, true);
        }
        SSDLAB_OK
    })
}

/// A page left: it was discarded.
///
/// # Safety
/// `buffer` is from ssdlab_buffer_new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_buffer_left(buffer: *mut SsdlabBuffer, page: u32) -> i32 {
    guarded(|| {
        // SAFETY: as this function demands
        let Some(buffer) = (unsafe { buffer.as_mut() }) else {
            return SSDLAB_INVALID;
        };
        let Some(of_block) = buffer.page(page).filter(|_| buffer.holds(page)) else {
            return SSDLAB_INVALID;
        };
        buffer.policy.left(of_block);
        buffer.set(page, false);
        SSDLAB_OK
    })
}

/// The pages to write now, to make room: puts them at `pages`, in ascending order, which must have room for those of a block,
/// and their number at `count`. They are no longer held. `*pads` says whether the pages of their block that are missing should
/// be read and written with them. SSDLAB_INVALID if no page is held.
///
/// # Safety
/// `buffer` is from ssdlab_buffer_new, `pages` has room for the pages of a block, and `count` and `pads` point to a place each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_buffer_victim(
    buffer: *mut SsdlabBuffer,
    pages: *mut u32,
    count: *mut u32,
    pads: *mut bool,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function demands
        let Some(buffer) = (unsafe { buffer.as_mut() }) else {
            return SSDLAB_INVALID;
        };
        if buffer.count == 0 || pages.is_null() || count.is_null() || pads.is_null() {
            return SSDLAB_INVALID;
        }
        let victim = buffer.policy.victim();
        let (range, padded) = match victim {
            Victim::Page(page) => (page.0..page.0 + 1, false),
            Victim::Block(block) => {
                let n = buffer.geometry.pages_per_block();
                (block.0 * n..(block.0 + 1) * n, buffer.policy.pads(block))
            }
        };
        let is_page = matches!(victim, Victim::Page(_));
        let leaving: Vec<u32> = range
            .filter(|&page| buffer.holds(page) && (is_page || !buffer.policy.stays(Lpn(page))))
            .collect();
        for (place, &page) in leaving.iter().enumerate() {
            buffer.policy.left(buffer.geometry.page(Lpn(page)));
            buffer.set(page, false);
            // SAFETY: as this function demands; a victim is at most a block
            unsafe { pages.add(place).write(page) };
        }
        // SAFETY: as this function demands
        unsafe {
            count.write(leaving.len() as u32);
            pads.write(padded);
        }
        SSDLAB_OK
    })
}
