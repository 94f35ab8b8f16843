//! The calls of the page: texts and bytes in the memory that it shares with this module.
#![expect(unsafe_code, reason = "the page reads and writes the memory")]

use std::cell::RefCell;
use std::panic;
use std::ptr;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::{Page, Told};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Hands the page a text while a call works.
    fn told(at: *const u8, length: usize);
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
    /// The last answer.
    static ANSWER: RefCell<String> = RefCell::default();
}

fn tell(value: Value) {
    let text = value.to_string();
    // SAFETY: the page copies the text before it returns
    unsafe { told(text.as_ptr(), text.len()) }
}

/// Room for so many bytes, which the next call takes; 0: there is none.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if bytes.try_reserve_exact(length).is_err() {
        return ptr::null_mut();
    }
    bytes.resize(length, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// The room that the page has filled.
///
/// # Safety
/// It comes from [`room`] with this length, and is taken once.
unsafe fn filled(at: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: the caller's
    unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(at, length)) }.into_vec()
}

/// Answers a question in JSON, with the bytes of a file, both in [`room`]. Returns the length of the answer, which is at
/// [`answer`].
///
/// # Safety
/// Both rooms have these lengths and were not given before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(at: *mut u8, length: usize, file: *mut u8, size: usize) -> usize {
    panic::set_hook(Box::new(|why| tell(json!({ "panic": why.to_string() }))));
    // SAFETY: the caller's
    let (question, file) = unsafe { (filled(at, length), filled(file, size)) };
    let question = String::from_utf8_lossy(&question);
    let heard: Told = Arc::new(tell);
    let answer = PAGE.with_borrow_mut(|page| page.call(&question, file, &heard));
    ANSWER.with_borrow_mut(|last| {
        *last = answer;
        last.len()
    })
}

/// Where the last answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|last| last.as_ptr())
}
