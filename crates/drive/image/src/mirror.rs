//! The mirror of protected RAM: a ring of records of what the host wrote and discarded.
//!
//! A mark names the first record that counts. From there on, each record has the next number, up to an end: replayed in
//! order on the flash of that mark, they give what was answered to the host. The end is written together with the
//! record before it. So a record that is not whole was damaged if anything whole follows it; otherwise it may have been
//! interrupted.

use crate::bytes::{long, sum, word};
use crate::disk::Disk;
use crate::error::ImageError;

/// The bytes of a record before its data.
pub const HEAD: usize = 64;
/// The most data of a record of the mirror, in bytes.
pub const LONGEST_RECORD: u64 = 128 << 10;
/// Records begin at multiples of this.
const ALIGNED: u64 = 64;
/// Bytes of the ring that are read at once to find a record.
const CHUNK: u64 = 1 << 16;

/// The most bytes that a request with this many bytes of data takes in the mirror.
pub fn mirrored_bytes(data: u64) -> u64 {
    let records = data.div_ceil(LONGEST_RECORD).max(1);
    data + records * 2 * HEAD as u64
}

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The host wrote the data of the record.
    Write,
    /// The host discarded bytes.
    Discard,
    /// The next record is at the start of the ring.
    Wrap,
    /// The page at this place was lost while it was in RAM.
    Lost,
    /// Nothing follows.
    End,
    /// Records from here on are damaged; the next whole one is elsewhere.
    Skip,
}

impl RecordKind {
    const ALL: [RecordKind; 6] = [
        RecordKind::Write,
        RecordKind::Discard,
        RecordKind::Wrap,
        RecordKind::Lost,
        RecordKind::End,
        RecordKind::Skip,
    ];

    /// Its number in the file.
    fn code(self) -> u32 {
        self as u32 + 1
    }

    fn of(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// A record without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    pub kind: RecordKind,
    /// Records before it.
    pub number: u64,
    /// Counts the openings, so that records of an earlier one that were overtaken do not continue a later one.
    pub opening: u64,
    /// The range of the host, in bytes. Of a skip, the place of the next record and its number.
    pub offset: u64,
    pub length: u64,
}

/// A place in the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MirrorPlace {
    /// In bytes from the start of the ring.
    pub at: u64,
    /// The number of the record there.
    pub number: u64,
}

impl RecordHead {
    fn data_bytes(&self) -> u64 {
        match self.kind {
            RecordKind::Write => self.length,
            _ => 0,
        }
    }

    /// The end after this record.
    fn end(&self) -> Self {
        Self::end_at(self.number + 1, self.opening)
    }

    /// An end in the place of a record.
    pub fn end_at(number: u64, opening: u64) -> Self {
        Self {
            kind: RecordKind::End,
            number,
            opening,
            offset: 0,
            length: 0,
        }
    }

    /// A skip in the place of a record, to a later one.
    pub fn skip(number: u64, opening: u64, to: MirrorPlace) -> Self {
        Self {
            kind: RecordKind::Skip,
            offset: to.at,
            length: to.number,
            ..Self::end_at(number, opening)
        }
    }

    /// Whether another record may follow it in the ring.
    fn is_followed(&self) -> bool {
        !matches!(
            self.kind,
            RecordKind::Wrap | RecordKind::End | RecordKind::Skip
        )
    }

    /// The bytes that the record takes in the ring.
    pub fn bytes(&self) -> u64 {
        (HEAD as u64 + self.data_bytes()).next_multiple_of(ALIGNED)
    }

    /// The record with its data, as it is in the file at a place that `seal` names.
    pub fn encode(&self, data: &[u8], seal: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes() as usize + HEAD);
        bytes.extend([0; 4]);
        bytes.extend(self.kind.code().to_le_bytes());
        for number in [self.number, self.opening, self.offset, self.length] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(sum(data, seal).to_le_bytes());
        bytes.resize(HEAD, 0);
        let sum = sum(&bytes[4..], seal);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        bytes.extend(data);
        bytes.resize(self.bytes() as usize, 0);
        bytes
    }

    /// A record, and the checksum of its data; `None` if this is no record, or its checksum is wrong.
    fn decode(bytes: &[u8], seal: u64) -> Option<(Self, u32)> {
        let kind = RecordKind::of(word(bytes, 4))?;
        let head = Self {
            kind,
            number: long(bytes, 8),
            opening: long(bytes, 16),
            offset: long(bytes, 24),
            length: long(bytes, 32),
        };
        (word(bytes, 0) == sum(&bytes[4..HEAD], seal)).then(|| (head, word(bytes, 40)))
    }
}

/// The records that belong to an image since a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Records from this number on were not durable at the mark.
    pub durable: u64,
    /// The opening that wrote these.
    pub opening: u64,
}

impl Session {
    /// Whether a record can be one of them. Those of an earlier opening that were overtaken are not.
    fn has(&self, head: &RecordHead) -> bool {
        if head.number < self.durable {
            head.opening <= self.opening
        } else {
            head.opening == self.opening
        }
    }
}

/// What stands in the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RingEntry {
    /// A record with its data.
    Record(RecordHead, Vec<u8>),
    /// The end.
    End,
    /// Nothing: the request here was interrupted.
    Interrupted,
}

