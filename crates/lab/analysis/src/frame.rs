//! Rows by columns, in little memory: numbers as they are, texts as numbers of words.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ssdlab_results::Cell;

/// No word.
const NONE: u32 = u32::MAX;

/// Named columns of equal length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    rows: usize,
    columns: Vec<(String, Data)>,
    places: HashMap<String, usize>,
    /// The file of each row.
    files: Vec<u32>,
    /// The file of the rows that were added last.
    file: u32,
    /// The files that have each column.
    with: Vec<HashSet<u32>>,
}

/// The cells of a column.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// Numbers; NaN where there is none.
    Numbers(Vec<f64>),
    /// Texts.
    Words(Words),
}

/// Texts, each of them kept once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    codes: Vec<u32>,
    words: Vec<String>,
    index: HashMap<String, u32>,
}

impl Words {
    fn push(&mut self, word: Option<&str>) {
        let code = match word {
            None => NONE,
            Some(word) => match self.index.get(word) {
                Some(code) => *code,
                None => {
                    let code = self.words.len() as u32;
                    self.words.push(word.to_owned());
                    self.index.insert(word.to_owned(), code);
                    code
                }
            },
        };
        self.codes.push(code);
    }

    fn get(&self, row: usize) -> Option<&str> {
        match self.codes[row] {
            NONE => None,
            code => Some(&self.words[code as usize]),
        }
    }
}

impl Data {
    fn pad(&mut self, rows: usize) {
        match self {
            Data::Numbers(numbers) => numbers.resize(rows, f64::NAN),
            Data::Words(words) => words.codes.resize(rows, NONE),
        }
    }

    /// Adds cells; texts among numbers make texts of all.
    fn extend(&mut self, cells: &[Cell]) {
        let has_words = cells
            .iter()
            .any(|cell| matches!(cell, Cell::Text(_) | Cell::Bool(_)));
        if let (Data::Numbers(numbers), true) = (&*self, has_words) {
            let mut words = Words::default();
            for number in numbers {
                let text = (!number.is_nan()).then(|| written(*number));
                words.push(text.as_deref());
            }
            *self = Data::Words(words);
        }
        match self {
            Data::Numbers(numbers) => {
                numbers.extend(cells.iter().map(|cell| cell.number().unwrap_or(f64::NAN)));
            }
            Data::Words(words) => {
                for cell in cells {
                    match cell {
                        Cell::Null => words.push(None),
                        Cell::Text(text) => words.push(Some(text)),
                        Cell::Float(number) => words.push(Some(&written(*number))),
                        other => words.push(Some(&other.to_string())),
                    }
                }
            }
        }
    }
}

/// A number as text: whole ones without a point.
pub(crate) fn written(number: f64) -> String {
    format!("{number}")
}

impl Frame {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Adds empty rows of a file. Cells of columns follow; what no column has stays empty.
    pub fn add_rows(&mut self, file: usize, rows: usize) {
        self.rows += rows;
        self.file = file as u32;
        self.files.resize(self.rows, self.file);
        let all = self.rows;
        self.columns.iter_mut().for_each(|(_, data)| data.pad(all));
    }

    /// The cells of a column in the last rows.
    pub fn set(&mut self, name: &str, cells: &[Cell]) {
        let before = self.rows - cells.len();
        let place = match self.place(name) {
            Some(place) => place,
            None => {
                self.columns
                    .push((name.to_owned(), Data::Numbers(Vec::new())));
                self.places.insert(name.to_owned(), self.columns.len() - 1);
                self.with.push(HashSet::new());
                self.columns.len() - 1
            }
        };
        let data = &mut self.columns[place].1;
        data.pad(before);
        data.extend(cells);
        self.with[place].insert(self.file);
    }

    /// Whether the file of each row has the column; what it lacks is not known, which is no value.
    pub fn known(&self, column: usize) -> Vec<bool> {
        let with = &self.with[column];
        self.files.iter().map(|file| with.contains(file)).collect()
    }

    /// Replaces the texts of a column.
    pub fn set_words(&mut self, column: usize, cells: &[Option<String>]) {
        let mut words = Words::default();
        cells.iter().for_each(|cell| words.push(cell.as_deref()));
        self.columns[column].1 = Data::Words(words);
    }

