//! Replays against targets in memory, some of which lie, fail or look at the clock.
//!
//! Planted bugs that these tests catch: reads that are not compared; the end of the replay that is not compared; an
//! outstanding request that others overtake where they touch the same bytes; more requests outstanding than allowed; a
//! request sent before its time; a wrapped request that loses its second part; no flush at the end.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use ssdlab_replay::{Options, Pace, ReplayError, Replayed, Target, replay};
use ssdlab_trace::{ReadOptions, TraceReader};

const SIZE: usize = 1 << 16;

/// Bytes in memory. Each request takes a while, so that others overtake it if they can.
#[derive(Default)]
struct Memory {
    bytes: Mutex<Vec<u8>>,
    /// The requests so far.
    requests: AtomicU64,
    /// Those that are outstanding, with the bytes of each and whether it changes them.
    outstanding: Mutex<Vec<(u64, u64, bool)>>,
    most: AtomicU64,
    flushes: AtomicU64,
    /// What goes wrong at which request.
    fault: Option<(u64, Fault)>,
    delay: Duration,
}

#[derive(Clone, Copy)]
enum Fault {
    Fails,
    /// A write is lost.
    Lost,
    /// A write goes to another place.
    Misplaced,
    /// Half of a write is lost.
    Torn,
}

impl Memory {
    fn new(fault: Option<(u64, Fault)>) -> Self {
        Self {
            bytes: Mutex::new(vec![0; SIZE]),
            fault,
            ..Self::default()
        }
    }

    fn outstanding(&self) -> MutexGuard<'_, Vec<(u64, u64, bool)>> {
        self.outstanding.lock().expect("no panic")
    }

    /// Serves a request between the begin of its time and the end.
    fn serve(
        &self,
        offset: u64,
        length: u64,
        changes: bool,
        serve: impl FnOnce(Option<Fault>, &mut Vec<u8>),
    ) -> io::Result<()> {
        let number = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        let end = offset + length;
        {
            let mut outstanding = self.outstanding();
            let meets = |&(begin, other, _): &(u64, u64, bool)| begin < end && offset < other;
            let clash = outstanding
                .iter()
                .filter(|other| meets(other))
                .any(|other| changes || other.2);
            assert!(!clash, "a request overtakes another one at {offset}");
            outstanding.push((offset, end, changes));
            self.most
                .fetch_max(outstanding.len() as u64, Ordering::SeqCst);
        }
        thread::sleep(self.delay);
        let fault = self
            .fault
            .filter(|&(at, _)| at == number)
            .map(|(_, fault)| fault);
        serve(fault, &mut self.bytes.lock().expect("no panic"));
        let mut outstanding = self.outstanding();
        let own = outstanding
            .iter()
            .position(|&other| other == (offset, end, changes));
        outstanding.swap_remove(own.expect("it is outstanding"));
        match fault {
            Some(Fault::Fails) => Err(io::Error::other("the flash is worn out")),
            _ => Ok(()),
        }
    }
}

impl Target for Memory {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn size(&self) -> u64 {
        SIZE as u64
    }

    fn sector(&self) -> u64 {
        512
    }

