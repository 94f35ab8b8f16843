//! The status page and clients that hold it, over real connections.
//!
//! Planted bugs that these catch: a panic that ends the page; a client that may take forever; clients without a limit;
//! a look at the drive for each request, or one that is older than the request.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use ssdlab_drive::Status;
use ssdlab_nbdkit::status::{HostNames, Rules, StatusPage};

use crate::http::status;

/// A page that answers until the test ends.
struct Running {
    page: Option<StatusPage>,
    address: SocketAddr,
}

impl Running {
    fn start(
        patience: Duration,
        status: impl Fn() -> Option<Status> + Send + Sync + 'static,
    ) -> Self {
        let rules = Rules {
            patience,
            ..Rules::with(HostNames::default())
        };
        let (page, address) = StatusPage::bind(([127, 0, 0, 1], 0).into(), rules).expect("a port");
        Self {
            page: Some(page.start(status).expect("a thread")),
            address,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        let wait = Some(Duration::from_secs(60));
        stream.set_read_timeout(wait).expect("a time");
        stream
    }

    /// Connects and asks.
    fn asks(&self) -> TcpStream {
        let mut stream = self.connect();
        let request = b"GET /status.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(request).expect("it is taken");
        stream
    }

    /// The whole answer.
    fn get(&self) -> String {
        read(self.asks())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let start = Instant::now();
        self.page.take().expect("it runs").end();
        assert!(start.elapsed() < Duration::from_secs(60), "it does not end");
    }
}

/// All that comes until the connection ends, which it must.
fn read(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => String::from_utf8(text).expect("text"),
    }
}

/// Whether the server has its end of a connection open, which a client that does not read cannot see.
fn is_open(client: &TcpStream) -> bool {
    let [server, client] = [client.peer_addr(), client.local_addr()]
        .map(|address| format!("0100007F:{:04X}", address.expect("an address").port()));
    let connections = fs::read_to_string("/proc/net/tcp").expect("a table");
    const ESTABLISHED: &str = "01";
    connections.contains(&format!(" {server} {client} {ESTABLISHED} "))
}

const LONG: Duration = Duration::from_secs(100);
const SHORT: Duration = Duration::from_millis(200);

#[test]
fn a_panic_ends_one_connection() {
    let is_well = Arc::new(AtomicBool::new(true));
    let (found, looks_well) = (status(), Arc::clone(&is_well));
    let page = Running::start(LONG, move || {
        let is_well = looks_well.load(Ordering::Relaxed);
        assert!(is_well, "a test of what a panic ends");
        Some(found.clone())
    });
    for is_answered in [false, true, false, true, true] {
        is_well.store(is_answered, Ordering::Relaxed);
        let answer = page.get();
        assert_eq!(answer.starts_with("HTTP/1.1 200 "), is_answered, "{answer}");
    }
}

#[test]
fn a_slow_client_is_left() {
    let found = status();
    let page = Running::start(SHORT, move || Some(found.clone()));
    let silent = page.connect();
    let mut slow = page.connect();
    let start = Instant::now();
    while slow.write_all(b"G").is_ok() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it is still there"
        );
        sleep(Duration::from_millis(10));
    }
    assert!(start.elapsed() >= SHORT / 2, "{:?}", start.elapsed());
    assert_eq!(read(silent), "");
}

#[test]
fn a_client_that_does_not_read_is_left() {
    const BIG: usize = 64 << 20;
    let looks = AtomicU64::new(0);
    let small = status();
    let mut big = small.clone();
    big.read_only = Some("x".repeat(BIG));
    let page = Running::start(SHORT, move || {
        let first = looks.fetch_add(1, Ordering::Relaxed) == 0;
        Some(if first { big.clone() } else { small.clone() })
    });
    let still = page.asks();
    // once there is something to read, its answer has begun
    still.peek(&mut [0]).expect("an answer");
    assert!(page.get().starts_with("HTTP/1.1 200 "));
    let start = Instant::now();
    while is_open(&still) {
        assert!(start.elapsed() < Duration::from_secs(60), "it still is");
        sleep(Duration::from_millis(10));
    }
    let got = read(still);
    assert!(
        got.starts_with("HTTP/1.1 200 ") && got.len() < BIG,
        "{}",
        got.len()
    );
}

#[test]
fn a_further_client_takes_the_place_of_the_oldest() {
    let found = status();
    let page = Running::start(LONG, move || Some(found.clone()));
    let idle: Vec<TcpStream> = (0..100).map(|_| page.connect()).collect();
    assert!(page.get().starts_with("HTTP/1.1 200 "));
    let is_open = |stream: &TcpStream| {
        stream.set_nonblocking(true).expect("a mode");
        let peeked = stream.peek(&mut [0]);
        peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    };
    let open: Vec<bool> = idle.iter().map(is_open).collect();
    let count = open.iter().filter(|is_open| **is_open).count();
    assert_eq!(count, 15, "{open:?}");
    assert!(open[85..].iter().all(|is_open| *is_open), "{open:?}");
}

#[test]
fn the_drive_is_looked_at_seldom_and_never_before_the_request() {
    let looks = Arc::new(AtomicU64::new(0));
    let now = Arc::new(AtomicU64::new(0));
    let (of_page, seen, found) = (Arc::clone(&looks), Arc::clone(&now), status());
    let page = Running::start(LONG, move || {
        of_page.fetch_add(1, Ordering::SeqCst);
        let capacity = seen.load(Ordering::SeqCst);
        Some(Status {
            capacity,
            ..found.clone()
        })
    });
    let start = Instant::now();
    scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..4 {
                    let before = now.fetch_add(1, Ordering::SeqCst);
                    let answer = page.get();
                    let (_, capacity) = answer.split_once("\"capacity\":").expect("a status");
                    let capacity: u64 = capacity
                        .split(',')
                        .next()
                        .expect("one")
                        .parse()
                        .expect("one");
                    assert!(capacity > before, "{capacity} is older than {before}");
                }
            });
        }
    });
    let most = start.elapsed().as_millis() as u64 / 100 + 1;
    let looks = looks.load(Ordering::SeqCst);
    assert!((4..=most).contains(&looks), "{looks} looks, at most {most}");
}
