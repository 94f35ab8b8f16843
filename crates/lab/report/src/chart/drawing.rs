//! What all charts are drawn with: an area, its colours, and numbers on an axis.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::palette::Used;

pub(super) const WIDTH: u32 = 960;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Drawn = Result<(), String>;

/// The colours in use.
#[derive(Default)]
pub(super) struct Scheme(Used);

impl Scheme {
    pub(super) fn text(&mut self, name: &str, size: u32) -> TextStyle<'static> {
        let colour = self.colour(name);
        ("sans-serif", size)
            .with_color(colour)
            .into_text_style(&(WIDTH, WIDTH))
    }

    pub(super) fn colour(&mut self, name: &str) -> RGBColor {
        let light = self.0.hex(name);
        let part = |at: usize| u8::from_str_radix(&light[at..at + 2], 16).unwrap_or_default();
        RGBColor(part(1), part(3), part(5))
    }
}

/// The SVG with the style of its colours after the first tag.
pub(super) fn svg(draw: impl FnOnce(&mut String, &mut Scheme) -> Drawn) -> Result<String, String> {
    let (mut text, mut scheme) = (String::new(), Scheme::default());
    draw(&mut text, &mut scheme)?;
    let style = scheme.0.dark_style();
    let (tag, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!("{tag}\n{style}\n{}\n", rest.trim_end()))
}

/// A number on an axis that ends at `most`.
pub(super) fn short(value: f64, most: f64) -> String {
    match most {
        _ if value == 0.0 => "0".into(),
        most if most >= 1e6 => format!("{:.1}M", value / 1e6),
        most if most >= 1e4 => format!("{:.0}k", value / 1e3),
        most if most >= 10.0 => format!("{value:.0}"),
        most if most >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

pub(super) fn said(error: impl Display) -> String {
    error.to_string()
}
