//! Steps in a terminal, forward and back by keys.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use ratatui_core::buffer::Buffer;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use ssdlab_report::steps::{Ink, Row};
use ssdlab_sim::Steps;

use super::step::View;
use crate::failure::Failure;
use crate::live::Live;
use crate::screen::Screen;

/// The steps that are kept to go back to; an earlier one is simulated again.
const KEPT: usize = 512;

/// The groups of pages that a step keeps: more than fit on most terminals.
const GROUPS: usize = 400;

/// The requests that are simulated before keys are looked at.
const AT_ONCE: u64 = 10_000;

const KEYS: &str = "n next  p back  g NUMBER  q quit";

/// Begins a replay once more.
pub type Begin<'a> = dyn Fn() -> Result<Steps, Failure> + 'a;

/// A line on a terminal.
fn drawn(row: &Row, colours: bool) -> Line<'_> {
    let style = |ink| match ink {
        Ink::Plain => Style::new(),
        Ink::Head => Style::new().add_modifier(Modifier::BOLD),
        Ink::Dirty if colours => Style::new().fg(Color::Yellow),
        Ink::Clean if colours => Style::new().fg(Color::Blue),
        Ink::Work if colours => Style::new().fg(Color::Red),
        Ink::Dirty | Ink::Clean | Ink::Work => Style::new(),
    };
    let spans = row.parts();
    Line::from_iter(spans.map(|(text, ink)| Span::styled(text, style(ink))))
}

/// A walk through a trace.
pub struct Walk<'a> {
    steps: Steps,
    /// `None` if the trace can be read only once.
    again: Option<&'a Begin<'a>>,
    /// The first and the last request to show.
    range: (u64, u64),
    /// The last steps that were seen, in order without gaps.
    seen: VecDeque<View>,
    /// The place of the current one.
    at: usize,
    /// What the last key could not do.
    message: String,
}

/// What a key asks for.
enum KeyAction {
    Next,
    Back,
    Go(u64),
    Quit,
    Nothing,
}

/// Keys of several bytes, and numbers that are being typed.
#[derive(Default)]
struct Typed {
    escape: Vec<u8>,
    number: Option<String>,
}

impl Typed {
    fn key(&mut self, key: u8) -> KeyAction {
        match (self.escape.as_slice(), key) {
            (_, 27) => self.escape = vec![key],
            ([27], b'[' | b'O') => self.escape.push(key),
            ([27, _], _) => {
                self.escape.clear();
                return match key {
                    b'B' | b'C' => KeyAction::Next,
                    b'A' | b'D' => KeyAction::Back,
                    _ => KeyAction::Nothing,
                };
            }
            _ => {
                self.escape.clear();
                return self.letter(key);
            }
        }
        KeyAction::Nothing
    }

    fn letter(&mut self, key: u8) -> KeyAction {
        if let Some(number) = &mut self.number {
            match key {
                b'0'..=b'9' if number.len() < 18 => number.push(key.into()),
                8 | 127 => {
                    number.pop();
                }
                b'\r' | b'\n' => {
                    let number = self.number.take().and_then(|number| number.parse().ok());
                    return number.map_or(KeyAction::Nothing, KeyAction::Go);
                }
                b'q' | b'Q' | 3 => return KeyAction::Quit,
                _ => self.number = None,
            }
            return KeyAction::Nothing;
        }
        match key {
            b'n' | b'N' | b' ' | b'\r' | b'\n' => KeyAction::Next,
            b'p' | b'P' | 8 | 127 => KeyAction::Back,
            b'g' | b'G' => {
                self.number = Some(String::new());
                KeyAction::Nothing
            }
            // Ctrl-C is a key here
            b'q' | b'Q' | 3 => KeyAction::Quit,
            _ => KeyAction::Nothing,
        }
    }
}

fn failed(error: io::Error) -> Failure {
    Failure::Machine(format!("the terminal: {error}"))
}

impl<'a> Walk<'a> {
    pub fn new(steps: Steps, again: Option<&'a Begin<'a>>, from: u64, to: u64) -> Self {
        Self {
            steps,
            again,
            range: (from, to),
            seen: VecDeque::new(),
            at: 0,
            message: String::new(),
        }
    }

