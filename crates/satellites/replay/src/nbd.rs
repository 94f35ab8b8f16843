//! A client of the network block device protocol, with many requests in flight on one connection. From the specification
//! (`doc/proto.md` of the project `nbd`): fixed newstyle negotiation without TLS, simple replies.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use crate::Target;

/// The port of NBD.
const PORT: u16 = 10809;

/// The longest wait for an answer before the first request.
const PATIENCE: Duration = Duration::from_secs(20);

const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
const REQUEST: u32 = 0x2560_9513;
const SIMPLE_REPLY: u32 = 0x6744_6698;

// what the server announces
const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 2;
const HAS_FLUSH: u16 = 1 << 2;
const READ_ONLY: u16 = 1 << 1;
const HAS_TRIM: u16 = 1 << 5;

// options, replies to them, and what they tell
const EXPORT_NAME: u32 = 1;
const GO: u32 = 7;
const ACK: u32 = 1;
const INFO: u32 = 3;
const UNSUPPORTED: u32 = 0x8000_0001;
const INFO_EXPORT: u16 = 0;
const INFO_BLOCK_SIZE: u16 = 3;

// requests
const READ: u16 = 0;
const WRITE: u16 = 1;
const DISCONNECT: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;

/// The longest reply to an option that a server may send.
const LONGEST_REPLY: u32 = 1 << 16;

/// The most bytes of a request if the server names no other maximum.
const MOST: u32 = 32 << 20;

/// A connection to a server.
pub struct Nbd {
    size: u64,
    sector: u64,
    most: u32,
    flags: u16,
    writer: Mutex<Writer>,
    waiting: Arc<Waiting>,
}

struct Writer {
    stream: Stream,
    /// The number of the next request.
    next: u64,
}

/// Who waits for replies.
struct Waiting(Mutex<State>);

#[derive(Default)]
struct State {
    requests: HashMap<u64, Request>,
    /// Why there are no more replies.
    ended: Option<String>,
}

/// A request that has no reply yet.
struct Request {
    /// The bytes that follow the reply.
    length: usize,
    reply: SyncSender<io::Result<Vec<u8>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Nbd {
    /// Connects to an address: `nbd://HOST[:PORT][/EXPORT]` or `nbd+unix://[/EXPORT]?socket=PATH`.
    ///
    /// # Errors
    /// The address is malformed, nobody answers, or the server has no such export.
    pub fn connect(address: &str) -> io::Result<Self> {
        let malformed = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        if let Some(rest) = address.strip_prefix("nbd+unix://") {
            let (export, query) = rest.split_once('?').unwrap_or((rest, ""));
            let socket = query
                .split('&')
                .find_map(|part| part.strip_prefix("socket="));
            let socket = socket
                .ok_or_else(|| malformed("the address names no socket: nbd+unix://?socket=PATH"))?;
            let export = export.strip_prefix('/').unwrap_or(export);
            return Self::at_socket(Path::new(&decoded(socket)), &decoded(export));
        }
        let rest = address.strip_prefix("nbd://").unwrap_or(address);
        let (host, export) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let port = port
                    .parse()
                    .map_err(|_| malformed("the port is not a number up to 65535"))?;
                (host, port)
            }
            _ => (host, PORT),
        };
        if host.is_empty() {
            return Err(malformed(
                "the address names no host: nbd://HOST[:PORT][/EXPORT]",
            ));
        }
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut last = malformed("the host has no address");
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Self::negotiate(Stream::Tcp(stream), &decoded(export));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Connects to a Unix socket.
    ///
    /// # Errors
    /// See [`Nbd::connect`].
    pub fn at_socket(path: &Path, export: &str) -> io::Result<Self> {
        Self::negotiate(Stream::Unix(UnixStream::connect(path)?), export)
    }

    fn negotiate(mut stream: Stream, export: &str) -> io::Result<Self> {
        stream.wait_at_most(Some(PATIENCE))?;
        let export = negotiated(&mut stream, export)?;
        stream.wait_at_most(None)?;
        if export.flags & READ_ONLY != 0 {
            return Err(io::Error::other("the server allows no writes"));
        }
        if !export.sector.is_power_of_two() {
            return Err(garbled(
                "a minimum size of requests that is no power of two",
            ));
        }
        let waiting = Arc::new(Waiting(Mutex::default()));
        let (replies, those_who_wait) = (stream.try_clone()?, Arc::clone(&waiting));
        thread::Builder::new()
            .name("nbd replies".into())
            .spawn(move || those_who_wait.serve(replies))?;
        Ok(Self {
            size: export.size,
            sector: export.sector.into(),
            most: export.most.max(export.sector),
            flags: export.flags,
            writer: Mutex::new(Writer { stream, next: 1 }),
            waiting,
        })
    }

