//! The ticks of axes, and their numbers.

use ssdlab_words::{bytes, decimal};

use super::model::{Axis, Scale};

/// The most values that have a tick each.
const FEW: usize = 9;

/// Values and labels of the ticks, ascending.
pub(super) fn ticks(axis: &Axis, wanted: usize) -> Vec<(f64, String)> {
    if let Some(words) = axis.words() {
        return words
            .iter()
            .enumerate()
            .map(|(n, word)| (n as f64, word.clone()))
            .collect();
    }
    if !axis.at.is_empty() && axis.at.len() <= FEW {
        return axis.at.iter().map(|at| (*at, exact(axis, *at))).collect();
    }
    match axis.scale {
        Scale::Log => of_log(axis, wanted),
        _ => of_linear(axis, wanted),
    }
}

/// A value that is one of few.
fn exact(axis: &Axis, value: f64) -> String {
    if axis.is_size && value >= 0.0 {
        return bytes(value as u64);
    }
    number(value, value.abs() * 1e-4, value)
}

fn of_linear(axis: &Axis, wanted: usize) -> Vec<(f64, String)> {
    let (least, most) = axis.range;
    let rough = (most - least) / wanted.max(1) as f64;
    let base = if axis.is_size { 2f64 } else { 10.0 };
    let power = base.powf(rough.log(base).floor());
    let steps: &[f64] = if axis.is_size {
        &[1.0, 2.0]
    } else {
        &[1.0, 2.0, 5.0, 10.0]
    };
    let step = power
        * steps
            .iter()
            .find(|step| power * **step >= rough)
            .unwrap_or(&base);
    let first = (least / step).ceil() as i64;
    let last = (most / step * (1.0 + 1e-12)).floor() as i64;
    let each = first..=last.min(first + 40);
    each.map(|n| {
        let value = n as f64 * step;
        let label = if axis.is_size {
            bytes(value.max(0.0) as u64)
        } else {
            number(value, step, most)
        };
        (value, label)
    })
    .collect()
}

fn of_log(axis: &Axis, wanted: usize) -> Vec<(f64, String)> {
    let (least, most) = axis.range;
    let base = if axis.is_size { 2f64 } else { 10.0 };
    let (first, last) = (least.log(base).floor() as i32, most.log(base).ceil() as i32);
    let within = |value: &f64| *value >= least && *value <= most;
    let powers: Vec<f64> = (first..=last)
        .map(|n| base.powi(n))
        .filter(within)
        .collect();
    let mut values = powers.clone();
    let parts: [&[f64]; 2] = [&[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]];
    for parts in parts {
        if values.len() < 3 && !axis.is_size {
            let all =
                (first..=last).flat_map(|n| parts.iter().map(move |part| part * 10f64.powi(n)));
            values = all.filter(within).collect();
        }
    }
    if values.len() < 3 {
        return of_linear(axis, wanted);
    }
    let every = values.len().div_ceil(wanted.max(2));
    let kept = values.into_iter().step_by(every);
    kept.map(|value| {
        let label = if axis.is_size {
            bytes(value as u64)
        } else {
            number(value, value, value)
        };
        (value, label)
    })
    .collect()
}

/// A number with as many decimals as a step has; in thousands or millions, if the largest one is large.
fn number(value: f64, step: f64, most: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let (value, step, unit) = match most.abs() {
        size if size >= 1e9 => (value / 1e9, step / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, step / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, step / 1e3, "k"),
        _ => (value, step, ""),
    };
    let decimals = (0..9).find(|decimals| {
        let scaled = step * 10f64.powi(*decimals);
        scaled >= 0.999 && (scaled - scaled.round()).abs() < 1e-6 * scaled || scaled > 100.0
    });
    let decimals = decimals.unwrap_or(9) as usize;
    let text = decimal(value, decimals);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    text.replace('-', "−") + unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, wanted: usize) -> Vec<String> {
        ticks(axis, wanted).into_iter().map(|tick| tick.1).collect()
    }

    // planted bugs: 0.30000000000000004; a tick beyond the end; decades only, of which a short axis has none
    #[test]
    fn ticks_are_round_numbers() {
        let axis = |range, scale| Axis {
            range,
            scale,
            ..Axis::of("", [].into_iter(), false, false)
        };
        assert_eq!(
            labels(&axis((0.0, 0.42), Scale::Linear), 5),
            ["0", "0.1", "0.2", "0.3", "0.4"]
        );
        assert_eq!(
            labels(&axis((0.0, 45_000.0), Scale::Linear), 4),
            ["0", "20k", "40k"]
        );
        assert_eq!(
            labels(&axis((0.0, 16_000.0), Scale::Linear), 4),
            ["0", "5k", "10k", "15k"]
        );
        assert_eq!(
            labels(&axis((-3.0, 3.0), Scale::Linear), 3),
            ["−2", "0", "2"]
        );
        assert_eq!(
            labels(&axis((0.5, 2000.0), Scale::Log), 6),
            ["1", "10", "100", "1,000"]
        );
        assert_eq!(
            labels(&axis((1.5, 9.0), Scale::Log), 6),
            ["1.5", "3", "5", "8"]
        );
        let mut sizes = axis((1e6, 9e6), Scale::Log);
        (sizes.is_size, sizes.at) = (true, vec![1048576.0, 8388608.0]);
        assert_eq!(labels(&sizes, 6), ["1 MiB", "8 MiB"]);
    }
}
