//! Entries of BibTeX.

use std::fmt;

use ssdlab_policy::{Paper, Venue};

/// An entry of BibTeX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: String,
    text: Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Text {
    Fields(&'static str, Vec<(&'static str, String)>),
    /// A whole entry of somebody else, as it is, and a note for it.
    Whole(String, String),
}

impl Entry {
    /// An entry of fields, whose texts have no markup.
    pub(crate) fn new(
        kind: &'static str,
        key: &str,
        fields: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        Self {
            key: key.to_owned(),
            text: Text::Fields(kind, fields.collect()),
        }
    }

    /// The entry of a paper, with a note.
    pub(crate) fn of(paper: &Paper, note: &str) -> Self {
        let authors = paper.authors.iter();
        let authors: Vec<String> = authors
            .map(|(given, family)| format!("{}, {}", escaped(family), escaped(given)))
            .collect();
        let text = |text: &str| escaped(text);
        let mut fields = vec![
            ("author", authors.join(" and ")),
            // braces keep the capitals
            ("title", format!("{{{}}}", escaped(paper.title))),
        ];
        let kind = match &paper.venue {
            Venue::Journal {
                name,
                volume,
                number,
                pages,
            } => {
                fields.extend([
                    ("journal", text(name)),
                    ("volume", text(volume)),
                    ("number", text(number)),
                    ("pages", text(pages)),
                ]);
                "article"
            }
            Venue::Proceedings { of, pages } => {
                fields.extend([("booktitle", text(of)), ("pages", text(pages))]);
                "inproceedings"
            }
            Venue::Unknown => "misc",
        };
        fields.push((
            "year",
            paper.year.map_or(String::new(), |year| year.to_string()),
        ));
        fields.push(("doi", paper.doi.unwrap_or_default().to_owned()));
        fields.push(("note", escaped(note)));
        Self::new(kind, paper.key, fields)
    }

    /// An entry that somebody wrote, with a note. `None`: it is none.
    pub(crate) fn whole(text: &str, note: &str) -> Option<Self> {
        let text = text.trim();
        let (_, rest) = text.strip_prefix('@')?.split_once('{')?;
        let (key, _) = rest.split_once(',')?;
        text.ends_with('}').then_some(())?;
        Some(Self {
            key: key.trim().to_owned(),
            text: Text::Whole(text.to_owned(), escaped(note)),
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Text::Fields(kind, fields) => {
                writeln!(f, "@{kind}{{{},", self.key)?;
                for (name, text) in fields {
                    writeln!(f, "  {name} = {{{text}}},")?;
                }
                writeln!(f, "}}")
            }
            Text::Whole(text, note) => {
                let own = "\n  note = {";
                if text.contains(own) {
                    return writeln!(f, "{}", text.replacen(own, &format!("{own}{note}; "), 1));
                }
                let body = text.trim_end_matches('}').trim_end();
                // the closing brace of the last field went with that of the entry
                let closed = &text[body.len()..];
                let closed: String = closed.chars().filter(|c| *c == '}').collect();
                let (fields, _) = closed.split_at(closed.len() - 1);
                let body = format!("{body}{fields}");
                let body = body.trim_end_matches(',');
                writeln!(f, "{body},\n  note = {{{note}}}\n}}")
            }
        }
    }
}

/// A text with what TeX would read as a command escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut made = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' => made.extend(['\\', c]),
            // braces must be in pairs, and a backslash begins a command
            '{' | '}' => {}
            '\\' => made.push('/'),
            '~' => made.push_str("\\~{}"),
            '^' => made.push_str("\\^{}"),
            c if c.is_control() => made.push(' '),
            c => made.push(c),
        }
    }
    made
}
