//! Numbers and checksums in the file. All numbers are little-endian.

/// The CRC-32 of some bytes. `place` says where they belong, so that bytes in the wrong place are noticed.
pub fn sum(bytes: &[u8], place: u64) -> u32 {
    /// Spare areas and entries of blocks, of which there are many, take one call.
    const SHORT: usize = 56;
    if bytes.len() <= SHORT {
        let mut all = [0; 8 + SHORT];
        all[..8].copy_from_slice(&place.to_le_bytes());
        all[8..8 + bytes.len()].copy_from_slice(bytes);
        return crc32fast::hash(&all[..8 + bytes.len()]);
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&place.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

/// Four bytes from `at` on.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
    u32::from_le_bytes(word)
}

/// Eight bytes from `at` on.
pub fn long(bytes: &[u8], at: usize) -> u64 {
    let long: [u8; 8] = bytes[at..at + 8].try_into().expect("eight bytes");
    u64::from_le_bytes(long)
}
