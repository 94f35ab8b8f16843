//! Counts of accesses, and how well they fit probabilities.

use ssdlab_host::Request;
use ssdlab_workload::synthetic::{Access, Random, Workload};

/// The requests of words.
pub fn made(words: &str) -> Vec<Request> {
    let requests = ssdlab_workload::requests(words);
    requests
        .unwrap_or_else(|why| panic!("{words}: {why}"))
        .collect()
}

pub fn accesses(mut workload: impl Workload, count: usize) -> Vec<Access> {
    let mut random = Random::new(42);
    (0..count).map(|_| workload.next(&mut random)).collect()
}

/// How often each bin is hit.
pub fn counts(bins: usize, hits: impl IntoIterator<Item = usize>) -> Vec<u64> {
    let mut counts = vec![0; bins];
    for bin in hits {
        counts[bin] += 1;
    }
    counts
}

/// Chi-square of the counts against probabilities, in standard deviations from its mean. Bins that are hardly expected
/// are joined with the next.
fn deviation(counts: &[u64], shares: &[f64]) -> f64 {
    assert_eq!(counts.len(), shares.len());
    let all = counts.iter().sum::<u64>() as f64;
    let (mut square, mut bins) = (0.0, 0.0);
    let (mut found, mut expected) = (0.0, 0.0);
    for (&count, share) in counts.iter().zip(shares) {
        found += count as f64;
        expected += share * all;
        if expected >= 5.0 {
            square += (found - expected).powi(2) / expected;
            bins += 1.0;
            (found, expected) = (0.0, 0.0);
        }
    }
    let freedom: f64 = bins - 1.0;
    (square + (found - expected).abs() - freedom) / (2.0 * freedom).sqrt()
}

/// The counts may come from these probabilities, which sum to 1.
#[track_caller]
pub fn fits(counts: &[u64], shares: &[f64]) {
    let sum: f64 = shares.iter().sum();
    assert!((sum - 1.0).abs() < 1e-6, "probabilities sum to {sum}");
    let deviation = deviation(counts, shares);
    assert!(deviation < 4.0, "{deviation}: {counts:?}");
}

/// The counts cannot come from these probabilities: so small an error is noticed.
#[track_caller]
pub fn misfits(counts: &[u64], shares: &[f64]) {
    let deviation = deviation(counts, shares);
    assert!(deviation > 6.0, "{deviation}: {counts:?}");
}