    /// For each row whether an earlier one has the same cells, and lacks the same columns.
    pub fn repeated(&self) -> Vec<bool> {
        let mut keys: Vec<u32> = vec![0; self.rows];
        for column in 0..self.columns.len() {
            let mut known: HashMap<(u32, u32, bool), u32> = HashMap::new();
            let cells = self.codes(column).into_iter().zip(self.known(column));
            for (key, (code, is_known)) in keys.iter_mut().zip(cells) {
                let next = known.len() as u32;
                *key = *known.entry((*key, code, is_known)).or_insert(next);
            }
        }
        let mut seen = HashSet::new();
        keys.into_iter().map(|key| !seen.insert(key)).collect()
    }

    /// The number in a cell.
    pub fn number(&self, column: usize, row: usize) -> Option<f64> {
        match &self.columns[column].1 {
            Data::Numbers(numbers) => Some(numbers[row]).filter(|number| !number.is_nan()),
            Data::Words(_) => None,
        }
    }

    /// The text of a cell.
    pub fn word(&self, column: usize, row: usize) -> Option<Cow<'_, str>> {
        match &self.columns[column].1 {
            Data::Numbers(numbers) => {
                let number = numbers[row];
                (!number.is_nan()).then(|| written(number).into())
            }
            Data::Words(words) => words.get(row).map(Cow::Borrowed),
        }
    }

    /// Whether the column has numbers only.
    pub fn is_of_numbers(&self, column: usize) -> bool {
        matches!(self.columns[column].1, Data::Numbers(_))
    }

    /// Whether no row has a value.
    pub fn is_empty(&self, column: usize) -> bool {
        match &self.columns[column].1 {
            Data::Numbers(numbers) => numbers.iter().all(|number| number.is_nan()),
            Data::Words(words) => words.codes.iter().all(|code| *code == NONE),
        }
    }

    /// The same for equal cells, from 0 on in order of appearance.
    pub fn codes(&self, column: usize) -> Vec<u32> {
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut code = |key: u64| {
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        };
        match &self.columns[column].1 {
            // the two zeros are equal
            Data::Numbers(numbers) => (numbers.iter())
                .map(|number| code((number + 0.0).to_bits()))
                .collect(),
            Data::Words(words) => words
                .codes
                .iter()
                .map(|word| code((*word).into()))
                .collect(),
        }
    }

    /// Keeps some rows.
    pub fn retain(&mut self, keep: &[bool]) {
        fn kept<T: Copy>(cells: &mut Vec<T>, keep: &[bool]) {
            let mut keep = keep.iter();
            cells.retain(|_| *keep.next().expect("a mark for each row"));
        }
        for (_, data) in &mut self.columns {
            match data {
                Data::Numbers(numbers) => kept(numbers, keep),
                Data::Words(words) => kept(&mut words.codes, keep),
            }
        }
        kept(&mut self.files, keep);
        self.rows = keep.iter().filter(|keep| **keep).count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: rows of a file without a column that move up; numbers that vanish where words join them
    #[test]
    fn tables_join_by_names() {
        let mut frame = Frame::default();
        frame.add_rows(0, 2);
        frame.set("a", &[Cell::Int(1), Cell::Null]);
        frame.add_rows(1, 1);
        frame.set("b", &[Cell::Float(0.5)]);
        frame.add_rows(2, 1);
        frame.set("a", &["x".into()]);
        let word = |column, row| frame.word(column, row).map(Cow::into_owned);
        let all = |column| (0..4).map(|row| word(column, row)).collect::<Vec<_>>();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(all(0), [some("1"), None, None, some("x")]);
        assert_eq!(all(1), [None, None, some("0.5"), None]);
        assert_eq!(frame.codes(0), [0, 1, 1, 2]);
        assert_eq!(frame.known(0), [true, true, false, true]);
        frame.retain(&[true, false, false, true]);
        assert_eq!((frame.rows(), frame.codes(0)), (2, vec![0, 1]));
    }

    // planted bugs: rows that differ in one column; a cell that is null and one that is not known
    #[test]
    fn rows_repeat_if_all_cells_do() {
        let mut frame = Frame::default();
        frame.add_rows(0, 4);
        let cells = [1, 1, 2, 1].map(Cell::Int);
        frame.set("a", &cells);
        frame.set("b", &[Cell::Null, "x".into(), Cell::Null, Cell::Null]);
        frame.add_rows(1, 1);
        frame.set("a", &[Cell::Int(1)]);
        assert_eq!(frame.repeated(), [false, false, false, true, false]);
    }
}
