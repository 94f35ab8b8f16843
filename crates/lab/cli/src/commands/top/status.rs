//! The JSON of `ssdlab serve --status`. What answers may be anything.

use std::fmt::{self, Display, Formatter};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde::Deserialize;
use ssdlab_device::{Counters, FIGURES, FlashBytes, LatencyByOp};
use ssdlab_words::shown_text;

/// A text of the server that is safe on a terminal, and not long.
#[derive(Deserialize)]
#[serde(from = "String")]
pub struct Text(String);

impl From<String> for Text {
    fn from(text: String) -> Self {
        const MOST: usize = 100;
        let shown = shown_text(&text.chars().take(MOST + 1).collect::<String>());
        match shown.char_indices().nth(MOST) {
            Some((end, _)) => Self(format!("{}…", &shown[..end])),
            None => Self(shown),
        }
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a drive has done since it was opened, and how it is; bytes, pages and ns.
#[derive(Deserialize)]
pub struct Status {
    pub capacity: u64,
    pub ftl: Text,
    pub counters: Counters,
    pub write_amplification: Option<f64>,
    pub bytes_to_flash: FlashBytes,
    pub buffer: BufferUse,
    pub erases: Erases,
    pub latency_ns: Option<LatencyByOp>,
    #[serde(default)]
    pub figures: Vec<Figure>,
    pub read_only: Option<Text>,
}

/// A figure as the server says it.
#[derive(Deserialize)]
pub struct Figure {
    key: String,
    pub title: Text,
    pub text: Text,
}

#[derive(Deserialize)]
pub struct BufferUse {
    pub policy: Text,
    pub pages: u64,
    pub held: u64,
    pub dirty: u64,
}

/// Over the life of the drive.
#[derive(Deserialize)]
pub struct Erases {
    pub least: Option<u32>,
    pub most: Option<u32>,
    /// The most of each group of adjacent blocks.
    pub cells: Vec<u32>,
    pub blocks_of_a_cell: usize,
}

impl Status {
    /// Asks the server.
    ///
    /// # Errors
    /// Nothing answers, or something else than a served drive: the reason.
    pub fn fetch(address: SocketAddr) -> Result<Self, String> {
        let answer = answer(address).map_err(|error| match error.kind() {
            io::ErrorKind::ConnectionRefused => "nothing listens".to_owned(),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "no answer".to_owned(),
            _ => error.to_string(),
        })?;
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        let line = head.lines().next().unwrap_or_default();
        if !line.starts_with("HTTP/") {
            return Err("what listens is no web server".to_owned());
        }
        if line.split(' ').nth(1) != Some("200") {
            let line = Text::from(line.to_owned());
            return Err(format!("the server answers \"{line}\" for /status.json"));
        }
        let status = serde_json::from_str(body).map_err(|error| {
            let error = Text::from(error.to_string());
            format!("/status.json is not that of a drive: {error}")
        });
        let mut status: Self = status?;
        // where there is little room, those of other crates are seen
        let is_built_in = |key: &str| FIGURES.iter().any(|figure| figure.key == key);
        status
            .figures
            .sort_by_key(|figure| is_built_in(&figure.key));
        Ok(status)
    }
}

/// The answer with its head.
fn answer(address: SocketAddr) -> io::Result<Vec<u8>> {
    /// For all of it.
    const PATIENCE: Duration = Duration::from_secs(2);
    /// Of 1024 cells and all counters, many times.
    const LONGEST: usize = 1 << 20;
    let end = Instant::now() + PATIENCE;
    let left = || match end.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        left => io::Result::Ok(left),
    };
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    // version 1.0: the answer ends with the connection, and is in one piece
    let request = format!("GET /status.json HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.set_write_timeout(Some(left()?))?;
    stream.write_all(request.as_bytes())?;
    let (mut bytes, mut part) = (Vec::new(), [0; 1 << 13]);
    loop {
        stream.set_read_timeout(Some(left()?))?;
        match stream.read(&mut part) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&part[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if bytes.len() > LONGEST {
            return Err(io::Error::other("the answer has no end"));
        }
    }
}
