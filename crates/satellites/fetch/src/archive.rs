//! A member of a tar archive on a server, found by reading only the headers.

use std::io::{self, Read, Seek, SeekFrom};

use crate::client::Client;
use crate::error::FetchError;

/// Where a member begins in an archive, and its size; `None` if the archive has none whose path is, or ends in, `/member`.
pub(crate) fn find(
    client: &Client,
    address: &str,
    member: &str,
    mut looked: impl FnMut(u64),
) -> Result<Option<(u64, u64)>, FetchError> {
    if let Some(ending) = compressed(address) {
        return Err(FetchError::Refused(format!(
            "{address}: an archive in {ending} is one stream, of which no member can be fetched alone; fetch it whole and \
             unpack it"
        )));
    }
    let remote = Remote {
        client,
        address,
        at: 0,
        block: Vec::new(),
        block_at: 0,
        failed: None,
    };
    let mut archive = tar::Archive::new(remote);
    let found = search(&mut archive, member, &mut looked);
    let failed = archive.into_inner().failed;
    found.map_err(|error| {
        failed.unwrap_or_else(|| {
            FetchError::nonsense(address, format!("cannot be read as a tar archive: {error}"))
        })
    })
}

fn search(
    archive: &mut tar::Archive<Remote>,
    member: &str,
    looked: &mut impl FnMut(u64),
) -> io::Result<Option<(u64, u64)>> {
    let mut number = 0;
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        number += 1;
        looked(number);
        let path = entry.path_bytes();
        let is_it = path.strip_suffix(member.as_bytes());
        let is_it = is_it.is_some_and(|front| front.is_empty() || front.ends_with(b"/"));
        if is_it && entry.header().entry_type().is_file() {
            return Ok(Some((entry.raw_file_position(), entry.size())));
        }
    }
    Ok(None)
}

/// The ending of an archive that is compressed as a whole.
fn compressed(address: &str) -> Option<&'static str> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let endings = [
        ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".tzst", ".zip", ".7z",
    ];
    endings.into_iter().find(|ending| path.ends_with(ending))
}

/// A file on a server, read in small blocks.
struct Remote<'a> {
    client: &'a Client,
    address: &'a str,
    at: u64,
    block: Vec<u8>,
    block_at: u64,
    /// Why a block could not be had.
    failed: Option<FetchError>,
}

impl Read for Remote<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        /// Some headers: those of small members come in one block.
        const BLOCK: u64 = 4096;
        let in_block = self.at.checked_sub(self.block_at);
        let in_block = in_block.filter(|at| *at < self.block.len() as u64);
        let from = match in_block {
            Some(at) => at as usize,
            None => {
                let to = self.at.saturating_add(BLOCK);
                let block = self.client.bytes(self.address, self.at, to);
                self.block = block.map_err(|error| {
                    let why = io::Error::other(error.to_string());
                    self.failed = Some(error);
                    why
                })?;
                self.block_at = self.at;
                0
            }
        };
        let there = &self.block[from..];
        let length = there.len().min(buffer.len());
        buffer[..length].copy_from_slice(&there[..length]);
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for Remote<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(to) => Some(to),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            // nobody asks for it
            SeekFrom::End(_) => None,
        };
        self.at = to.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
