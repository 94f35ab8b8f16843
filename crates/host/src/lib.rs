//! Requests of a host to a block device.

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
    size_and_op: u64,
}

impl Request {
    /// The largest size of a request in bytes.
    pub const MAX_SIZE: u64 = (1 << 62) - 1;

    /// A request. `None` if `size` exceeds [`Request::MAX_SIZE`] or the end of the range exceeds `u64`.
    pub const fn new(time_ns: u64, op: Op, offset: u64, size: u64) -> Option<Self> {
        if size > Self::MAX_SIZE || offset.checked_add(size).is_none() {
            return None;
        }
        let size_and_op = size << 2 | op as u64;
        Some(Self {
            time_ns,
            offset,
            size_and_op,
        })
    }

    /// The kind of request.
    pub const fn op(&self) -> Op {
        Op::ALL[(self.size_and_op & 3) as usize]
    }

    /// Bytes; 0 for a flush.
    pub const fn size(&self) -> u64 {
        self.size_and_op >> 2
    }

    /// The first byte past the request.
    pub const fn end(&self) -> u64 {
        self.offset + self.size()
    }
}
