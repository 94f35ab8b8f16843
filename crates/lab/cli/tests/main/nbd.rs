//! A client of NBD that does what it likes.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::common::Lab;
use crate::serve::CAPACITY;

pub const READ: u8 = 0;
pub const WRITE: u8 = 1;

/// A connection to the server on the socket `s`.
pub struct Nbd {
    stream: UnixStream,
}

impl Nbd {
    pub fn connect(lab: &Lab) -> Self {
        let stream = UnixStream::connect(lab.path("s")).expect("a server");
        let wait = Some(Duration::from_secs(20));
        stream.set_read_timeout(wait).expect("a time");
        let mut client = Self { stream };
        // the server's words, and no zeros later; the export without a name; its size and flags
        assert!(client.take(18).starts_with(b"NBDMAGICIHAVEOPT"));
        client.put(&3_u32.to_be_bytes());
        client.put(b"IHAVEOPT\0\0\0\x01\0\0\0\0");
        assert_eq!(client.take(10)[..8], (CAPACITY as u64).to_be_bytes());
        client
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("it is taken");
    }

    /// The connection itself.
    pub fn stream(&mut self) -> &mut UnixStream {
        &mut self.stream
    }

    pub fn take(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).expect("an answer");
        bytes
    }

    /// A request, which is named by its offset; without the data of a write.
    pub fn request(kind: u8, offset: u64, length: usize) -> Vec<u8> {
        let mut request = 0x2560_9513_u32.to_be_bytes().to_vec();
        request.extend([0, 0, 0, kind]);
        request.extend(offset.to_be_bytes());
        request.extend(offset.to_be_bytes());
        request.extend((length as u32).to_be_bytes());
        request
    }

    pub fn send(&mut self, kind: u8, offset: u64, length: usize) {
        self.put(&Self::request(kind, offset, length));
    }

    /// The offset of the request that succeeded.
    pub fn done(&mut self) -> u64 {
        let (error, offset) = self.reply().expect("a reply");
        assert_eq!(error, 0);
        offset
    }

    /// The error and the offset in the next reply.
    ///
    /// # Errors
    /// The connection ends.
    pub fn reply(&mut self) -> io::Result<(u32, u64)> {
        let mut reply = [0; 16];
        self.stream.read_exact(&mut reply)?;
        let [head, error, high, low] = [0, 4, 8, 12].map(|at| {
            let bytes: [u8; 4] = reply[at..at + 4].try_into().expect("4 bytes");
            u32::from_be_bytes(bytes)
        });
        assert_eq!(head, 0x6744_6698);
        Ok((error, u64::from(high) << 32 | u64::from(low)))
    }

    /// Writes a range full of a value, and waits until that is done.
    pub fn write(&mut self, offset: u64, length: usize, value: u8) {
        self.send(WRITE, offset, length);
        self.put(&vec![value; length]);
        assert_eq!(self.done(), offset);
    }
}
