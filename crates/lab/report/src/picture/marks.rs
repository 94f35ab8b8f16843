//! The marks of a panel as shapes, and the labels beside them.

use super::draw::Place;
use super::font::width;
use super::model::{Mark, Panel, Picture, Point};
use super::scene::{Anchor, Item, Paint, Scene};

/// The light end and the dark end of maps, and what lies between: the scale cividis, which people see in the same order
/// whether they see colours or not.
const MAP: [[u8; 3]; 6] = [
    [253, 231, 120],
    [208, 188, 112],
    [161, 149, 121],
    [118, 115, 121],
    [73, 83, 111],
    [24, 52, 100],
];

pub(super) fn draw_mark(
    scene: &mut Scene,
    picture: &Picture,
    panel: &Panel,
    place: &Place,
    mark: &Mark,
) {
    let font = place.font;
    let slot = |series: usize| {
        picture
            .legend
            .get(series)
            .map_or("policy-1", |entry| entry.slot.as_str())
    };
    let at = |x: f64, y: f64| (place.x(&panel.x, x), place.y(&panel.y, y));
    match mark {
        Mark::Curve {
            series,
            faint,
            points,
        } => {
            let (wide, radius) = if *faint { (0.07, 0.17) } else { (0.17, 0.36) };
            let paint = Paint::slot(slot(*series));
            // bars of several curves at one place are beside each other
            let middle = (picture.legend.len() as f64 - 1.0) / 2.0;
            let step = (2.8 / (middle + 1.0)).min(0.35);
            let aside = (*series as f64 - middle) * step * font;
            for point in points
                .iter()
                .filter(|point| point.quartiles.0 < point.quartiles.1)
            {
                let (low, high) = (
                    at(point.x, point.quartiles.0),
                    at(point.x, point.quartiles.1),
                );
                let (low, high) = ((low.0 + aside, low.1), (high.0 + aside, high.1));
                scene.line(vec![low, high], paint.clone(), 0.1 * font);
                for (x, y) in [low, high] {
                    let end = vec![(x - 0.15 * font, y), (x + 0.15 * font, y)];
                    scene.line(end, paint.clone(), 0.1 * font);
                }
            }
            let line = points.iter().map(|point| at(point.x, point.y)).collect();
            scene.line(line, paint, wide * font);
            for point in points {
                scene.tip(&point.tip, |scene| {
                    scene.marker(slot(*series), at(point.x, point.y), radius * font, false)
                });
            }
        }
        Mark::Front(points) => scene.dashed(
            stairs(points, &at),
            Paint::slot("muted"),
            0.12 * font,
            0.35 * font,
        ),
        Mark::Dot {
            series,
            faint,
            point,
            ..
        } => {
            scene.tip(&point.tip, |scene| {
                scene.marker(slot(*series), at(point.x, point.y), 0.38 * font, *faint)
            });
        }
        Mark::Cell {
            point,
            value,
            share,
            text,
        } => cell(scene, panel, place, point, (*value, *share, text)),
        Mark::Spread {
            series,
            row,
            values,
            quartiles,
            wins,
            tip,
        } => {
            scene.tip(tip, |scene| {
                spread(
                    scene,
                    panel,
                    place,
                    slot(*series),
                    *row,
                    values,
                    quartiles,
                    *wins,
                );
            });
        }
        Mark::Boxes { series, corners } => {
            // what is thinner than a line cannot be seen
            let least = 0.09 * font;
            let area = |[from, to]: &[(f64, f64); 2]| {
                let (left, bottom) = at(from.0, from.1);
                let (right, top) = at(to.0, to.1);
                [
                    (left, top.min(bottom - least)),
                    (right.max(left + least), bottom),
                ]
            };
            scene.boxes(
                corners.iter().map(area).collect(),
                Paint::slot(slot(*series)),
            );
        }
        Mark::Band {
            from,
            to,
            shaded,
            label,
        } => {
            let ((least, most), (low, high)) = (panel.x.range, panel.y.range);
            let (left, bottom) = at(from.max(least), low);
            let (right, top) = at(to.min(most), high);
            if *shaded {
                scene.rectangle(
                    (left, top),
                    (right, bottom),
                    (Paint::slot("grid"), 0.6),
                    None,
                );
            }
            if right - left > super::font::width(label, 0.8 * font) {
                let middle = ((left + right) / 2.0, top + font);
                scene.text(middle, Anchor::Middle, 0.8 * font, "muted", label);
            }
        }
        Mark::Bar {
            row,
            parts,
            below,
            most,
            label,
            tip,
        } => {
            let painted = |part: &(usize, f64)| (Paint::slot(slot(part.0)), part.1);
            let parts: Vec<(Paint, f64)> = parts.iter().map(painted).collect();
            let below = below.as_ref().map(painted);
            scene.tip(tip, |scene| {
                bar(scene, panel, place, (*row, *most), &parts, below.as_ref())
            });
            let parts: f64 = parts.iter().map(|part| part.1).sum();
            let end = parts.max(below.map_or(0.0, |below| below.1));
            let end = place.x(&panel.x, end.min(*most));
            let at = (
                end + 0.6 * font,
                place.y(&panel.y, *row as f64) + 0.35 * font,
            );
            scene.text(at, Anchor::Start, font, "ink", label);
        }
    }
}

