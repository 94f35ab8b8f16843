//! A web server on loopback that serves one file, as well or as badly as a test wants.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A file and the server's faults.
#[derive(Clone, Debug)]
pub struct File {
    pub bytes: Vec<u8>,
    pub etag: Option<String>,
    pub modified: Option<String>,
    /// Whether it serves ranges.
    pub ranges: bool,
    /// Whether it knows `If-Range`.
    pub if_range: bool,
    /// Whether it says how long a file is.
    pub length: bool,
    /// The next bodies end after so many bytes, all others at their end.
    pub cuts: Vec<usize>,
    /// The statuses of the next answers.
    pub statuses: Vec<u16>,
    /// It sends at most so many bytes of a range, and does not say how long the file is.
    pub most: Option<usize>,
    /// It redirects `/moved` so often.
    pub redirects: usize,
    /// It waits before each 64 KiB of a body.
    pub pace: Duration,
}

impl File {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            etag: Some("\"one\"".to_owned()),
            modified: None,
            ranges: true,
            if_range: true,
            length: true,
            cuts: Vec::new(),
            statuses: Vec::new(),
            most: None,
            redirects: 1,
            pace: Duration::ZERO,
        }
    }
}

/// A running server; it ends with the tests.
pub struct Server {
    port: u16,
    file: Arc<Mutex<File>>,
    /// The head of each request.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start(file: File) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (file, asked) = (Arc::new(Mutex::new(file)), Arc::default());
        let server = Self { port, file, asked };
        let (file, asked) = (Arc::clone(&server.file), Arc::clone(&server.asked));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (file, asked) = (Arc::clone(&file), Arc::clone(&asked));
                // a client that has gone is its own business
                std::thread::spawn(move || answer(client, &file, &asked));
            }
        });
        server
    }

    /// The address of a path, such as `/a.csv`.
    pub fn at(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().expect("no test panics with it")
    }

    /// The heads of the requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no test panics with it").clone()
    }

    /// The `Range` of each request so far; `-` for the whole file.
    pub fn ranges(&self) -> Vec<String> {
        let range = |head: &String| header(head, "range").unwrap_or("-".to_owned());
        self.asked().iter().map(range).collect()
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (own, value) = line.split_once(':')?;
        own.eq_ignore_ascii_case(name)
            .then(|| value.trim().to_owned())
    })
}

fn answer(
    mut client: TcpStream,
    file: &Mutex<File>,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut head = String::new();
    let mut lines = BufReader::new(client.try_clone()?);
    while lines.read_line(&mut head)? > 2 {}
    let (now, status, cut) = {
        let mut file = file.lock().expect("no test panics with it");
        let status = (!file.statuses.is_empty()).then(|| file.statuses.remove(0));
        let serves = status.is_none() && !head.contains(" /moved");
        let cut = (serves && !file.cuts.is_empty()).then(|| file.cuts.remove(0));
        (file.clone(), status, cut)
    };
    asked
        .lock()
        .expect("no test panics with it")
        .push(head.clone());
    if let Some(status) = status {
        return write!(
            client,
            "HTTP/1.1 {status} Fault\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    let moved = head
        .split(' ')
        .nth(1)
        .and_then(|path| path.strip_prefix("/moved"));
    if let Some(number) = moved {
        let number: usize = number.parse().unwrap_or(0);
        let to = match number + 1 < now.redirects {
            true => format!("/moved{}", number + 1),
            false => "/there.csv".to_owned(),
        };
        return write!(
            client,
            "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    let size = now.bytes.len();
    let validators = [&now.etag, &now.modified];
    let is_same = header(&head, "if-range").is_none_or(|sent| {
        !now.if_range || validators.iter().any(|own| own.as_deref() == Some(&*sent))
    });
    let range = header(&head, "range").filter(|_| now.ranges && is_same);
    let range = range.map(|range| {
        let (first, last) = range
            .trim_start_matches("bytes=")
            .split_once('-')
            .expect("a range");
        let first: usize = first.parse().expect("a number");
        let end = last
            .parse::<usize>()
            .map_or(size, |last| size.min(last + 1));
        (first, end)
    });
    let mut reply = "Connection: close\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n".to_owned();
    for (name, value) in [("ETag", &now.etag), ("Last-Modified", &now.modified)] {
        if let Some(value) = value {
            reply += &format!("{name}: {value}\r\n");
        }
    }
    let body = match range {
        Some((first, end)) if first >= end => {
            return write!(
                client,
                "HTTP/1.1 416 Not there\r\nContent-Range: bytes */{size}\r\nContent-Length: 0\r\n{reply}\r\n"
            );
        }
        Some((first, end)) => {
            let end = now.most.map_or(end, |most| end.min(first + most));
            let of = now.most.map_or(size.to_string(), |_| "*".to_owned());
            reply += &format!("Content-Range: bytes {first}-{}/{of}\r\n", end - 1);
            reply = format!("HTTP/1.1 206 Part\r\n{reply}");
            &now.bytes[first..end]
        }
        None => {
            reply = format!("HTTP/1.1 200 Yes\r\n{reply}");
            &now.bytes[..]
        }
    };
    if now.length {
        reply += &format!("Content-Length: {}\r\n", body.len());
    }
    write!(client, "{reply}\r\n")?;
    let sent = &body[..cut.unwrap_or(body.len()).min(body.len())];
    for piece in sent.chunks(1 << 16) {
        std::thread::sleep(now.pace);
        client.write_all(piece)?;
    }
    Ok(())
}
