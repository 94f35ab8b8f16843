//! Draws a frame as SVG: the buffer above, the blocks of flash below, by what the FTL uses them for.

use std::fmt::Write;

use ssdlab_sim::Content;

use super::flash::{Cell, Frame};

/// A drawing.
pub struct Scene {
    width: f64,
    height: f64,
    body: String,
    spoken: String,
}

/// The colours of both schemes; a page may set the variables.
const STYLE: &str = "\
.see{font-family:system-ui,sans-serif;font-size:11px;--ink:#1b2027;--muted:#5b6472;--line:#aab2bd;--paper:#fff;\
--valid:#cfe5f5;--invalid:#e4e6ea;--dirty:#ffe3b3;--new:#0072b2;--copy:#d55e00;--gone:#b00020;--log:#e69f00}\
.see text{fill:var(--ink)}.see .title{font-weight:600;font-size:12px}.see .small{fill:var(--muted);font-size:10px}\
.see .block{fill:var(--paper);stroke:var(--line)}.see .cell{stroke:var(--line);stroke-width:.75}\
.see .erased{fill:none;stroke-dasharray:2 2}.see .valid{fill:var(--valid)}.see .invalid{fill:var(--invalid)}\
.see .dirty{fill:var(--dirty)}.see .clean{fill:var(--valid)}.see text.old{fill:var(--muted);text-decoration:line-through}\
.see .mark{fill:none;stroke-width:2.5}.see .now{stroke:var(--new)}.see .moved{stroke:var(--copy)}\
.see .part{fill:none;stroke:var(--log);stroke-width:2}.see .gone{fill:none;stroke:var(--gone);stroke-width:2;stroke-dasharray:5 3}\
.see text.tag{font-size:10px;font-weight:600}.see .arrow{fill:none;stroke:var(--copy);stroke-width:1.5}.see .tip{fill:var(--copy)}\
@media (prefers-color-scheme:dark){.see{--ink:#e7eaee;--muted:#9aa5b3;--line:#566170;--paper:#171b22;--valid:#1d4a68;\
--invalid:#2b313a;--dirty:#6b4a10;--new:#6db7f2;--copy:#ff9a57;--gone:#ff7b87;--log:#f0b93a}}";

impl Scene {
    /// As a part of a page.
    pub fn inline(&self) -> String {
        format!(
            "<svg class=\"see\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\" role=\"img\" \
             aria-label=\"{2}\" xmlns=\"http://www.w3.org/2000/svg\"><style>{STYLE}</style>{3}</svg>",
            self.width, self.height, self.spoken, self.body
        )
    }

    /// As a file, on paper.
    pub fn alone(&self) -> String {
        let svg = self.inline();
        let (head, rest) = svg.split_once("</style>").unwrap_or((&svg, ""));
        format!(
            "{head}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n{}\n",
            rest.replace("><", ">\n<")
        )
    }
}

/// Where things are, while they are drawn.
struct Pen {
    width: f64,
    y: f64,
    body: String,
}

/// The room around all.
const MARGIN: f64 = 12.0;
const CELL: f64 = 20.0;
/// Between blocks.
const GAP: f64 = 12.0;
/// The line of a block's label.
const LABEL: f64 = 15.0;

/// The width of a cell, by the pages of a block.
fn cell_width(pages_per_block: u32) -> f64 {
    match pages_per_block {
        0..=8 => 26.0,
        9..=16 => 20.0,
        _ => 7.0,
    }
}

impl Pen {
    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, class: &str) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\"/>"
        );
    }

    fn title(&mut self, title: &str, hint: &str) {
        self.y += 16.0;
        let (y, hint) = (self.y, format!("{title}  {hint}"));
        let (title, rest) = hint.split_at(title.len());
        let title = title.replace('&', "&amp;");
        let _ = write!(
            self.body,
            "<text x=\"{MARGIN:.1}\" y=\"{y:.1}\"><tspan class=\"title\">{title}</tspan><tspan class=\"small\" dx=\"6\">{}</tspan></text>",
            rest.trim()
        );
        self.y += 8.0;
    }
}

/// Draws a frame.
pub fn drawn(
    frame: &Frame,
    content: Option<&Content>,
    ftl: &str,
    pages_per_block: u32,
    width: f64,
) -> Scene {
    let mut pen = Pen {
        width,
        y: 4.0,
        body: String::new(),
    };
    if let Some(content) = content {
        buffer(&mut pen, content, pages_per_block);
    }
    let places = flash(&mut pen, frame, ftl);
    arrows(&mut pen, frame, &places);
    let says = frame.says();
    Scene {
        width,
        height: pen.y + MARGIN,
        body: pen.body,
        spoken: match says.as_str() {
            "" => "Flash does nothing".into(),
            says => says.replace('"', "&quot;"),
        },
    }
}

