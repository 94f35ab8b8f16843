//! Small drives.

use std::sync::Arc;

use ssdlab_config::Resolver;
use ssdlab_disks::{Host, LoggedDisk, Request, new_image};
use ssdlab_drive::{Design, Drive, DriveError};
use ssdlab_host::Op;

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
    new_image(design).unwrap()
}

/// Opens an image of this design.
pub fn open(content: Vec<u8>, design: &Arc<Design>) -> (Drive, LoggedDisk) {
    let disk = LoggedDisk::new(content);
    let drive = Drive::open_made_with(disk.clone(), design.clone());
    (drive.unwrap_or_else(|error| panic!("{error}")), disk)
}

/// Sends requests to a drive. The host follows.
pub fn serve(
    drive: &mut Drive,
    disk: &LoggedDisk,
    host: &mut Host,
    all: Vec<Request>,
) -> Vec<(Request, usize, usize)> {
    let send = |request| {
        let begun = disk.calls();
        let sent = host.request(drive, request);
        sent.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        (request, begun, disk.calls())
    };
    all.into_iter().map(send).collect()
}

/// Sends requests until one fails.
pub fn until_one_fails(drive: &mut Drive, host: &mut Host, all: Vec<Request>) -> DriveError {
    let mut requests = all.into_iter();
    let failed = requests.find_map(|request| host.request(drive, request).err());
    failed.expect("a request fails")
}

/// The same request for the simulator.
pub fn at(request: Request, time_ns: u64) -> ssdlab_host::Request {
    let (at, length) = request.range().unwrap_or_default();
    let op = match request {
        Request::Read { .. } => Op::Read,
        Request::Write { .. } | Request::Zero { .. } => Op::Write,
        Request::Trim { .. } => Op::Discard,
        Request::Flush | Request::Drain => Op::Flush,
    };
    ssdlab_host::Request::new(time_ns, op, at, length).unwrap()
}
