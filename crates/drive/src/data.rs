//! The bytes of a request.

use ssdlab_device::{HostData, Part};
use ssdlab_flash::Bytes;

/// The bytes that the host writes.
pub struct Written<'a>(pub &'a [u8]);

impl HostData<Bytes> for Written<'_> {
    fn write(&mut self, part: &Part, page: &mut Bytes) {
        let at = part.at as usize;
        let bytes = &self.0[at..at + part.bytes.len()];
        page.0[part.bytes.clone()].copy_from_slice(bytes);
    }

    fn read(&mut self, _: &Part, _: Option<&Bytes>) {
        unreachable!("a write reads nothing for the host");
    }
}
