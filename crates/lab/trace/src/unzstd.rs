//! The decoder of zstd: the library in C; in WebAssembly, where that does not compile, one in Rust, which is slower.

use std::io::{self, Read};

#[cfg(not(target_arch = "wasm32"))]
mod decoder {
    use super::*;
    use std::io::BufReader;

    /// Decompresses all frames of an input.
    pub struct Zstd<R: Read>(zstd::Decoder<'static, BufReader<R>>);

    impl<R: Read> Zstd<R> {
        pub fn new(input: R) -> io::Result<Self> {
            zstd::Decoder::new(input).map(Self)
        }

        /// The input.
        pub fn get_mut(&mut self) -> &mut R {
            self.0.get_mut().get_mut()
        }
    }

    impl<R: Read> Read for Zstd<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod decoder {
    use super::*;
    use std::io::{Cursor, ErrorKind};

    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    /// The window that a frame may ask for, bytes: as the library in C.
    const MOST_WINDOW: u64 = 128 << 20;

    /// Decompresses all frames of an input.
    pub struct Zstd<R: Read> {
        input: R,
        decoder: FrameDecoder,
        in_frame: bool,
    }

    impl<R: Read> Zstd<R> {
        pub fn new(input: R) -> io::Result<Self> {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(MOST_WINDOW);
            Ok(Self {
                input,
                decoder,
                in_frame: false,
            })
        }

        /// The input.
        pub fn get_mut(&mut self) -> &mut R {
            &mut self.input
        }

        /// Begins the next frame that has data. False: there is none.
        fn begin(&mut self) -> io::Result<bool> {
            loop {
                let mut first = [0];
                if self.input.read(&mut first)? == 0 {
                    return Ok(false);
                }
                match self
                    .decoder
                    .reset(Cursor::new(first).chain(&mut self.input))
                {
                    Ok(()) => return Ok(true),
                    Err(FrameDecoderError::ReadFrameHeaderError(
                        ReadFrameHeaderError::SkipFrame { length, .. },
                    )) => {
                        let skipped = self.input.by_ref().take(length.into());
                        if io::copy(&mut { skipped }, &mut io::sink())? < length.into() {
                            return Err(ErrorKind::UnexpectedEof.into());
                        }
                    }
                    Err(error) => return Err(as_io(error)),
                }
            }
        }
    }

    impl<R: Read> Read for Zstd<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                if !self.in_frame {
                    self.in_frame = self.begin()?;
                    if !self.in_frame {
                        return Ok(0);
                    }
                }
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    let decoded = self.decoder.decode_blocks(&mut self.input, one);
                    decoded.map_err(as_io)?;
                }
                if self.decoder.is_finished()
                    && let Some(written) = self.decoder.get_checksum_from_data()
                    && self.decoder.get_calculated_checksum() != Some(written)
                    && self.decoder.can_collect() == 0
                {
                    return Err(io::Error::other("Restored data doesn't match checksum"));
                }
                match self.decoder.read(buffer)? {
                    0 if !buffer.is_empty() => self.in_frame = false,
                    read => return Ok(read),
                }
            }
        }
    }

    /// The error in the words that a reader of the library in C knows.
    fn as_io(error: FrameDecoderError) -> io::Error {
        let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(one) = source {
            if let Some(io) = one.downcast_ref::<io::Error>() {
                return io::Error::new(io.kind(), io.to_string());
            }
            source = one.source();
        }
        match error {
            FrameDecoderError::WindowSizeTooBig { .. } => {
                io::Error::other("Frame requires too much memory for decoding")
            }
            error => io::Error::new(ErrorKind::InvalidData, error.to_string()),
        }
    }
}

pub(crate) use decoder::Zstd;
