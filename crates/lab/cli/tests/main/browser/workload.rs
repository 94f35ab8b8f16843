//! The pictures of a workload agree with its data.

use super::*;

/// Flushes, discards, rewrites and few reads.
static PAGE: LazyLock<String> = LazyLock::new(|| page("traces/w23-ext4-phone.csv.zst"));

fn page(trace: &str) -> String {
    let lab = Lab::new();
    let trace = in_repository(trace);
    lab.ok(&["trace", "info", "--html=page.html", trace.to_str().unwrap()]);
    lab.read("page.html")
}

const SEEN: &str = r##"
    const data = JSON.parse(document.getElementById("data").textContent);
    for (const item of [...data.lru, ...data.sizes]) item.colour = colour(item.slot);
    const image = document.querySelector("svg.picture");
    return {
      data, pictures: all(".chart svg").length, hidden: all("[data-picture]").filter(({ hidden }) => hidden).length,
      image: image?.getBoundingClientRect().width ?? 0, ...charts(),
    };
"##;

fn seen(scheme: Scheme, page: &str) -> Value {
    let visit = visit_with(scheme, page, SEEN);
    assert_eq!(visit.console, [""; 0]);
    assert_eq!(visit.requests, [""; 0]);
    answer(&visit)
}

// planted bugs: a curve left out; one in the colour of another; an axis upside down; sizes at equal distances
#[test]
fn curves_are_where_their_points_are() {
    let seen = seen(Scheme::Light, &PAGE);
    assert_eq!((&seen["pictures"], &seen["hidden"]), (&8.into(), &0.into()));
    assert!(seen["image"].as_f64().unwrap() > 100.0);
    let (mut across, mut down) = (Vec::new(), Vec::new());
    let lines = list(&seen["data"]["lru"]);
    assert_eq!(lines.len(), 5);
    assert_eq!(list(&seen["lru"]["curves"]).len(), 5);
    for (line, drawn) in lines.iter().zip(list(&seen["lru"]["curves"])) {
        assert_eq!(drawn["colour"], line["colour"]);
        let ends = |points: &Value| {
            let points = list(points);
            [numbers(&points[0]), numbers(&points[points.len() - 1])]
        };
        for (value, place) in ends(&line["points"]).iter().zip(ends(&drawn["points"])) {
            across.push((value[0].log2(), place[0]));
            down.push((value[1], place[1]));
        }
    }
    assert!(assert_scaled(&across) > 0.0 && assert_scaled(&down) < 0.0);
    let words = text(&seen["lru"]["words"]);
    assert!(
        words.starts_with("Hits of an LRU write buffer by its size"),
        "{words}"
    );
}

// planted bugs: a picture of nothing; an error where there is no data
#[test]
fn pictures_without_data_are_left_out() {
    let lab = Lab::new();
    lab.write(
        "t.csv",
        crate::common::trace(&["0,W,0,4096", "5,W,4096,4096"]),
    );
    lab.ok("trace info --html page.html t.csv");
    let seen = seen(Scheme::Dark, &lab.read("page.html"));
    // no rewrites and no flushes, and no hits
    assert_eq!((&seen["pictures"], &seen["hidden"]), (&4.into(), &4.into()));
}
