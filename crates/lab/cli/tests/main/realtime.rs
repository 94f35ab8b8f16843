//! `ssdlab serve --realtime` with a client that looks at the clock for each request.
//!
//! Planted bugs that these catch: a reply that comes before the drive would be done, also if the replies around it are
//! late; a wait that ends with that of another request; a slow host that nobody hears of.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::common::Lab;
use crate::nbd::Nbd;
use crate::serve::{CLOCKS, PAGE, SMALL, Server, is_whole, lab, noise, with};

/// Requests in flight.
const DEPTH: usize = 32;

/// A client that may have many requests in flight, of one page each.
struct Client {
    nbd: Nbd,
    sent: BTreeMap<u64, Instant>,
}

impl Client {
    fn connect(lab: &Lab) -> Self {
        Self {
            nbd: Nbd::connect(lab),
            sent: BTreeMap::new(),
        }
    }

    /// Reads or writes a page, named by its offset.
    fn send(&mut self, page: usize, is_write: bool) {
        let offset = (page * PAGE) as u64;
        self.sent.insert(offset, Instant::now());
        self.nbd.send(u8::from(is_write), offset, PAGE);
        if is_write {
            self.nbd.put(&[7; PAGE]);
        }
    }

    /// The next reply: the offset, and the time since it was sent.
    fn reply(&mut self, is_write: impl Fn(u64) -> bool) -> (u64, Duration) {
        let offset = self.nbd.done();
        let now = Instant::now();
        if !is_write(offset) {
            self.nbd.take(PAGE);
        }
        let sent = self.sent.remove(&offset).expect("it was sent");
        (offset, now.duration_since(sent))
    }
}

/// Some pages, each once, most of them read, with `between` after each reply; how long each took, by its offset.
fn requests(lab: &Lab, mut between: impl FnMut(usize)) -> BTreeMap<u64, Duration> {
    let mut client = Client::connect(lab);
    for page in 0..8 {
        client.send(page, true);
    }
    let mut took: BTreeMap<u64, Duration> = (0..8).map(|_| client.reply(|_| true)).collect();
    let mut pages: Vec<(u8, usize)> = noise(248, 9).into_iter().zip(8..256).collect();
    pages.sort_unstable();
    let is_write = |offset: u64| (offset / PAGE as u64).is_multiple_of(3);
    for (number, (_, page)) in pages.iter().enumerate() {
        if number >= DEPTH {
            took.extend([client.reply(is_write)]);
            between(number);
        }
        client.send(*page, is_write((page * PAGE) as u64));
    }
    while !client.sent.is_empty() {
        took.extend([client.reply(is_write)]);
    }
    took
}

#[test]
fn no_reply_is_early() {
    none_is_early(&CLOCKS);
}

// planted bug: the clocks of the parallel model, whose reads wait for programs
#[test]
fn no_reply_of_a_drive_of_today_is_early() {
    none_is_early(&[
        "timing.model=drive",
        "flash.chips_per_channel=4",
        "flash.interleave=line",
        "ftl.pace=paced",
        "timing.program_pages=4",
        "timing.sense_pages=2",
        "timing.program_us=8000",
        "timing.read_us=2000",
        "timing.suspend_us=300",
        "timing.command_us=50",
        "timing.write_host_us=500",
    ]);
}

fn none_is_early(clocks: &[&'static str]) {
    let mut settings = clocks.to_vec();
    // reads need pages with data
    settings.push("precondition=full");
    let lab = lab(&settings);
    let server = Server::start(&lab, &["--realtime", "--record", "t.csv"]);
    let took = requests(&lab, |_| {});
    server.end();
    is_whole(&lab);

    lab.write("small.toml", SMALL);
    settings.push("replay=timed");
    let run = "run t.csv --config small.toml --latencies l.csv";
    lab.ok(&with(run, &settings));
    let (trace, times) = (lab.read("t.csv"), lab.read("l.csv"));
    let (mut seen, mut busy) = (0, 0);
    for (request, times) in trace.lines().zip(times.lines()).skip(1) {
        let number = |line: &str, place| -> u64 {
            let field = line.split(',').nth(place).expect("a field");
            field.parse().unwrap_or_else(|_| panic!("{line}"))
        };
        // the last flush is the server's own
        let Some(took) = took
            .get(&number(request, 2))
            .filter(|_| !request.contains(",F,"))
        else {
            continue;
        };
        let due = Duration::from_nanos(number(times, 3) - number(times, 2));
        assert!(
            *took >= due,
            "{request}: a reply after {took:?}, not {due:?}"
        );
        seen += 1;
        busy += u64::from(due > Duration::from_millis(4));
    }
    assert_eq!(seen, 256);
    // chips were waited for
    assert!(busy > 100, "{busy}");
}

#[test]
fn a_slow_host_is_warned_of_once() {
    let lab = lab(&CLOCKS);
    let server = Server::start(&lab, &["--realtime"]);
    requests(&lab, |number| {
        // the server loses its processor twice, with requests in hand
        if number == 150 || number == 200 {
            server.signal(Signal::STOP);
            std::thread::sleep(Duration::from_millis(60));
            server.signal(Signal::CONT);
        }
    });
    server.signal(Signal::TERM);
    let (code, message) = server.wait();
    assert_eq!(code, 0, "{message}");
    let so_far = "replies were more than 1 ms late so far; this machine is too slow for the drive";
    assert_eq!(message.matches(so_far).count(), 1, "{message}");
    let end = "more than 1 ms late; this machine is too slow for the drive";
    assert!(message.contains(end), "{message}");
}
