//! The addresses of a trace over time.

use proptest::prelude::*;
use ssdlab_characterise::Raster;
use ssdlab_host::{Op, Request};

const OPS: [Op; 3] = [Op::Read, Op::Write, Op::Discard];

fn request() -> impl Strategy<Value = Request> {
    let scaled = |most: u32| (0..most, 0_u64..1 << 20).prop_map(|(shift, value)| value << shift);
    (scaled(40), 0..3_usize, scaled(30), 1..200_000_u64).prop_map(|(time, op, offset, size)| {
        Request::new(time, OPS[op], offset, size).expect("small")
    })
}

// planted bugs: a request outside its mark; a mark without requests, as after widening by a factor too much; marks of one
// operation under another; times that get earlier; a raster that is much coarser than it may be, or that grows
proptest! {
    #[test]
    fn marks_are_where_the_requests_are(requests in prop::collection::vec(request(), 1..200)) {
        let mut raster = Raster::default();
        requests.iter().for_each(|request| raster.add(request));
        let (earliest, latest) = raster.times().expect("requests");
        // times count from the first request
        let first_ns = requests[0].time_ns;
        let time = |request: &Request| request.time_ns.saturating_sub(first_ns);
        prop_assert_eq!(Some(earliest), requests.iter().map(time).min());
        prop_assert_eq!(Some(latest), requests.iter().map(time).max());
        prop_assert_eq!(Some(raster.end()), requests.iter().map(Request::end).max());
        for op in OPS {
            let of_op = || requests.iter().filter(|request| request.op() == op);
            let marks = raster.marks(op, 0);
            for request in of_op() {
                let mut covered = request.offset;
                for mark in &marks {
                    let at_time = (mark.from_ns..mark.to_ns).contains(&time(request));
                    if at_time && mark.first <= covered {
                        covered = covered.max(mark.end);
                    }
                }
                prop_assert!(covered >= request.end(), "{request:?}");
            }
            for mark in &marks {
                let within = |request: &Request| {
                    (mark.from_ns..mark.to_ns).contains(&time(request))
                        && request.offset < mark.end
                        && request.end() > mark.first
                };
                prop_assert!(of_op().any(within), "{mark:?}");
                let (columns, row) = (latest - earliest + 1, raster.end());
                prop_assert!(mark.to_ns - mark.from_ns <= columns.div_ceil(128));
                prop_assert!((mark.end - mark.first).is_power_of_two() || mark.end - mark.first >= row / 256);
            }
            prop_assert!(marks.len() <= 512 * 128);
        }
        prop_assert!(raster.marks(Op::Flush, 0).is_empty());
    }
}

// planted bug: state for each request
#[test]
fn many_requests_make_few_marks() {
    let mut raster = Raster::default();
    for i in 0..1_000_000_u64 {
        let offset = (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) & !4095;
        raster.add(&Request::new(i * 1000, Op::Read, offset, 4096).expect("small"));
    }
    // every spot has a read, so each column is one mark
    let marks = raster.marks(Op::Read, 0);
    assert!((256..=512).contains(&marks.len()), "{}", marks.len());
    assert!(marks.iter().all(|mark| mark.first == 0));
}

// planted bugs: marks of one stream under another; streams that are kept apart without end; marks that are lost when
// streams are taken together
#[test]
fn a_few_streams_are_kept_apart() {
    let raster = |streams: u16| {
        let mut raster = Raster::new(8, 8);
        for stream in 0..streams {
            let time = u64::from(stream);
            let request = Request::new(time, Op::Write, time * 4096, 4096).expect("small");
            raster.add(&request.in_stream(stream));
        }
        raster
    };
    let few = raster(4);
    let kinds: Vec<_> = few.kinds().collect();
    assert_eq!(kinds, [0, 1, 2, 3].map(|stream| (Op::Write, stream)));
    for stream in 0..4 {
        let [mark] = few.marks(Op::Write, stream)[..] else {
            panic!("{stream}");
        };
        assert_eq!(mark.from_ns, u64::from(stream));
    }
    let many = raster(5);
    assert_eq!(many.kinds().collect::<Vec<_>>(), [(Op::Write, 0)]);
    assert_eq!(many.marks(Op::Write, 0).len(), 5);
}
