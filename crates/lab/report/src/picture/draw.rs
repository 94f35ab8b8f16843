//! A picture as a scene: where panels, axes and legends are.

use super::font::{fitted, width};
use super::marks::{draw_mark, labels};
use super::model::{Axis, Mark, Panel, Picture, Scale};
use super::scene::{Anchor, Paint, Scene};
use super::ticks::ticks;

/// A machine without these fonts may have one that is wider by this factor: bars leave room for it.
const WIDER: f64 = 1.2;

/// The places of the parts of a picture.
struct Layout {
    /// The size of small texts.
    font: f64,
    columns: usize,
    /// The room left of a plot for the numbers and the title of its axis.
    left: f64,
    /// The width of a plot.
    plot: f64,
    /// The height of the plots of each line.
    heights: Vec<f64>,
    /// The height of the title of a panel.
    title: f64,
    /// The height of title and axes of a panel.
    around: f64,
    /// The height of the legend.
    legend: f64,
}

/// Draws a picture of this width, with small texts of this size.
pub(super) fn drawn(picture: &Picture, width: f64, font: f64) -> Scene {
    let layout = Layout::of(picture, width, font);
    let mut scene = Scene {
        width,
        height: layout.top(layout.heights.len()) + 0.6 * font,
        items: Vec::new(),
    };
    legend(&mut scene, picture, &layout);
    let rows: usize = picture.panels.len();
    for (number, panel) in picture.panels.iter().enumerate() {
        let (column, line) = (number % layout.columns, number / layout.columns);
        let cell = width / layout.columns as f64;
        let place = Place {
            left: cell * column as f64 + layout.left,
            top: layout.top(line) + layout.title,
            size: (layout.plot, layout.heights[line]),
            font,
            names_y: column == 0 && panel.y.words().is_none(),
            names_x: number + layout.columns >= rows,
        };
        draw_panel(&mut scene, picture, panel, &place);
    }
    scene
}

impl Layout {
    fn of(picture: &Picture, all: f64, font: f64) -> Self {
        let count = picture.panels.len();
        let words = picture.panels.iter().filter_map(|panel| panel.y.words());
        let longest = words
            .flatten()
            .map(|word| width(word, font))
            .fold(0.0, f64::max);
        let is_bars = has_areas(picture);
        let columns = match count {
            _ if is_bars => 1,
            0 | 1 => 1,
            2 | 4 => 2,
            _ if longest > all / 8.0 => 2,
            _ => 3,
        };
        let cell = all / columns as f64;
        let numbers = picture
            .panels
            .iter()
            .filter(|panel| panel.y.words().is_none());
        let numbers = numbers
            .flat_map(|panel| ticks(&panel.y, 5))
            .map(|tick| width(&tick.1, font));
        let labels = numbers.fold(0.0, f64::max).max(longest.min(cell * 0.42));
        let mut titles = picture.panels.iter().map(|panel| panel.y.title.as_str());
        let has_title = titles.any(|title| !title.is_empty());
        let labels = if is_bars { WIDER * labels } else { labels };
        let left = labels + font * if has_title { 2.6 } else { 1.0 };
        let plot = cell - left - font;
        let rows = |panel: &Panel| panel.y.words().map(<[String]>::len);
        let of_rows = |rows: usize| (rows as f64).max(1.5) * font * 2.1;
        let height = match picture.panels.iter().filter_map(rows).max() {
            Some(rows) => of_rows(rows),
            None if count == 1 => plot * 0.5,
            None => plot * 0.72,
        };
        let heights = match is_bars {
            true => (picture.panels.iter())
                .map(|panel| rows(panel).map_or(height, of_rows))
                .collect(),
            false => vec![height; count.div_ceil(columns).max(1)],
        };
        let is_titled = picture.panels.iter().any(|panel| !panel.title.is_empty());
        let title = if is_titled { 2.0 * font } else { 0.8 * font };
        Self {
            font,
            columns,
            left,
            plot,
            heights,
            around: title + 2.8 * font,
            title,
            legend: legend_places(picture, all, font)
                .last()
                .map_or(0.0, |place| place.1 + 1.3 * font),
        }
    }

    /// Where a line of panels begins.
    fn top(&self, line: usize) -> f64 {
        let above = self.heights[..line].iter();
        self.legend + above.map(|height| height + self.around).sum::<f64>()
    }
}

fn has_areas(picture: &Picture) -> bool {
    let mut marks = picture.panels.iter().flat_map(|panel| &panel.marks);
    marks.any(Mark::is_area)
}

/// Where the entries of the legend are.
fn legend_places(picture: &Picture, all: f64, font: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (0.6 * font, 1.2 * font);
    let place = |label: &str| {
        let wide = 3.0 * font + width(label, font);
        if x > font && x + wide > all {
            (x, y) = (0.6 * font, y + 1.5 * font);
        }
        let place = (x, y);
        x += wide + 1.2 * font;
        place
    };
    let mut entries = picture.legend.iter().map(|entry| entry.label.as_str());
    match picture.legend.len() {
        0 | 1 => Vec::new(),
        _ => entries.by_ref().map(place).collect(),
    }
}

