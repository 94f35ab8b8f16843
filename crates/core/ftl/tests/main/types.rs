//! Properties of types that no behaviour shows.
//!
//! Planted bugs that these tests catch: a result of an operation that no longer fits into a register; a part of a
//! device that cannot move to another thread.

use ssdlab_flash::{Array, Bytes, PowerCut};
use ssdlab_ftl::{Env, Found, Ftl, FtlError};

#[test]
fn the_result_of_an_operation_fits_into_a_register() {
    assert_eq!(size_of::<Result<(), FtlError>>(), 8);
    assert_eq!(size_of::<Result<Found, FtlError>>(), 8);
}

const fn moves_to_another_thread<T: Send>() {}

const _: () = {
    moves_to_another_thread::<Env<Array<()>>>();
    moves_to_another_thread::<Env<PowerCut<Bytes>>>();
    moves_to_another_thread::<Box<dyn Ftl<Array<u64>>>>();
};
