//! Lines of text whose parts have a meaning, which terminals and pages show in colour.

/// The meaning of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ink {
    /// Nothing of its own.
    Plain,
    /// The request.
    Head,
    /// A page of the host that waits in the buffer.
    Dirty,
    /// A page of which flash has the newest version too.
    Clean,
    /// What leaves the buffer, and what the FTL does then.
    Work,
}

/// A line.
#[derive(Clone, Debug, Default)]
pub struct Row(Vec<(String, Ink)>);

impl Row {
    /// A line of one part.
    pub fn of(text: impl Into<String>, ink: Ink) -> Self {
        Self(vec![(text.into(), ink)])
    }

    /// Adds a part.
    pub fn add(&mut self, text: impl Into<String>, ink: Ink) {
        self.0.push((text.into(), ink));
    }

    /// Its characters.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| text.chars().count()).sum()
    }

    /// In lines of at most `width` characters, broken at blanks where it can be.
    pub fn broken(self, width: usize) -> Vec<Row> {
        const INDENT: &str = "     ";
        if self.width() <= width {
            return vec![self];
        }
        let (mut rows, mut row, mut at) = (Vec::new(), Row::default(), 0);
        let parts = self.0.iter();
        let words =
            parts.flat_map(|(text, ink)| text.split_inclusive(' ').map(move |word| (word, *ink)));
        for (word, ink) in words {
            let length = word.trim_end().chars().count();
            if at + length > width && at > INDENT.len() {
                rows.push(std::mem::replace(&mut row, Row::of(INDENT, Ink::Plain)));
                at = INDENT.len();
            }
            row.add(word, ink);
            at += word.chars().count();
        }
        rows.push(row);
        rows
    }

    /// The text alone, without blanks at its end.
    pub fn text(&self) -> String {
        let text: String = self.0.iter().map(|(text, _)| text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// Its parts.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Ink)> {
        self.0.iter().map(|(text, ink)| (text.as_str(), *ink))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a line one character too wide; words lost or joined; no indentation
    #[test]
    fn a_long_line_is_broken_at_blanks() {
        let mut row = Row::of("   full merge of block 3", Ink::Work);
        row.add(" into 2: valid pages", Ink::Plain);
        let words: Vec<String> = row.text().split_whitespace().map(str::to_owned).collect();
        for width in 12..60 {
            let rows = row.clone().broken(width);
            assert!(
                rows.iter().all(|row| row.text().chars().count() <= width),
                "{width}"
            );
            let rest = &rows[1..];
            assert!(
                rest.iter().all(|row| row.text().starts_with("     ")),
                "{width}"
            );
            let broken = rows.iter().flat_map(|row| {
                let text = row.text();
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            });
            assert_eq!(broken.collect::<Vec<_>>(), words, "{width}");
        }
    }
}
