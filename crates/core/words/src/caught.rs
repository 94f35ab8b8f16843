//! Panics of decoders that are not ours.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught, and so is no news.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Calls a decoder of foreign bytes. What it changes may be half changed after a panic.
///
/// # Errors
/// The message of its panic, which is not printed.
pub fn caught<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                others(panic);
            }
        }));
    });
    let before = CAUGHT.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    CAUGHT.set(before);
    decoded.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the decoder gave up").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a panic that goes on; a message that is lost
    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught(|| panic!("at {}", 3)), Err::<(), _>("at 3".into()));
        let empty: &[u8] = &[];
        let outside = caught(|| empty[std::hint::black_box(1)]).unwrap_err();
        assert!(outside.contains("out of bounds"), "{outside}");
        assert!(!CAUGHT.get());
    }
}
