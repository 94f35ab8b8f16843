//! The page of what a workload is for flash.

use serde_json::Value;
use ssdlab_characterise::{Profile, ProfileOptions, ProfileReport, Raster};
use ssdlab_host::{Op, Request};
use ssdlab_report::{AboutWorkload, workload_html};

/// Pages 0 to 9 in turn, five times, with a flush in the middle, and a read.
fn requests() -> Vec<Request> {
    let page = |i: u64| Request::new(i << 20, Op::Write, (i % 10) << 12, 4096);
    let flush = Request::new(25 << 20, Op::Flush, 0, 0);
    let read = Request::new(50 << 20, Op::Read, 0, 4096);
    let all = (0..25)
        .map(page)
        .chain([flush])
        .chain((25..50).map(page))
        .chain([read]);
    all.map(|request| request.expect("a request")).collect()
}

fn profile(requests: &[Request]) -> (ProfileReport, Raster) {
    let options = ProfileOptions {
        page_size: 4096,
        erase_block: 16384,
        most_pages: 1000,
    };
    let (mut profile, mut raster) = (Profile::new(&options), Raster::default());
    for request in requests {
        profile.add(request).expect("sizes that can be");
        raster.add(request);
    }
    (profile.finish(), raster)
}

fn about(name: &str) -> AboutWorkload {
    AboutWorkload {
        name: name.into(),
        sha256: Some("abc".into()),
        command: "ssdlab trace info --html".into(),
        version: "0.1.0".into(),
        warnings: vec!["a <warning>".into()],
        requests: vec![("writes".into(), "50".into())],
        pages: vec![("hot set".into(), "10 pages".into())],
    }
}

fn page(name: &str, requests: &[Request]) -> String {
    let (report, raster) = profile(requests);
    workload_html(&report, &raster, &about(name))
}

fn data(page: &str) -> Value {
    let start = "<script id=\"data\" type=\"application/json\">";
    let (_, rest) = page.split_once(start).expect("data");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}

// planted bugs: hits of another curve; shares in place of percent; a curve that ends before the others; a histogram of time
// among those of bytes
#[test]
fn the_data_are_those_of_the_report() {
    let (report, _) = profile(&requests());
    let data = data(&page("t.csv", &requests()));
    let pages = report.pages.expect("few pages");
    let curves = data["lru"].as_array().expect("curves");
    let labels: Vec<&str> = curves
        .iter()
        .map(|curve| curve["label"].as_str().unwrap())
        .collect();
    let expected = [
        "writes by page",
        "writes by page, flushes ignored",
        "reads by page",
        "writes by block",
        "writes by block, flushes ignored",
    ];
    assert_eq!(labels, expected);
    let last = |curve: &Value| {
        let points = curve["points"].as_array().expect("points");
        let last = points.last().expect("a point");
        (last[0].as_u64().unwrap(), last[1].as_f64().unwrap())
    };
    // 10 pages; of 50 writes 30 hit, or, with flushes ignored, 40; the read hits
    let ends: Vec<_> = curves.iter().map(last).collect();
    let end = 16384 * 3;
    assert_eq!(ends[..3], [(end, 60.0), (end, 80.0), (end, 100.0)]);
    assert_eq!(ends[3].0, end);
    let histogram = |kind: &str, of: &str| data[kind][of].clone();
    let expected = |spread: Option<ssdlab_characterise::SpreadReport>| {
        serde_json::to_value(spread.expect("numbers").histogram).expect("JSON")
    };
    assert_eq!(histogram("rewrites", "ns"), expected(pages.rewrites.ns));
    assert_eq!(
        histogram("rewrites", "bytes"),
        expected(pages.rewrites.bytes)
    );
    assert_eq!(
        histogram("flushes", "ns"),
        expected(report.flush_intervals.ns)
    );
    assert_eq!(
        histogram("flushes", "bytes"),
        expected(report.flush_intervals.bytes)
    );
    assert_eq!(
        data["hot"][0]["points"][1],
        serde_json::json!([100.0, 100.0])
    );
    let working = data["working"][0]["points"].as_array().expect("points");
    assert_eq!(working.len(), pages.working_set.pages.len() + 1);
    let sizes = data["sizes"].as_array().expect("sizes");
    assert_eq!(sizes.len(), 3);
}

// planted bugs: markup from a name; a placeholder that stays; a page that asks for something
#[test]
fn the_page_stands_alone() {
    let page = page("<b>{{style}}&'\".csv", &requests());
    let shown = "&lt;b&gt;{{style}}&amp;&#39;&quot;.csv";
    assert!(
        page.contains(&format!("<h1>{shown}</h1>")),
        "{}",
        &page[page.len() - 900..]
    );
    assert!(page.contains("a &lt;warning&gt;"));
    assert!(!page.contains("<b>{{"));
    let outside = ["src=\"http", "href=\"http", "url(http", "@import"];
    for outside in outside {
        let markup = page.split("<script>").next().unwrap_or_default();
        assert!(!markup.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("&quot;.csv: addresses over time</title>"));
    // the tile: 16 MiB hold all ten pages
    assert!(page.contains("<p class=\"value\">60.0 %</p>"));
    assert!(page.contains("80.0 % with this size if flushes are ignored"));
}

/// Planted bug: a division by zero, or a picture of nothing.
#[test]
fn a_page_of_no_requests() {
    let page = page("empty.csv", &[]);
    let markup = page.split("<script>").next().expect("a page");
    assert!(!markup.contains("NaN") && !markup.contains("addresses over time"));
    let data = data(&page);
    assert_eq!(data["lru"], serde_json::json!([]));
    assert_eq!(data["rewrites"]["ns"], Value::Null);
}
