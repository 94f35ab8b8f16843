//! `ssdlab top`: what a served drive does, in the terminal.

mod numbers;
mod picture;
mod status;

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::failure::Failure;
use crate::live::Live;
use crate::output;
use crate::screen::Screen;

use picture::Picture;
use status::Status;

#[derive(clap::Args)]
pub struct Args {
    /// The address that `ssdlab serve IMAGE --status` was given
    #[arg(value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    address: SocketAddr,
    /// Seconds between two updates
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=3600))]
    interval: u16,
    /// Print one snapshot as text, after one interval
    #[arg(long)]
    once: bool,
}

pub fn top(args: &Args) -> Result<(), Failure> {
    let interval = Duration::from_secs(args.interval.into());
    let screen = Screen::stdout();
    let interactive = io::stdout().is_terminal() && io::stdin().is_terminal();
    if !args.once && !interactive {
        return Err(Failure::Input(
            "standard input and output must be a terminal; --once prints one picture as text"
                .to_owned(),
        ));
    }
    let address = args.address;
    let mut watched = Watched::new(fetched(address)?);
    if args.once {
        thread::sleep(interval);
        watched.add(fetched(address)?);
        return print(&watched, address, &screen);
    }
    let failed = |error: io::Error| Failure::Machine(format!("the terminal: {error}"));
    let mut live = Live::open().map_err(failed)?;
    let mut message: Option<String> = None;
    loop {
        let picture = Picture {
            address,
            watched: &watched,
            colours: screen.colours(),
            message: message.as_deref(),
        };
        match live.show(watched.at + interval, |buffer| picture.draw(buffer)) {
            // Ctrl-C is a key here
            Ok(Some(b'q' | b'Q' | 3)) => return Ok(()),
            Ok(Some(_)) => continue,
            Ok(None) => {}
            Err(error) => return Err(failed(error)),
        }
        message = match Status::fetch(address) {
            Ok(status) => {
                watched.add(status);
                None
            }
            Err(why) => {
                watched.at = Instant::now();
                Some(why)
            }
        };
    }
}

fn fetched(address: SocketAddr) -> Result<Status, Failure> {
    let failed = |why| {
        let serve = format!("`ssdlab serve IMAGE --status {address}` shows a drive there");
        Failure::Machine(format!("{address}: {why}; {serve}"))
    };
    Status::fetch(address).map_err(failed)
}

/// The picture as text, as wide as the terminal, or 80 columns.
fn print(watched: &Watched, address: SocketAddr, screen: &Screen) -> Result<(), Failure> {
    let (lines, columns) = screen.size().unwrap_or((30, 80));
    let fits = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    let mut buffer = Buffer::empty(Rect::new(0, 0, fits(columns), fits(lines)));
    let picture = Picture {
        address,
        watched,
        colours: false,
        message: None,
    };
    picture.draw(&mut buffer);
    let rows = buffer.content().chunks(usize::from(buffer.area.width));
    let lines: Vec<String> = rows
        .map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>())
        .collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let text = lines.join("\n");
    output::print(&(text.trim_end().to_owned() + "\n"))
}

/// What was seen so far.
pub struct Watched {
    now: Status,
    at: Instant,
    /// Bytes per second of host and flash, the newest last.
    rates: VecDeque<(f64, f64)>,
}

impl Watched {
    /// As many as a wide terminal has columns.
    const MOST: usize = 512;

    fn new(now: Status) -> Self {
        Self {
            now,
            at: Instant::now(),
            rates: VecDeque::new(),
        }
    }

    fn add(&mut self, next: Status) {
        let at = Instant::now();
        let seconds = at.duration_since(self.at).as_secs_f64().max(1e-3);
        let rate = |new: u64, old: u64| new.saturating_sub(old) as f64 / seconds;
        let (new, old) = (&next, &self.now);
        let host = rate(new.counters.host_write_bytes, old.counters.host_write_bytes);
        let flash = rate(new.bytes_to_flash.total(), old.bytes_to_flash.total());
        if self.rates.len() == Self::MOST {
            self.rates.pop_front();
        }
        self.rates.push_back((host, flash));
        (self.now, self.at) = (next, at);
    }
}
