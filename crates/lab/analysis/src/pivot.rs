//! A figure by groups of rows.

use std::collections::BTreeMap;

use crate::groups::Levels;
use crate::stats::Summary;

/// The values of a figure, one for each row, in each group: the groups are the combinations of the values of some keys
/// that have a row with a value.
pub fn pivot(values: &[Option<f64>], keys: &[&Levels]) -> BTreeMap<Vec<u32>, Summary> {
    let mut groups: BTreeMap<Vec<u32>, Vec<f64>> = BTreeMap::new();
    for (row, value) in values.iter().enumerate() {
        if let Some(value) = value {
            let key = keys.iter().map(|levels| levels.codes[row]).collect();
            groups.entry(key).or_default().push(*value);
        }
    }
    let each = groups.into_iter();
    each.filter_map(|(key, values)| Some((key, Summary::of(values)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a group of rows without values; rows of one group in another
    #[test]
    fn groups_have_their_rows() {
        let levels = |codes: &[u32]| Levels {
            codes: codes.to_vec(),
            labels: vec![String::new(); 2],
            numbers: None,
        };
        let (x, curve) = (levels(&[0, 0, 1, 1, 0]), levels(&[0, 0, 0, 1, 1]));
        let values = [Some(1.0), Some(3.0), Some(5.0), None, Some(7.0)];
        let found = pivot(&values, &[&x, &curve]);
        let medians: Vec<_> = found
            .iter()
            .map(|(key, one)| (key.clone(), one.median, one.count))
            .collect();
        assert_eq!(
            medians,
            [
                (vec![0, 0], 2.0, 2),
                (vec![0, 1], 7.0, 1),
                (vec![1, 0], 5.0, 1)
            ]
        );
    }
}
