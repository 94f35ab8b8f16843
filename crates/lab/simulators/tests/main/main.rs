//! All tests of this crate in one program. Its allocator counts bytes, so only one test may measure at a time.

mod memory;
