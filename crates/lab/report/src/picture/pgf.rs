//! A picture as code of pgfplots, which a paper can include and change.

use std::fmt::Write;

use super::model::{Axis, Mark, Panel, Picture, Point, Scale};
use super::ticks::ticks;
use crate::palette::{colours, marker};

/// The code of a picture of this width in mm.
pub(super) fn code(picture: &Picture, width: f64) -> String {
    let count = picture.panels.len();
    let columns = match count {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let rows = picture
        .panels
        .iter()
        .filter_map(|panel| panel.y.words())
        .map(<[String]>::len)
        .max();
    let plot = width / columns as f64 - 18.0;
    let height = rows.map_or(plot * 0.72, |rows| rows as f64 * 5.5);
    let mut out = String::from(
        "% \\usepackage{pgfplots}\n% \\usepgfplotslibrary{groupplots}\n% \\pgfplotsset{compat=1.17}\n\\begin{tikzpicture}\n",
    );
    for (number, entry) in picture.legend.iter().enumerate() {
        let hex = colours(&entry.slot)[0]
            .trim_start_matches('#')
            .to_uppercase();
        let _ = writeln!(out, "\\definecolor{{curve{number}}}{{HTML}}{{{hex}}}");
    }
    let _ = writeln!(
        out,
        "\\begin{{groupplot}}[group style={{group size={columns} by {}, horizontal sep=16mm, vertical sep=17mm}},\n  \
         width={plot:.1}mm, height={height:.1}mm, scale only axis, grid=major, grid style={{black!10}},\n  \
         tick label style={{font=\\footnotesize}}, label style={{font=\\small}}, title style={{font=\\small}},\n  \
         legend style={{font=\\footnotesize, draw=none, fill=none}}, clip mode=individual]",
        count.div_ceil(columns).max(1)
    );
    let name = legend_name(picture);
    for (number, panel) in picture.panels.iter().enumerate() {
        let is_left = number % columns == 0;
        draw_panel(
            &mut out,
            picture,
            panel,
            is_left,
            (number == 0).then_some(&name),
        );
    }
    out += "\\end{groupplot}\n";
    if picture.legend.len() > 1 {
        // above the middle of the first line
        let (column, side) = (
            columns.div_ceil(2),
            if columns == 2 { "north east" } else { "north" },
        );
        let shift = if columns == 2 { 8.0 } else { 0.0 };
        let _ = writeln!(
            out,
            "\\node[above=7mm, xshift={shift}mm] at (group c{column}r1.{side}) {{\\pgfplotslegendfromname{{{name}}}}};"
        );
    }
    out += "\\end{tikzpicture}\n";
    out
}

/// A name of the legend that other pictures of a paper do not have.
fn legend_name(picture: &Picture) -> String {
    let names = &picture.names;
    let all = [&names.y, &names.x, &names.series, &names.panel]
        .map(String::as_str)
        .join("-");
    let plain = all
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-');
    "ssdlab-".chars().chain(plain).collect()
}

/// The first panel names the legend.
fn draw_panel(
    out: &mut String,
    picture: &Picture,
    panel: &Panel,
    is_left: bool,
    legend: Option<&String>,
) {
    let legend = legend.filter(|_| picture.legend.len() > 1);
    let y = match is_left {
        true => options("y", &panel.y),
        false => options(
            "y",
            &Axis {
                title: String::new(),
                ..panel.y.clone()
            },
        ),
    };
    let _ = writeln!(
        out,
        "\\nextgroupplot[title={{{}}},\n  {},\n  {y}{}]",
        latex(&panel.title),
        options("x", &panel.x),
        legend.map_or(String::new(), |name| format!(
            ",\n  legend to name={{{name}}}, legend columns=-1"
        ))
    );
    for mark in &panel.marks {
        draw_mark(out, picture, mark);
    }
    if legend.is_some() {
        for (number, entry) in picture.legend.iter().enumerate() {
            let mark = marker(&entry.slot).pgf();
            let _ = writeln!(out, "\\addlegendimage{{curve{number}, mark={mark}}}");
            let _ = writeln!(out, "\\addlegendentry{{{}}}", latex(&entry.label));
        }
    }
}

/// The options of an axis.
fn options(name: &str, axis: &Axis) -> String {
    let (least, most) = axis.range;
    let mut text = format!(
        "{name}label={{{}}}, {name}min={least}, {name}max={most}",
        latex(&axis.title)
    );
    if axis.scale == Scale::Log {
        let _ = write!(text, ", {name}mode=log");
    }
    if axis.words().is_some() && name == "y" {
        text += ", y dir=reverse";
    }
    let all = ticks(axis, 5);
    let places: Vec<String> = all.iter().map(|tick| tick.0.to_string()).collect();
    let labels: Vec<String> = all
        .iter()
        .map(|tick| format!("{{{}}}", latex(&tick.1)))
        .collect();
    let _ = write!(
        text,
        ",\n  {name}tick={{{}}}, {name}ticklabels={{{}}}",
        places.join(","),
        labels.join(",")
    );
    text
}

fn draw_mark(out: &mut String, picture: &Picture, mark: &Mark) {
    let shape = |series: usize| {
        picture
            .legend
            .get(series)
            .map_or("*", |entry| marker(&entry.slot).pgf())
    };
    match mark {
        Mark::Curve {
            series,
            faint,
            points,
        } => {
            let thick = if *faint { "thin" } else { "thick" };
            let has_spread = points
                .iter()
                .any(|point| point.quartiles.0 < point.quartiles.1);
            let bars = if has_spread {
                ", error bars/.cd, y dir=both, y explicit"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "\\addplot[curve{series}, {thick}, mark={}{bars}] coordinates {{",
                shape(*series)
            );
            for Point {
                x, y, quartiles, ..
            } in points
            {
                let _ = match has_spread {
                    true => writeln!(
                        out,
                        "  ({x},{y}) += (0,{}) -= (0,{})",
                        quartiles.1 - y,
                        y - quartiles.0
                    ),
                    false => writeln!(out, "  ({x},{y})"),
                };
            }
            *out += "};\n";
        }
        Mark::Front(points) => {
            *out += "\\addplot[black!50, dashed, const plot, forget plot] coordinates {";
            for (x, y) in points {
                let _ = write!(out, " ({x},{y})");
            }
            *out += " };\n";
        }
        Mark::Dot {
            series,
            faint,
            point,
            label,
        } => {
            let opacity = if *faint { ", opacity=0.35" } else { "" };
            let _ = writeln!(
                out,
                "\\addplot[only marks, curve{series}, mark={}, forget plot{opacity}] coordinates {{ ({},{}) }}{};",
                shape(*series),
                point.x,
                point.y,
                match label.as_str() {
                    "" => String::new(),
                    label => format!(
                        " node[above right, inner sep=1.5pt, font=\\tiny, black!60] {{{}}}",
                        latex(label)
                    ),
                }
            );
        }
        Mark::Cell {
            point,
            value,
            share,
            text,
        } => {
            if value.is_some() {
                let (left, right, top, bottom) =
                    (point.x - 0.5, point.x + 0.5, point.y - 0.5, point.y + 0.5);
                let [red, green, blue] = super::marks::shade(*share);
                let ink = if *share < 0.5 { "black" } else { "white" };
                let _ = writeln!(
                    out,
                    "\\fill[fill={{rgb,255:red,{red};green,{green};blue,{blue}}}] (axis cs:{left},{top}) rectangle (axis cs:{right},{bottom});\n\
                     \\node[font=\\scriptsize, {ink}] at (axis cs:{},{}) {{{}}};",
                    point.x,
                    point.y,
                    latex(text)
                );
            }
        }
        Mark::Spread {
            series,
            row,
            values,
            quartiles: [low, median, high],
            wins,
            ..
        } => {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let (top, bottom) = (*row as f64 - 0.25, *row as f64 + 0.25);
            let _ = writeln!(
                out,
                "\\draw[curve{series}] (axis cs:{least},{row}) -- (axis cs:{most},{row});"
            );
            let _ = writeln!(
                out,
                "\\draw[curve{series}, fill=curve{series}!25] (axis cs:{low},{top}) rectangle (axis cs:{high},{bottom});"
            );
            let _ = writeln!(
                out,
                "\\draw[curve{series}, very thick] (axis cs:{median},{top}) -- (axis cs:{median},{bottom});"
            );
            if *wins {
                let _ = writeln!(
                    out,
                    "\\node[right, font=\\scriptsize] at (axis cs:{most},{row}) {{wins}};"
                );
            }
        }
        Mark::Boxes { series, corners } => {
            for [(left, bottom), (right, top)] in corners {
                let _ = writeln!(
                    out,
                    "\\fill[curve{series}] (axis cs:{left},{bottom}) rectangle (axis cs:{right},{top});"
                );
            }
        }
        Mark::Band {
            from,
            to,
            shaded,
            label,
        } => {
            let fill = if *shaded { "\\fill[black!8]" } else { "\\path" };
            let _ = writeln!(
                out,
                "{fill} ({{axis cs:{from},0}} |- {{rel axis cs:0,0}}) rectangle ({{axis cs:{to},0}} |- {{rel axis cs:0,1}}) node[midway, font=\\scriptsize, gray] {{{}}};",
                latex(label)
            );
        }
        Mark::Bar {
            row,
            parts,
            below,
            most,
            label,
            ..
        } => {
            let row = *row as f64;
            let mut piece = |series: usize, from: f64, to: f64, top: f64, bottom: f64| {
                let _ = writeln!(
                    out,
                    "\\fill[curve{series}] (axis cs:{},{}) rectangle (axis cs:{},{});",
                    from.min(*most),
                    row + top,
                    to.min(*most),
                    row + bottom
                );
            };
            let (top, bottom) = if below.is_some() {
                (-0.35, 0.15)
            } else {
                (-0.3, 0.3)
            };
            let mut from = 0.0;
            for (series, value) in parts {
                piece(*series, from, from + value, top, bottom);
                from += value;
            }
            if let Some((series, value)) = below {
                piece(*series, 0.0, *value, 0.2, 0.35);
                from = value.max(from);
            }
            let _ = writeln!(
                out,
                "\\node[right, font=\\scriptsize] at (axis cs:{},{row}) {{{}}};",
                from.min(*most),
                latex(label)
            );
        }
    }
}

/// A text that LaTeX shows as it is.
pub(crate) fn latex(text: &str) -> String {
    let mut out = String::new();
    for letter in ssdlab_words::shown_text(text).chars() {
        match letter {
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '|' => out += "\\textbar{}",
            '"' => out += "''",
            '×' => out += "$\\times$",
            '−' => out += "$-$",
            'µ' | 'μ' => out += "$\\mu$",
            '–' => out += "--",
            '…' => out += "\\ldots{}",
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a backslash whose braces are escaped again; an underscore that ends the run of LaTeX
    #[test]
    fn latex_shows_any_text() {
        assert_eq!(
            latex("a_b\\{c} 5 % × −1"),
            "a\\_b\\textbackslash{}\\{c\\} 5 \\% $\\times$ $-$1"
        );
    }
}
