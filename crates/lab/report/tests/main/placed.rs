//! The picture of handles and regions in the report, and its table.
//!
//! Planted bugs that these catch: pages copied in in the place of those copied out; lengths that compare within a run only; the
//! lightest handles with bars of their own; the sum of the others on the axis of one; common copies that leave handles no
//! room; a long table that is open; a picture where no placement sorts pages; a label that acts; texts over each other; the
//! colours of one scheme in both; a part of a comparison that looks like all of it.

use serde_json::{Value, json};
use ssdlab_browser::{Browser, Scheme};
use ssdlab_device::results::{Common, Handle, Placed, Region};
use ssdlab_report::picture::Format;
use ssdlab_report::{html, placed_picture};
use ssdlab_sim::Comparison;

use crate::common;

/// A run of each of these placements.
fn comparison(runs: &[(&str, Placed)]) -> Comparison {
    let names: Vec<&str> = runs.iter().map(|run| run.0).collect();
    let mut made = common::one_policy("ftl.placement", &names);
    for (row, (_, placed)) in made.rows.iter_mut().zip(runs) {
        row.outcome.placed = Some(placed.clone());
        row.outcome.derived.waf = Some(1.5);
    }
    made
}

/// Handles by pages of the host and pages copied out, and the common unit by pages copied in and out.
fn handles(each: &[(u64, u64)], common: Option<(u64, u64)>) -> Placed {
    let handle = |(host_pages, copied_pages): &(u64, u64)| Handle {
        host_pages: *host_pages,
        copied_pages: *copied_pages,
        victims: 7,
        ..Handle::default()
    };
    Placed::Handles {
        handles: each.iter().map(handle).collect(),
        common: common.map(|(copied_in, copied_pages)| Common {
            copied_in,
            copied_pages,
            victims: 9,
        }),
    }
}

/// Regions by pages of the host, copied out and copied in.
fn regions(each: &[(u64, u64, u64)]) -> Placed {
    let region = |(host_pages, copied_out, copied_in): &(u64, u64, u64)| Region {
        host_pages: *host_pages,
        copied_in: *copied_in,
        copied_out: *copied_out,
        victims: 5,
    };
    Placed::Regions {
        regions: each.iter().map(region).collect(),
    }
}

/// As many handles as a drive may have; the heavier the higher their number.
fn many() -> Placed {
    let each: Vec<(u64, u64)> = (0..128).map(|at| (1000 + 10 * at, 20 * at)).collect();
    handles(&each, Some((4000, 3000)))
}

fn page(made: &Comparison) -> String {
    html(made, &common::about())
}

/// The section of the page.
fn section(page: &str) -> &str {
    let (_, rest) = page
        .split_once("aria-labelledby=\"placed\"")
        .expect("the section");
    rest.split_once("</section>").expect("its end").0
}

fn picture(page: &str) -> &str {
    let (_, rest) = section(page).split_once("<svg").expect("a picture");
    rest.split_once("</svg>").expect("its end").0
}

/// The left and the right end of all bars of a kind, from the top down.
fn bars(picture: &str, kind: &str) -> Vec<(f64, f64)> {
    let fill = format!("fill=\"var(--part-{kind})\"");
    let lines = picture.lines().filter(|line| line.contains(&fill));
    let ends = lines.map(|line| {
        let (_, path) = line.split_once(" d=\"M").expect("a path");
        let (path, _) = path.split_once('Z').expect("its end");
        let xs = path.split('L').map(|point| {
            let (x, _) = point.split_once(' ').expect("two numbers");
            x.parse::<f64>().expect("a number")
        });
        let xs: Vec<f64> = xs.collect();
        (xs[0], xs[1])
    });
    // the first is in the legend
    ends.skip(1).collect()
}

fn texts(picture: &str) -> Vec<&str> {
    let texts = picture.lines().filter(|line| line.starts_with("<text"));
    let inner = texts.filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>"));
    inner.collect()
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.05, "{found}, not {expected}");
}

