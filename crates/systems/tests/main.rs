//! All tests of this crate in one program. Its allocator counts bytes, so the only test must run alone.

mod memory;