    fn discards(&self) -> bool {
        true
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.serve(offset, into.len() as u64, false, |_, bytes| {
            into.copy_from_slice(&bytes[offset as usize..][..into.len()]);
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.serve(offset, data.len() as u64, true, |fault, bytes| {
            let (at, stored) = match fault {
                Some(Fault::Lost | Fault::Fails) => (0, &data[..0]),
                Some(Fault::Misplaced) => ((offset as usize + 512) % (SIZE - data.len()), data),
                Some(Fault::Torn) => (offset as usize, &data[..data.len() - 256]),
                None => (offset as usize, data),
            };
            bytes[at..][..stored.len()].copy_from_slice(stored);
        })
    }

    fn flush(&self) -> io::Result<()> {
        self.flushes.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn discard(&self, offset: u64, length: u64) -> io::Result<()> {
        self.serve(offset, length, true, |_, bytes| {
            bytes[offset as usize..][..length as usize].fill(9)
        })
    }

    fn close(&self) -> io::Result<()> {
        Ok(())
    }
}

fn replayed<'a>(
    trace: &str,
    target: &Memory,
    change: impl FnOnce(&mut Options<'a>),
) -> Result<Replayed, ReplayError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.csv");
    let mut file = std::fs::File::create(&path).expect("a file");
    write!(file, "time_ns,op,offset_bytes,size_bytes\n{trace}").expect("it is written");
    let mut reader = TraceReader::open(&path, &ReadOptions::default()).expect("a trace");
    let mut options = Options {
        pace: Pace::Closed,
        queue_depth: 1,
        wrap: false,
        verify: true,
        completed: None,
    };
    change(&mut options);
    replay(&mut reader, target, "memory", options)
}

/// Requests of one to eight sectors, some of them read or discarded.
fn random(seed: u64, requests: usize) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut line = |_| {
        let sectors = SIZE as u64 / 512;
        let first = random.u64(..sectors);
        let count = random.u64(1..=8).min(sectors - first);
        let op = ['R', 'W', 'W', 'W', 'D', 'F'][random.usize(..6)];
        match op {
            'F' => "0,F,0,0\n".to_owned(),
            op => format!("0,{op},{},{}\n", first * 512, count * 512),
        }
    };
    (0..requests).map(&mut line).collect()
}

#[test]
fn honest_targets_pass_at_each_depth() {
    for depth in [1, 2, 5, 16] {
        let mut target = Memory::new(None);
        target.delay = Duration::from_micros(100);
        let mut seen = Vec::new();
        let mut completed = |done: ssdlab_replay::Completed| seen.push(done);
        let done = replayed(&random(depth, 800), &target, |options| {
            options.queue_depth = depth as u32;
            options.completed = Some(&mut completed);
        });
        let done = done.expect("an honest target");
        let most = target.most.into_inner();
        assert!(
            most <= depth && (depth == 1 || most > 1),
            "{most} outstanding of {depth}"
        );
        let counts = &done.counters;
        let sent =
            counts.host_reads + counts.host_writes + counts.host_flushes + counts.host_discards;
        assert_eq!((sent, seen.len()), (800, 800));
        assert_eq!(target.flushes.into_inner(), counts.host_flushes + 1);
        let verified = done.verified.expect("it was asked for");
        assert!(
            verified.read_bytes > 10_000 && verified.end_bytes > 10_000,
            "{verified:?}"
        );
        let mut numbers: Vec<u64> = seen.iter().map(|done| done.number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(1..=800));
        let last = seen.iter().map(|done| done.completed_ns).max();
        assert!(last <= Some(counts.elapsed_ns));
        assert!(seen.iter().all(|done| done.issued_ns <= done.completed_ns));
    }
}

#[test]
fn lies_are_found() {
    // the end finds what no read has found
    let writes = "0,W,0,1024\n1,W,4096,1024\n2,R,8192,512\n";
    let reads = "0,W,0,1024\n1,W,4096,1024\n2,R,4096,1024\n";
    for (fault, found) in [
        (
            Fault::Lost,
            "from 4096 on are not those of write 2, but zeros",
        ),
        (
            Fault::Misplaced,
            "from 4096 on are not those of write 2, but zeros",
        ),
        (
            Fault::Torn,
            "from 4608 on are not those of write 2, but half of them",
        ),
    ] {
        for (trace, when) in [
            (writes, "after the replay"),
            (reads, "request 3 (R at byte 4096)"),
        ] {
            let error = replayed(trace, &Memory::new(Some((2, fault))), |_| ()).expect_err("a lie");
            assert!(matches!(error, ReplayError::Corrupt(_)));
            let message = error.to_string();
            assert!(
                message.contains(found) && message.contains(when),
                "{message}"
            );
        }
    }
    let again = "0,W,0,512\n1,W,0,512\n";
    let error = replayed(again, &Memory::new(Some((2, Fault::Lost))), |_| ()).expect_err("a lie");
    assert!(
        error
            .to_string()
            .ends_with("not those of write 2, but those of write 1 to byte 0"),
        "{error}"
    );
    let unseen = replayed(again, &Memory::new(Some((2, Fault::Lost))), |options| {
        options.verify = false
    });
    assert!(unseen.is_ok());
}

#[test]
fn the_first_failure_ends_the_replay() {
    for depth in [1, 8] {
        let target = Memory::new(Some((100, Fault::Fails)));
        let error = replayed(&random(1, 2000), &target, |options| {
            options.queue_depth = depth
        });
        let message = error.expect_err("it fails").to_string();
        assert!(
            message.starts_with("memory: request ") && message.ends_with(": the flash is worn out"),
            "{message}"
        );
        assert!(target.requests.into_inner() < 100 + u64::from(depth));
    }
}

#[test]
fn requests_wait_for_their_times() {
    let trace = "0,W,0,512\n40000000,W,512,512\n80000000,W,1024,512\n";
    for (speedup, least) in [(1.0, 80), (4.0, 20)] {
        let mut issued = Vec::new();
        let mut completed = |done: ssdlab_replay::Completed| issued.push(done.issued_ns);
        let done = replayed(trace, &Memory::new(None), |options| {
            options.pace = Pace::Timed(speedup);
            options.completed = Some(&mut completed);
        });
        let done = done.expect("an honest target");
        assert!(done.counters.elapsed_ns >= least * 1_000_000);
        let early = issued
            .iter()
            .zip([0.0, 40e6, 80e6])
            .any(|(&at, time)| (at as f64) < time / speedup);
        assert!(!early, "{issued:?}");
        assert!(done.late.is_some());
    }
    let mut slow = Memory::new(None);
    slow.delay = Duration::from_millis(60);
    let late = replayed(trace, &slow, |options| options.pace = Pace::Timed(1.0));
    let late = late.expect("an honest target").late.expect("times");
    assert!(
        late.requests > 0 && late.longest_ns > 10_000_000,
        "{late:?}"
    );
}

#[test]
fn requests_must_fit() {
    for (line, why) in [
        (
            "0,W,65536,512\n",
            "line 2: a request ends at byte 66048, but memory has 65536; --wrap",
        ),
        (
            "0,W,0,131072\n",
            "line 2: a request ends at byte 131072, but memory has 65536",
        ),
        ("0,W,100,512\n", "takes multiples of 512 bytes only"),
        (
            "0,W,0,100\n",
            "a request of 100 bytes from byte 0 on, but memory takes",
        ),
    ] {
        let error = replayed(line, &Memory::new(None), |_| ()).expect_err("it does not fit");
        assert!(
            error.is_bad_input() && error.to_string().contains(why),
            "{error}"
        );
    }
    let target = Memory::new(None);
    let wrapped = replayed("0,W,65024,1024\n", &target, |options| options.wrap = true);
    assert_eq!(
        wrapped
            .expect("it wraps")
            .verified
            .expect("asked for")
            .end_bytes,
        1024
    );
    let bytes = target.bytes.into_inner().expect("no panic");
    assert!(
        bytes[..512].iter().any(|&byte| byte != 0) && bytes[65_024..].iter().any(|&byte| byte != 0)
    );
}
