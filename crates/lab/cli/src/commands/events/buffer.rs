//! The content of the write buffer in lines.

use ssdlab_report::steps::{Ink, Row, runs};
use ssdlab_sim::{Content, Group};
use ssdlab_words::thousands;

/// The most pages of a block that are drawn as cells.
const CELLS: u32 = 64;

/// Draws the content in lines of at most `width` characters, as far as they can be broken.
pub fn lines(content: &Content, pages_per_block: u32, width: usize) -> Vec<Row> {
    let mut rows = vec![summary(content)];
    if content.by_page {
        rows.extend(pages(content, width));
    } else {
        rows.extend(blocks(content, pages_per_block));
    }
    rows
}

fn summary(content: &Content) -> Row {
    let pages = thousands(content.pages.into());
    let of = match content.places {
        Some(places) => format!("{pages} of {} pages", thousands(places)),
        None => format!("{pages} pages"),
    };
    let dirty = match content.dirty {
        _ if content.pages == 0 => String::new(),
        dirty if dirty == content.pages => ", all dirty".to_owned(),
        dirty => format!(", {} dirty", thousands(dirty.into())),
    };
    let order = match (content.in_order, content.groups.len()) {
        (_, 0) => "",
        (true, _) => "; the first one leaves next",
        (false, _) => "; by address",
    };
    Row::of(format!("   buffer: {of}{dirty}{order}"), Ink::Plain)
}

/// Pages one after the other; clean ones in brackets.
fn pages(content: &Content, width: usize) -> Vec<Row> {
    const INDENT: &str = "     ";
    let mut rows = Vec::new();
    let mut row = Row::of(INDENT, Ink::Plain);
    for (lpn, dirty) in content.groups.iter().flat_map(|group| &group.pages) {
        let (text, ink) = if *dirty {
            (format!("{} ", lpn.0), Ink::Dirty)
        } else {
            (format!("({}) ", lpn.0), Ink::Clean)
        };
        if row.width() + text.len() > width && row.width() > INDENT.len() {
            rows.push(std::mem::replace(&mut row, Row::of(INDENT, Ink::Plain)));
        }
        row.add(text, ink);
    }
    if content.goes_on {
        let more = u64::from(content.pages).saturating_sub(content.groups.len() as u64);
        row.add(format!("... {} more", thousands(more)), Ink::Plain);
    }
    if row.width() > INDENT.len() {
        rows.push(row);
    }
    rows
}

/// A line for each block: a cell for each page, and the numbers of those that are held.
fn blocks(content: &Content, pages_per_block: u32) -> Vec<Row> {
    let widest = content.groups.iter().map(|group| group.lbn.0).max();
    let digits = widest.unwrap_or_default().to_string().len();
    let mut rows: Vec<Row> = content
        .groups
        .iter()
        .map(|group| block(group, pages_per_block, digits))
        .collect();
    if content.goes_on {
        let shown: usize = content.groups.iter().map(|group| group.pages.len()).sum();
        let more = u64::from(content.pages).saturating_sub(shown as u64);
        let text = format!("     ... {} more pages in other blocks", thousands(more));
        rows.push(Row::of(text, Ink::Plain));
    }
    rows
}

fn block(group: &Group, pages_per_block: u32, digits: usize) -> Row {
    let lbn = group.lbn.0;
    let mut row = Row::of(format!("     block {lbn:>digits$}  "), Ink::Plain);
    if pages_per_block <= CELLS {
        let mut pages = group.pages.iter().peekable();
        for lpn in (0..pages_per_block).map(|offset| lbn * pages_per_block + offset) {
            match pages.next_if(|(held, _)| held.0 == lpn) {
                Some((_, true)) => row.add("■", Ink::Dirty),
                Some((_, false)) => row.add("□", Ink::Clean),
                None => row.add("·", Ink::Plain),
            }
        }
        row.add("  ", Ink::Plain);
    } else {
        let held = group.pages.len();
        row.add(format!("{held} of {pages_per_block}: "), Ink::Plain);
    }
    row.add(runs(&group.pages), Ink::Plain);
    row
}
