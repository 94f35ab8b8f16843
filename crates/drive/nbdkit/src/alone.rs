//! What the plugin does for its clients, without nbdkit and sockets: for tests and fuzzers, which send anything.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use nbdkit::Flags;
use ssdlab_drive::{Drive, Status};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Builder;

use crate::service::Service;
use crate::shared::SharedDrive;
use crate::status::{HostNames, Pages, Rules, converse};

/// What the status page answers to a client that sends these pieces, one with each read, and then nothing more.
///
/// # Errors
/// The system has no timers left.
pub fn answer(
    pieces: &[&[u8]],
    status: impl Fn() -> Option<Status> + Send + Sync + 'static,
) -> io::Result<Vec<u8>> {
    let mut client = Client {
        sends: pieces.iter().map(|piece| piece.to_vec()).collect(),
        gets: Vec::new(),
    };
    let (pages, rules) = (Pages::of(status), Rules::with(HostNames::default()));
    let runtime = Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(converse(&mut client, &pages, &rules));
    Ok(client.gets)
}

/// A client in memory.
struct Client {
    sends: VecDeque<Vec<u8>>,
    gets: Vec<u8>,
}

impl AsyncRead for Client {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(mut piece) = self.sends.pop_front() {
            let later = piece.split_off(piece.len().min(into.remaining()));
            into.put_slice(&piece);
            if !later.is_empty() {
                self.sends.push_front(later);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Client {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.gets.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A request of a client of the drive. Any range is possible: nbdkit refuses those beyond the capacity, and so does the
/// drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRequest {
    /// Reads.
    Read {
        /// In bytes.
        offset: u64,
        /// In bytes.
        length: u32,
    },
    /// Writes.
    Write {
        /// In bytes.
        offset: u64,
        /// What is written.
        bytes: Vec<u8>,
        /// The reply waits until it is durable.
        durable: bool,
    },
    /// Makes everything durable.
    Flush,
    /// Discards.
    Trim {
        /// In bytes.
        offset: u64,
        /// In bytes.
        length: u32,
        /// The reply waits until it is durable.
        durable: bool,
    },
    /// Makes a range read as zeros.
    Zero {
        /// In bytes.
        offset: u64,
        /// In bytes.
        length: u32,
        /// The reply waits until it is durable.
        durable: bool,
        /// Holes will do.
        holes: bool,
        /// Only if it is faster than a write.
        fast: bool,
    },
    /// Asks where there are data.
    Extents {
        /// In bytes.
        offset: u64,
        /// In bytes.
        length: u32,
        /// Only the first part is asked for.
        first: bool,
    },
}

/// The reply to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
    Done,
    /// The bytes that were read.
    Bytes(Vec<u8>),
    /// Offset, length, and whether there may be data, of each part.
    Extents(Vec<(u64, u64, bool)>),
}

/// A drive that serves only the caller. Replies do not wait for the time of the drive.
pub struct Served(SharedDrive);

impl Served {
    /// Serves a drive.
    pub fn new(drive: Drive) -> Self {
        let shared = SharedDrive::new(|_| {});
        shared.open(Service::of(drive));
        Self(shared)
    }

    /// Serves a request.
    ///
    /// # Errors
    /// The message, if it is refused or fails.
    pub fn serve(&self, request: &ClientRequest) -> Result<Reply, String> {
        let done = |done: nbdkit::Result<()>| done.map(|()| Reply::Done);
        let reply = match request {
            &ClientRequest::Read { offset, length } => {
                // no memory for a read that will be refused
                let most = self.0.open_for().map_or(0, |(capacity, _)| capacity + 1);
                let mut bytes = vec![0; u64::from(length).min(most) as usize];
                let read = self.0.read(offset, &mut bytes);
                read.map(|()| Reply::Bytes(bytes))
            }
            ClientRequest::Write {
                offset,
                bytes,
                durable,
            } => done(self.0.write(0, *offset, bytes, fua(*durable))),
            ClientRequest::Flush => done(self.0.flush()),
            &ClientRequest::Trim {
                offset,
                length,
                durable,
            } => done(self.0.trim(offset, length, fua(durable))),
            &ClientRequest::Zero {
                offset,
                length,
                durable,
                holes,
                fast,
            } => {
                let flags = fua(durable) | flag_if(holes, Flags::MAY_TRIM);
                done(
                    self.0
                        .zero(0, offset, length, flags | flag_if(fast, Flags::FAST_ZERO)),
                )
            }
            &ClientRequest::Extents {
                offset,
                length,
                first,
            } => {
                let mut parts = Vec::new();
                let flags = flag_if(first, Flags::REQ_ONE);
                let listed = self
                    .0
                    .extents(offset, length, flags, |offset, length, data| {
                        parts.push((offset, length, data));
                        Ok(())
                    });
                listed.map(|()| Reply::Extents(parts))
            }
        };
        reply.map_err(|error| error.to_string())
    }

    /// What the drive has done, and its state.
    pub fn status(&self) -> Option<Status> {
        self.0.status()
    }

    /// Closes the image, as at the end of the server.
    ///
    /// # Errors
    /// A message for each thing that failed.
    pub fn close(self) -> Result<(), Vec<String>> {
        self.0.take().map_or(Ok(()), Service::close)
    }
}

fn flag_if(condition: bool, flag: Flags) -> Flags {
    if condition { flag } else { Flags::empty() }
}

fn fua(durable: bool) -> Flags {
    flag_if(durable, Flags::FUA)
}
