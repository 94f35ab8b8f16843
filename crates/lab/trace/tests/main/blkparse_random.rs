//! Random blkparse lines, whole and damaged, against the meaning of their letters in the plainest words.

use crate::blkparse::line;
use crate::common::{read_damaged, read_pieces, request, with};
use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Format, ReadOptions};
use std::fmt::Write;
use std::iter;

fn options() -> ReadOptions {
    with(|options| options.format = Format::named("blkparse"))
}

/// A request as blkparse would print it, and what it decodes to.
#[derive(Clone, Debug)]
struct Printed {
    seconds: u64,
    nanoseconds: u64,
    letters: String,
    place: Option<(u64, u64)>,
    process: String,
}

fn printed() -> impl Strategy<Value = Printed> {
    let letters = "F?(R|W|D|DE)F?A?S?M?";
    let place = proptest::option::of((0..1u64 << 54, 1..1u64 << 36));
    (
        0..1u64 << 31,
        0..1_000_000_000u64,
        letters,
        place,
        "[^\r\n]{0,15}",
    )
        .prop_map(|(seconds, nanoseconds, letters, place, process)| Printed {
            seconds,
            nanoseconds,
            letters,
            place,
            process,
        })
}

impl Printed {
    /// In the plainest words: what the letters mean.
    fn requests(&self, start: u64) -> Vec<Request> {
        let time = (self.seconds * 1_000_000_000 + self.nanoseconds).saturating_sub(start);
        let flush = request(time, Op::Flush, 0, 0);
        let (before, body) = match self.letters.strip_prefix('F') {
            Some(body) => (true, body),
            None => (false, &*self.letters),
        };
        let mut requests = vec![flush; usize::from(before)];
        if let Some((sector, sectors)) = self.place {
            let op = match body.as_bytes()[0] {
                b'R' => Op::Read,
                b'W' => Op::Write,
                _ => Op::Discard,
            };
            requests.push(request(time, op, sector * 512, sectors * 512));
            if op == Op::Write && body.contains('F') {
                requests.push(flush);
            }
        }
        requests
    }

    fn line(&self) -> String {
        let place = self
            .place
            .map_or(String::new(), |(at, n)| format!("{at} + {n} "));
        let rest = format!("{:>3} {place}[{}]", self.letters, self.process);
        line(
            &format!("{}.{:09}", self.seconds, self.nanoseconds),
            "D",
            &rest,
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Planted bugs: a line lost where a piece or a batch ends; the lines of a FUA write counted apart.
    #[test]
    fn requests_survive(
        all in vec(printed(), 1..60),
        repeat in prop::sample::select(vec![1, 1, 1, 200]),
        lengths in vec(1..300usize, 1..8),
        crlf: bool,
    ) {
        let all: Vec<_> = iter::repeat_n(all, repeat).flatten().collect();
        let mut text = String::new();
        for each in &all {
            write!(text, "{}{}", line("0.000000000", "I", "W 0 + 1 [x]"), each.line()).unwrap();
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let lengths = if repeat > 1 { vec![100_000] } else { lengths };
        let start = all.iter().find(|p| !p.requests(0).is_empty()).map_or(0, |p| p.requests(0)[0].time_ns);
        let expected: Vec<_> = all.iter().flat_map(|p| p.requests(start)).collect();
        let lines = (2..).step_by(2).zip(&all).flat_map(|(line, p)| vec![line; p.requests(0).len()]);
        let decoded = read_pieces(text, &lengths, &options()).unwrap();
        prop_assert_eq!(&decoded.requests, &expected);
        prop_assert_eq!(&decoded.lines, &lines.collect::<Vec<u64>>());
        let left_out: u64 = decoded.summary.skipped.values().sum();
        prop_assert_eq!(left_out, all.iter().map(|p| 1 + u64::from(p.requests(0).is_empty())).sum::<u64>());
    }

    /// Planted bugs: slicing past the end of a line; a place of the file that changes the answer.
    #[test]
    fn damage_never_panics_and_pieces_do_not_matter(
        all in vec(printed(), 1..8),
        place: prop::sample::Index,
        bytes in vec(any::<u8>(), 0..6),
        cut in 0..6usize,
        length in 1..100usize,
    ) {
        let text = all.iter().flat_map(|printed| printed.line().into_bytes());
        read_damaged(text.collect(), (place, cut, bytes), length, &options())?;
    }
}
