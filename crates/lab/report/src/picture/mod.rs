//! Pictures of studies: what they show ([`Picture`]), drawn once as lines and texts and written as SVG or PDF; as code of
//! pgfplots, which LaTeX draws; and as the numbers in CSV.

mod data;
mod draw;
mod font;
mod marks;
mod model;
mod pdf;
pub(crate) mod pgf;
mod scene;
mod svg;
mod ticks;

pub use model::{Axis, Mark, Names, Panel, Picture, Point, Scale};

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics, for both colour schemes.
    Svg,
    /// The Portable Document Format, with its font.
    Pdf,
    /// Code of the LaTeX package pgfplots.
    Pgf,
    /// The numbers.
    Csv,
}

impl Format {
    /// All formats and the endings of their files.
    pub const ALL: [(&str, Format); 4] = [
        ("svg", Format::Svg),
        ("pdf", Format::Pdf),
        ("pgf", Format::Pgf),
        ("csv", Format::Csv),
    ];
}

/// The size of a point in a millimetre.
const POINTS: f64 = 72.0 / 25.4;

impl Picture {
    /// The file of a picture of this width in mm, as its bytes.
    ///
    /// # Errors
    /// The error of the encoder.
    pub fn file(&self, format: Format, width: f64) -> Result<Vec<u8>, String> {
        let scene = || draw::drawn(self, width * POINTS, 8.0);
        Ok(match format {
            Format::Svg => svg::file(&scene()).into_bytes(),
            Format::Pdf => pdf::file(&scene()),
            Format::Pgf => pgf::code(self, width).into_bytes(),
            Format::Csv => data::csv(self)?,
        })
    }

    /// The picture as a part of a page, in the colours of its style.
    pub(crate) fn inline(&self) -> String {
        svg::inline(&draw::drawn(self, 760.0, 12.0))
    }
}