    /// Sends a request, and waits for its reply.
    fn ask(&self, kind: u16, offset: u64, length: u32, data: &[u8]) -> io::Result<Vec<u8>> {
        self.send(kind, offset, length, data)?
            .recv()
            .unwrap_or_else(|_| Err(self.waiting.why_ended()))
    }

    fn send(
        &self,
        kind: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
        let mut writer = locked(&self.writer);
        let (number, (reply, receiver)) = (writer.next, sync_channel(1));
        writer.next += 1;
        let expected = if kind == READ { length as usize } else { 0 };
        self.waiting.add(
            number,
            Request {
                length: expected,
                reply,
            },
        )?;
        let mut head = Vec::with_capacity(28);
        head.extend(REQUEST.to_be_bytes());
        head.extend([0, 0]);
        head.extend(kind.to_be_bytes());
        head.extend(number.to_be_bytes());
        head.extend(offset.to_be_bytes());
        head.extend(length.to_be_bytes());
        let sent = writer
            .stream
            .write_all(&head)
            .and_then(|()| writer.stream.write_all(data));
        // the server may have told why it left
        sent.map_err(|error| self.waiting.end(&error.to_string()))?;
        Ok(receiver)
    }

    /// The parts of a range that a request may have.
    fn parts(&self, offset: u64, length: u64) -> impl Iterator<Item = (u64, u32)> + use<> {
        let most = u64::from(self.most);
        (0..length.div_ceil(most)).map(move |part| {
            let begin = part * most;
            (offset + begin, (length - begin).min(most) as u32)
        })
    }
}

impl Target for Nbd {
    fn kind(&self) -> &'static str {
        "nbd"
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn sector(&self) -> u64 {
        self.sector
    }

    fn discards(&self) -> bool {
        self.flags & HAS_TRIM != 0
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        for (at, length) in self.parts(offset, into.len() as u64) {
            let begin = (at - offset) as usize;
            into[begin..][..length as usize].copy_from_slice(&self.ask(READ, at, length, &[])?);
        }
        Ok(())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        for (at, length) in self.parts(offset, bytes.len() as u64) {
            let begin = (at - offset) as usize;
            self.ask(WRITE, at, length, &bytes[begin..][..length as usize])?;
        }
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        if self.flags & HAS_FLUSH != 0 {
            self.ask(FLUSH, 0, 0, &[])?;
        }
        Ok(())
    }

    fn discard(&self, offset: u64, length: u64) -> io::Result<()> {
        for (at, length) in self.parts(offset, length) {
            self.ask(TRIM, at, length, &[])?;
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        // it has no reply: the server closes the connection
        self.send(DISCONNECT, 0, 0, &[]).map(drop)
    }
}

impl Waiting {
    fn add(&self, number: u64, request: Request) -> io::Result<()> {
        let mut state = locked(&self.0);
        if let Some(why) = &state.ended {
            return Err(io::Error::other(why.clone()));
        }
        state.requests.insert(number, request);
        Ok(())
    }

    /// There are no more replies: nobody waits any longer. Returns the first reason that was given.
    fn end(&self, why: &str) -> io::Error {
        let mut state = locked(&self.0);
        state.requests.clear();
        io::Error::other(state.ended.get_or_insert_with(|| why.to_owned()).clone())
    }

    fn why_ended(&self) -> io::Error {
        self.end("the server closed the connection")
    }

    /// Hands out the replies until the connection ends.
    fn serve(&self, mut stream: Stream) {
        loop {
            match self.serve_one(&mut stream) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    break drop(self.why_ended());
                }
                Err(error) => break drop(self.end(&error.to_string())),
            }
        }
    }

    fn serve_one(&self, stream: &mut Stream) -> io::Result<()> {
        if u32::from_be_bytes(stream.take_bytes()?) != SIMPLE_REPLY {
            return Err(garbled("a reply that is none"));
        }
        let error = u32::from_be_bytes(stream.take_bytes()?);
        let number = u64::from_be_bytes(stream.take_bytes()?);
        let request = locked(&self.0).requests.remove(&number);
        let request = request.ok_or_else(|| garbled("a reply to no request"))?;
        let reply = if error == 0 {
            let mut bytes = vec![0; request.length];
            stream.read_exact(&mut bytes)?;
            Ok(bytes)
        } else {
            Err(io::Error::from_raw_os_error(error as i32))
        };
        // nobody waits for the end
        let _ = request.reply.send(reply);
        Ok(())
    }
}

