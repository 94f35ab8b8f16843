//! Lines of text whose parts have a meaning, which a terminal shows in colour.

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

/// The meaning of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// The text alone, without blanks at its end.
    pub fn text(&self) -> String {
        let text: String = self.0.iter().map(|(text, _)| text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// The line on a terminal.
    pub fn drawn(&self, colours: bool) -> Line<'_> {
        let style = |ink| match ink {
            Ink::Plain => Style::new(),
            Ink::Head => Style::new().add_modifier(Modifier::BOLD),
            Ink::Dirty if colours => Style::new().fg(Color::Yellow),
            Ink::Clean if colours => Style::new().fg(Color::Blue),
            Ink::Work if colours => Style::new().fg(Color::Red),
            Ink::Dirty | Ink::Clean | Ink::Work => Style::new(),
        };
        let parts = self.0.iter();
        let spans = parts.map(|(text, ink)| Span::styled(text.as_str(), style(*ink)));
        Line::from_iter(spans)
    }
}
