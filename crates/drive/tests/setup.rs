//! Small drives.

use std::sync::Arc;

use ssdlab_config::Resolver;
use ssdlab_drive::{Design, MemoryDisk};

pub const PAGE: u64 = 1024;

/// A small device with these settings, separated by spaces: 64 KiB in blocks of four pages of two sectors, and a buffer
/// of six pages.
pub fn design(settings: &str) -> Arc<Design> {
    let shape =
        "flash.page_size=1KiB flash.pages_per_block=4 flash.capacity=64KiB buffer.size=6KiB";
    let mut resolver = Resolver::new();
    for setting in shape.split(' ').chain(settings.split_whitespace()) {
        let set = resolver.set(setting);
        set.unwrap_or_else(|error| panic!("{setting}: {error}"));
    }
    let config = resolver.resolve().unwrap_or_else(|error| panic!("{error}"));
    Arc::new(Design::new(config).unwrap_or_else(|error| panic!("{error}")))
}

/// A new image.
pub fn image(design: &Design) -> Vec<u8> {
    let mut disk = MemoryDisk::new(design.image_bytes().unwrap()).unwrap();
    design.create_on(&mut disk).unwrap();
    disk.0
}
