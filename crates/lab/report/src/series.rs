//! The data of the charts, as the JSON object that the scripts read.

use serde_json::{Map, Value, json};
use ssdlab_device::{Bytes, Time};
use ssdlab_sim::{
    Better, Cause, Comparison, Divided, Figure, Outcome, PerCause, Row, RowKind, SPARE,
};

use crate::clocked;
use crate::figures;
use crate::parts::Parts;
use crate::reasons;
use crate::varied::Axis;

/// The largest number of points in a curve of wear; a screen cannot show more.
const WEAR_PAIRS: usize = 300;

/// The data of all charts.
pub fn data(comparison: &Comparison, parts: &Parts) -> Value {
    let spare = parts.varied.axes.iter().position(|axis| axis.key == SPARE);
    let is_knee = |row: &Row| comparison.spare.iter().any(|curve| curve.is_knee(row));
    let clocks = clocked::is_known(comparison);
    let runs = comparison.rows.iter().map(|row| {
        let mut run = run(row, parts);
        run["knee"] = is_knee(row).into();
        for (stack, parts) in stacks(&row.outcome, clocks) {
            let values = parts
                .into_iter()
                .map(|(key, _, value)| (key.to_owned(), json!(value)));
            run[stack] = values.collect::<Map<_, _>>().into();
        }
        run
    });
    let named = |parts: Vec<Part>| -> Value {
        parts
            .into_iter()
            .map(|(key, name, _)| json!([key, name]))
            .collect()
    };
    let stacks: Map<String, Value> = stacks(&Outcome::default(), clocks)
        .map(|(stack, parts)| (stack.to_owned(), named(parts)))
        .into_iter()
        .collect();
    let labels = parts.series.iter().map(|(label, kind)| {
        json!({
            "label": label,
            "bound": *kind == RowKind::Bound,
            "slot": parts.slot(label),
        })
    });
    let interrupted = match comparison.missing_runs {
        0 => "",
        _ => " (incomplete)",
    };
    json!({
        "name": comparison.trace.name,
        "interrupted": interrupted,
        "axes": parts.varied.axes.iter().map(axis).collect::<Vec<_>>(),
        "at": reasons::judged_at(comparison, parts),
        "figure": parts.ranking_place(comparison),
        "figures": parts.charted.iter().map(figure).collect::<Vec<_>>(),
        "series": labels.collect::<Vec<_>>(),
        "runs": runs.collect::<Vec<_>>(),
        "reasons": reasons::all(comparison, parts),
        "spare": spare,
        "clocks": clocks,
        "stacks": stacks,
        "erased": comparison.erased(),
        "activities": clocked::activities(),
        "timelines": clocked::timelines(comparison, parts),
    })
}

fn axis(axis: &Axis) -> Value {
    let values = axis.values.iter();
    json!({
        "title": axis.title,
        "values": values.map(|(text, at)| json!({ "text": text, "at": at })).collect::<Vec<_>>(),
    })
}

fn figure(figure: &Figure) -> Value {
    json!({
        "key": figure.key,
        "title": figure.title,
        "unit": figure.unit.symbol(),
        "decimals": figure.decimals,
        "more": figure.better == Better::More,
        "judged": figure.better != Better::Neither,
    })
}

/// One run: its curve, its place and its values.
fn run(row: &Row, parts: &Parts) -> Value {
    let series = (parts.varied.series(row), row.kind);
    let figures = || parts.charted.iter();
    let bounded = |figure: &Figure| row.bounds.is_some() && row.shows(figure);
    json!({
        "series": parts.series.iter().position(|one| *one == series),
        "at": parts.varied.place(row),
        "figures": figures().map(|figure| figures::value(figure, row)).collect::<Vec<_>>(),
        "bounds": figures().map(bounded).collect::<Vec<_>>(),
        "life": row.outcome.endurance.tb_until_worn.mean,
        "waf": row.outcome.endurance.waf,
        "wear": wear(&row.erase_histogram),
        // bounds have no pictures of their times
        "clocked": match row.kind {
            RowKind::Policy => clocked::run(row),
            RowKind::Bound => Value::Null,
        },
    })
}

