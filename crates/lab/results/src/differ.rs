//! Where two tables of results differ.

use std::collections::BTreeSet;

use crate::cell::Cell;
use crate::table::Table;

/// Columns that tell of the program and not of the run.
const OF_PROGRAM: [&str; 3] = ["version", "command", "run_id"];

/// The columns that name a row in a difference.
const NAMES: [&str; 3] = ["trace", "system", "config"];

/// The first differences of two tables, in words, `most` of them; rows are compared in their order. Which version of
/// ssdlab made them is no difference. Empty: they are the same.
pub fn differences(own: &Table, other: &Table, most: usize) -> Vec<String> {
    if own.rows() != other.rows() {
        return vec![format!("{} rows, not {}", own.rows(), other.rows())];
    }
    let names = |table: &Table| -> BTreeSet<String> {
        let names = table.columns().map(|(name, _)| name.to_owned());
        names
            .filter(|name| !OF_PROGRAM.contains(&&**name))
            .collect()
    };
    let (own_names, other_names) = (names(own), names(other));
    let mut found: Vec<String> = own_names
        .symmetric_difference(&other_names)
        .map(|name| format!("the column {name} is in one of them only"))
        .collect();
    for row in 0..own.rows() {
        if found.len() >= most {
            break;
        }
        for name in own_names.intersection(&other_names) {
            let (a, b) = (own.cell(row, name), other.cell(row, name));
            if !same(a, b) {
                let (a, b) = (shown(a), shown(b));
                found.push(format!(
                    "row {}{}: {name} is {a}, not {b}",
                    row + 1,
                    named(own, row)
                ));
            }
        }
    }
    found.truncate(most);
    found
}

/// A number that CSV has without its type is the same.
fn same(a: &Cell, b: &Cell) -> bool {
    a == b || a.number().is_some() && a.number() == b.number()
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => "empty".into(),
        cell => cell.to_string(),
    }
}

fn named(table: &Table, row: usize) -> String {
    let names = NAMES.iter().map(|name| table.cell(row, name).to_string());
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" ({})", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 4]]) -> Table {
        let names = ["trace", "waf", "version", "run_id"];
        let mut table = Table::new(names.map(|name| (name, None)));
        for row in rows {
            table.add(row.map(Cell::parse));
        }
        table
    }

    // planted bugs: a number that is a little larger; a row that is missing; a column that is missing; another version
    #[test]
    fn tables_differ_in_results_and_not_in_versions() {
        let own = table(&[["a", "1.5", "0.1.0", "x"], ["b", "2.5", "0.1.0", "y"]]);
        let newer = table(&[["a", "1.5", "0.2.0", "z"], ["b", "2.5", "0.2.0", "w"]]);
        assert_eq!(differences(&own, &newer, 5), [""; 0]);
        let other = table(&[
            ["a", "1.5", "0.1.0", "x"],
            ["b", "2.5000000000000004", "0.1.0", "y"],
        ]);
        let found = differences(&other, &own, 5);
        assert_eq!(found, ["row 2 (b): waf is 2.5000000000000004, not 2.5"]);
        let fewer = table(&[["a", "1.5", "0.1.0", "x"]]);
        assert_eq!(differences(&fewer, &own, 5), ["1 rows, not 2"]);
        let mut more = own.clone();
        more.set_column("erases", vec![Cell::Int(1), Cell::Int(2)]);
        let found = differences(&more, &own, 5);
        assert_eq!(found, ["the column erases is in one of them only"]);
        let all = table(&[["c", "1.25", "0.1.0", "x"], ["d", "2.25", "0.1.0", "y"]]);
        assert_eq!(differences(&all, &own, 3).len(), 3);
    }
}
