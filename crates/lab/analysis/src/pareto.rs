//! The Pareto front: what no other point beats in everything.

use std::cmp::Ordering;

use ssdlab_device::results::Better;

/// Which points no other one dominates. A point dominates another if it is nowhere worse and somewhere better; equal
/// points do not dominate each other. A figure that cannot rank runs counts as one where less is better.
///
/// A point has a value of each figure; NaN is the worst value.
pub fn front(points: &[Vec<f64>], better: &[Better]) -> Vec<bool> {
    // as if less were better
    let cost = |point: &[f64]| -> Vec<f64> {
        let each = point.iter().zip(better);
        each.map(|(value, better)| match better {
            _ if value.is_nan() => f64::INFINITY,
            Better::More => -value,
            Better::Less | Better::Neither => *value,
        })
        .collect()
    };
    let costs: Vec<Vec<f64>> = points.iter().map(|point| cost(point)).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    // whoever dominates a point comes before it
    order.sort_by(|a, b| by_values(&costs[*a], &costs[*b]));
    let mut kept: Vec<usize> = Vec::new();
    let mut is_kept = vec![false; points.len()];
    for place in order {
        if !(kept.iter()).any(|other| dominates(&costs[*other], &costs[place])) {
            kept.push(place);
            is_kept[place] = true;
        }
    }
    is_kept
}

fn by_values(one: &[f64], other: &[f64]) -> Ordering {
    let mut orders = one.iter().zip(other).map(|(a, b)| a.total_cmp(b));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn dominates(one: &[f64], other: &[f64]) -> bool {
    let nowhere_worse = one.iter().zip(other).all(|(a, b)| a <= b);
    nowhere_worse && one.iter().zip(other).any(|(a, b)| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // planted bugs: less is better for all figures; of two equal points one dominates; only neighbours are compared
    #[test]
    fn the_front_has_what_nothing_beats() {
        let points = [[1.0, 1.0], [2.0, 5.0], [2.0, 5.0], [3.0, 4.0], [4.0, 6.0]];
        let points = points.map(|point| point.to_vec());
        let better = [Better::Less, Better::More];
        assert_eq!(front(&points, &better), [true, true, true, false, true]);
        assert_eq!(
            front(&[vec![f64::NAN], vec![1.0]], &[Better::More]),
            [false, true]
        );
        assert_eq!(front(&[], &better), [false; 0]);
    }

    proptest! {
        // planted bug: a point that only a point outside the front so far dominates
        #[test]
        fn the_front_is_that_of_all_pairs(points in prop::collection::vec(prop::collection::vec(0..6u8, 3), 0..40)) {
            let points: Vec<Vec<f64>> = points.iter().map(|point| point.iter().map(|&value| value.into()).collect()).collect();
            let better = [Better::Less; 3];
            let all_pairs: Vec<bool> = points.iter().map(|point| !points.iter().any(|other| dominates(other, point))).collect();
            prop_assert_eq!(front(&points, &better), all_pairs);
        }
    }
}
