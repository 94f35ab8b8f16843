//! Images with changes: a drive refuses them, or works.
//!
//! An input changes one of some small images, and then sends requests. Its first byte chooses the image, the second one
//! what is repaired and how it is opened, the third one the number of changes. A change names a field of a structure,
//! and sets it or adds to it. With all checksums made right again, an image is one that no crash leaves, and may say
//! anything.

use std::sync::OnceLock;

use fastrand::Rng;
use ssdlab_disks::{Crash, End, Host, LoggedDisk, Request};
use ssdlab_drive::{Drive, DriveError, MemoryDisk, Overlay};

use crate::design::{self, NewDrive, has_faults};
use crate::format::{ImageLayout, Seal, Structure};
use crate::host::request;
use crate::input::Input;

/// The most changes of an input.
const CHANGES: u8 = 16;
/// The most requests after them.
const REQUESTS: usize = 40;

/// The drives whose images are changed. They are as small as drives can be.
const DRIVES: [&str; 10] = [
    "ftl.kind=page ftl.spare_blocks=6 buffer.policy=none",
    "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru buffer.protected=true precondition=empty",
    "ftl.kind=page ftl.spare_blocks=12 ftl.placement=dac+ ftl.ram=1KiB ftl.stable_s=[20,40,60,80] buffer.policy=none",
    "ftl.kind=bast ftl.log_blocks=2 buffer.policy=bplru",
    "ftl.kind=fast ftl.log_blocks=3 buffer.policy=blru ftl.buffer_aware=merge+victim",
    "ftl.kind=superblock buffer.policy=three-region precondition=empty",
    "ftl.kind=block buffer.policy=none",
    "ftl.kind=replacement buffer.policy=lru buffer.protected=true",
    "ftl.kind=page ftl.spare_blocks=6 flash.channels=2 flash.interleave=page buffer.policy=fab flash.capacity=16KiB",
    "ftl.kind=bast ftl.log_blocks=2 buffer.policy=none drive.spare_blocks=24 drive.bad_blocks=2 \
     drive.program_failures=0.02 drive.erase_failures=0.05 drive.bit_errors=55 drive.ecc_bits=100",
];

/// How the image of a drive was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Closed,
    /// The process died.
    Killed,
    /// The system died.
    Crashed,
    /// It was never used.
    New,
}

const LEFT: [Left; 4] = [Left::Closed, Left::Killed, Left::Crashed, Left::New];

/// An image to begin with.
struct Base {
    made: NewDrive,
    image: Vec<u8>,
    layout: ImageLayout,
}

impl Base {
    fn chosen(number: u8) -> &'static Self {
        const COUNT: usize = DRIVES.len() * LEFT.len();
        static BASES: [OnceLock<Base>; COUNT] = [const { OnceLock::new() }; COUNT];
        let number = usize::from(number) % COUNT;
        BASES[number].get_or_init(|| Self::make(number))
    }

    fn make(number: usize) -> Self {
        let settings = [
            "flash.page_size=512 flash.pages_per_block=4 flash.capacity=8KiB buffer.size=2KiB",
            DRIVES[number / LEFT.len()],
        ];
        let made = design::make(&settings);
        let made = made.unwrap_or_else(|error| panic!("{settings:?}: {error}"));
        let left = LEFT[number % LEFT.len()];
        let image = used(&made, left, number as u64);
        let layout = ImageLayout::of(&image);
        if left != Left::Crashed {
            // it must be sealed already
            let (data, tallies) = (true, true);
            let mut sealed = image.clone();
            layout.seal(&mut sealed, Seal { data, tallies });
            let differs = image
                .iter()
                .zip(&sealed)
                .position(|(one, other)| one != other);
            assert_eq!(differs, None, "in the image {number}");
        }
        Self {
            layout,
            image,
            made,
        }
    }
}

/// The image of a drive that was used.
fn used(made: &NewDrive, left: Left, seed: u64) -> Vec<u8> {
    if left == Left::New {
        return made.image.to_vec();
    }
    let mut bytes = [0; 400];
    Rng::with_seed(seed).fill(&mut bytes);
    let mut input = Input::new(&bytes);
    let disk = LoggedDisk::new(made.image.to_vec());
    let mut drive = made.open(&disk);
    let mut host = Host::new(&made.design);
    while !input.is_empty() {
        let request = request(&mut input, drive.capacity());
        let is_beyond = host.is_beyond(request);
        let sent = host.request(&mut drive, request);
        assert!(sent.is_ok() || made.has_faults || is_beyond, "{sent:?}");
    }
    let crash = match left {
        Left::Closed | Left::New => {
            drive.close().expect("it works");
            Crash::Killed
        }
        Left::Killed => Crash::Killed,
        Left::Crashed => Crash::SomeArrived(seed),
    };
    disk.crashed(crash)
}

