//! All tests of this crate in one program. Its allocator counts, so the one test runs alone.

mod memory;