/// The parts of a bar, and the thin one below. A bar that is cut ends in a gap and a last piece.
fn bar(
    scene: &mut Scene,
    panel: &Panel,
    place: &Place,
    (row, most): (usize, f64),
    parts: &[(Paint, f64)],
    below: Option<&(Paint, f64)>,
) {
    let font = place.font;
    let y = place.y(&panel.y, row as f64);
    let mut piece = |from: f64, to: f64, (high, low): (f64, f64), paint: &Paint| {
        let fill = (paint.clone(), 1.0);
        let x = |value: f64| place.x(&panel.x, value.min(most));
        let (left, right) = (x(from), x(to));
        if right <= left {
            return;
        }
        if to > most {
            let gap = right - 1.2 * font;
            scene.rectangle((left, high), (gap.max(left), low), fill.clone(), None);
            scene.rectangle((right - 0.8 * font, high), (right, low), fill, None);
        } else {
            scene.rectangle((left, high), (right, low), fill, None);
        }
    };
    let (thick, thin) = match below {
        Some(_) => (
            (y - 0.7 * font, y + 0.3 * font),
            (y + 0.4 * font, y + 0.7 * font),
        ),
        None => ((y - 0.55 * font, y + 0.55 * font), (y, y)),
    };
    let mut from = 0.0;
    for (paint, value) in parts {
        piece(from, from + value, thick, paint);
        from += value;
    }
    if let Some((paint, value)) = below {
        piece(0.0, *value, thin, paint);
    }
}

/// The corners of a front, which is level between its points.
fn stairs(points: &[(f64, f64)], at: &impl Fn(f64, f64) -> (f64, f64)) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        let here = at(*x, *y);
        if let Some(last) = corners.last().copied() {
            corners.push((here.0, last.1));
        }
        corners.push(here);
    }
    corners
}

/// The corners of a front in the units of its axes.
#[cfg(test)]
pub(crate) fn corners(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    stairs(points, &|x, y| (x, y))
}

/// The colour of a share of the range.
pub(super) fn shade(share: f64) -> [u8; 3] {
    let at = share.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let (low, high) = (MAP[at.floor() as usize], MAP[at.ceil() as usize]);
    std::array::from_fn(|part| {
        let (low, high) = (f64::from(low[part]), f64::from(high[part]));
        (low + (high - low) * at.fract()).round() as u8
    })
}

fn cell(
    scene: &mut Scene,
    panel: &Panel,
    place: &Place,
    point: &Point,
    (value, share, text): (Option<f64>, f64, &str),
) {
    let font = place.font;
    let corner = |by: f64| {
        (
            place.x(&panel.x, point.x + by),
            place.y(&panel.y, point.y + by),
        )
    };
    let (from, to) = (corner(-0.5), corner(0.5));
    let gap = 0.06 * font;
    let (from, to) = ((from.0 + gap, from.1 + gap), (to.0 - gap, to.1 - gap));
    let fill = match value {
        Some(_) => Paint::Fixed(shade(share)),
        None => Paint::slot("grid"),
    };
    scene.tip(&point.tip, |scene| {
        scene.rectangle(from, to, (fill, 1.0), None);
        if value.is_some() && width(text, font * 0.95) < to.0 - from.0 {
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0 + 0.33 * font);
            scene.text(middle, Anchor::Middle, font * 0.95, "ink", text);
            if let Some(Item::Text(text)) = scene.items.last_mut() {
                text.paint = Paint::Fixed(if share < 0.5 {
                    [27, 32, 39]
                } else {
                    [255, 255, 255]
                });
            }
        }
    });
}

