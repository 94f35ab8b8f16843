//! What nbdkit calls first: a function of each plugin, which returns the callbacks.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use nbdkit::Builder;
use ssdlab_device::Plugins;
use ssdlab_drive::DriveSystems;

use crate::server::{SYSTEMS, Ssdlab};

/// Makes a library a plugin of nbdkit that serves drives of the built-in systems and of those that a value adds:
///
/// ```
/// # use ssdlab_device::{Media, Plugins, Registry};
/// # struct Mine;
/// # impl Plugins for Mine {
/// #     fn add<M: Media>(&self, _: &mut Registry<M>) {}
/// # }
/// ssdlab_nbdkit::plugin!(Mine);
/// # fn main() {}
/// ```
///
/// Cargo builds it if the library has `crate-type = ["lib", "cdylib"]`.
#[macro_export]
macro_rules! plugin {
    ($plugins:expr) => {
        /// Gives nbdkit the callbacks of this plugin.
        #[unsafe(no_mangle)]
        pub extern "C" fn plugin_init() -> *const ::core::ffi::c_void {
            $crate::init(&$plugins)
        }
    };
}

/// What `plugin_init` of a plugin with these systems does and returns. [`plugin!`] calls it.
#[doc(hidden)]
pub fn init(plugins: &impl Plugins) -> *const c_void {
    stay();
    SYSTEMS.get_or_init(|| DriveSystems::with(plugins));
    callbacks()
}

fn callbacks() -> *const c_void {
    let callbacks = Builder {
        after_fork: true,
        can_extents: true,
        can_fast_zero: true,
        can_fua: true,
        can_multi_conn: true,
        can_write: true,
        config: true,
        config_complete: true,
        extents: true,
        flush: true,
        get_ready: true,
        is_rotational: true,
        trim: true,
        unload: true,
        write_at: true,
        zero: true,
        ..Builder::new()
    };
    callbacks.into_ptr::<Ssdlab>().cast()
}

/// Opens the file of the plugin once more, so that it stays in memory to the end of nbdkit: threads of the status page
/// may be asleep in it.
fn stay() {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    let here = callbacks as fn() -> *const c_void;
    // SAFETY: a success fills `found`, and opening a library that is loaded already runs no code of it
    unsafe {
        if libc::dladdr(here as *const c_void, found.as_mut_ptr()) != 0 {
            libc::dlopen(found.assume_init().dli_fname, libc::RTLD_NOW);
        }
    }
}
