//! The proof of a table in Parquet: a digest of all its bytes, in its metadata. Parquet has checksums of pages only, which
//! its writer here does not write, and none of the names, types and places of columns.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::TableError;

/// The key of the metadata whose value is SHA-256 of the file in which that value is [`BLANK`].
pub(crate) const KEY: &str = "ssdlab.sha256";

/// What has the place of the digest while it is computed.
pub(crate) const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The pair of the metadata that says that the file has a proof.
pub(crate) const PROVEN: (&str, &str) = ("ssdlab.results", "2");

/// The key of the metadata with the name of a part.
pub(crate) const PART: &str = "ssdlab.part";

/// The bytes at the end of a file among which its metadata are.
const TAIL: u64 = 64 << 10;

/// Passes bytes on and hashes them, up to the metadata, which wait for the digest.
pub(crate) struct Proving<W> {
    out: W,
    hash: Sha256,
    /// What is kept back, once [`Proving::hold`] was called.
    held: Option<Vec<u8>>,
}

impl<W: Write> Proving<W> {
    pub fn new(out: W) -> Self {
        let (hash, held) = (Sha256::new(), None);
        Self { out, hash, held }
    }

    /// Keeps back what is written from now on.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Writes the rest with the digest.
    pub fn finish(mut self) -> io::Result<W> {
        let mut held = self.held.unwrap_or_default();
        self.hash.update(&held);
        let digest = ssdlab_words::hexadecimal(&self.hash.finalize());
        let at = place(&held).ok_or_else(|| io::Error::other("no place for the checksum"))?;
        held[at..at + BLANK.len()].copy_from_slice(digest.as_bytes());
        self.out.write_all(&held)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Proving<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(held) = &mut self.held {
            held.extend(bytes);
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Where the digest is.
fn place(tail: &[u8]) -> Option<usize> {
    let behind = last(tail, KEY)? + KEY.len();
    // between key and value are the numbers of a field and of its bytes
    let at = behind + 2;
    let digest = tail.get(at..at + BLANK.len())?;
    digest.iter().all(u8::is_ascii_hexdigit).then_some(at)
}

fn last(bytes: &[u8], text: &str) -> Option<usize> {
    let mut windows = bytes.windows(text.len());
    windows.rposition(|window| window == text.as_bytes())
}

/// Whether all bytes of a file are those that were written; `Ok` too if it is no file with a proof.
///
/// # Errors
/// It cannot be read, or is damaged.
pub(crate) fn check(path: &Path) -> Result<(), TableError> {
    let failed = |error| TableError::unreadable(path, error);
    let damaged = |what: &str| {
        let what = format!("damaged: {what}; copy or make it again");
        TableError::no_table(path, what)
    };
    let mut file = File::open(path).map_err(failed)?;
    let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let before = length.saturating_sub(TAIL);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(before)).map_err(failed)?;
    let rest = &mut (&mut file).take(TAIL);
    rest.read_to_end(&mut tail).map_err(failed)?;
    let Some(at) = place(&tail) else {
        // the two pairs are written together
        let key = last(&tail, PROVEN.0).map(|at| at + PROVEN.0.len() + 2);
        let is_proven = key.and_then(|at| tail.get(at)) == PROVEN.1.as_bytes().first();
        return match is_proven || last(&tail, KEY).is_some() {
            true => Err(damaged("it has lost its checksum")),
            false => Ok(()),
        };
    };
    let digest = tail[at..at + BLANK.len()].to_owned();
    tail[at..at + BLANK.len()].copy_from_slice(BLANK.as_bytes());
    let mut hash = Sha256::new();
    file.rewind().map_err(failed)?;
    io::copy(&mut (&mut file).take(before), &mut Hashing(&mut hash)).map_err(failed)?;
    hash.update(&tail);
    match ssdlab_words::hexadecimal(&hash.finalize()).as_bytes() == digest {
        true => Ok(()),
        false => Err(damaged("its bytes are not those of its checksum")),
    }
}

struct Hashing<'a>(&'a mut Sha256);

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The name of a part, from the name of its file `part-NAME.parquet`.
pub fn part_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("part-")?.strip_suffix(".parquet")
}

/// Checks that a part is what its file name says, which is made of all that its rows depend on.
pub(crate) fn check_name(path: &Path, about: &[(String, String)]) -> Result<(), TableError> {
    let own = about.iter().find(|(key, _)| key == PART);
    let own = own.map(|(_, part)| part.as_str());
    let what = match (part_of(path), own) {
        (Some(name), Some(own)) if name != own => {
            format!(
                "has the rows of another part, {}",
                ssdlab_words::shown_text(own)
            )
        }
        _ => return Ok(()),
    };
    Err(TableError::no_table(path, what + "; copy or make it again"))
}
