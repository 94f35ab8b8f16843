//! The best of d blocks drawn at random (Van Houdt 2013).

use crate::solve::root_of_smooth;
use crate::spare::Spare;

/// d-choices with b pages in a block; both at least 1. With d = 1, A = 1 / S_f.
///
/// S_i is the share of blocks with at least i valid pages. S_{b+1} = 0, and for i from b down to 1,
/// c·i·(S_i − S_{i+1}) + S_i^d = 1; c is the number for which Σ S_i = bρ. Then A = b / (b − Σ S_i^d). The sum of these
/// equations says that c = 1 / (ρA), and A is at most that of d = 1.
pub fn d_choices(spare: Spare, pages_per_block: u32, d: u32) -> f64 {
    let d = f64::from(d);
    let all = f64::from(pages_per_block);
    let valid = all * spare.utilisation();
    let (least, most) = (spare.share(), 1.0);
    let [low, high] = [0.5 * least, 2.0 * most].map(|share| share / spare.utilisation());
    let c = root_of_smooth(low, high, |c| {
        valid - shares(pages_per_block, d, c).sum::<f64>()
    });
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

/// The s at which slope·(s − above) + s^d reaches 1. The curve is convex: Newton's step from `above`, which is less, leads
/// beyond s, and those from there down converge to it. In large blocks s is close to `above`.
fn share(slope: f64, above: f64, d: f64) -> f64 {
    let step = |s: f64| {
        let power = s.powf(d - 1.0);
        let too_much = slope * (s - above) + s * power - 1.0;
        s - too_much / (slope + d * power)
    };
    let mut s = step(above).min(1.0);
    loop {
        let next = step(s);
        if next >= s {
            return s;
        }
        s = next;
    }
}
