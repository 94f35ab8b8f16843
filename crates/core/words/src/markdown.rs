//! Tables in Markdown.

use std::fmt::Display;

/// A table: the headings, which ` | ` separates, their rule, and one line for each row. `columns` has a letter for each
/// column, `l` if it has text and `r` if it has numbers; the last letter is valid for all further columns.
pub fn markdown_table<R>(columns: &str, header: &str, rows: R) -> String
where
    R: IntoIterator<Item: IntoIterator<Item: Display>>,
{
    let header = || header.split(" | ");
    let last = columns.chars().last();
    let sides = columns.chars().chain(last.into_iter().cycle());
    let rules = sides
        .zip(header())
        .map(|(side, _)| if side == 'r' { "---:" } else { "---" });
    let rows = rows.into_iter().map(line);
    line(header()) + &line(rules) + &rows.collect::<String>()
}

fn line(cells: impl IntoIterator<Item: Display>) -> String {
    let cell = |cell| format!(" {} |", format!("{cell}").replace('|', "\\|"));
    format!("|{}\n", cells.into_iter().map(cell).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a bar that ends its cell; numbers on the left
    #[test]
    fn a_table_has_a_rule_for_each_column() {
        let text = markdown_table("lr", "a | b | c", [["x|y", "1", "2"]]);
        assert_eq!(
            text,
            "| a | b | c |\n| --- | ---: | ---: |\n| x\\|y | 1 | 2 |\n"
        );
    }
}
