//! Rows by the values of columns.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use ssdlab_words::NOTHING;

/// The values of one or several columns, in order, and which of them each row has.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// The value of each row, as its place in `labels`.
    pub codes: Vec<u32>,
    /// The values as text. A row without a value has [`NOTHING`], the last.
    pub labels: Vec<String>,
    /// The values as numbers, if all of them are; NaN for no value.
    pub numbers: Option<Vec<f64>>,
}

impl Levels {
    /// One value, which all rows have.
    pub fn single(rows: usize) -> Self {
        Self {
            codes: vec![0; rows],
            labels: vec![String::new()],
            numbers: None,
        }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// Sorts values and makes the codes.
    pub(crate) fn of(codes: &[u32], values: Vec<(Option<f64>, Option<String>)>) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| compare(&values[*a], &values[*b]));
        let mut places = vec![0; values.len()];
        for (place, old) in order.iter().enumerate() {
            places[*old] = place as u32;
        }
        let is_of_numbers =
            |(number, text): &(Option<f64>, Option<String>)| number.is_some() || text.is_none();
        let numbers = values.iter().all(is_of_numbers).then(|| {
            let in_order = order.iter().map(|old| values[*old].0.unwrap_or(f64::NAN));
            in_order.collect()
        });
        let label = |old: &usize| values[*old].1.clone().unwrap_or_else(|| NOTHING.into());
        Self {
            codes: codes.iter().map(|code| places[*code as usize]).collect(),
            labels: order.iter().map(label).collect(),
            numbers,
        }
    }

    /// The values of several columns together, those of the first in order before those of the next.
    pub fn joined(rows: usize, columns: &[Levels]) -> Self {
        if let [only] = columns {
            return only.clone();
        }
        let key = |row: usize| -> Vec<u32> { columns.iter().map(|one| one.codes[row]).collect() };
        let keys: Vec<Vec<u32>> = (0..rows).map(key).collect();
        let mut places: BTreeMap<&[u32], u32> = keys.iter().map(|key| (&key[..], 0)).collect();
        (0..)
            .zip(places.values_mut())
            .for_each(|(n, place)| *place = n);
        let label = |key: &&[u32]| -> String {
            let parts = key.iter().zip(columns);
            let parts = parts.map(|(code, one)| one.labels[*code as usize].as_str());
            parts
                .filter(|part| *part != NOTHING)
                .collect::<Vec<_>>()
                .join(", ")
        };
        Self {
            codes: keys.iter().map(|key| places[&key[..]]).collect(),
            labels: places.keys().map(label).collect(),
            numbers: None,
        }
    }

    /// Whether the rows that count have several values.
    pub(crate) fn varies_in(&self, counts: &[bool]) -> bool {
        let codes = self.codes.iter().zip(counts);
        let mut codes = codes.filter(|(_, counts)| **counts);
        let first = codes.next();
        codes.any(|one| Some(one) != first)
    }

    /// Whether each value of the other goes with one value of this, in the rows that count.
    pub(crate) fn follows(&self, other: &Levels, counts: impl Iterator<Item = bool>) -> bool {
        let mut with: HashMap<u32, u32> = HashMap::new();
        let pairs = other.codes.iter().zip(&self.codes).zip(counts);
        let pairs = pairs.filter(|(_, counts)| *counts).map(|(pair, _)| pair);
        let mut pairs = pairs.map(|(of, own)| (*with.entry(*of).or_insert(*own), *own));
        pairs.all(|(first, own)| first == own)
    }
}

/// Numbers by size, texts as people count, nothing last.
fn compare(one: &(Option<f64>, Option<String>), other: &(Option<f64>, Option<String>)) -> Ordering {
    match (one, other) {
        ((_, None), (_, None)) => Ordering::Equal,
        ((_, None), _) => Ordering::Greater,
        (_, (_, None)) => Ordering::Less,
        ((Some(a), _), (Some(b), _)) => a.total_cmp(b),
        ((_, Some(a)), (_, Some(b))) => natural(a, b),
    }
}

/// Runs of digits count as numbers: w9 comes before w10.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one, other);
    loop {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (in_a, in_b) = (digits(a), digits(b));
        if in_a > 0 && in_b > 0 {
            let number = |text: &str| text.trim_start_matches('0').to_owned();
            let (x, y) = (number(&a[..in_a]), number(&b[..in_b]));
            let order = x.len().cmp(&y.len()).then(x.cmp(&y));
            if order.is_ne() {
                return order;
            }
            (a, b) = (&a[in_a..], &b[in_b..]);
            continue;
        }
        match (a.chars().next(), b.chars().next()) {
            (Some(x), Some(y)) if x == y => {
                (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]);
            }
            (None, None) => return one.cmp(other),
            (x, y) => return x.cmp(&y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: w10 before w9; nothing first; codes of the order of appearance
    #[test]
    fn values_are_in_the_order_of_people() {
        let text = |text: &str| (None, Some(text.to_owned()));
        let levels = Levels::of(
            &[0, 1, 2, 0],
            vec![text("w10-a"), (None, None), text("w9-b")],
        );
        assert_eq!(levels.labels, ["w9-b", "w10-a", "–"]);
        assert_eq!(levels.codes, [1, 2, 0, 1]);
        let number = |number: f64| (Some(number), Some(number.to_string()));
        let levels = Levels::of(&[0, 1], vec![number(10.0), number(9.0)]);
        assert_eq!(
            (levels.numbers, levels.labels),
            (Some(vec![9.0, 10.0]), vec!["9".to_owned(), "10".into()])
        );
        assert_eq!(natural("a01", "a1"), Ordering::Less);
    }

    // planted bugs: a label for what a run does not read; two groups in one
    #[test]
    fn columns_join_into_groups() {
        let text = |text: &str| (None, Some(text.to_owned()));
        let ftl = Levels::of(&[0, 0, 1, 1], vec![text("bast"), text("page")]);
        let cleaning = Levels::of(
            &[0, 0, 1, 2],
            vec![(None, None), text("cat"), text("greedy")],
        );
        let both = Levels::joined(4, &[ftl.clone(), cleaning.clone()]);
        assert_eq!(both.labels, ["bast", "page, cat", "page, greedy"]);
        assert_eq!(both.codes, [0, 0, 1, 2]);
        let all = || std::iter::repeat(true);
        assert!(ftl.follows(&cleaning, all()) && !cleaning.follows(&ftl, all()));
        // the last row does not count
        let counts = [true, true, true, false];
        assert!(cleaning.follows(&ftl, counts.into_iter()));
        assert!(cleaning.varies_in(&counts) && !cleaning.varies_in(&[true, true, false, false]));
    }
}
