//! Requests of a host to a block device.
//!
//! An operation, a range of bytes and a time: what a trace decodes to and what a device serves. A crate of its own, so
//! that a reader of traces needs no device, and a device no reader.
//!
//! Depends on no crate. Data only: no input or output, no clock, no environment.

/// The kind of a host request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `R`: read.
    Read,
    /// `W`: write.
    Write,
    /// `F`: flush the device's volatile cache.
    Flush,
    /// `D`: discard (TRIM).
    Discard,
}

impl Op {
    /// All kinds, in the order of their codes.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Flush, Op::Discard];

    /// The word for this kind.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "flush",
            Op::Discard => "discard",
        }
    }

    /// The letter of this kind in the plain trace format.
    pub const fn letter(self) -> char {
        match self {
            Op::Read => 'R',
            Op::Write => 'W',
            Op::Flush => 'F',
            Op::Discard => 'D',
        }
    }
}

/// One host request, in 24 bytes so that a decoded trace stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Nanoseconds since the start of the trace. Times need not ascend.
    pub time_ns: u64,
    /// First byte; 0 for a flush.
    pub offset: u64,
    /// From the highest bit: 46 bits of size, 16 of stream, 2 of kind.
    packed: u64,
}

/// Bits of the kind.
const KIND_BITS: u32 = 2;
/// Bits below the size: kind and stream.
const SIZE_AT: u32 = KIND_BITS + u16::BITS;
const _: () = assert!(Op::ALL.len() <= 1 << KIND_BITS);

impl Request {
    /// The largest size of a request in bytes: 64 TiB - 1.
    pub const MAX_SIZE: u64 = u64::MAX >> SIZE_AT;

    /// A request. `None` if `size` exceeds [`Request::MAX_SIZE`] or the end of the range exceeds `u64`.
    pub const fn new(time_ns: u64, op: Op, offset: u64, size: u64) -> Option<Self> {
        if size > Self::MAX_SIZE || offset.checked_add(size).is_none() {
            return None;
        }
        Some(Self {
            time_ns,
            offset,
            packed: size << SIZE_AT | op as u64,
        })
    }

    /// The same request in a stream: data of one stream are expected to be overwritten at about the same time. It is a
    /// hint for placements; 0 means that nothing is known.
    pub const fn in_stream(self, stream: u16) -> Self {
        let packed = self.packed & !((u16::MAX as u64) << KIND_BITS) | (stream as u64) << KIND_BITS;
        Self { packed, ..self }
    }

    /// The stream; 0 if nothing is known.
    pub const fn stream(&self) -> u16 {
        (self.packed >> KIND_BITS) as u16
    }

    /// The kind of request.
    pub const fn op(&self) -> Op {
        Op::ALL[(self.packed & ((1 << KIND_BITS) - 1)) as usize]
    }

    /// Bytes; 0 for a flush.
    pub const fn size(&self) -> u64 {
        self.packed >> SIZE_AT
    }

    /// The first byte past the request.
    pub const fn end(&self) -> u64 {
        self.offset + self.size()
    }
}