fn legend(scene: &mut Scene, picture: &Picture, layout: &Layout) {
    let font = layout.font;
    let has_lines = picture
        .panels
        .iter()
        .flat_map(|panel| &panel.marks)
        .any(|mark| matches!(mark, Mark::Curve { .. }));
    let has_areas = has_areas(picture);
    let places = legend_places(picture, scene.width, font);
    for (entry, (x, y)) in picture.legend.iter().zip(places) {
        let middle = y - 0.35 * font;
        if has_lines {
            let line = vec![(x, middle), (x + 2.0 * font, middle)];
            scene.line(line, Paint::slot(&entry.slot), 0.17 * font);
        }
        if has_areas {
            let (from, to) = (
                (x, middle - 0.4 * font),
                (x + 2.0 * font, middle + 0.4 * font),
            );
            scene.rectangle(from, to, (Paint::slot(&entry.slot), 1.0), None);
        } else {
            scene.marker(&entry.slot, (x + font, middle), 0.38 * font, false);
        }
        scene.text(
            (x + 2.5 * font, y),
            Anchor::Start,
            font,
            "ink",
            &entry.label,
        );
    }
}

/// Where a plot is.
pub(super) struct Place {
    pub left: f64,
    pub top: f64,
    pub size: (f64, f64),
    pub font: f64,
    names_y: bool,
    names_x: bool,
}

impl Place {
    pub fn x(&self, axis: &Axis, value: f64) -> f64 {
        self.left + axis.share(value).clamp(-0.5, 1.5) * self.size.0
    }

    /// Words go from the top down.
    pub fn y(&self, axis: &Axis, value: f64) -> f64 {
        let share = axis.share(value).clamp(-0.5, 1.5);
        let from_top = if axis.words().is_some() {
            share
        } else {
            1.0 - share
        };
        self.top + from_top * self.size.1
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.size.1
    }

    pub fn right(&self) -> f64 {
        self.left + self.size.0
    }
}

fn draw_panel(scene: &mut Scene, picture: &Picture, panel: &Panel, place: &Place) {
    let font = place.font;
    let room = if has_areas(picture) { WIDER } else { 1.0 };
    let title = fitted(&panel.title, font * 1.1, place.size.0 / room);
    let at = (place.left + place.size.0 / 2.0, place.top - 0.7 * font);
    scene.text(at, Anchor::Middle, font * 1.1, "ink", title);
    let is_map = panel
        .marks
        .iter()
        .any(|mark| matches!(mark, Mark::Cell { .. }));
    x_axis(
        scene,
        panel,
        place,
        !is_map && matches!(panel.y.scale, Scale::Words(_)),
    );
    y_axis(scene, panel, place, !is_map);
    if !is_map {
        let (left, bottom) = (place.left, place.bottom());
        let frame = vec![(left, place.top), (left, bottom), (place.right(), bottom)];
        scene.line(frame, Paint::slot("muted"), 0.07 * font);
    }
    for mark in &panel.marks {
        draw_mark(scene, picture, panel, place, mark);
    }
    labels(scene, panel, place);
}

fn x_axis(scene: &mut Scene, panel: &Panel, place: &Place, has_grid: bool) {
    let font = place.font;
    let all = ticks(&panel.x, (place.size.0 / (font * 3.4)) as usize);
    let is_words = panel.x.words().is_some();
    let named = all.iter().filter(|(_, label)| !label.is_empty()).count();
    let room = place.size.0 / named.max(1) as f64;
    let mut end = f64::NEG_INFINITY;
    for (value, label) in &all {
        let x = place.x(&panel.x, *value);
        if has_grid {
            scene.line(
                vec![(x, place.top), (x, place.bottom())],
                Paint::slot("grid"),
                0.07 * font,
            );
        } else if !is_words {
            scene.line(
                vec![(x, place.bottom()), (x, place.bottom() + 0.3 * font)],
                Paint::slot("muted"),
                0.07 * font,
            );
        }
        if label.is_empty() {
            continue;
        }
        // a tick without a label leaves room for its neighbours
        let label = if is_words && named == all.len() {
            fitted(label, font, room - 0.3 * font)
        } else {
            label.clone()
        };
        let half = width(&label, font) / 2.0;
        // labels that would touch the one before are left out
        if x - half < end {
            continue;
        }
        end = x + half + 0.5 * font;
        scene.text(
            (x, place.bottom() + 1.3 * font),
            Anchor::Middle,
            font,
            "muted",
            label,
        );
    }
    if place.names_x {
        let at = (place.left + place.size.0 / 2.0, place.bottom() + 2.7 * font);
        scene.text(
            at,
            Anchor::Middle,
            font,
            "ink",
            fitted(&panel.x.title, font, place.size.0 + place.font * 4.0),
        );
    }
}

fn y_axis(scene: &mut Scene, panel: &Panel, place: &Place, has_grid: bool) {
    let font = place.font;
    let is_words = panel.y.words().is_some();
    for (value, label) in ticks(&panel.y, 5) {
        let y = place.y(&panel.y, value);
        if has_grid && !is_words {
            scene.line(
                vec![(place.left, y), (place.right(), y)],
                Paint::slot("grid"),
                0.07 * font,
            );
        }
        let room = if is_words {
            place.left.min(place.size.0)
        } else {
            f64::INFINITY
        };
        let colour = if is_words { "ink" } else { "muted" };
        let at = (place.left - 0.5 * font, y + 0.35 * font);
        scene.text(
            at,
            Anchor::End,
            font,
            colour,
            fitted(&label, font, room.max(font * 6.0)),
        );
    }
    if place.names_y {
        scene.text(
            (place.left, place.top),
            Anchor::Middle,
            font,
            "ink",
            &panel.y.title,
        );
        if let Some(super::scene::Item::Text(text)) = scene.items.last_mut() {
            text.upright = true;
            text.at = (1.1 * font, place.top + place.size.1 / 2.0);
        }
    }
}
