//! The sets, lists and queues of the policies against simple reference structures.
//!
//! Planted bugs that these tests catch: a level of the tree that keeps a bit of an empty word; `after` that starts at
//! its argument; a range that ends with its first word; a range search that finds a member after the end of the range;
//! a list that loses its sentinel when its last item is removed; a queue that loses the items below an item whose rank
//! decreases, or an odd sibling when the first item is removed; ties broken by the last push; a smallest key that stays
//! after its item is removed, or that misses items beyond the first group; members of a word outside the range; bits of
//! the second word in the place of those of the first.

use std::collections::BTreeSet;

use proptest::prelude::*;
use ssdlab_policy::{BitSet, BitTree, Heaps, Lists, MinTree};

/// Sizes on both sides of the limits of one, two and three levels.
const SIZES: [u32; 6] = [1, 63, 64, 65, 4097, 300_000];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_bit_tree_is_a_set(size in 0usize..6, steps in prop::collection::vec((any::<bool>(), any::<u32>()), 1..200)) {
        let size = SIZES[size];
        let mut tree = BitTree::new(size);
        let mut set = BTreeSet::new();
        for (insert, value) in steps {
            // values near the ends and word borders, as often as elsewhere
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
    fn ranges_of_a_bit_set(steps in prop::collection::vec((any::<bool>(), 0u32..=200, 0u32..=200), 1..50)) {
        let mut bits = BitSet::new(200, false);
        let mut set = BTreeSet::new();
        for (insert, a, b) in steps {
            let (first, end) = (a.min(b), a.max(b));
            let members: Vec<u32> = set.range(first..end).copied().collect();
            let gap = (first..end).find(|i| !set.contains(i));
            prop_assert_eq!(bits.count(first, end), members.len() as u32);
            if first < end {
                let few = end.min(first + 64);
                let some = members.iter().filter(|&&i| i < few);
                let word = some.fold(0u64, |word, i| word | 1 << (i - first));
                prop_assert_eq!(bits.bits(first, few - first), word);
            }
            prop_assert_eq!(bits.member_in(first, end), members.first().copied().unwrap_or(end));
            let mut each = Vec::new();
            bits.for_each_in(first, end, |i| each.push(i));
            prop_assert_eq!(&each, &members);
            prop_assert_eq!(bits.gap_in(first, end), gap.unwrap_or(end));
            if insert {
                bits.insert_range(first, end);
                set.extend(first..end);
            } else {
                bits.remove_range(first, end);
                set.retain(|i| !(first..end).contains(i));
            }
            prop_assert!((0..200).all(|i| bits.contains(i) == set.contains(&i)));
        }
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
            // some items are removed
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
                let forwards = std::iter::successors(lists.front(list), |&item| lists.after(item));
                prop_assert_eq!(&forwards.collect::<Vec<_>>(), plain);
            }
        }
    }

    #[test]
    fn heaps_give_the_smallest_first(steps in prop::collection::vec((0u8..9, 0u32..2, 0u32..12, 0u32..6), 1..300)) {
        let mut heaps = Heaps::new(12, 2);
        // for each heap, its items with their ranks, in the order in which they were pushed
        let mut plain: [Vec<(u32, u32)>; 2] = [Vec::new(), Vec::new()];
        let mut listed = Vec::new();
        for (what, heap, item, rank) in steps {
            let at = heap as usize;
            let home = plain.iter().position(|h| h.iter().any(|&(i, _)| i == item));
            match (what, home) {
                (0..=3, None) => { heaps.push(heap, item, rank); plain[at].push((item, rank)); }
                (4..=6, Some(home)) => {
                    let entry = plain[home].iter_mut().find(|(i, _)| *i == item).unwrap();
                    let by = rank.min(entry.1);
                    heaps.lower(home as u32, item, by);
                    entry.1 -= by;
                }
                (7, _) => {
                    let first = plain[at].iter().min_by_key(|&&(_, rank)| rank).map(|&(i, _)| i);
                    prop_assert_eq!(heaps.pop(heap), first);
                    plain[at].retain(|&(i, _)| Some(i) != first);
                }
                (8, Some(home)) => {
                    heaps.remove(home as u32, item);
                    plain[home].retain(|&(i, _)| i != item);
                }
                _ => {}
            }
            for (heap, plain) in (0..).zip(&plain) {
                let first = plain.iter().min_by_key(|&&(_, rank)| rank).map(|&(i, _)| i);
                prop_assert_eq!(heaps.first(heap), first);
                heaps.list(heap, &mut listed);
                let found: Vec<_> = listed.iter().map(|&i| (i, heaps.rank(i))).collect();
                prop_assert_eq!(&found, plain);
            }
        }
    }
}
