//! The numbers of pages and blocks.

/// A logical page number.
pub type Lpn = u64;

/// A logical block number.
pub type Lbn = u64;

/// A physical block number.
pub type Pbn = u64;

/// A physical block and a position in it.
pub type Place = (Pbn, u64);
