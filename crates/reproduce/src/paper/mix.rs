//! Several traces at once, as of programs that run beside each other on one drive.

use ssdlab_host::{Op, Request};
use ssdlab_trace::side_by_side;

/// The requests of all traces in the order of their times, those of equal times in the order of the traces. Each trace
/// has a part of the volume, behind that of the trace before. `None` if there is no room for them below 2^64 bytes.
pub(super) fn mixed(traces: Vec<Vec<Request>>) -> Option<Vec<Request>> {
    let end = |requests: &Vec<Request>| requests.iter().map(Request::end).max().unwrap_or(0);
    let ends: Vec<u64> = traces.iter().map(end).collect();
    let starts = side_by_side(&ends, None)?;
    let mut all = Vec::new();
    for (start, requests) in starts.into_iter().zip(traces) {
        for request in requests {
            let offset = match request.op() {
                Op::Flush => 0,
                _ => start.checked_add(request.offset)?,
            };
            all.push(Request::new(
                request.time_ns,
                request.op(),
                offset,
                request.size(),
            )?);
        }
    }
    // stable
    all.sort_by_key(|request| request.time_ns);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: u64 = 1 << 30;

    // Planted bugs: the traces one after the other; parts that overlap; a flush with an offset; the second trace first
    // where times are equal.
    #[test]
    fn traces_run_at_once_on_parts_of_their_own() {
        let request = |time, op, offset, size| Request::new(time, op, offset, size).unwrap();
        let one = vec![
            request(1, Op::Write, 0, 4096),
            request(5, Op::Read, PART, 512),
        ];
        let two = vec![
            request(1, Op::Write, 4096, 4096),
            request(3, Op::Flush, 0, 0),
            request(9, Op::Discard, 0, 512),
        ];
        let expected = [
            request(1, Op::Write, 0, 4096),
            request(1, Op::Write, 2 * PART + 4096, 4096),
            request(3, Op::Flush, 0, 0),
            request(5, Op::Read, PART, 512),
            request(9, Op::Discard, 2 * PART, 512),
        ];
        assert_eq!(mixed(vec![one, two]).unwrap(), expected);
        let far = vec![request(0, Op::Write, u64::MAX - 512, 512)];
        assert_eq!(mixed(vec![vec![request(0, Op::Write, 0, 512)], far]), None);
    }
}
