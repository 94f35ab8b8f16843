//! The sets and lists of the policies against the plainest ones there are.
//!
//! Planted bugs that these tests catch: a level of the tree that keeps a bit of an empty word; `after` that starts at
//! its argument; a list that loses its sentinel when the last item goes; a smallest key that stays when its item leaves,
//! or that an item beyond the first group never becomes; members of a word beyond the range.

use std::collections::BTreeSet;

use proptest::prelude::*;
use ssdlab_policy::{BitSet, BitTree, Lists, MinTree};

/// Sizes on both sides of one, two and three levels.
const SIZES: [u32; 6] = [1, 63, 64, 65, 4097, 300_000];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_bit_tree_is_a_set(size in 0usize..6, steps in prop::collection::vec((any::<bool>(), any::<u32>()), 1..200)) {
        let size = SIZES[size];
        let mut tree = BitTree::new(size);
        let mut set = BTreeSet::new();
        for (insert, value) in steps {
            // near the ends and word borders as often as anywhere
            let value = if value % 3 == 0 { value / 3 % size.min(130) } else { value % size };
            if insert {
                tree.insert(value);
                set.insert(value);
            } else {
                tree.remove(value);
                set.remove(&value);
            }
            prop_assert_eq!(tree.contains(value), set.contains(&value));
            prop_assert_eq!(tree.first(), set.first().copied());
            prop_assert_eq!(tree.last(), set.last().copied());
            prop_assert_eq!(tree.after(value), set.range(value + 1..).next().copied());
        }
    }

    #[test]
    fn ranges_of_a_bit_set(members in prop::collection::btree_set(0u32..200, 0..100), first in 0u32..200, length in 0u32..200) {
        let mut set = BitSet::new(200, false);
        members.iter().for_each(|&i| set.insert(i));
        let end = (first + length).min(200);
        let mut found = Vec::new();
        set.for_each_in(first, end, |i| found.push(i));
        let known: Vec<u32> = members.into_iter().filter(|i| (first..end).contains(i)).collect();
        prop_assert_eq!(set.count(first, end) as usize, known.len());
        prop_assert_eq!(found, known);
    }

    #[test]
    fn a_min_tree_knows_the_smallest(
        items in prop_oneof![1u32..=10, 1u32..=700],
        steps in prop::collection::vec((any::<u32>(), 0u64..40), 1..300),
    ) {
        let mut tree = MinTree::new(items);
        let mut plain = vec![MinTree::ABSENT; items as usize];
        prop_assert_eq!(tree.items(), items);
        for (item, key) in steps {
            let item = item % items;
            // some leave
            let key = if key < 10 { MinTree::ABSENT } else { key };
            tree.set(item, key);
            plain[item as usize] = key;
            prop_assert_eq!(tree.get(item), key);
            let smallest = plain.iter().copied().min().filter(|&key| key != MinTree::ABSENT);
            prop_assert_eq!(tree.first().map(|item| plain[item as usize]), smallest);
        }
    }

    #[test]
    fn lists_keep_their_order(steps in prop::collection::vec((0u8..5, 0u32..2, 0u32..6), 1..200)) {
        let mut lists = Lists::new(6, 2);
        let mut plain: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for (what, list, item) in steps {
            let at = list as usize;
            let home = plain.iter().position(|l| l.contains(&item));
            match (what, home) {
                (0, None) => { lists.push_front(list, item); plain[at].insert(0, item); }
                (1, None) => { lists.push_back(list, item); plain[at].push(item); }
                (2, None) if !plain[at].is_empty() => {
                    lists.insert_after(plain[at][0], item);
                    plain[at].insert(1, item);
                }
                (3, Some(home)) => { lists.remove(item); plain[home].retain(|&i| i != item); }
                (4, Some(home)) => {
                    lists.move_to_front(home as u32, item);
                    plain[home].retain(|&i| i != item);
                    plain[home].insert(0, item);
                }
                _ => {}
            }
            for (list, plain) in (0..).zip(&plain) {
                prop_assert_eq!(lists.front(list), plain.first().copied());
                prop_assert_eq!(lists.back(list), plain.last().copied());
                let mut backwards = Vec::new();
                let mut at = lists.back(list);
                while let Some(item) = at {
                    backwards.insert(0, item);
                    at = lists.before(item);
                }
                prop_assert_eq!(&backwards, plain);
            }
        }
    }
}
