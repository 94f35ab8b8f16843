//! The plugin `ssdlab` of nbdkit, with the built-in systems.
//!
//! Built as `libnbdkit_ssdlab_plugin.so`; nbdkit finds it by the name `nbdkit-ssdlab-plugin.so`. Depends on `nbdkit`
//! alone, and nothing uses it but tests, beside which cargo builds it.

ssdlab_nbdkit::plugin!(());
