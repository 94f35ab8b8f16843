//! libFuzzer over one target, which `SSDLAB_FUZZ_TARGET` names. `cargo xtask fuzz` builds and runs it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ssdlab_fuzz::{Target, target};

static CHOSEN: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("SSDLAB_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("SSDLAB_FUZZ_TARGET={name}: no such target"))
});

fuzz_target!(|input: &[u8]| (CHOSEN.run)(input));
