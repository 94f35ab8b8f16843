//! A scene as a page of PDF with its font, for papers: light, without a ground, and the same bytes each time.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::FontFlags;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};

use super::font;
use super::scene::{Anchor, Item, Outline, Paint, Scene, Shape, Text};
use crate::palette::colours;

/// The name of the font in the page.
const FONT: Name = Name(b"F");
/// What it is called, with the mark of a part of a font.
const CALLED: Name = Name(b"SSDLAB+Arimo");

/// The share of a quarter circle's radius at which a Bézier curve has its handles.
const ROUND: f64 = 0.552_284_75;

/// A file.
pub(super) fn file(scene: &Scene) -> Vec<u8> {
    let mut content = Content::new();
    content.transform([1.0, 0.0, 0.0, -1.0, 0.0, scene.height as f32]);
    for item in &scene.items {
        match item {
            Item::Shape(shape) => draw(&mut content, shape),
            Item::Text(text) => write_text(&mut content, text),
            Item::Tip(_) | Item::EndOfTip => {}
        }
    }
    let [catalogue, pages, page, contents, used, descriptor, program] =
        [1, 2, 3, 4, 5, 6, 7].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalogue).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut one = pdf.page(page);
    one.parent(pages).contents(contents);
    one.media_box(Rect::new(0.0, 0.0, scene.width as f32, scene.height as f32));
    one.resources().fonts().pair(FONT, used);
    one.finish();
    let packed = packed(&content.finish());
    pdf.stream(contents, &packed).filter(Filter::FlateDecode);
    write_font(&mut pdf, used, descriptor, program);
    pdf.finish()
}

fn write_font(pdf: &mut Pdf, used: Ref, descriptor: Ref, program: Ref) {
    let mut dictionary = pdf.indirect(used).dict();
    dictionary.pair(Name(b"Type"), Name(b"Font"));
    dictionary.pair(Name(b"Subtype"), Name(b"TrueType"));
    dictionary.pair(Name(b"BaseFont"), CALLED);
    dictionary.pair(Name(b"FirstChar"), 32);
    dictionary.pair(Name(b"LastChar"), 255);
    dictionary
        .insert(Name(b"Widths"))
        .array()
        .items(font::WIDTHS.map(i32::from));
    dictionary.pair(Name(b"Encoding"), Name(b"WinAnsiEncoding"));
    dictionary.pair(Name(b"FontDescriptor"), descriptor);
    dictionary.finish();
    // in thousandths of the size, from the tables of the font
    pdf.font_descriptor(descriptor)
        .name(CALLED)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(-376.0, -212.0, 1000.0, 896.0))
        .italic_angle(0.0)
        .ascent(905.0)
        .descent(-212.0)
        .cap_height(688.0)
        .stem_v(80.0)
        .font_file2(program);
    let packed = packed(font::FILE);
    let mut stream = pdf.stream(program, &packed);
    stream.filter(Filter::FlateDecode);
    stream.pair(Name(b"Length1"), font::FILE.len() as i32);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes all bytes");
    encoder.finish().expect("memory takes all bytes")
}

/// A colour of the light scheme, covering white.
fn rgb(paint: &Paint, cover: f64) -> [f32; 3] {
    let parts = match paint {
        Paint::Fixed(parts) => *parts,
        Paint::Slot(slot) => {
            let hex = colours(slot)[0];
            [1, 3, 5].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or_default())
        }
    };
    parts.map(|part| (1.0 - cover * (1.0 - f64::from(part) / 255.0)) as f32)
}

fn draw(content: &mut Content, shape: &Shape) {
    if let Some((paint, cover)) = &shape.fill {
        let [red, green, blue] = rgb(paint, *cover);
        content.set_fill_rgb(red, green, blue);
    }
    if let Some((paint, width)) = &shape.line {
        let [red, green, blue] = rgb(paint, 1.0);
        content.set_stroke_rgb(red, green, blue);
        content.set_line_width(*width as f32);
        let dash = shape.dash.map(|dash| dash as f32);
        content.set_dash_pattern(dash, 0.0);
    }
    outline(content, &shape.outline);
    match (&shape.fill, &shape.line) {
        (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
        (Some(_), None) => content.fill_nonzero(),
        (None, Some(_)) => content.stroke(),
        (None, None) => content.end_path(),
    };
}

fn outline(content: &mut Content, outline: &Outline) {
    let (points, is_closed) = match outline {
        Outline::Open(points) => (points, false),
        Outline::Closed(points) => (points, true),
        Outline::Boxes(boxes) => {
            for [from, to] in boxes {
                let (wide, high) = ((to.0 - from.0) as f32, (to.1 - from.1) as f32);
                content.rect(from.0 as f32, from.1 as f32, wide, high);
            }
            return;
        }
        Outline::Circle { at, radius } => return circle(content, *at, *radius),
    };
    for (n, (x, y)) in points.iter().enumerate() {
        match n {
            0 => content.move_to(*x as f32, *y as f32),
            _ => content.line_to(*x as f32, *y as f32),
        };
    }
    if is_closed {
        content.close_path();
    }
}

fn circle(content: &mut Content, (x, y): (f64, f64), radius: f64) {
    let handle = ROUND * radius;
    content.move_to((x + radius) as f32, y as f32);
    // from each axis to the next one
    for (from, to) in [
        ((1.0, 0.0), (0.0, 1.0)),
        ((0.0, 1.0), (-1.0, 0.0)),
        ((-1.0, 0.0), (0.0, -1.0)),
        ((0.0, -1.0), (1.0, 0.0)),
    ] {
        let at = |(a, b): (f64, f64), (c, d): (f64, f64)| {
            (
                (x + a * radius + c * handle) as f32,
                (y + b * radius + d * handle) as f32,
            )
        };
        let (one, two, end) = (at(from, to), at(to, from), at(to, (0.0, 0.0)));
        content.cubic_to(one.0, one.1, two.0, two.1, end.0, end.1);
    }
    content.close_path();
}

fn write_text(content: &mut Content, text: &Text) {
    let width = font::width(&text.text, text.size);
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    let (x, y) = text.at;
    // letters stand upright on a page that is drawn from the top down
    let matrix = match text.upright {
        false => [1.0, 0.0, 0.0, -1.0, x - before, y],
        true => [0.0, -1.0, -1.0, 0.0, x, y + before],
    };
    let bytes: Vec<u8> = text.text.chars().map(font::encoded).collect();
    let [red, green, blue] = rgb(&text.paint, 1.0);
    content.set_fill_rgb(red, green, blue);
    content.begin_text();
    content.set_font(FONT, text.size as f32);
    content.set_text_matrix(matrix.map(|part| part as f32));
    content.show(Str(&bytes));
    content.end_text();
}
