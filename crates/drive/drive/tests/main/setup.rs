//! Small drives.

use std::sync::Arc;

use ssdlab_config::Resolver;
use ssdlab_disks::LoggedDisk;
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk};

use crate::model::{Contract, Request};

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

/// Opens an image of this design.
pub fn open(content: Vec<u8>, design: &Arc<Design>) -> (Drive, LoggedDisk) {
    let disk = LoggedDisk::new(content);
    let drive = Drive::open_made_with(disk.clone(), design.clone());
    (drive.unwrap_or_else(|error| panic!("{error}")), disk)
}

/// Sends requests to a drive. The contract follows.
pub fn serve(
    drive: &mut Drive,
    disk: &LoggedDisk,
    contract: &mut Contract,
    all: Vec<Request>,
) -> Vec<(Request, usize, usize)> {
    let send = |request| {
        let begun = disk.calls();
        contract.begin(request);
        contract.send(drive, request);
        contract.end(request);
        (request, begun, disk.calls())
    };
    all.into_iter().map(send).collect()
}

/// Sends requests until one fails.
pub fn until_one_fails(
    drive: &mut Drive,
    contract: &mut Contract,
    all: Vec<Request>,
) -> DriveError {
    let failed = all.into_iter().find_map(|request| {
        contract.begin(request);
        let sent = contract.try_send(drive, request);
        if sent.is_ok() {
            contract.end(request);
        }
        sent.err()
    });
    failed.expect("a request fails")
}

/// The contract of a new drive.
pub fn contract(design: &Design) -> Contract {
    let flash = &design.config().flash;
    Contract::new(flash.capacity, flash.page_size.into(), keeps_ram(design))
}

/// Whether RAM survives: answered requests are safe when the process dies.
pub fn keeps_ram(design: &Design) -> bool {
    let config = design.config();
    config.reads("buffer.protected") && config.buffer.protected || config.reads("ftl.ram")
}
