//! Requests of any kind and range, as clients send them.
//!
//! Planted bugs that these catch: a range that wraps around; a page that is trimmed although a part of it is outside; an
//! extent that calls data a hole.

use ssdlab_nbdkit::alone::{ClientRequest, Reply, Served};

use crate::drive;

const CAPACITY: u64 = 2 << 20;
const PAGE: usize = 1024;

/// What the clients know of the drive.
struct Disk(Vec<u8>);

impl Disk {
    /// The bytes of a range, if all of it is inside the capacity.
    fn range(&mut self, offset: u64, length: usize) -> Option<&mut [u8]> {
        let end = offset.checked_add(length as u64)?;
        self.0
            .get_mut(offset as usize..)
            .filter(|_| end <= CAPACITY)?
            .get_mut(..length)
    }

    fn trim(&mut self, offset: u64, length: u32) {
        let end = offset as usize + length as usize;
        let (first, last) = ((offset as usize).next_multiple_of(PAGE), end / PAGE * PAGE);
        if first < last {
            self.0[first..last].fill(0);
        }
    }

    /// Applies a request to the model. `None` if it must be refused.
    fn serve(&mut self, request: &ClientRequest) -> Option<()> {
        match request {
            &ClientRequest::Read { offset, length }
            | &ClientRequest::Extents { offset, length, .. } => {
                self.range(offset, length as usize)?;
            }
            ClientRequest::Write { offset, bytes, .. } => {
                self.range(*offset, bytes.len())?.copy_from_slice(bytes);
            }
            ClientRequest::Flush => {}
            &ClientRequest::Trim { offset, length, .. } => {
                self.range(offset, length as usize)?;
                self.trim(offset, length);
            }
            &ClientRequest::Zero { fast, holes, .. } if fast && !holes => return None,
            &ClientRequest::Zero { offset, length, .. } => {
                self.range(offset, length as usize)?.fill(0);
            }
        }
        Some(())
    }

    fn agrees(&mut self, request: &ClientRequest, reply: Reply) {
        match (request, reply) {
            (&ClientRequest::Read { offset, length }, Reply::Bytes(bytes)) => {
                assert!(self.range(offset, length as usize) == Some(&mut bytes.clone()[..]));
            }
            (&ClientRequest::Extents { offset, length, .. }, Reply::Extents(parts)) => {
                let mut at = offset;
                for (offset, length, data) in parts {
                    assert_eq!(offset, at);
                    let part = self.range(offset, length as usize).expect("a part of it");
                    assert!(data || part.iter().all(|byte| *byte == 0));
                    at += length;
                }
                assert!(at <= offset + u64::from(length));
                assert!(at > offset || length == 0);
            }
            (_, reply) => assert_eq!(reply, Reply::Done),
        }
    }
}

/// A range that is mostly inside the capacity.
fn range(random: &mut fastrand::Rng) -> (u64, u32) {
    let inside = random.u64(..CAPACITY);
    let offset = match random.u8(..20) {
        0 => u64::MAX - random.u64(..CAPACITY),
        1 => CAPACITY - random.u64(..2 * PAGE as u64),
        2..8 => inside / PAGE as u64 * PAGE as u64,
        _ => inside,
    };
    let length = match random.u8(..20) {
        0 => u32::MAX - random.u32(..CAPACITY as u32),
        1 => 0,
        2..8 => random.u32(1..9) * PAGE as u32,
        _ => random.u32(..8 * PAGE as u32),
    };
    (offset, length)
}

fn request(random: &mut fastrand::Rng) -> ClientRequest {
    let (offset, length) = range(random);
    let durable = random.u8(..8) == 0;
    match random.u8(..12) {
        0..3 => ClientRequest::Read { offset, length },
        3..7 => ClientRequest::Write {
            offset,
            bytes: vec![random.u8(..); length.min(1 << 20) as usize],
            durable,
        },
        7 => ClientRequest::Flush,
        8 => ClientRequest::Trim {
            offset,
            length,
            durable,
        },
        9..11 => ClientRequest::Zero {
            offset,
            length,
            durable,
            holes: random.bool(),
            fast: random.bool(),
        },
        _ => ClientRequest::Extents {
            offset,
            length,
            first: random.bool(),
        },
    }
}

#[test]
fn any_request_is_served_or_refused() {
    let settings = [
        "ftl.kind=page",
        "ftl.kind=bast buffer.policy=bplru",
        "ftl.kind=fast buffer.protected=true timing.model=parallel",
    ];
    for settings in settings {
        let served = Served::new(drive(settings));
        let mut random = fastrand::Rng::with_seed(7);
        let mut disk = Disk(vec![0; CAPACITY as usize]);
        let mut refused = 0;
        for _ in 0..3000 {
            let request = request(&mut random);
            match (served.serve(&request), disk.serve(&request)) {
                (Ok(reply), Some(())) => disk.agrees(&request, reply),
                (Err(_), None) => refused += 1,
                (found, _) => panic!("{settings}: {request:?}: {found:?}"),
            }
        }
        assert!((100..1500).contains(&refused), "{refused}");
        let status = served.status().expect("it is open");
        assert!(status.counters.erases > 10, "{:?}", status.counters);
        assert_eq!(served.close(), Ok(()));
    }
}