#[test]
fn a_bar_is_as_long_as_its_pages() {
    let page = page(&comparison(&[
        ("single", regions(&[(1000, 3000, 0), (0, 500, 2500)])),
        (
            "fdp",
            handles(&[(800, 0), (200, 100), (0, 0)], Some((50, 100))),
        ),
    ]));
    let picture = picture(&page);
    let host = bars(picture, "host");
    let out = bars(picture, "cleaning");
    let into = bars(picture, "copied");
    assert_eq!((host.len(), out.len(), into.len()), (3, 4, 2), "{picture}");
    // all runs have one axis
    let unit = (host[0].1 - host[0].0) / 1000.0;
    assert!(unit * 4000.0 > 300.0, "{picture}");
    let left = host[0].0;
    for ((from, to), pages) in host.iter().zip([1000.0, 800.0, 200.0]) {
        near(*from, left);
        near(to - from, unit * pages);
    }
    // after the pages of the host
    let after = [(1000.0, 3000.0), (0.0, 500.0), (200.0, 100.0), (0.0, 100.0)];
    for ((from, to), (before, pages)) in out.iter().zip(after) {
        near(*from, left + unit * before);
        near(to - from, unit * pages);
    }
    for ((from, to), pages) in into.iter().zip([2500.0, 50.0]) {
        near(to - from, unit * pages);
        near(*from, left);
    }
    let texts = texts(picture);
    for text in [
        "single: write amplification 1.50",
        "fdp: write amplification 1.50",
        "region 1",
        "handle 0",
        "WAF 1.00",
        "WAF 1.50",
        "common copies",
        "500 copied out",
        "100 copied out",
    ] {
        assert!(texts.contains(&text), "no {text:?}: {texts:?}");
    }
    // a handle without pages has a line in the table only
    assert!(!texts.contains(&"handle 2"), "{texts:?}");
    assert!(section(&page).contains(">handle 2</td>"));
}

#[test]
fn the_picture_is_told_in_words() {
    let page = page(&comparison(&[(
        "fdp",
        handles(&[(800, 0), (200, 100)], Some((100, 50))),
    )]));
    let picture = picture(&page);
    assert!(picture.contains(" role=\"img\">"), "{picture}");
    for words in [
        "<title>What each handle and region costs: none: write amplification 1.50</title>",
        "handle 0: host 800, copied out 0, write amplification 1.000; handle 1: host 200, copied out 100, write amplification 1.500; \
         common copies: host 0, copied out 50, copied in 100.</desc>",
        "<g><title>handle 1: host 200, copied out 100, write amplification 1.500</title>",
    ] {
        assert!(picture.contains(words), "no {words:?}: {picture}");
    }
}

#[test]
fn of_many_handles_the_heaviest_have_bars() {
    let page = page(&comparison(&[("fdp", many())]));
    let picture = picture(&page);
    let texts = texts(picture);
    for number in 112..128 {
        let name = format!("handle {number}");
        assert!(texts.contains(&name.as_str()), "{texts:?}");
    }
    assert!(!texts.contains(&"handle 111") && texts.contains(&"mean of 112 others"));
    let (mut host, mut out) = (0, 0);
    for at in 0..112 {
        (host, out) = (host + 1000 + 10 * at, out + 20 * at);
    }
    let waf = format!("WAF {:.2}", (host + out) as f64 / host as f64);
    assert!(texts.contains(&waf.as_str()), "no {waf}: {texts:?}");
    let bars = bars(picture, "host");
    assert_eq!(bars.len(), 17);
    // the mean of the others is shorter than each of the heaviest
    let length = |(from, to): (f64, f64)| to - from;
    near(
        length(bars[16]) / length(bars[15]),
        host as f64 / 112.0 / 2270.0,
    );
    assert!(length(bars[0]) > 100.0, "{bars:?}");
    let section = section(&page);
    assert!(section.contains("one bar has the mean of the others"));
    let (_, table) = section
        .split_once("<details")
        .expect("a table that is closed");
    assert_eq!(table.matches("<tr>").count(), 1 + 128 + 1);
    assert!(table.contains(">handle 0</td>") && table.contains("data-table=\"placed\""));
}

#[test]
fn a_short_table_is_open() {
    let page = page(&comparison(&[("fdp", handles(&[(80, 0); 3], None))]));
    let section = section(&page);
    assert!(
        !section.contains("<details") && !section.contains("mean of"),
        "{section}"
    );
    assert!(section.contains("data-table=\"placed\""));
}

#[test]
fn common_copies_leave_room_for_handles() {
    let few = page(&comparison(&[(
        "fdp",
        handles(&[(100, 0), (50, 0)], Some((300, 300))),
    )]));
    let bars_of = |page: &str| (bars(picture(page), "host"), bars(picture(page), "cleaning"));
    let (host, out) = bars_of(&few);
    near((out[0].1 - out[0].0) / (host[0].1 - host[0].0), 3.0);
    assert!(!section(&few).contains("with a gap"));
    let cut = page(&comparison(&[(
        "fdp",
        handles(&[(100, 0), (50, 0)], Some((5000, 9000))),
    )]));
    let (host, out) = bars_of(&cut);
    // two pieces, which end at twice the longest
    assert_eq!(out.len(), 2);
    near((out[1].1 - out[0].0) / (host[0].1 - host[0].0), 2.0);
    assert!(out[1].0 - out[0].1 > 2.0, "{out:?}");
    assert!(section(&cut).contains("A bar with a gap is longer than shown."));
    assert!(texts(picture(&cut)).contains(&"9,000 copied out"));
}

