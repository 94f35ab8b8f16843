//! The C interface of the write buffers and FTLs: `include/ssdlab.h`.
//!
//! A drive is built from the text of a configuration file over flash that the caller provides as functions. A write buffer
//! can also be had alone: the caller tells it of pages and asks for victims. No function panics into C: what a caller can do
//! wrong has a code, and so has a defect of the library.
//!
//! May depend on the core and on `config`. Calls nothing but the functions that it is given.

mod buffer;
mod drive;
mod flash;

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// It worked.
pub const SSDLAB_OK: i32 = 0;
/// Of a function of the flash: the page could not be programmed. The FTL gives up; a layer that replaces bad blocks belongs
/// below it.
pub const SSDLAB_PROGRAM_FAILED: i32 = 1;
/// Of a function of the flash: the block could not be erased.
pub const SSDLAB_ERASE_FAILED: i32 = 2;
/// Of a function of the flash: the page has more wrong bits than can be corrected.
pub const SSDLAB_UNCORRECTABLE: i32 = 3;
/// Of a function of the flash: power is lost. The drive must be closed and mounted again.
pub const SSDLAB_POWER_LOST: i32 = 4;
/// Of the library: an argument is wrong, and nothing was done.
pub const SSDLAB_INVALID: i32 = 64;
/// Of the library: the drive failed earlier, or the flash did now. It must be closed and mounted again.
pub const SSDLAB_FAILED: i32 = 65;
/// Of the library: a defect of the library. The drive must be closed.
pub const SSDLAB_DEFECT: i32 = 66;

/// The spare area is erased: the page was not programmed since the last erase of its block.
pub const SSDLAB_ERASED: u8 = 0;
/// A program or an erase was interrupted here: the page is neither readable nor free.
pub const SSDLAB_TORN: u8 = 1;
/// The page is programmed.
pub const SSDLAB_GOOD: u8 = 2;

/// The code of a call that must not panic into C.
fn guarded(call: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(SSDLAB_DEFECT)
}

/// The text at `text`, which ends with a zero byte; `None` for no text, or one that is not UTF-8.
///
/// # Safety
/// `text` is null or points to such a text.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// Writes as much of a message as there is room for, and a zero byte.
///
/// # Safety
/// `room` is null, or there are `length` bytes at it.
unsafe fn tell(message: &str, room: *mut c_char, length: usize) {
    if room.is_null() || length == 0 {
        return;
    }
    let mut end = message.len().min(length - 1);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    // SAFETY: the caller's promise; `end` is below `length`
    unsafe {
        message.as_ptr().copy_to_nonoverlapping(room.cast(), end);
        room.add(end).write(0);
    }
}