fn garbled(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the server does not speak NBD: it sent {what}"),
    )
}

/// What a server offers.
struct Export {
    size: u64,
    flags: u16,
    sector: u32,
    most: u32,
}

fn negotiated(stream: &mut Stream, name: &str) -> io::Result<Export> {
    if &stream.take_bytes::<8>()? != b"NBDMAGIC"
        || u64::from_be_bytes(stream.take_bytes()?) != OPTION
    {
        return Err(garbled("another greeting"));
    }
    let offered = u16::from_be_bytes(stream.take_bytes()?);
    let taken = offered & (FIXED_NEWSTYLE | NO_ZEROES);
    stream.write_all(&u32::from(taken).to_be_bytes())?;
    let mut export = Export {
        size: 0,
        flags: 0,
        sector: 1,
        most: MOST,
    };
    if offered & FIXED_NEWSTYLE != 0 && go(stream, name, &mut export)? {
        return Ok(export);
    }
    // servers of before 2016
    put_option(stream, EXPORT_NAME, name.as_bytes())?;
    export.size = u64::from_be_bytes(stream.take_bytes()?);
    export.flags = u16::from_be_bytes(stream.take_bytes()?);
    if taken & NO_ZEROES == 0 {
        stream.take_bytes::<124>()?;
    }
    Ok(export)
}

/// Asks for an export and the sizes of its requests. Returns whether the server knows how.
fn go(stream: &mut Stream, name: &str, export: &mut Export) -> io::Result<bool> {
    let mut data = (name.len() as u32).to_be_bytes().to_vec();
    data.extend(name.as_bytes());
    data.extend(1_u16.to_be_bytes());
    data.extend(INFO_BLOCK_SIZE.to_be_bytes());
    put_option(stream, GO, &data)?;
    loop {
        if u64::from_be_bytes(stream.take_bytes()?) != OPTION_REPLY {
            return Err(garbled("no reply to an option"));
        }
        let [_, kind, length] = [(); 3].map(|()| stream.take_bytes().map(u32::from_be_bytes));
        let (kind, length) = (kind?, length?);
        if length > LONGEST_REPLY {
            return Err(garbled("a reply that is too long"));
        }
        let mut reply = vec![0; length as usize];
        stream.read_exact(&mut reply)?;
        match kind {
            ACK => return Ok(true),
            INFO => export.learn(&reply),
            UNSUPPORTED => return Ok(false),
            kind if kind >> 31 == 1 => {
                let why = String::from_utf8_lossy(&reply);
                let why = if why.is_empty() {
                    format!("error {kind:#x}").into()
                } else {
                    why
                };
                return Err(io::Error::other(format!(
                    "the server refuses the export \"{name}\": {why}"
                )));
            }
            _ => {}
        }
    }
}

impl Export {
    fn learn(&mut self, info: &[u8]) {
        let u16_at = |at: usize| {
            info.get(at..at + 2)
                .map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
        };
        let u32_at = |at: usize| Some((u32::from(u16_at(at)?) << 16) | u32::from(u16_at(at + 2)?));
        match (u16_at(0), u32_at(2), u32_at(6), u32_at(10), u16_at(10)) {
            (Some(INFO_EXPORT), Some(high), Some(low), _, Some(flags)) => {
                self.size = (u64::from(high) << 32) | u64::from(low);
                self.flags = flags;
            }
            (Some(INFO_BLOCK_SIZE), Some(least), _, Some(most), _) => {
                self.sector = least.max(1);
                self.most = most.min(MOST);
            }
            _ => {}
        }
    }
}

fn put_option(stream: &mut Stream, option: u32, data: &[u8]) -> io::Result<()> {
    let mut bytes = OPTION.to_be_bytes().to_vec();
    bytes.extend(option.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    stream.write_all(&bytes)
}

/// A connection.
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
        })
    }

    fn wait_at_most(&self, time: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(time),
            Self::Unix(stream) => stream.set_read_timeout(time),
        }
    }

    fn take_bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(into),
            Self::Unix(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
