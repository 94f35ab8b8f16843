//! The JSON of `ssdlab serve --status`.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde::Deserialize;

/// What a drive has done since it was opened, and how it is; bytes, pages and ns.
#[derive(Deserialize)]
pub struct Status {
    pub capacity: u64,
    pub ftl: String,
    pub counters: Counters,
    pub write_amplification: Option<f64>,
    pub bytes_to_flash: FlashBytes,
    pub buffer: BufferUse,
    pub erases: Erases,
    pub latency_ns: Option<Latencies>,
    pub read_only: Option<String>,
}

#[derive(Deserialize)]
pub struct Counters {
    pub host_write_bytes: u64,
    pub erases: u64,
    pub switch_merges: u64,
    pub partial_merges: u64,
    pub full_merges: u64,
    pub gc_victims: u64,
}

#[derive(Deserialize)]
pub struct FlashBytes {
    pub host: u64,
    pub padding: u64,
    pub read_modify_write: u64,
    pub merge: u64,
    pub cleaning: u64,
    pub total: u64,
}

#[derive(Deserialize)]
pub struct BufferUse {
    pub policy: String,
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

#[derive(Deserialize)]
pub struct Latencies {
    #[serde(rename = "R")]
    pub reads: Latency,
    #[serde(rename = "W")]
    pub writes: Latency,
    #[serde(rename = "F")]
    pub flushes: Latency,
    #[serde(rename = "D")]
    pub discards: Latency,
}

#[derive(Deserialize)]
pub struct Latency {
    pub count: u64,
    pub p50: Option<u64>,
    pub p90: Option<u64>,
    pub p99: Option<u64>,
    pub p99_9: Option<u64>,
    pub max: Option<u64>,
}

impl Status {
    /// Asks the server.
    ///
    /// # Errors
    /// Nothing answers, or something else than a served drive: the reason.
    pub fn fetch(address: SocketAddr) -> Result<Self, String> {
        let text = answer(address).map_err(|error| match error.kind() {
            io::ErrorKind::ConnectionRefused => "nothing listens".to_owned(),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "no answer".to_owned(),
            _ => error.to_string(),
        })?;
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        let line = head.lines().next().unwrap_or_default();
        if !line.starts_with("HTTP/") {
            return Err("what listens is no web server".to_owned());
        }
        if line.split(' ').nth(1) != Some("200") {
            return Err(format!("the server answers {line:?} for /status.json"));
        }
        let wrong = |error| format!("/status.json is not that of a drive: {error}");
        serde_json::from_str(body).map_err(wrong)
    }
}

/// The answer with its head.
fn answer(address: SocketAddr) -> io::Result<String> {
    const PATIENCE: Duration = Duration::from_secs(2);
    /// Of 1024 cells and all counters, many times.
    const LONGEST: u64 = 1 << 20;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // version 1.0: the answer ends with the connection, and is in one piece
    let request = format!("GET /status.json HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
