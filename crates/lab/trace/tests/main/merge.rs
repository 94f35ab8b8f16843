//! Where traces lie that are merged. What becomes of their requests is tested on the command line.

use ssdlab_trace::side_by_side;

const PART: u64 = 1 << 30;

// Planted bugs: parts that overlap; parts of less than a GiB; a sum that wraps around.
#[test]
fn places_side_by_side() {
    assert_eq!(
        side_by_side(&[5, PART, PART + 1, 0, 7], None),
        Some(vec![0, PART, 2 * PART, 4 * PART, 4 * PART])
    );
    assert_eq!(side_by_side(&[5, 0, 7], Some(10)), Some(vec![0, 10, 20]));
    assert_eq!(side_by_side(&[u64::MAX], None), Some(vec![0]));
    assert_eq!(side_by_side(&[u64::MAX, 1], None), None);
    assert_eq!(side_by_side(&[1, 1], Some(u64::MAX)), None);
    assert_eq!(
        side_by_side(&[1, 0], Some(u64::MAX)),
        Some(vec![0, u64::MAX])
    );
}
