//! Lines, shapes and texts: what a picture is drawn with, whatever file it becomes.

use crate::palette::marker;

/// A drawing, in points from the left and from the top.
pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    pub items: Vec<Item>,
}

/// A colour.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Paint {
    /// One of the style, which differs in the dark scheme.
    Slot(String),
    /// The same in both schemes.
    Fixed([u8; 3]),
}

impl Paint {
    pub fn slot(name: &str) -> Self {
        Paint::Slot(name.to_owned())
    }
}

/// Something that is drawn.
pub(super) enum Item {
    Shape(Shape),
    Text(Text),
    /// What follows, up to the end, says this on hover.
    Tip(String),
    EndOfTip,
}

/// A line or an area.
pub(super) struct Shape {
    pub outline: Outline,
    /// The colour inside, and how much of it covers the ground.
    pub fill: Option<(Paint, f64)>,
    /// The colour and the width of the line.
    pub line: Option<(Paint, f64)>,
    /// Lengths of dashes and gaps.
    pub dash: Option<f64>,
}

pub(super) enum Outline {
    Open(Vec<(f64, f64)>),
    Closed(Vec<(f64, f64)>),
    /// Rectangles, each with its upper left and its lower right corner.
    Boxes(Vec<[(f64, f64); 2]>),
    Circle {
        at: (f64, f64),
        radius: f64,
    },
}

/// Where a text is in relation to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

pub(super) struct Text {
    /// The point on the line under the letters.
    pub at: (f64, f64),
    pub anchor: Anchor,
    pub size: f64,
    pub paint: Paint,
    /// Read from the bottom up.
    pub upright: bool,
    pub text: String,
}

impl Scene {
    pub fn line(&mut self, points: Vec<(f64, f64)>, paint: Paint, width: f64) {
        self.items.push(Item::Shape(Shape {
            outline: Outline::Open(points),
            fill: None,
            line: Some((paint, width)),
            dash: None,
        }));
    }

    pub fn dashed(&mut self, points: Vec<(f64, f64)>, paint: Paint, width: f64, dash: f64) {
        self.items.push(Item::Shape(Shape {
            outline: Outline::Open(points),
            fill: None,
            line: Some((paint, width)),
            dash: Some(dash),
        }));
    }

    pub fn boxes(&mut self, boxes: Vec<[(f64, f64); 2]>, fill: Paint) {
        self.items.push(Item::Shape(Shape {
            outline: Outline::Boxes(boxes),
            fill: Some((fill, 1.0)),
            line: None,
            dash: None,
        }));
    }

    pub fn rectangle(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        fill: (Paint, f64),
        line: Option<(Paint, f64)>,
    ) {
        self.items.push(Item::Shape(Shape {
            outline: Outline::Closed(vec![from, (to.0, from.1), to, (from.0, to.1)]),
            fill: Some(fill),
            line,
            dash: None,
        }));
    }

    pub fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: f64,
        paint: &str,
        text: impl Into<String>,
    ) {
        self.items.push(Item::Text(Text {
            at,
            anchor,
            size,
            paint: Paint::slot(paint),
            upright: false,
            text: text.into(),
        }));
    }

    /// The marker of a slot: its shape tells curves apart without colour.
    pub fn marker(&mut self, slot: &str, (x, y): (f64, f64), radius: f64, faint: bool) {
        let (marker, paint) = (marker(slot), Paint::slot(slot));
        let corner = |[dx, dy]: &[f64; 2]| (x + dx * radius, y + dy * radius);
        let outline = match &marker.corners()[..] {
            [] => Outline::Circle { at: (x, y), radius },
            corners => Outline::Closed(corners.iter().map(corner).collect()),
        };
        let cover = if faint { 0.35 } else { 1.0 };
        let shape = match marker.is_hollow {
            true => Shape {
                outline,
                fill: Some((Paint::slot("card"), 1.0)),
                line: Some((paint, 0.4 * radius)),
                dash: None,
            },
            false => Shape {
                outline,
                fill: Some((paint, cover)),
                line: None,
                dash: None,
            },
        };
        self.items.push(Item::Shape(shape));
    }

    /// Draws what says something on hover, if there is something to say.
    pub fn tip(&mut self, tip: &str, draw: impl FnOnce(&mut Self)) {
        if tip.is_empty() {
            return draw(self);
        }
        self.items.push(Item::Tip(tip.to_owned()));
        draw(self);
        self.items.push(Item::EndOfTip);
    }
}
