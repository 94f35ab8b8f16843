//! The spare of each pool that makes the sum of all writes least.
//!
//! A pool has α_i = 1/ρ_i physical pages for each logical one. A_i falls with α_i and is convex. So the optimum is where, for
//! one number μ, −A'(α_i) = s_i/(μ·w_i) in all pools: more spare saves the same everywhere.

use crate::classes::Class;
use crate::solve::{around, root_above, root_between};

/// What a pool gets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// α_i − 1: spare pages for each logical one.
    pub extra: f64,
    /// A_i.
    pub amplification: f64,
}

/// FIFO. The sum of s_i·(α_i − 1) is `extra`; the classes need not be all data.
///
/// With t = α/A, the writes of a page during one turn of the log, A = 1 / (1 − e^(−t)), α = t·A and −A'(α) = 1 / (e^t − 1 − t).
/// So e^(t_i) − 1 − t_i = μ·w_i/s_i.
pub(crate) fn of_fifo(classes: &[Class], extra: f64) -> Vec<Part> {
    let rates: Vec<f64> = classes.iter().map(|c| (c.writes / c.data).ln()).collect();
    let (least, most) = ends(&rates);
    // with t for all, as with uniform writes, one pool would have too little and another one too much
    let data: f64 = classes.iter().map(|class| class.data).sum();
    let uniform = ln_excess(root_above(0.0, |t| spare_of(t) - extra / data));
    let needed = |mu: f64| {
        let parts = classes.iter().zip(&rates);
        let parts = parts.map(|(class, rate)| class.data * spare_of(time(mu + rate)));
        parts.sum::<f64>() - extra
    };
    let mu = root_between(uniform - most, uniform - least, needed);
    let part = |rate: f64| {
        let t = time(mu + rate);
        Part {
            extra: spare_of(t),
            amplification: -1.0 / (-t).exp_m1(),
        }
    };
    rates.into_iter().map(part).collect()
}

/// Greedy with b ≥ 1 pages in a block. The sum of s_i·(α_i − 1) is `extra`; the classes need not be all data.
///
/// A is linear in α between the corners where all victims have j valid pages: α = b·h_j/(b − j) and A = b/(b − j), with
/// h_j = H_b − H_j. From corner j to corner j − 1, −A'(α) = 1 / ((b − j)/j − h_j).
pub(crate) fn of_greedy(classes: &[Class], extra: f64, pages_per_block: u32) -> Vec<Part> {
    let all = f64::from(pages_per_block);
    // of the corners b − 1, b − 2, … 0, and of the way from each to the next
    let mut rest = 0.0;
    let mut corners = Vec::new();
    let mut prices = Vec::new();
    for j in (0..pages_per_block).rev().map(f64::from) {
        rest += 1.0 / (j + 1.0);
        corners.push(Part {
            extra: all * rest / (all - j) - 1.0,
            amplification: all / (all - j),
        });
        if j > 0.0 {
            prices.push((all - j) / j - rest);
        }
    }
    let rates: Vec<f64> = classes.iter().map(|c| c.writes / c.data).collect();
    let corner = |mu: f64, rate: f64| corners[prices.partition_point(|price| *price <= mu * rate)];
    let sum = |mu: f64| {
        let parts = classes.iter().zip(&rates);
        parts
            .map(|(class, &rate)| class.data * corner(mu, rate).extra)
            .sum::<f64>()
    };
    let dearest = prices.last().copied().unwrap_or_default();
    let (low, high) = around(0.0, 2.0 * dearest / ends(&rates).0, |mu| sum(mu) - extra);
    let (below, above) = (sum(low), sum(high));
    if above < extra {
        // all victims are empty, and spare is left
        let data: f64 = classes.iter().map(|class| class.data).sum();
        let more = (extra - above) / data;
        let part = |&rate: &f64| {
            let last = corner(high, rate);
            Part {
                extra: last.extra + more,
                ..last
            }
        };
        return rates.iter().map(part).collect();
    }
    // the pools whose corners differ are on the way from one to the other
    let way = (extra - below) / (above - below);
    let part = |&rate: &f64| {
        let (from, to) = (corner(low, rate), corner(high, rate));
        Part {
            extra: from.extra + way * (to.extra - from.extra),
            amplification: from.amplification + way * (to.amplification - from.amplification),
        }
    };
    rates.iter().map(part).collect()
}

/// The least and the largest.
fn ends(values: &[f64]) -> (f64, f64) {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let wider = |(least, most): (f64, f64), &value: &f64| (least.min(value), most.max(value));
    values.iter().fold(ends, wider)
}

/// α − 1 of FIFO: (e^(−t) − 1 + t) / (1 − e^(−t)).
fn spare_of(t: f64) -> f64 {
    excess(-t) / -(-t).exp_m1()
}

/// e^t − 1 − t.
fn excess(t: f64) -> f64 {
    /// Below it the difference loses digits; the terms that are left out are below 1e-16 of the sum.
    const SMALL: f64 = 0.1;
    const TERMS: u32 = 12;
    if t.abs() > SMALL {
        return t.exp_m1() - t;
    }
    let series = |sum: f64, k: u32| 1.0 + sum * t / f64::from(k);
    0.5 * t * t * (3..TERMS).rev().fold(1.0, series)
}

/// From here on, e^t − 1 − t is e^t.
const LARGE: f64 = 50.0;

fn ln_excess(t: f64) -> f64 {
    match t > LARGE {
        true => t,
        false => excess(t).ln(),
    }
}

/// The t above 0 with this logarithm of e^t − 1 − t. The curve is convex: Newton's steps from above fall to t.
fn time(logarithm: f64) -> f64 {
    if logarithm > LARGE {
        return logarithm;
    }
    let wanted = logarithm.exp().max(f64::MIN_POSITIVE);
    // e^y is at least 1 + y + y²/2, so this is not below t
    let mut t = ((2.0 * wanted).sqrt() + wanted).ln_1p();
    loop {
        let next = t - (excess(t) - wanted) / t.exp_m1();
        if next >= t {
            return t;
        }
        t = next;
    }
}
