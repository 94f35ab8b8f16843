//! Pictures of studies and placements: what they show ([`Picture`]), drawn once as lines and texts and written as SVG or PDF; as code of
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

#[cfg(test)]
pub(crate) use marks::corners;
pub use model::{Axis, Legend, Mark, Names, Panel, Picture, Point, Scale, Spoken};

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
            Format::Svg => svg::file(&scene(), &self.spoken).into_bytes(),
            Format::Pdf => pdf::file(&scene()),
            Format::Pgf => pgf::code(self, width).into_bytes(),
            Format::Csv => data::csv(self)?,
        })
    }

    /// The file of a picture for a page without scripts.
    pub(crate) fn page_svg(&self) -> String {
        svg::file(&draw::drawn(self, 720.0, 11.0), &self.spoken)
    }

    /// The picture as a part of a page, in the colours of its style.
    pub(crate) fn inline(&self) -> String {
        svg::inline(&draw::drawn(self, 760.0, 12.0), &self.spoken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(title: &str, log: bool) -> Picture {
        let point = |x: f64, y: f64| Point {
            x,
            y,
            quartiles: (y, y),
            runs: 1,
            tip: format!("{title} <&> {y}"),
        };
        let points = vec![point(1.0, 10.0), point(2.0, 1000.0), point(3.0, 100.0)];
        let legend = |place, label: &str| Legend {
            label: label.into(),
            slot: crate::slot(place),
        };
        Picture {
            legend: vec![legend(0, "one"), legend(1, "<two>")],
            panels: vec![Panel {
                title: title.into(),
                x: Axis::of("x", [1.0, 3.0].into_iter(), false, false),
                y: Axis::of("y", [10.0, 1000.0].into_iter(), log, true),
                marks: vec![Mark::Curve {
                    series: 0,
                    faint: false,
                    points,
                }],
            }],
            names: Names::default(),
            spoken: Spoken::default(),
        }
    }

    /// The centres of the markers of the first curve, without that of the legend.
    fn centres(svg: &str) -> Vec<[f64; 2]> {
        let circles = svg.lines().filter(|line| line.contains("<circle"));
        let number = |line: &str, name: &str| -> f64 {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).expect(name);
            let (number, _) = rest.split_once('"').expect("a number");
            number.parse().expect("a number")
        };
        let centres = circles.map(|line| [number(line, "cx"), number(line, "cy")]);
        centres.skip(1).collect()
    }

    // planted bugs: an axis upside down; a logarithmic axis that is none; places in proportion to the range from 0
    #[test]
    fn points_are_where_their_values_are() {
        for log in [false, true] {
            let svg = picture("t", log).file(Format::Svg, 160.0).expect("a file");
            let svg = String::from_utf8(svg).expect("text");
            let [a, b, c] = centres(&svg)[..] else {
                panic!("{svg}");
            };
            assert!((b[0] - a[0] - (c[0] - b[0])).abs() < 0.02, "{svg}");
            assert!(b[1] < c[1] && c[1] < a[1], "{svg}");
            let share = (a[1] - c[1]) / (a[1] - b[1]);
            let right = if log { 0.5 } else { 90.0 / 990.0 };
            assert!((share - right).abs() < 1e-3, "{share}");
        }
    }

    // planted bugs: markup of a label; colours of one scheme only; a part of a page with colours of its own
    #[test]
    fn svg_is_safe_and_has_both_schemes() {
        let made = picture("</svg><script>", false);
        let svg = made.file(Format::Svg, 160.0).expect("a file");
        let svg = String::from_utf8(svg).expect("text");
        assert!(
            !svg.contains("<script") && svg.contains("&lt;two&gt;"),
            "{svg}"
        );
        assert!(svg.contains("[fill=\"#0072B2\"]{fill:#56b4e9}"), "{svg}");
        let inline = made.inline();
        assert!(
            inline.contains("var(--policy-1)") && !inline.contains('#'),
            "{inline}"
        );
    }

    // planted bugs: a length that is not that of the font; letters beyond the encoding
    #[test]
    fn pdf_has_its_font_and_any_text() {
        let pdf = picture("漢字 − × µ (\\", true)
            .file(Format::Pdf, 84.0)
            .expect("a file");
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.starts_with("%PDF-1.7") && text.trim_end().ends_with("%%EOF"));
        assert!(text.contains(&format!("/Length1 {}", font::FILE.len())));
        // 84 mm
        assert!(text.contains("/MediaBox [0 0 238.1"), "{text}");
    }
}