/// The write buffer: pages or blocks, in the order in which they would leave.
fn buffer(pen: &mut Pen, content: &Content, pages_per_block: u32) {
    let of = content
        .places
        .map_or(String::new(), |places| format!(" of {places}"));
    let order = match (content.in_order, content.groups.is_empty()) {
        (_, true) => "",
        (true, _) => "the first one leaves next",
        (false, _) => "by address",
    };
    pen.title(&format!("Write buffer: {}{of} pages", content.pages), order);
    let cell = cell_width(pages_per_block.min(8));
    let mut x = MARGIN;
    if content.by_page {
        for (lpn, dirty) in content.groups.iter().flat_map(|group| &group.pages) {
            if x + cell > pen.width - MARGIN {
                x = MARGIN;
                pen.y += CELL + 4.0;
            }
            pen.rect(
                x,
                pen.y,
                cell,
                CELL,
                if *dirty { "cell dirty" } else { "cell clean" },
            );
            pen.text(
                x + cell / 2.0,
                pen.y + 14.0,
                "",
                "middle",
                &lpn.0.to_string(),
            );
            x += cell + 3.0;
        }
        pen.y += CELL;
    } else {
        let cell = cell_width(pages_per_block);
        let block = cell * f64::from(pages_per_block);
        for group in &content.groups {
            if x + block > pen.width - MARGIN && x > MARGIN {
                x = MARGIN;
                pen.y += LABEL + CELL + 8.0;
            }
            pen.text(
                x,
                pen.y + 11.0,
                "small",
                "start",
                &format!("logical block {}", group.lbn.0),
            );
            let top = pen.y + LABEL;
            for offset in 0..pages_per_block {
                let lpn = group.lbn.0 * pages_per_block + offset;
                let held = group.pages.iter().find(|(held, _)| held.0 == lpn);
                let class = match held {
                    Some((_, true)) => "cell dirty",
                    Some((_, false)) => "cell clean",
                    None => "cell erased",
                };
                let left = x + cell * f64::from(offset);
                pen.rect(left, top, cell, CELL, class);
                if held.is_some() && cell >= 20.0 {
                    pen.text(
                        left + cell / 2.0,
                        top + 14.0,
                        "",
                        "middle",
                        &lpn.to_string(),
                    );
                }
            }
            x += block + GAP;
        }
        pen.y += if content.groups.is_empty() {
            0.0
        } else {
            LABEL + CELL
        };
    }
    if content.groups.is_empty() {
        pen.text(MARGIN, pen.y + 12.0, "small", "start", "empty");
        pen.y += 16.0;
    }
    if content.goes_on {
        pen.text(MARGIN, pen.y + 12.0, "small", "start", "and more");
        pen.y += 16.0;
    }
    pen.y += 8.0;
}

/// What an FTL uses the blocks of a role for.
fn section(ftl: &str, role: u8) -> String {
    match (ftl, role) {
        ("page", role) => match role {
            0 => "Written blocks".into(),
            role => format!("Written blocks, group {role}"),
        },
        ("bast", 1) => "Log blocks".into(),
        ("fast", 1) => "Sequential log block".into(),
        ("fast", 2) => "Random log blocks".into(),
        ("replacement", 1) => "Replacement blocks".into(),
        ("superblock", 1) => "Written blocks".into(),
        ("superblock", 2) => "Blocks with moved pages".into(),
        _ => "Data blocks".into(),
    }
}

/// The blocks by their use. Returns the left upper corner of each page.
fn flash(pen: &mut Pen, frame: &Frame, ftl: &str) -> Vec<(f64, f64)> {
    let flash = &frame.flash;
    let each = flash.pages_per_block;
    let cell = cell_width(each);
    let wide = cell * f64::from(each);
    let mut places = vec![(0.0, 0.0); flash.cells.len()];
    let mut roles: Vec<Option<u8>> = flash
        .uses
        .iter()
        .map(|used| used.map(|role| role.0))
        .collect();
    roles.sort_unstable_by_key(|role| role.map_or(u16::MAX, u16::from));
    roles.dedup();
    for role in roles {
        let blocks: Vec<u32> = (0..flash.uses.len() as u32)
            .filter(|block| flash.uses[*block as usize].map(|role| role.0) == role)
            .collect();
        let title = role.map_or("Erased blocks".into(), |role| section(ftl, role));
        pen.title(&title, "");
        let mut x = MARGIN;
        for block in blocks {
            if x + wide > pen.width - MARGIN && x > MARGIN {
                x = MARGIN;
                pen.y += LABEL + CELL + 10.0;
            }
            one_block(pen, frame, block, (x, cell), &mut places);
            x += wide + GAP;
        }
        pen.y += LABEL + CELL + 10.0;
    }
    places
}

