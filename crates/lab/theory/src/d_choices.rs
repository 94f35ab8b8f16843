//! The best of d blocks drawn at random (Van Houdt 2013).

use crate::solve::root_above;
use crate::spare::Spare;

/// d-choices with b pages in a block; both at least 1. With d = 1, A = 1 / S_f.
///
/// S_i is the share of blocks with at least i valid pages. S_{b+1} = 0, and for i from b down to 1,
/// c·i·(S_i − S_{i+1}) + S_i^d = 1; c is the number for which Σ S_i = bρ. Then A = b / (b − Σ S_i^d).
pub fn d_choices(spare: Spare, pages_per_block: u32, d: u32) -> f64 {
    let d = f64::from(d);
    let all = f64::from(pages_per_block);
    let valid = all * spare.utilisation();
    let c = root_above(0.0, |c| valid - shares(pages_per_block, d, c).sum::<f64>());
    let kept: f64 = shares(pages_per_block, d, c).map(|s| s.powf(d)).sum();
    all / (all - kept)
}

/// S_b, S_{b-1}, … S_1.
fn shares(pages_per_block: u32, d: f64, c: f64) -> impl Iterator<Item = f64> {
    let mut above = 0.0;
    (1..=pages_per_block).rev().map(move |i| {
        let i = f64::from(i);
        above = share(c * i, above, d);
        above
    })
}

/// The s at which slope·(s − above) + s^d reaches 1. The curve is convex, so Newton's steps from 1 down converge to it.
fn share(slope: f64, above: f64, d: f64) -> f64 {
    let mut s = 1.0_f64;
    loop {
        let power = s.powf(d - 1.0);
        let too_much = slope * (s - above) + s * power - 1.0;
        let next = s - too_much / (slope + d * power);
        if next >= s {
            return s;
        }
        s = next;
    }
}
