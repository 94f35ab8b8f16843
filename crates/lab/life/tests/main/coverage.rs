//! The ranges on drives that owners reported: 500 of linuxhw/EnterpriseDrive and bsdhw/SMART (CC BY 4.0, reduced), chosen by a hash among
//! those that were read twice, wrote a fifth more in between and were 5 % used or more.
//!
//! Planted bugs that these catch: a range that is too narrow, or too wide to say anything; a reading that is ignored.

use ssdlab_counters::Kind;
use ssdlab_life::{Question, Range, answer};

/// `set,kind,model,capacity_bytes,host_bytes,percentage_used,later_host_bytes,later_percentage_used`.
fn fleet() -> Vec<(Question, f64, f64)> {
    let rows = include_str!("../fleet.csv").lines().skip(1);
    let rows = rows.map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        let [_, kind, model, capacity, host, used, later, later_used] = fields[..] else {
            panic!("{row}");
        };
        let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{row}"));
        let question = Question {
            drive: Some(model.to_owned()),
            capacity: Some(number(capacity) as u64),
            kind: Some(if kind == "NVMe" {
                Kind::Nvme
            } else {
                Kind::Sata
            }),
            written: Some(number(host)),
            used: Some(number(used) as u64),
            ..Question::default()
        };
        (question, number(later), number(later_used))
    });
    rows.collect()
}

/// The share of drives whose percentage, a whole number that was rounded down, lies in the range, and the median width of the ranges.
fn covered(ranges: &[([f64; 2], f64)]) -> (f64, f64) {
    let inside = ranges
        .iter()
        .filter(|([low, high], used)| *low <= used + 1.0 && used <= high);
    let mut widths: Vec<f64> = ranges
        .iter()
        .map(|([low, high], _)| high / low.max(1e-9))
        .collect();
    widths.sort_by(f64::total_cmp);
    (
        inside.count() as f64 / ranges.len() as f64,
        widths[widths.len() / 2],
    )
}

#[test]
fn eight_of_ten_drives_lie_in_the_ranges() {
    let fleet = fleet();
    assert_eq!(fleet.len(), 500);
    let (mut by_name, mut by_reading) = (Vec::new(), Vec::new());
    for (mut question, later, used) in fleet {
        let tb = |range: Option<Range>| range.expect("a range").map(|tb| tb * 1e12);
        let (host, before) = (
            question.written.take().expect("bytes"),
            question.used.take().expect("percent"),
        );
        let named = tb(answer(&question).expect("an answer").tb_to_100);
        by_name.push(([100.0 * later / named.p90, 100.0 * later / named.p10], used));
        (question.written, question.used) = (Some(host), Some(before));
        if before < 100 {
            let left = tb(answer(&question).expect("an answer").tb_left);
            let share = 99.5 - before as f64;
            let then = |left: f64| before as f64 + 0.5 + share * (later - host) / left;
            by_reading.push(([then(left.p90), then(left.p10)], used));
        }
    }
    let ((named, wide), (read, narrow)) = (covered(&by_name), covered(&by_reading));
    println!("by name {named:.3} (times {wide:.1}), by a reading {read:.3} (times {narrow:.1})");
    assert!(
        named > 0.75 && read > 0.75,
        "by name {named}, by a reading {read}"
    );
    assert!(
        wide < 12.0 && narrow < 3.0,
        "by name {wide}, by a reading {narrow}"
    );
}