#[test]
fn runs_far_apart_have_an_axis_each() {
    let of = |pages| {
        page(&comparison(&[
            ("single", regions(&[(1000, 3000, 0)])),
            ("fdp", handles(&[(pages, 0)], None)),
        ]))
    };
    let length = |page: &str, at: usize| {
        let (from, to) = bars(picture(page), "host")[at];
        to - from
    };
    let (near_by, far) = (of(200), of(20));
    near(length(&near_by, 0) / length(&near_by, 1), 5.0);
    assert!(!section(&near_by).contains("axis of its own"));
    assert!(length(&far, 1) > 200.0);
    assert!(section(&far).contains("Each run has an axis of its own."));
}

#[test]
fn more_runs_than_fit_are_in_the_table() {
    let names: Vec<String> = (0..11).map(|at| format!("p{at}")).collect();
    let runs: Vec<(&str, Placed)> = names
        .iter()
        .map(|name| (name.as_str(), handles(&[(100, 10), (50, 5)], None)))
        .collect();
    let page = page(&comparison(&runs));
    let titles = texts(picture(&page));
    let is_shown =
        |name: &str| titles.contains(&format!("{name}: write amplification 1.50").as_str());
    assert!(
        is_shown("p0") && is_shown("p7") && !is_shown("p8"),
        "{titles:?}"
    );
    let section = section(&page);
    assert!(section.contains("The first 8 of 11 runs are shown; the table has all."));
    assert!(section.contains("data-value=\"p10\""));
}

#[test]
fn what_sorts_nothing_has_no_section() {
    let plain = comparison(&[("single", regions(&[(1000, 3000, 0), (0, 5, 5)]))]);
    let plain_page = page(&plain);
    let before = plain_page.split("<script").next().expect("the page");
    assert!(!before.contains("<svg") && !before.contains("data-table=\"placed\""));
    assert!(section(&plain_page).starts_with(" hidden>"));
    // a picture that is asked for is drawn
    assert!(placed_picture(&plain).is_some());
    let nothing = comparison(&[("fdp", handles(&[(0, 0); 4], Some((0, 0))))]);
    assert!(placed_picture(&nothing).is_none());
    assert!(section(&page(&nothing)).contains(">handle 3</td>"));
    assert!(placed_picture(&common::comparison("w1.csv")).is_none());
}

#[test]
fn no_label_acts() {
    let name = "</svg><script>'\"";
    let made = comparison(&[(name, handles(&[(10, 1), (5, 2)], None)), ("fdp", many())]);
    let page = page(&made);
    assert!(!section(&page).contains("<script"), "{}", section(&page));
    let file = placed_picture(&made).expect("a picture");
    for format in [Format::Svg, Format::Pgf, Format::Csv] {
        let bytes = file.file(format, 160.0).expect("a file");
        let text = String::from_utf8(bytes).expect("text");
        assert_eq!(text.contains("<script"), format == Format::Csv, "{text}");
    }
}

#[test]
fn files_have_the_same_numbers() {
    let made = comparison(&[("fdp", handles(&[(800, 50)], Some((500, 40))))]);
    let made = placed_picture(&made).expect("a picture");
    let text = |format| String::from_utf8(made.file(format, 160.0).expect("a file")).expect("text");
    let csv = "run,pages,handle or region,count,low,high,runs\n\
               none: write amplification 1.50,written by the host,handle 0,800,800,800,1\n\
               none: write amplification 1.50,copied out by cleaning,handle 0,50,50,50,1\n\
               none: write amplification 1.50,written by the host,common copies,0,0,0,1\n\
               none: write amplification 1.50,copied out by cleaning,common copies,40,40,40,1\n\
               none: write amplification 1.50,copied in by cleaning,common copies,500,500,500,1\n";
    assert_eq!(text(Format::Csv), csv);
    let pgf = text(Format::Pgf);
    for code in [
        "\\fill[curve0] (axis cs:0,-0.3) rectangle (axis cs:800,0.3);",
        "\\fill[curve1] (axis cs:800,-0.3) rectangle (axis cs:850,0.3);",
        "\\node[right, font=\\scriptsize] at (axis cs:850,0) {WAF 1.06};",
        "\\fill[curve2] (axis cs:0,1.2) rectangle (axis cs:500,1.35);",
    ] {
        assert!(pgf.contains(code), "no {code}: {pgf}");
    }
    let svg = text(Format::Svg);
    // the colours of both schemes
    assert!(svg.contains("[fill=\"#5B1F6E\"]{fill:#e9c4ff}") && svg.contains("fill=\"#5B1F6E\"/>"));
    assert!(svg.contains("<desc>none: write amplification 1.50. handle 0: host 800"));
}