/// A part of a stacked bar: its key, which names its colour, its name, and its value.
type Part = (&'static str, &'static str, f64);

/// The stacked bars of a run and all parts that they can have.
fn stacks(outcome: &Outcome, clocks: bool) -> [(&'static str, Vec<Part>); 4] {
    let derived = &outcome.derived;
    let time = match clocks {
        true => by_cause::<Time>(derived.by_cause(), chips_ns(outcome) / 100.0),
        false => by_cause(&derived.time_ns, 1e9),
    };
    [
        ("time", time),
        ("programs", programs(outcome)),
        (
            "bytes",
            by_cause::<Bytes>(&outcome.endurance.flash_bytes, 1e9),
        ),
        ("merges", merges(outcome)),
    ]
}

/// The simulated nanoseconds of all chips; under the serial model one part of the device works at a time.
fn chips_ns(outcome: &Outcome) -> f64 {
    let used = outcome.utilisation.as_ref();
    let chips = used.map_or(1, |used| used.chips.len());
    chips as f64 * outcome.counters.elapsed_ns.max(1) as f64
}

/// The part of each possible cause, in a unit.
fn by_cause<T: Divided>(parts: &PerCause<T>, unit: f64) -> Vec<Part> {
    let causes = T::CAUSES.iter();
    causes
        .map(|&cause| (cause.key(), cause.name(), parts[cause] as f64 / unit))
        .collect()
}

/// The write amplification by kind of program, those that only pad apart; the parts add up to it.
fn programs(outcome: &Outcome) -> Vec<Part> {
    let counters = &outcome.counters;
    let waf = outcome.derived.waf.unwrap_or(0.0);
    let share = |part: u64, whole: u64| waf * (part as f64 / whole.max(1) as f64);
    let all = counters.programs();
    let kinds = counters.programs_by_kind();
    let mut parts: Vec<Part> = kinds
        .map(|(key, name, pages)| (key, name, share(pages, all)))
        .into();
    // bytes to flash are whole pages
    let bytes = &outcome.endurance.flash_bytes;
    let padded = share(bytes[Cause::Padding], bytes.total());
    parts[0].2 -= padded;
    parts.insert(1, ("padded", Cause::Padding.name(), padded));
    parts
}

fn merges(outcome: &Outcome) -> Vec<Part> {
    let counters = &outcome.counters;
    vec![
        ("full", "full", counters.full_merges as f64),
        ("partial", "partial", counters.partial_merges as f64),
        ("switch", "switch", counters.switch_merges as f64),
    ]
}

/// Pairs (erases, percent of the blocks with at least that many erases), ascending. Of too many pairs a selection, with
/// the first and the last.
fn wear(histogram: &[(u32, u32)]) -> Vec<(u32, f64)> {
    let blocks: u64 = histogram.iter().map(|&(_, count)| u64::from(count)).sum();
    let mut left = blocks;
    let mut share = |&(erases, count): &(u32, u32)| {
        let percent = 100.0 * left as f64 / blocks as f64;
        left -= u64::from(count);
        (erases, percent)
    };
    let pairs: Vec<_> = histogram.iter().map(&mut share).collect();
    let step = pairs.len().div_ceil(WEAR_PAIRS).max(1);
    let last = pairs.len().saturating_sub(1);
    let kept = |(i, pair): (usize, &(u32, f64))| (i % step == 0 || i == last).then_some(*pair);
    pairs.iter().enumerate().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use ssdlab_device::{Counters, Derived, Endurance, FlashBytes, TimeParts};

    use super::*;
    use crate::palette::colours;

    /// A run in which no cause is 0: pages of 100 bytes, of which the host wrote 1000.
    fn busy() -> Outcome {
        let parts = [1_000_000_000, 2_000_000_000, 3_000_000_000, 4_000_000_000];
        let each = |all: &'static [Cause]| all.iter().copied().zip(parts.into_iter().cycle());
        let mut time_ns = TimeParts::default();
        each(Time::CAUSES).for_each(|(cause, ns)| time_ns[cause] = ns);
        let counters = Counters {
            flash_programs: 10,
            merge_programs: 3,
            flash_copies: 4,
            copy_backs: 5,
            table_programs: 7,
            switch_merges: 1,
            partial_merges: 2,
            full_merges: 3,
            elapsed_ns: time_ns.total(),
            host_write_bytes: 1000,
            ..Counters::default()
        };
        let mut flash_bytes = FlashBytes::default();
        let bytes = [
            (Cause::Host, 500),
            (Cause::Padding, 400),
            (Cause::ReadModifyWrite, 100),
        ];
        let moved = [
            (Cause::Merge, 700),
            (Cause::Cleaning, 500),
            (Cause::Folding, 600),
            (Cause::Tables, 700),
        ];
        bytes
            .into_iter()
            .chain(moved)
            .for_each(|(cause, part)| flash_bytes[cause] = part);
        Outcome {
            derived: Derived {
                waf: counters.waf(100),
                time_ns,
                ..Derived::default()
            },
            endurance: Endurance {
                flash_bytes,
                ..Endurance::default()
            },
            counters,
            ..Outcome::default()
        }
    }

    // planted bugs: a cause, or a kind of program, left out of a bar; padding counted twice
    #[test]
    fn stacked_bars_add_up_when_every_cause_is_there() {
        let run = busy();
        let totals = [
            ("time", run.derived.time_ns.total() as f64 / 1e9),
            ("programs", run.derived.waf.expect("the host wrote")),
            ("bytes", run.endurance.flash_bytes.total() as f64 / 1e9),
            ("merges", 6.0),
        ];
        for ((stack, parts), (name, total)) in stacks(&run, false).into_iter().zip(totals) {
            assert_eq!(stack, name);
            let sum: f64 = parts.iter().map(|part| part.2).sum();
            assert!(
                (sum - total).abs() < 1e-9 * total,
                "{stack}: {sum} of {total}"
            );
            assert!(parts.iter().all(|part| part.2 > 0.0), "{stack}: {parts:?}");
        }
        let [(_, used), ..] = stacks(&run, true);
        let used: f64 = used.iter().map(|part| part.2).sum();
        assert!((used - 100.0).abs() < 1e-9, "{used} % of one chip");
    }

    // planted bugs: a part without a colour in one scheme; two parts of a bar in one colour
    #[test]
    fn each_stacked_part_has_a_colour_of_its_own_in_both_schemes() {
        for (stack, parts) in stacks(&Outcome::default(), false) {
            for scheme in [0, 1] {
                let colour = |part: &Part| colours(&format!("part-{}", part.0))[scheme];
                let mut all: Vec<&str> = parts.iter().map(colour).collect();
                all.sort();
                all.dedup();
                assert_eq!(all.len(), parts.len(), "{stack}: {all:?}");
            }
        }
        for cause in Cause::ALL {
            colours(&format!("part-{}", cause.key()));
        }
    }

    // Planted bugs: the share above a bin instead of from it on, which drops the most worn blocks; the most worn block
    // left out when pairs are thinned.
    #[test]
    fn wear_starts_at_all_blocks_and_ends_at_the_most_worn() {
        let histogram = [(0, 6), (3, 3), (9, 1)];
        assert_eq!(wear(&histogram), [(0, 100.0), (3, 40.0), (9, 10.0)]);
        assert_eq!(wear(&[]), []);
        let many: Vec<(u32, u32)> = (0..5000).map(|erases| (erases, 1)).collect();
        let kept = wear(&many);
        assert!(kept.len() <= WEAR_PAIRS + 1, "{}", kept.len());
        assert_eq!((kept[0], kept[kept.len() - 1]), ((0, 100.0), (4999, 0.02)));
    }
}
