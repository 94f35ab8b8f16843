//! Groups whose medians can be compared: those with runs of the same samples.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::groups::Levels;

/// The rows whose values can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paired {
    /// Whether each row is one of them.
    pub rows: Vec<bool>,
    /// The number of groups at a place that are left out, since they lack samples.
    pub left_out: usize,
}

/// The samples of each group that has some; `known` says which rows have a value.
pub fn samples_of(
    known: &[bool],
    keys: &[&Levels],
    samples: &Levels,
) -> BTreeMap<Vec<u32>, BTreeSet<u32>> {
    let mut sets: BTreeMap<Vec<u32>, BTreeSet<u32>> = BTreeMap::new();
    for row in (0..known.len()).filter(|row| known[*row]) {
        let key = keys.iter().map(|levels| levels.codes[row]).collect();
        sets.entry(key).or_default().insert(samples.codes[row]);
    }
    sets
}

/// The samples in which groups are compared: of the sets that groups have, the one with most values in the groups that have
/// all of it.
pub fn common<'a>(sets: impl Iterator<Item = &'a BTreeSet<u32>>) -> BTreeSet<u32> {
    /// Rarer sets are not tried, since each is compared with all others.
    const TRIED: usize = 64;
    let mut counts: BTreeMap<&BTreeSet<u32>, usize> = BTreeMap::new();
    sets.for_each(|set| *counts.entry(set).or_default() += 1);
    let mut tried: Vec<(&BTreeSet<u32>, usize)> =
        counts.iter().map(|(set, groups)| (*set, *groups)).collect();
    tried.sort_by_key(|(_, groups)| std::cmp::Reverse(*groups));
    tried.truncate(TRIED);
    let values = |set: &BTreeSet<u32>| -> usize {
        let whole = counts.iter().filter(|(other, _)| set.is_subset(other));
        whole.map(|(_, groups)| groups * set.len()).sum()
    };
    let most = tried.into_iter().max_by_key(|(set, _)| values(set));
    most.map_or_else(BTreeSet::new, |(set, _)| set.clone())
}

/// The rows whose groups have, at each place, all samples that are compared there; of these samples only.
pub fn paired(known: &[bool], places: &Levels, groups: &Levels, samples: &Levels) -> Paired {
    let sets = samples_of(known, &[places, groups], samples);
    let mut of_places: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for place in sets.keys().map(|key| key[0]) {
        of_places.entry(place).or_insert_with(|| {
            // sorted by place
            let from = sets.range(vec![place]..);
            let here = from.take_while(|(key, _)| key[0] == place);
            common(here.map(|(_, set)| set))
        });
    }
    // once for each group, not for each of its rows
    let whole: HashSet<(u32, u32)> = sets
        .iter()
        .filter(|(key, own)| of_places[&key[0]].is_subset(own))
        .map(|(key, _)| (key[0], key[1]))
        .collect();
    let rows = (0..known.len()).map(|row| {
        let (place, group) = (places.codes[row], groups.codes[row]);
        let is_whole = known[row] && whole.contains(&(place, group));
        is_whole && of_places[&place].contains(&samples.codes[row])
    });
    Paired {
        rows: rows.collect(),
        left_out: sets.len() - whole.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(codes: &[u32]) -> Levels {
        Levels {
            codes: codes.to_vec(),
            labels: Vec::new(),
            numbers: None,
        }
    }

    // planted bugs: a group without a sample of the others; a sample that only some have; the usual set of another place
    #[test]
    fn groups_are_compared_in_the_same_samples() {
        let places = levels(&[0, 0, 0, 0, 0, 0, 0, 1]);
        let groups = levels(&[0, 0, 1, 1, 2, 3, 1, 2]);
        let samples = levels(&[0, 1, 0, 1, 0, 0, 2, 5]);
        let known = [true, true, true, true, true, false, true, true];
        let found = paired(&known, &places, &groups, &samples);
        assert_eq!(
            found.rows,
            [true, true, true, true, false, false, false, true]
        );
        assert_eq!(found.left_out, 1);
    }
}
