//! Tests of the plugin without nbdkit. Under nbdkit it is tested by those of the command line.

use ssdlab_config::Resolver;
use ssdlab_drive::{Design, Drive, MemoryDisk};

mod http;
mod page;
mod requests;

/// A new drive in memory: 2 MiB in pages of 1 KiB, eight in a block, with these settings, separated by spaces.
fn drive(settings: &str) -> Drive {
    let shape = "flash.capacity=2MiB flash.page_size=1KiB flash.pages_per_block=8 buffer.size=8KiB precondition=empty";
    let mut resolver = Resolver::new();
    for setting in shape.split(' ').chain(settings.split_whitespace()) {
        let set = resolver.set(setting);
        set.unwrap_or_else(|error| panic!("{setting}: {error}"));
    }
    let config = resolver.resolve().unwrap_or_else(|error| panic!("{error}"));
    let design = Design::new(config).unwrap_or_else(|error| panic!("{error}"));
    let mut disk = MemoryDisk::new(design.image_bytes().unwrap()).unwrap();
    design.create_on(&mut disk).unwrap();
    Drive::open_disk(disk).unwrap_or_else(|error| panic!("{error}"))
}
