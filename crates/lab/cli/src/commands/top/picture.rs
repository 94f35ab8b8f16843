//! The picture of a drive at work, in as many lines as there are.

use std::net::SocketAddr;

use ssdlab_words::{NOTHING, decimal_bytes};

use ratatui_core::buffer::Buffer;
use ratatui_core::style::{Color, Style, Stylize};
use ratatui_core::text::{Line, Span};

use super::Watched;
use super::numbers::{count, decimals};
use super::status::Figure;

/// Eighths of a cell, from the bottom.
const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Eighths of a cell, from the left.
const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// From none to the most.
const SHADES: [&str; 5] = ["·", "░", "▒", "▓", "█"];

/// What there is to see.
pub struct Picture<'a> {
    pub address: SocketAddr,
    pub watched: &'a Watched,
    pub colours: bool,
    /// Why there is nothing new, if that is so.
    pub message: Option<&'a str>,
}

impl Picture<'_> {
    /// Draws it. If there is little room, the end is missing.
    pub fn draw(&self, buffer: &mut Buffer) {
        let area = buffer.area;
        let mut lines = self.top(area.width);
        lines.extend(self.rates(area.width));
        lines.extend(self.counts(area.width));
        lines.extend(self.latencies());
        let left = usize::from(area.height).saturating_sub(lines.len());
        lines.extend(self.figures(area.width, left / 2));
        let left = usize::from(area.height).saturating_sub(lines.len());
        lines.extend(self.erases(area.width, left));
        for (y, line) in (0..area.height).zip(&lines) {
            buffer.set_line(0, y, line, area.width);
        }
    }

    fn host(&self) -> Style {
        self.style(Color::Blue)
    }

    fn flash(&self) -> Style {
        self.style(Color::Yellow)
    }

    fn style(&self, colour: Color) -> Style {
        if self.colours {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    /// The drive, and the most important numbers.
    fn top(&self, width: u16) -> Vec<Line<'static>> {
        let now = &self.watched.now;
        let (counters, buffer) = (&now.counters, &now.buffer);
        let title = format!(
            "{}, FTL {}, buffer {}",
            decimal_bytes(now.capacity),
            now.ftl,
            buffer.policy
        );
        let hint = format!("{}   q quits", self.address);
        let gap = usize::from(width).saturating_sub(title.chars().count() + hint.chars().count());
        let mut lines = vec![Line::from(vec![
            title.bold(),
            " ".repeat(gap.max(1)).into(),
            hint.into(),
        ])];
        let states = [
            self.message
                .map(|why| format!("The server does not answer: {why}.")),
            now.read_only
                .as_ref()
                .map(|why| format!("The drive is read-only: {why}.")),
        ];
        for state in states.into_iter().flatten() {
            lines.push(Line::styled(state, self.style(Color::Red)));
        }
        lines.push(Line::default());
        let waf = now.write_amplification;
        let waf = waf.map_or(NOTHING.to_owned(), |waf| decimals(waf, 2, 10));
        lines.push(Line::from(vec![
            "write amplification ".into(),
            waf.bold(),
            "   host ".into(),
            decimal_bytes(counters.host_write_bytes).bold(),
            "   flash ".into(),
            decimal_bytes(now.bytes_to_flash.total()).bold(),
            "   erases ".into(),
            count(counters.erases, 15).bold(),
        ]));
        if buffer.pages > 0 {
            let share = buffer.held as f64 / buffer.pages as f64;
            lines.push(Line::from(vec![
                "buffer              ".into(),
                Span::styled(format!("{:<20}", bar(share, 20)), self.host()),
                format!(
                    " {} % of {} pages, {} dirty",
                    decimals(100.0 * share, 0, 10),
                    count(buffer.pages, 15),
                    count(buffer.dirty, 15)
                )
                .into(),
            ]));
        }
        lines
    }

    /// Host against flash, over time.
    fn rates(&self, width: u16) -> Vec<Line<'static>> {
        let rates = &self.watched.rates;
        let columns = usize::from(width).saturating_sub(6);
        let first = rates.len().saturating_sub(columns);
        let seen = || rates.iter().skip(first);
        let most = seen().fold(1.0, |most: f64, (host, flash)| most.max(*host).max(*flash));
        let (host, flash) = rates.back().copied().unwrap_or_default();
        let chart = |values: &mut dyn Iterator<Item = f64>| -> String {
            // what is written at all shows
            let eighths = |value: f64| {
                if value > 0.0 {
                    ((value / most * 8.0).round() as usize).clamp(1, 8)
                } else {
                    0
                }
            };
            values.map(|value| BARS[eighths(value)]).collect()
        };
        let row = |name: &'static str, values: &mut dyn Iterator<Item = f64>, style| {
            Line::from(vec![
                Span::styled(format!("{name:<6}"), style),
                Span::styled(chart(values), style),
            ])
        };
        vec![
            Line::default(),
            Line::from(format!(
                "bandwidth: host {}/s, flash {}/s, most {}/s",
                decimal_bytes(host as u64),
                decimal_bytes(flash as u64),
                decimal_bytes(most as u64)
            )),
            row("host", &mut seen().map(|rate| rate.0), self.host()),
            row("flash", &mut seen().map(|rate| rate.1), self.flash()),
        ]
    }

    /// Bytes by cause, and merges by kind beside or under them.
    fn counts(&self, width: u16) -> Vec<Line<'static>> {
        let (bytes, counters) = (&self.watched.now.bytes_to_flash, &self.watched.now.counters);
        let merges = [
            ("switch", counters.switch_merges),
            ("partial", counters.partial_merges),
            ("full", counters.full_merges),
            ("blocks cleaned", counters.gc_victims),
        ];
        const BESIDE: usize = 50;
        let kind = |&(kind, number): &(&str, u64)| format!("{kind:<16}{:>12}", count(number, 12));
        let merges: Vec<String> = merges.iter().map(kind).collect();
        let all = bytes.total().max(1) as f64;
        let mut lines: Vec<Line<'static>> = bytes
            .iter()
            .map(|(cause, written)| {
                let bar = bar(written as f64 / all, 16);
                let written = decimal_bytes(written);
                Line::from(vec![
                    format!("{:<19}{written:>10}  ", cause.name()).into(),
                    Span::styled(format!("{bar:<19}"), self.flash()),
                ])
            })
            .collect();
        let mut heads = vec![Line::from("bytes to flash by cause")];
        let is_wide = usize::from(width) >= BESIDE + merges[0].len();
        if is_wide {
            heads = vec![Line::from(format!(
                "{:<BESIDE$}merges",
                "bytes to flash by cause"
            ))];
            for (line, merge) in lines.iter_mut().zip(merges) {
                line.push_span(merge);
            }
        } else {
            lines.push(Line::from("merges"));
            lines.extend(merges.into_iter().map(Line::from));
        }
        heads.insert(0, Line::default());
        heads.extend(lines);
        heads
    }

    /// By operation and percentile.
    fn latencies(&self) -> Vec<Line<'static>> {
        let mut lines = vec![Line::default()];
        let Some(by_op) = &self.watched.now.latency_ns else {
            lines.push(Line::from("latencies: none, timing.model is \"serial\""));
            return lines;
        };
        let mut head = format!("{:<15}{:>11}", "latencies, ms", "requests");
        for name in ["median", "90 %", "99 %", "99.9 %", "longest"] {
            head += &format!("{name:>10}");
        }
        lines.push(head.into());
        let ops = [
            ("reads", &by_op.reads),
            ("writes", &by_op.writes),
            ("flushes", &by_op.flushes),
            ("discards", &by_op.discards),
        ];
        for (op, of) in ops {
            let mut line = format!("{op:<15}{:>11}", count(of.count, 10));
            for ns in [of.p50, of.p90, of.p99, of.p99_9, of.max] {
                let ms = ns.map(|ns| decimals(ns as f64 / 1e6, 3, 9));
                line += &format!("{:>10}", ms.as_deref().unwrap_or(NOTHING));
            }
            lines.push(line.into());
        }
        lines
    }

    /// As many figures as there is room for, side by side.
    fn figures(&self, width: u16, left: usize) -> Vec<Line<'static>> {
        const EACH: usize = 44;
        let beside = (usize::from(width) / EACH).max(1);
        let figures = self.watched.now.figures.chunks(beside);
        let line = |figures: &[Figure]| {
            let cells = figures.iter().map(|figure| {
                let (title, text) = (figure.title.to_string(), figure.text.to_string());
                format!("{title:<28.28}{text:>14.14}  ")
            });
            Line::from(cells.collect::<String>())
        };
        let lines = figures.take(left.saturating_sub(2)).map(line);
        let lines: Vec<_> = lines.collect();
        if lines.is_empty() {
            lines
        } else {
            [Line::default(), Line::from("since the drive was opened")]
                .into_iter()
                .chain(lines)
                .collect()
        }
    }

    /// A map of erase counts in the room that is left.
    fn erases(&self, width: u16, left: usize) -> Vec<Line<'static>> {
        let erases = &self.watched.now.erases;
        let most = erases.most.unwrap_or_default();
        let columns = usize::from(width).max(1);
        let room = left.saturating_sub(2).max(1) * columns;
        let group = erases.cells.len().div_ceil(room).max(1);
        let blocks = group.saturating_mul(erases.blocks_of_a_cell);
        let each = match blocks {
            1 => String::new(),
            _ => format!("; the most of each {} blocks", count(blocks as u64, 15)),
        };
        let mut lines = vec![
            Line::default(),
            Line::from(format!(
                "erases of each block over its life: {} to {}{each}",
                count(erases.least.unwrap_or_default().into(), 15),
                count(most.into(), 15)
            )),
        ];
        let cells: Vec<&str> = erases
            .cells
            .chunks(group)
            .map(|group| {
                let erased = group.iter().copied().max().unwrap_or_default();
                let share = (u64::from(erased) * 4).div_ceil(u64::from(most.max(1)));
                SHADES[share.min(4) as usize]
            })
            .collect();
        let rows = cells.chunks(columns);
        lines.extend(rows.map(|row| Line::styled(row.concat(), self.flash())));
        lines
    }
}

/// A share of a width as a bar.
fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}
