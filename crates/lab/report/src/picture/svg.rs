//! A scene as SVG: a file with its own colours in both schemes, or a part of a page with the colours of its style.

use std::fmt::Write;

use super::model::Spoken;
use super::scene::{Anchor, Item, Outline, Paint, Scene, Shape, Text};
use crate::palette::Used;

/// Fonts with letters of these widths.
const FONTS: &str = "Arimo, Helvetica, Arial, 'Liberation Sans', sans-serif";

/// How a colour is named.
enum Colours {
    OfFile(Used),
    OfPage,
}

impl Colours {
    fn name(&mut self, paint: &Paint) -> String {
        match (paint, self) {
            (Paint::Fixed([red, green, blue]), _) => format!("#{red:02X}{green:02X}{blue:02X}"),
            (Paint::Slot(slot), Colours::OfFile(used)) => used.hex(slot).to_uppercase(),
            (Paint::Slot(slot), Colours::OfPage) => format!("var(--{slot})"),
        }
    }
}

/// A file.
pub(super) fn file(scene: &Scene, spoken: &Spoken) -> String {
    let mut colours = Colours::OfFile(Used::default());
    let ground = colours.name(&Paint::slot("card"));
    let body = body(scene, &mut colours);
    let Colours::OfFile(used) = colours else {
        unreachable!("the colours of a file");
    };
    let (width, height) = (short(scene.width), short(scene.height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}pt\" height=\"{height}pt\" viewBox=\"0 0 {width} {height}\">\n{}{}\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n<g font-family=\"{FONTS}\">\n{body}</g>\n</svg>\n",
        said(spoken),
        used.dark_style()
    )
}

/// A part of a page.
pub(super) fn inline(scene: &Scene, spoken: &Spoken) -> String {
    let body = body(scene, &mut Colours::OfPage);
    let (width, height) = (short(scene.width), short(scene.height));
    let said = said(spoken);
    format!(
        "<svg class=\"picture\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n{said}{body}</svg>\n"
    )
}

/// Title and description, which screen readers read.
fn said(spoken: &Spoken) -> String {
    let tag = |tag: &str, text: &str| match text {
        "" => String::new(),
        text => format!("<{tag}>{}</{tag}>\n", escaped(text)),
    };
    tag("title", &spoken.title) + &tag("desc", &spoken.text)
}

fn body(scene: &Scene, colours: &mut Colours) -> String {
    let mut out = String::new();
    for item in &scene.items {
        match item {
            Item::Shape(shape) => draw(&mut out, shape, colours),
            Item::Text(text) => write_text(&mut out, text, colours),
            Item::Tip(tip) => {
                let _ = write!(out, "<g><title>{}</title>", escaped(tip));
            }
            Item::EndOfTip => out.push_str("</g>\n"),
        }
    }
    out
}

fn draw(out: &mut String, shape: &Shape, colours: &mut Colours) {
    let _ = match &shape.outline {
        Outline::Circle { at, radius } => write!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"",
            short(at.0),
            short(at.1),
            short(*radius)
        ),
        Outline::Boxes(boxes) => write!(out, "<path d=\"{}\"", areas(boxes)),
        Outline::Open(points) => write!(out, "<path d=\"{}\"", path(points)),
        Outline::Closed(points) => write!(out, "<path d=\"{}Z\"", path(points)),
    };
    match &shape.fill {
        None => out.push_str(" fill=\"none\""),
        Some((paint, cover)) => {
            let _ = write!(out, " fill=\"{}\"", colours.name(paint));
            if *cover < 1.0 {
                let _ = write!(out, " fill-opacity=\"{cover}\"");
            }
        }
    }
    if let Some((paint, width)) = &shape.line {
        let _ = write!(
            out,
            " stroke=\"{}\" stroke-width=\"{}\"",
            colours.name(paint),
            short(*width)
        );
        out.push_str(" stroke-linejoin=\"round\"");
    }
    if let Some(dash) = shape.dash {
        let _ = write!(out, " stroke-dasharray=\"{}\"", short(dash));
    }
    out.push_str("/>\n");
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (n, (x, y)) in points.iter().enumerate() {
        let _ = write!(
            path,
            "{}{} {}",
            if n == 0 { "M" } else { "L" },
            short(*x),
            short(*y)
        );
    }
    path
}

fn areas(boxes: &[[(f64, f64); 2]]) -> String {
    let mut path = String::new();
    for [from, to] in boxes {
        let (wide, high) = (short(to.0 - from.0), short(to.1 - from.1));
        let (x, y) = (short(from.0), short(from.1));
        let _ = write!(path, "M{x} {y}h{wide}v{high}h-{wide}Z");
    }
    path
}

fn write_text(out: &mut String, text: &Text, colours: &mut Colours) {
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (x, y) = (short(text.at.0), short(text.at.1));
    let turn = match text.upright {
        true => format!(" transform=\"rotate(-90 {x} {y})\""),
        false => String::new(),
    };
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{}</text>",
        short(text.size),
        colours.name(&text.paint),
        escaped(&text.text)
    );
}

fn escaped(text: &str) -> String {
    let text = ssdlab_words::shown_lines(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A number with two decimals at most.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.to_owned()
    }
}