/// How the mirror ends.
#[derive(Clone, Debug, Default)]
pub struct MirrorEnd {
    /// The place after the last record that arrived.
    pub at: MirrorPlace,
    /// Where records since the mark are damaged, and the places of the next ones.
    pub gaps: Vec<(MirrorPlace, MirrorPlace)>,
    /// The record there was interrupted.
    pub interrupted: bool,
}

/// The ring in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its place in the file.
    pub at: u64,
    /// Its bytes.
    pub length: u64,
    /// The number of the image.
    pub id: u64,
}

impl Ring {
    /// The seal of a record at a place: it fits nowhere else, and in no other image.
    fn seal(&self, at: u64) -> u64 {
        self.id ^ at
    }

    /// A record as it is in the file, and the end after it; no end after a wrap.
    pub fn encode(&self, head: &RecordHead, data: &[u8], place: MirrorPlace) -> Vec<u8> {
        let mut bytes = head.encode(data, self.seal(place.at));
        if head.is_followed() {
            let end = self.after(place, head);
            bytes.extend(self.encode(&head.end(), &[], end));
        }
        bytes
    }

    /// What stands at a place, or at a later one if the record there is damaged, and which place that is. No record is
    /// passed over that was durable.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn find(
        &self,
        disk: &dyn Disk,
        mut place: MirrorPlace,
        session: Session,
    ) -> Result<(MirrorPlace, RingEntry), ImageError> {
        loop {
            match self.read(disk, place, session)? {
                Some((head, _)) if head.kind == RecordKind::End => {
                    return Ok((place, RingEntry::End));
                }
                Some((head, data)) => return Ok((place, RingEntry::Record(head, data))),
                None => {}
            }
            let later = if place.number >= session.durable {
                self.search(disk, place, session)?
            } else {
                None
            };
            match later {
                Some(later) => place = later,
                None => return Ok((place, RingEntry::Interrupted)),
            }
        }
    }

    /// The record at a place with its data; `None` if it is not whole, or is not the one that belongs there.
    fn read(
        &self,
        disk: &dyn Disk,
        place: MirrorPlace,
        session: Session,
    ) -> Result<Option<(RecordHead, Vec<u8>)>, ImageError> {
        if !self.has_room(place, 0) {
            return Ok(None);
        }
        let mut bytes = vec![0; HEAD];
        disk.read(self.at + place.at, &mut bytes)?;
        let seal = self.seal(place.at);
        let Some((head, data_sum)) = RecordHead::decode(&bytes, seal) else {
            return Ok(None);
        };
        let is_end = head.kind == RecordKind::End;
        let is_back = head.kind == RecordKind::Skip && head.length <= head.number;
        let belongs = head.number == place.number && (is_end || session.has(&head)) && !is_back;
        if !belongs || head.number == u64::MAX || !self.has_room(place, head.data_bytes()) {
            return Ok(None);
        }
        bytes.resize(head.data_bytes() as usize, 0);
        disk.read(self.at + place.at + HEAD as u64, &mut bytes)?;
        Ok((sum(&bytes, seal) == data_sum).then_some((head, bytes)))
    }

    /// The first place after a damaged record where another one begins.
    fn search(
        &self,
        disk: &dyn Disk,
        from: MirrorPlace,
        session: Session,
    ) -> Result<Option<MirrorPlace>, ImageError> {
        let behind = from.at + ALIGNED;
        let most = self.length / ALIGNED;
        let mut bytes = vec![0; CHUNK as usize];
        for (begin, end) in [(behind, self.length), (0, from.at)] {
            for chunk in (begin..end).step_by(CHUNK as usize) {
                let count = CHUNK.min(end - chunk) as usize;
                disk.read(self.at + chunk, &mut bytes[..count])?;
                let places = (chunk..).step_by(HEAD);
                for (at, bytes) in places.zip(bytes[..count].chunks_exact(HEAD)) {
                    let number = long(bytes, 8);
                    if number <= from.number || number - from.number > most {
                        continue;
                    }
                    if let Some((head, _)) = RecordHead::decode(bytes, self.seal(at))
                        && head.opening == session.opening
                    {
                        return Ok(Some(MirrorPlace { at, number }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The place after a record.
    pub fn after(&self, place: MirrorPlace, head: &RecordHead) -> MirrorPlace {
        let next = |at| MirrorPlace {
            at,
            number: place.number + 1,
        };
        match head.kind {
            RecordKind::Wrap => next(0),
            RecordKind::Skip => MirrorPlace {
                at: head.offset,
                number: head.length,
            },
            _ => next(place.at + head.bytes()),
        }
    }

    /// Whether a record can begin at a place.
    pub fn has(&self, place: MirrorPlace) -> bool {
        place.at.is_multiple_of(ALIGNED) && self.has_room(place, 0)
    }

    /// Whether a record with this many bytes of data fits between a place and the end of the ring.
    fn has_room(&self, place: MirrorPlace, data: u64) -> bool {
        let room = self.length.checked_sub(place.at);
        let most = room.and_then(|room| room.checked_sub(HEAD as u64));
        most.is_some_and(|most| data <= most)
    }

    /// Whether a record fits there, with an end or a wrap after it.
    pub fn takes(&self, place: MirrorPlace, head: &RecordHead) -> bool {
        place.at + head.bytes() + HEAD as u64 <= self.length
    }

    /// The bytes from one place to another.
    pub fn between(&self, from: MirrorPlace, to: MirrorPlace) -> u64 {
        if to.at >= from.at && (to.at > from.at || to.number == from.number) {
            to.at - from.at
        } else {
            self.length - from.at + to.at
        }
    }
}