/// One block with its pages, its label, and what becomes of it.
fn one_block(
    pen: &mut Pen,
    frame: &Frame,
    block: u32,
    (x, cell): (f64, f64),
    places: &mut [(f64, f64)],
) {
    let flash = &frame.flash;
    let each = flash.pages_per_block;
    let (top, wide) = (pen.y + LABEL, cell * f64::from(each));
    let tag = frame.merge.as_ref().and_then(|merge| {
        if merge.to == block && merge.log == block {
            Some("log → data")
        } else if merge.to == block {
            Some("new data")
        } else if merge.log == block {
            Some("log")
        } else if merge.data == Some(block) {
            Some("old data")
        } else {
            None
        }
    });
    let tag = match frame.cleaned == Some(block) {
        true => Some("cleaned"),
        false => tag,
    };
    let is_erased = frame.erased.contains(&block);
    let label = match (tag, is_erased) {
        (Some(tag), _) => format!("{block} {tag}"),
        (None, true) => format!("{block} erased"),
        (None, false) => format!("{block}"),
    };
    let class = if tag.is_some() || is_erased {
        "tag"
    } else {
        "small"
    };
    pen.text(x, pen.y + 11.0, class, "start", &label);
    for offset in 0..each {
        let page = block * each + offset;
        let (left, at) = (x + cell * f64::from(offset), flash.cells[page as usize]);
        places[page as usize] = (left + cell / 2.0, top);
        let (class, number, ink) = match at {
            Cell::Erased => ("cell erased", None, ""),
            Cell::Valid(lpn) => ("cell valid", Some(lpn), ""),
            Cell::Invalid(lpn) => ("cell invalid", Some(lpn), "old"),
        };
        pen.rect(left, top, cell, CELL, class);
        if let Some(lpn) = number.filter(|lpn| cell >= 20.0 && *lpn < 10_000) {
            pen.text(
                left + cell / 2.0,
                top + 14.0,
                ink,
                "middle",
                &lpn.to_string(),
            );
        }
    }
    // above the neighbours
    for offset in 0..each {
        let page = block * each + offset;
        let left = x + cell * f64::from(offset);
        if frame.programmed.contains(&page) {
            pen.rect(left, top, cell, CELL, "mark now");
        } else if frame.copies.iter().any(|(_, to)| *to == page) {
            pen.rect(left, top, cell, CELL, "mark moved");
        }
    }
    if is_erased {
        pen.rect(x - 3.0, top - 3.0, wide + 6.0, CELL + 6.0, "gone");
    } else if tag.is_some() {
        pen.rect(x - 3.0, top - 3.0, wide + 6.0, CELL + 6.0, "part");
    }
}

/// From where each copy came.
fn arrows(pen: &mut Pen, frame: &Frame, places: &[(f64, f64)]) {
    for (from, to) in &frame.copies {
        let ((x, y), (to_x, to_y)) = (places[*from as usize], places[*to as usize]);
        let down = to_y > y + 1.0;
        let (y, end) = match down {
            true => (y + CELL, to_y - 1.0),
            false if to_y + 1.0 < y => (y, to_y + CELL + 1.0),
            // side by side: over the top
            false => (y, to_y - 1.0),
        };
        let bend = match () {
            () if down => (y + end) / 2.0,
            () if to_y + 1.0 < places[*from as usize].1 => (y + end) / 2.0,
            () => y - 14.0,
        };
        let _ = write!(
            pen.body,
            "<path class=\"arrow\" d=\"M{x:.1} {y:.1}C{x:.1} {bend:.1} {to_x:.1} {bend:.1} {to_x:.1} {end:.1}\"/>"
        );
        let tip = if down || (end - bend) > 0.0 {
            -5.0
        } else {
            5.0
        };
        let _ = write!(
            pen.body,
            "<path class=\"tip\" d=\"M{to_x:.1} {end:.1}l-3.5 {tip:.1}h7z\"/>"
        );
    }
}