#[expect(clippy::too_many_arguments, reason = "the parts of one mark")]
fn spread(
    scene: &mut Scene,
    panel: &Panel,
    place: &Place,
    slot: &str,
    row: usize,
    values: &[f64],
    quartiles: &[f64; 3],
    wins: bool,
) {
    let font = place.font;
    let y = place.y(&panel.y, row as f64);
    let x = |value: f64| place.x(&panel.x, value);
    let paint = Paint::slot(slot);
    let ends = |fold: fn(f64, f64) -> f64, start| values.iter().copied().fold(start, fold);
    let (least, most) = (
        ends(f64::min, f64::INFINITY),
        ends(f64::max, f64::NEG_INFINITY),
    );
    scene.line(vec![(x(least), y), (x(most), y)], paint.clone(), 0.1 * font);
    let [low, median, high] = *quartiles;
    let half = 0.55 * font;
    scene.rectangle(
        (x(low), y - half),
        (x(high), y + half),
        (paint.clone(), 0.25),
        Some((paint.clone(), 0.1 * font)),
    );
    scene.line(
        vec![(x(median), y - half), (x(median), y + half)],
        paint.clone(),
        0.3 * font,
    );
    if values.len() <= 60 {
        for value in values {
            scene.marker(slot, (x(*value), y), 0.2 * font, false);
        }
    }
    if wins {
        scene.text(
            (x(most) + 0.7 * font, y + 0.35 * font),
            Anchor::Start,
            font,
            "ink",
            "wins",
        );
    }
}

/// The labels of dots, where they touch neither each other, nor a dot, the front or the edge.
pub(super) fn labels(scene: &mut Scene, panel: &Panel, place: &Place) {
    let font = place.font * 0.9;
    let mut taken: Vec<[f64; 4]> = Vec::new();
    for mark in &panel.marks {
        if let Mark::Front(points) = mark {
            let corners = stairs(points, &|x, y| (place.x(&panel.x, x), place.y(&panel.y, y)));
            for pair in corners.windows(2) {
                let ((a, b), (c, d)) = (pair[0], pair[1]);
                taken.push([a.min(c), b.min(d), a.max(c), b.max(d)]);
            }
        }
    }
    let dots: Vec<(&str, f64, f64)> = (panel.marks.iter())
        .filter_map(|mark| match mark {
            Mark::Dot { point, label, .. } => Some((
                label.as_str(),
                place.x(&panel.x, point.x),
                place.y(&panel.y, point.y),
            )),
            _ => None,
        })
        .collect();
    for (_, x, y) in &dots {
        taken.push([
            x - 0.4 * font,
            y - 0.4 * font,
            x + 0.4 * font,
            y + 0.4 * font,
        ]);
    }
    for (label, x, y) in dots.iter().filter(|dot| !dot.0.is_empty()) {
        let wide = width(label, font);
        let beside = |anchor, side: f64, down: f64| (anchor, x + side * font, y + down * font);
        let spots = [
            beside(Anchor::Start, 0.6, -0.35),
            beside(Anchor::Start, 0.6, 1.1),
            beside(Anchor::End, -0.6, 1.1),
            beside(Anchor::End, -0.6, -0.35),
            beside(Anchor::Middle, 0.0, -0.8),
            beside(Anchor::Middle, 0.0, 1.45),
        ];
        for (anchor, x, y) in spots {
            let from = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - wide / 2.0,
                Anchor::End => x - wide,
            };
            let room = [from, y - 0.75 * font, from + wide, y + 0.2 * font];
            let touches = |other: &[f64; 4]| {
                room[0] < other[2] && other[0] < room[2] && room[1] < other[3] && other[1] < room[3]
            };
            let is_inside = room[0] > place.left
                && room[2] < place.right() + font
                && room[1] > place.top - 0.5 * font
                && room[3] < place.bottom();
            if is_inside && !taken.iter().any(touches) {
                scene.text((x, y), anchor, font, "muted", *label);
                taken.push(room);
                break;
            }
        }
    }
}
