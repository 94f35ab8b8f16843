//! Choices and numbers from the bytes of an input.

/// The rest of an input. Whatever is taken from an empty one is zero, so that every input means something.
#[derive(Clone, Debug)]
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    pub fn word(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let taken = self.take(N);
        array[..taken.len()].copy_from_slice(taken);
        array
    }

    /// The next bytes, fewer at the end.
    pub fn take(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// One of several, by the next byte.
    pub fn choose<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[usize::from(self.byte()) % of.len()]
    }
}