pub fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let base = Base::chosen(input.byte());
    let flags = input.byte();
    let is = |flag: u8| flags & 1 << flag != 0;
    let mut image = base.image.clone();
    for _ in 0..input.byte() % (CHANGES + 1) {
        change(&mut image, &base.layout, &mut input);
    }
    if is(0) && image.len() == base.image.len() {
        let how = Seal {
            data: is(1),
            tallies: is(2),
        };
        base.layout.seal(&mut image, how);
    }
    survey(&image);
    let disk = LoggedDisk::of(image, is(4));
    let open = |disk: &LoggedDisk| {
        if is(3) {
            // as from a file, with its own configuration
            Drive::open_disk(disk.clone())
        } else {
            Drive::open_made_with(disk.clone(), base.made.design.clone())
        }
    };
    if is(5) {
        look(&disk);
    } else {
        let _ = use_it(&disk, open, &mut input);
    }
}

/// One change of an image.
fn change(image: &mut Vec<u8>, layout: &ImageLayout, input: &mut Input) {
    let kind = input.byte();
    let structures = [
        Structure::Header,
        Structure::Mark,
        Structure::Mark,
        Structure::Block,
        Structure::Block,
        Structure::Spare,
        Structure::Spare,
        Structure::Spare,
        Structure::Record,
        Structure::Mirror,
        Structure::Data,
    ];
    let index = usize::from(input.byte());
    match usize::from(kind & 15) {
        place @ 0..11 => {
            let structure = structures[place];
            let range = layout.field(structure, index, input.byte().into());
            let value = input.take(range.len());
            write(image, range.start, value, kind & 16 != 0);
            if structure == Structure::Header && kind & 32 == 0 {
                let copy = image[..4096.min(image.len())].to_vec();
                write(image, layout.copy, &copy, false);
            }
        }
        // an entry in another place
        place @ 11..13 => {
            let structure = [Structure::Block, Structure::Spare][place - 11];
            let to = layout.entry(structure, index);
            let from = layout.entry(structure, input.byte().into());
            if from.end.max(to.end) <= image.len() {
                image.copy_within(from, to.start);
            }
        }
        13 => {
            let at = layout.config.start + index * 64 + usize::from(input.byte());
            let text = input.take(usize::from(kind >> 4) + 1);
            write(image, at, text, false);
        }
        14 => {
            let at = index << 16 | usize::from(input.word());
            write(image, at, input.take(4), kind & 16 != 0);
        }
        _ => image.truncate(image.len().saturating_sub(index << 8 | 1)),
    }
}

/// Overwrites bytes, or adds a number to them; nothing beyond the end.
fn write(image: &mut [u8], at: usize, value: &[u8], adds: bool) {
    let Some(place) = image.get_mut(at..at.saturating_add(value.len())) else {
        return;
    };
    if !adds {
        place.copy_from_slice(value);
        return;
    }
    let mut carry = 0;
    for (byte, more) in place.iter_mut().zip(value) {
        let total = u16::from(*byte) + u16::from(*more) + carry;
        (*byte, carry) = (total as u8, total >> 8);
    }
}

/// What reads an image without opening it.
fn survey(image: &[u8]) {
    let disk = MemoryDisk(image.to_vec());
    let _ = ssdlab_image::config(&disk);
    if let Ok(broken) = ssdlab_image::broken_entries(&disk, 20) {
        assert!(broken.len() <= 20);
    }
}

/// Opens an image to look at it: nothing is written.
fn look(disk: &LoggedDisk) {
    let open = || Drive::open_disk(Overlay::new(disk.clone()));
    if let Ok(mut drive) = open() {
        let _ = drive.check();
        let _ = drive.status();
        drive.blocks().for_each(drop);
    }
    if let Ok(drive) = open() {
        drive.damaged().for_each(drop);
    }
    assert_eq!(disk.calls(), 0, "an image changed while it was looked at");
}

/// Serves requests. What was read or written before a close is there after it.
///
/// # Errors
/// The drive refuses the image, or fails.
fn use_it(
    disk: &LoggedDisk,
    open: impl Fn(&LoggedDisk) -> Result<Drive, DriveError>,
    input: &mut Input,
) -> Result<(), DriveError> {
    let mut drive = open(disk)?;
    let (mut host, mut has_failed) = (Host::of(&mut drive), false);
    let _ = drive.check();
    for _ in 0..REQUESTS {
        if input.is_empty() {
            break;
        }
        let request = request(input, drive.capacity());
        let is_beyond = host.is_beyond(request);
        let is_read_again = match request {
            Request::Read { at, length } if !is_beyond => {
                host.model.knows(at as usize, length as usize)
            }
            _ => false,
        };
        let must_succeed = is_read_again && !has_failed && !has_faults(drive.config());
        // after an error it may only read
        let sent = host.request(&mut drive, request);
        assert!(sent.is_ok() || !must_succeed, "{request:?}: {sent:?}");
        has_failed |= sent.is_err() && !is_beyond;
    }
    let _ = drive.status();
    drive.close()?;
    let mut drive = open(&disk.again())?;
    let verified = host.verify_what_is_left(&mut drive, End::Kept);
    assert!(
        verified.is_ok() || has_faults(drive.config()),
        "{verified:?}"
    );
    Ok(())
}