    /// Takes the terminal until the user quits.
    pub fn run(mut self, screen: &Screen) -> Result<(), Failure> {
        const LONG: Duration = Duration::from_secs(3600);
        let mut live = Live::open().map_err(failed)?;
        let mut typed = Typed::default();
        if !self.go(self.range.0, &mut live)? {
            return Ok(());
        }
        loop {
            let shown = live.show(Instant::now() + LONG, |buffer| {
                self.draw(buffer, screen.colours(), &typed)
            });
            let Some(key) = shown.map_err(failed)? else {
                continue;
            };
            self.message.clear();
            match typed.key(key) {
                KeyAction::Quit => return Ok(()),
                KeyAction::Nothing => {}
                KeyAction::Next => self.next()?,
                KeyAction::Back => {
                    if !self.back(&mut live)? {
                        return Ok(());
                    }
                }
                KeyAction::Go(number) => {
                    if !self.go(number, &mut live)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn number(&self) -> u64 {
        self.seen.get(self.at).map_or(0, |view| view.number)
    }

    fn next(&mut self) -> Result<(), Failure> {
        if self.at + 1 < self.seen.len() {
            self.at += 1;
            return Ok(());
        }
        let last = self.seen.back().map_or(0, |view| view.number);
        if last >= self.range.1 {
            self.message = format!("request {last} is the last one that --to asks for");
            return Ok(());
        }
        match View::next(&mut self.steps, GROUPS)? {
            Some(view) => {
                if self.seen.len() == KEPT {
                    self.seen.pop_front();
                }
                self.seen.push_back(view);
                self.at = self.seen.len() - 1;
            }
            None => self.message = "the trace has ended".to_owned(),
        }
        Ok(())
    }

    /// Returns false if the user quits.
    fn back(&mut self, live: &mut Live) -> Result<bool, Failure> {
        if self.at > 0 {
            self.at -= 1;
            return Ok(true);
        }
        match self.number() {
            number if number > self.range.0 => self.go(number - 1, live),
            _ => {
                self.message = format!("request {} is the first one", self.range.0);
                Ok(true)
            }
        }
    }

    /// Shows a request, or the end if the trace is shorter. Returns false if the user quits.
    fn go(&mut self, number: u64, live: &mut Live) -> Result<bool, Failure> {
        let number = number.clamp(self.range.0, self.range.1);
        let first = self.seen.front().map_or(u64::MAX, |view| view.number);
        if first <= number && number < first.saturating_add(self.seen.len() as u64) {
            self.at = (number - first) as usize;
            return Ok(true);
        }
        if let Some(last) = self.seen.back()
            && last.step.request.is_none()
            && number >= last.number
        {
            self.message = format!("the trace has {} requests", self.steps.served());
            self.at = self.seen.len() - 1;
            return Ok(true);
        }
        if number <= self.steps.served() {
            let Some(again) = self.again else {
                self.message = "earlier steps are gone: the trace is no file".to_owned();
                return Ok(true);
            };
            self.steps = again()?;
        }
        self.seen.clear();
        while self.steps.served() + 1 < number {
            let left = number - 1 - self.steps.served();
            if self.steps.skip(left.min(AT_ONCE))? < left.min(AT_ONCE) {
                break;
            }
            let served = self.steps.served();
            let draw = |buffer: &mut Buffer| {
                let text = format!("going to request {number}: {served} served   q quits");
                buffer.set_line(0, 0, &Line::from(text), buffer.area.width);
            };
            if let Some(b'q' | b'Q' | 3) = live.show(Instant::now(), draw).map_err(failed)? {
                return Ok(false);
            }
        }
        self.next()?;
        Ok(true)
    }

    /// Draws the current step. If there is little room, the end is missing.
    fn draw(&self, buffer: &mut Buffer, colours: bool, typed: &Typed) {
        let width = buffer.area.width;
        let config = self.steps.config();
        let title = format!("buffer {}, FTL {}", config.policy, config.ftl);
        let gap = usize::from(width).saturating_sub(title.chars().count() + KEYS.len());
        let mut rows = vec![
            Row::of(
                format!("{title}{}{KEYS}", " ".repeat(gap.max(1))),
                Ink::Plain,
            ),
            Row::of(self.state(typed), Ink::Plain),
        ];
        if let Some(view) = self.seen.get(self.at) {
            rows.extend(view.lines(Some(width.into())));
        }
        for (y, row) in (0..buffer.area.height).zip(&rows) {
            buffer.set_line(0, y, &drawn(row, colours), width);
        }
    }

    /// What is being typed, or what the last key could not do.
    fn state(&self, typed: &Typed) -> String {
        match &typed.number {
            Some(number) => format!("go to request {number}_ (Enter)"),
            None => self.message.clone(),
        }
    }
}
