//! What the bytes of code are counted of: a policy or an FTL alone, over a heap and a flash that are elsewhere.

#![allow(dead_code)]

extern crate alloc;

use core::alloc::{GlobalAlloc, Layout};

use ssdlab_flash::{Bytes, Fault, Geometry, Lpn, Media, Page, Pbn, Ppn, Spare, SpareState};
use ssdlab_ftl::{Buffer, Env, FtlKind};
use ssdlab_policy::buffer::{Access, BufferKind, Shape, Victim};

unsafe extern "Rust" {
    fn heap_take(layout: Layout) -> *mut u8;
    fn heap_give(at: *mut u8, layout: Layout);
    fn halt() -> !;
    fn flash_program(to: Ppn, spare: Spare, page: &Bytes) -> Result<(), Fault>;
    fn flash_copy(from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault>;
    fn flash_read(at: Ppn, into: &mut Bytes) -> Result<(), Fault>;
    fn flash_erase(block: Pbn) -> Result<(), Fault>;
    fn flash_read_spare(at: Ppn) -> Result<SpareState, Fault>;
    fn request() -> Option<(u8, Page, Bytes)>;
    fn evict(victim: Victim);
}

struct Heap;

unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { heap_take(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { heap_give(at, layout) }
    }
}

#[global_allocator]
static HEAP: Heap = Heap;

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo) -> ! {
    unsafe { halt() }
}

pub struct Chip(Geometry);

impl Media for Chip {
    type Data = Bytes;
    fn geometry(&self) -> &Geometry {
        &self.0
    }
    fn program(&mut self, to: Ppn, spare: Spare, page: &Bytes) -> Result<(), Fault> {
        unsafe { flash_program(to, spare, page) }
    }
    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        unsafe { flash_copy(from, to, spare) }
    }
    fn read(&mut self, at: Ppn, into: &mut Bytes) -> Result<(), Fault> {
        unsafe { flash_read(at, into) }
    }
    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        unsafe { flash_erase(block) }
    }
    fn barrier(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn record_discard(&mut self, _: Lpn) -> Result<(), Fault> {
        Ok(())
    }
    fn discarded_at(&mut self, _: Lpn) -> Result<u64, Fault> {
        Ok(0)
    }
    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        unsafe { flash_read_spare(at) }
    }
    fn erase_count(&self, _: Pbn) -> u32 {
        0
    }
}

pub fn buffer<B: BufferKind>(shape: &Shape, config: &B::Config) {
    let mut policy = B::new(shape, config);
    while let Some((what, page, _)) = unsafe { request() } {
        match what {
            0 => policy.begin_request(),
            1 => policy.hit(page, Access::Write),
            2 => policy.enter(page, Access::Write),
            3 => policy.left(page),
            _ => unsafe { evict(policy.victim_for_room()) },
        }
    }
}

pub fn ftl<K: FtlKind>(geometry: Geometry, config: &K::Config) {
    let mut chip = Chip(geometry);
    let Ok(mut ftl) = K::mount(config, &mut chip) else {
        return;
    };
    let mut env = Env::new(chip, false);
    while let Some((what, page, mut data)) = unsafe { request() } {
        let lpn = page.lpn;
        let done = match what {
            0 => ftl.write(&mut env, &mut Buffer::none(), lpn, &data),
            1 => ftl.read(&mut env, lpn, &mut data).map(drop),
            _ => ftl.discard(&mut env, lpn),
        };
        if done.is_err() {
            return;
        }
    }
}
