//! A picture that fills the terminal and changes, and keys.

use std::io::{self, Read, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::style::{Attribute, Print, SetAttribute, SetForegroundColor};
use crossterm::{cursor, queue, terminal};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};

/// Whether the terminal is in use.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The terminal, from its opening to its drop.
pub struct Live {
    keys: Receiver<u8>,
    shown: Buffer,
}

impl Live {
    /// Takes the terminal: another screen, and each key at once.
    ///
    /// # Errors
    /// The terminal cannot do that.
    pub fn open() -> io::Result<Self> {
        let (tell, keys) = mpsc::channel();
        terminal::enable_raw_mode()?;
        IN_USE.store(true, Ordering::SeqCst);
        let live = Self {
            keys,
            shown: Buffer::empty(Rect::ZERO),
        };
        queue!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        // it waits for keys until the program ends
        thread::Builder::new().spawn(move || {
            for byte in io::stdin().lock().bytes().map_while(Result::ok) {
                if tell.send(byte).is_err() {
                    break;
                }
            }
        })?;
        Ok(live)
    }

    /// Shows what `draw` draws, and again when the size changes, until a key comes or the time is over.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn show(
        &mut self,
        end: Instant,
        mut draw: impl FnMut(&mut Buffer),
    ) -> io::Result<Option<u8>> {
        /// How soon a new size is noticed.
        const SOON: Duration = Duration::from_millis(100);
        let mut drawn = None;
        loop {
            let size = terminal::size()?;
            if drawn != Some(size) {
                let mut next = Buffer::empty(Rect::new(0, 0, size.0, size.1));
                draw(&mut next);
                self.put(next)?;
                drawn = Some(size);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.keys.recv_timeout(left.min(SOON)) {
                Ok(key) => return Ok(Some(key)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                // no key can come any more
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(b'q')),
            }
        }
    }

    /// Writes the cells that differ.
    fn put(&mut self, next: Buffer) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if next.area != self.shown.area {
            queue!(out, terminal::Clear(terminal::ClearType::All))?;
            self.shown = Buffer::empty(next.area);
        }
        let mut at = None;
        for (x, y, cell) in self.shown.diff(&next) {
            if at != Some((x, y)) {
                queue!(out, cursor::MoveTo(x, y))?;
            }
            at = Some((x + 1, y));
            queue!(out, SetAttribute(Attribute::Reset))?;
            if cell.modifier.contains(Modifier::BOLD) {
                queue!(out, SetAttribute(Attribute::Bold))?;
            }
            if let Some(colour) = colour(cell.fg) {
                queue!(out, SetForegroundColor(colour))?;
            }
            queue!(out, Print(cell.symbol()))?;
        }
        queue!(out, SetAttribute(Attribute::Reset))?;
        self.shown = next;
        out.flush()
    }
}

/// The colours in use, as the terminal names them.
fn colour(colour: Color) -> Option<crossterm::style::Color> {
    match colour {
        Color::Blue => Some(crossterm::style::Color::Blue),
        Color::Yellow => Some(crossterm::style::Color::Yellow),
        Color::Red => Some(crossterm::style::Color::Red),
        _ => None,
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, if it is in use.
pub fn restore() {
    if IN_USE.swap(false, Ordering::SeqCst) {
        // nobody is left to hear of an error
        let _ = terminal::disable_raw_mode();
        let mut out = io::stdout();
        let _ = queue!(
            out,
            SetAttribute(Attribute::Reset),
            cursor::Show,
            terminal::LeaveAlternateScreen
        );
        let _ = out.flush();
    }
}
