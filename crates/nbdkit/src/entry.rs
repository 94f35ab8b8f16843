//! The function that nbdkit calls first. It names the callbacks that this plugin has.
#![allow(missing_docs, reason = "the macro writes no documentation")]

use crate::server::Ssdlab;

nbdkit::plugin!(Ssdlab {
    after_fork,
    can_extents,
    can_fast_zero,
    can_fua,
    can_multi_conn,
    can_write,
    config,
    config_complete,
    extents,
    flush,
    get_ready,
    is_rotational,
    trim,
    unload,
    write_at,
    zero
});
