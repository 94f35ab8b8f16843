//! The result of reading a page.

/// The result of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Never written, or discarded.
    Unmapped,
    /// Read from flash.
    Flash,
    /// Read from the RAM region.
    Ram,
}

/// A look-up of a page.
#[derive(Clone, Debug)]
pub struct Lookup<P> {
    /// The result.
    pub found: Found,
    /// The data that were read; unchanged if the page is unmapped.
    pub page: P,
}

impl<P> Lookup<P> {
    /// Whether the page has a version.
    #[inline]
    pub fn is_found(&self) -> bool {
        self.found != Found::Unmapped
    }
}