#[test]
fn the_picture_of_an_interrupted_comparison_says_so() {
    let mut made = comparison(&[("fdp", handles(&[(800, 50)], None))]);
    made.missing_runs = 2;
    let made = placed_picture(&made).expect("a picture");
    for format in [Format::Svg, Format::Pdf, Format::Pgf, Format::Csv] {
        let bytes = made.file(format, 160.0).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        // the texts of a PDF are packed
        assert!(
            format == Format::Pdf || text.contains("incomplete: 1 of 3 runs"),
            "{text}"
        );
    }
}

/// What is wrong with the picture on the screen: texts that touch each other or a bar, or that leave the picture; and the
/// colours of bars, and of what is behind them.
const LOOK: &str = r#"<script>
addEventListener("load", () => setTimeout(() => {
  const picture = document.querySelector("section[aria-labelledby=placed] svg");
  const place = (element) => element.getBoundingClientRect();
  const touch = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const texts = [...picture.querySelectorAll("text")].map((text) => ({ name: text.textContent, at: place(text) }));
  const bars = [...picture.querySelectorAll("g > path")].map((path) => ({ name: "a bar", at: place(path) }));
  const all = place(picture), wrong = [];
  for (const [index, { name, at }] of texts.entries()) {
    if (at.left < all.left || at.right > all.right || at.top < all.top || at.bottom > all.bottom) wrong.push(`${name} leaves`);
    if (at.height < 9) wrong.push(`${name} is too small`);
    for (const other of [...texts.slice(index + 1), ...bars]) {
      if (touch(at, other.at)) wrong.push(`${name} on ${other.name}`);
    }
  }
  const fills = [...picture.querySelectorAll("g > path")].map((path) => getComputedStyle(path).fill);
  const told = { wrong, texts: texts.length, bars: bars.length, fills: [...new Set(fills)].sort(),
    behind: getComputedStyle(picture.closest(".card")).backgroundColor };
  document.body.innerHTML = `<pre id="told">${JSON.stringify(told).replaceAll("<", "&lt;")}</pre>`;
}, 500));
</script>"#;

fn look(page: &str, scheme: Scheme) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, page.to_owned() + LOOK).unwrap();
    let visit = Browser::find().and_then(|browser| browser.visit(&path, scheme));
    let visit = visit.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(visit.console, [""; 0]);
    let (_, told) = visit
        .dom
        .split_once("<pre id=\"told\">")
        .expect("an answer");
    serde_json::from_str(told.split_once("</pre>").expect("its end").0).expect("JSON")
}

#[test]
fn everything_can_be_read() {
    let three = handles(
        &[(538_134, 13_284), (326_038, 89_297), (9_000, 0)],
        Some((140_898, 38_317)),
    );
    let plain = regions(&[(864_172, 644_274, 0), (0, 1_587_778, 2_232_052)]);
    let long = "a name that is far too long for any place that a picture may have for it, since it never ends, on and on and on it goes";
    for (runs, texts, bars) in [
        (vec![("fdp", three.clone())], 12, 7),
        (vec![("fdp", many())], 30, 36),
        (
            vec![("single", plain), ("fdp", three), (long, many())],
            50,
            46,
        ),
    ] {
        let page = page(&comparison(&runs));
        let seen = [Scheme::Light, Scheme::Dark].map(|scheme| look(&page, scheme));
        for seen in &seen {
            assert_eq!(seen["wrong"], json!([]), "{}", runs.len());
            assert!(seen["texts"].as_u64() >= Some(texts), "{seen}");
            assert!(seen["bars"].as_u64() >= Some(bars), "{seen}");
            let fills = seen["fills"].as_array().expect("a list");
            assert!(
                fills.len() == 3 && !fills.contains(&seen["behind"]),
                "{seen}"
            );
        }
        assert_ne!(seen[0]["fills"], seen[1]["fills"]);
        assert_ne!(seen[0]["behind"], seen[1]["behind"]);
    }
}
