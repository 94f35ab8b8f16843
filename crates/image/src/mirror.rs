//! The mirror of protected RAM: a ring of records of what the host wrote and discarded.
//!
//! A mark names the first record that counts. From there on, each record has the next number, up to the last one that
//! arrived whole; replayed in order on the flash of that mark, they give what the host was told.

use crate::bytes::{long, sum, word};
use crate::disk::Disk;
use crate::error::ImageError;

/// The bytes of a record before its data.
pub const HEAD: usize = 64;
/// Records begin at multiples of this.
const ALIGNED: u64 = 64;

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The host wrote the data of the record.
    Write,
    /// The host discarded bytes.
    Discard,
    /// The page at this place was lost while it was in RAM.
    Lost,
    /// The next record is at the begin of the ring.
    Wrap,
}

/// A record without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    /// Records before it.
    pub number: u64,
    /// Counts the openings, so that records of an earlier one that were overtaken do not continue a later one.
    pub opening: u64,
    /// The range of the host, in bytes.
    pub offset: u64,
    pub length: u64,
}

/// A place in the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// In bytes from the begin of the ring.
    pub at: u64,
    /// The number of the record there.
    pub number: u64,
}

impl Head {
    fn data_bytes(&self) -> u64 {
        match self.kind {
            Kind::Write => self.length,
            Kind::Discard | Kind::Lost | Kind::Wrap => 0,
        }
    }

    /// The bytes that the record takes in the ring.
    pub fn bytes(&self) -> u64 {
        (HEAD as u64 + self.data_bytes()).next_multiple_of(ALIGNED)
    }

    /// The record with its data, as it is in the file.
    pub fn encode(&self, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + data.len());
        bytes.extend([0; 4]);
        bytes.extend(match self.kind {
            Kind::Write => 1u32.to_le_bytes(),
            Kind::Discard => 2u32.to_le_bytes(),
            Kind::Wrap => 3u32.to_le_bytes(),
            Kind::Lost => 4u32.to_le_bytes(),
        });
        for number in [self.number, self.opening, self.offset, self.length] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.resize(HEAD, 0);
        bytes.extend(data);
        let sum = sum(&bytes[4..], 0);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// The ring in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its place in the file.
    pub at: u64,
    /// Its bytes.
    pub length: u64,
}

impl Ring {
    /// The record at a place with its data; `None` if it has not arrived whole, or is not the one that is expected.
    pub fn read(
        &self,
        disk: &dyn Disk,
        place: Place,
        opening: u64,
    ) -> Result<Option<(Head, Vec<u8>)>, ImageError> {
        if place.at + HEAD as u64 > self.length {
            return Ok(None);
        }
        let mut bytes = vec![0; HEAD];
        disk.read(self.at + place.at, &mut bytes)?;
        let head = Head {
            kind: match word(&bytes, 4) {
                1 => Kind::Write,
                2 => Kind::Discard,
                3 => Kind::Wrap,
                4 => Kind::Lost,
                _ => return Ok(None),
            },
            number: long(&bytes, 8),
            opening: long(&bytes, 16),
            offset: long(&bytes, 24),
            length: long(&bytes, 32),
        };
        let room = self.length - place.at - HEAD as u64;
        if head.number != place.number || head.opening < opening || head.data_bytes() > room {
            return Ok(None);
        }
        bytes.resize(HEAD + head.data_bytes() as usize, 0);
        disk.read(self.at + place.at + HEAD as u64, &mut bytes[HEAD..])?;
        let whole = word(&bytes, 0) == sum(&bytes[4..], 0);
        Ok(whole.then(|| (head, bytes.split_off(HEAD))))
    }

    /// The place after a record.
    pub fn after(&self, place: Place, head: &Head) -> Place {
        let at = place.at + head.bytes();
        Place {
            at: match head.kind {
                Kind::Wrap => 0,
                _ if at + ALIGNED > self.length => 0,
                _ => at,
            },
            number: place.number + 1,
        }
    }

    /// Whether a record fits between a place and the end of the ring.
    pub fn has_room(&self, place: Place, bytes: u64) -> bool {
        place.at + bytes <= self.length
    }

    /// The bytes from one place to another.
    pub fn between(&self, from: Place, to: Place) -> u64 {
        match to.at >= from.at && (to.at > from.at || to.number == from.number) {
            true => to.at - from.at,
            false => self.length - from.at + to.at,
        }
    }
}
