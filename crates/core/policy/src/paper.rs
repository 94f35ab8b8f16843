//! What to cite: a paper, and the words that say where a system comes from.

use core::fmt;

/// A publication. `papers` has those of the built-in systems; a crate with systems of its own has its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Paper {
    /// The key of its BibTeX entry, which stays the same.
    pub key: &'static str,
    /// Its name in texts: `BPLRU 2008`.
    pub name: &'static str,
    /// Its authors, given and family names.
    pub authors: &'static [(&'static str, &'static str)],
    /// Its title.
    pub title: &'static str,
    /// Place and year in a few words: `FAST 2008`; empty if neither is known.
    pub place: &'static str,
    /// Where it was published, as BibTeX wants it.
    pub venue: Venue,
    /// The year; `None` if it is not known.
    pub year: Option<u16>,
    /// Its DOI, if it was read in a reliable place.
    pub doi: Option<&'static str>,
}

/// Where a paper was published. What is not known is empty.
#[derive(Debug, PartialEq, Eq)]
pub enum Venue {
    /// A journal.
    Journal {
        /// Its name.
        name: &'static str,
        /// The volume.
        volume: &'static str,
        /// The issue.
        number: &'static str,
        /// The pages, with `--` between two.
        pages: &'static str,
    },
    /// The proceedings of a conference.
    Proceedings {
        /// Their title.
        of: &'static str,
        /// The pages, with `--` between two.
        pages: &'static str,
    },
    /// Not known.
    Unknown,
}

impl Paper {
    /// The family names of its authors: `Kim, Ahn`.
    pub fn families(&self) -> impl Iterator<Item = &'static str> {
        self.authors.iter().map(|(_, family)| *family)
    }
}

/// In full: `Kim, Ahn: BPLRU: a buffer …, FAST 2008`.
impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, family) in self.families().enumerate() {
            let before = if at == 0 { "" } else { ", " };
            write!(f, "{before}{family}")?;
        }
        write!(f, ": {}", self.title)?;
        match self.place {
            "" => Ok(()),
            place => write!(f, ", {place}"),
        }
    }
}

/// Where a system or a device comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    words: &'static str,
    papers: &'static [&'static Paper],
    needs_none: bool,
    is_own: bool,
}

impl Source {
    /// Papers, in words with `{}` in the place of each: `{}, section 2.4 ({})`.
    pub const fn of(words: &'static str, papers: &'static [&'static Paper]) -> Self {
        Self {
            words,
            papers,
            needs_none: false,
            is_own: false,
        }
    }

    /// Words alone, for what nobody needs to cite, such as a baseline. They may be empty.
    pub const fn none(words: &'static str) -> Self {
        Self {
            words,
            papers: &[],
            needs_none: true,
            is_own: false,
        }
    }

    /// Words alone, for what was first described in ssdlab.
    pub const fn own(words: &'static str) -> Self {
        Self {
            words,
            papers: &[],
            needs_none: true,
            is_own: true,
        }
    }

    /// Words alone, for what has a source of which no citation is known.
    pub const fn words(words: &'static str) -> Self {
        Self {
            words,
            papers: &[],
            needs_none: false,
            is_own: false,
        }
    }

    /// The papers to cite.
    pub fn papers(&self) -> &'static [&'static Paper] {
        self.papers
    }

    /// Whether ssdlab itself is to be cited.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// Whether it has a source of which no citation is known.
    pub fn is_unknown(&self) -> bool {
        self.papers.is_empty() && !self.needs_none
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// As [`Source`] is displayed, with authors and titles.
    pub fn in_full(&self) -> impl fmt::Display {
        InFull(*self)
    }

    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        paper: impl Fn(&Paper, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let mut papers = self.papers.iter();
        for (at, words) in self.words.split("{}").enumerate() {
            if at > 0 {
                paper(papers.next().expect("a paper for each place"), f)?;
            }
            f.write_str(words)?;
        }
        Ok(())
    }
}

/// In a few words: `BPLRU 2008, section 2.4 (Park et al. 2006)`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |paper, f| f.write_str(paper.name))
    }
}

struct InFull(Source);

impl fmt::Display for InFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, |paper, f| paper.fmt(f))
    }
}
