//! The pictures of the parallel model agree with its data.

use super::*;

/// The parallel model: merges stall the writes, and several chips work at a time.
static CLOCKED: LazyLock<String> = LazyLock::new(|| {
    let device = ["--preset=lfs-2010", "--buffer=none,fab", "--size=1MiB"];
    compare(&[&device[..], &["--limit=4000"]].concat())
});
/// The page when it is opened, and after one choice each of operation, measure and run: a visit takes a second.
static CLOCKED_VISIT: LazyLock<Value> = LazyLock::new(|| {
    ask(
        &CLOCKED,
        r##"
        const why = document.querySelector("#reasons");
        const head = [...why.querySelectorAll("th[scope=col]")].map((cell) => cell.textContent);
        const first = { ...seen(), why: why.querySelector("p").textContent, head };
        await press("#operations button", 1);
        const reads = seen();
        await choose("measures", "Show", "Chips at work");
        const chips = seen();
        await choose("timelines", "Run", document.querySelectorAll("#timelines option")[1].textContent);
        return { first, reads, chips, other: seen() };
        "##,
    )
});
static CLOCKED_SEEN: LazyLock<&Value> = LazyLock::new(|| &CLOCKED_VISIT["first"]);

/// The runs of the policies, each with the colour of its curve.
fn runs(data: &Value) -> Vec<(&Value, &Value)> {
    let series = |run: &Value| run["series"].as_u64().unwrap() as usize;
    let runs = list(&data["runs"]).iter();
    let policies = runs.filter(|run| data["series"][series(run)]["bound"] == false);
    policies
        .map(|run| (run, &data["series"][series(run)]["colour"]))
        .collect()
}

// Planted bugs: a linear axis; the latencies of reads among those of writes; a share of the requests below instead of
// above; a percentile without its name; pictures of time under the serial model.
#[test]
fn latencies_by_percentile() {
    let reads = &CLOCKED_VISIT["reads"];
    for (seen, op) in [(*CLOCKED_SEEN, "W"), (reads, "R")] {
        let runs = runs(&seen["data"]);
        let curves = list(&seen["latency"]["curves"]);
        let (mut across, mut down) = (Vec::new(), Vec::new());
        for (run, colour) in &runs {
            let mut curves = curves.iter().filter(|curve| curve["colour"] == **colour);
            let points = list(&curves.next().expect("its curve")["points"]);
            let values = list(&run["clocked"]["latency"][op]["points"]);
            for (value, point) in [
                (values.first(), points.first()),
                (values.last(), points.last()),
            ] {
                let (value, point) = (numbers(value.unwrap()), numbers(point.unwrap()));
                across.push((value[0].log10(), point[0]));
                down.push((value[1].log10(), point[1]));
            }
        }
        assert!(assert_scaled(&across) > 0.0);
        assert!(assert_scaled(&down) < 0.0);
        for name in ["p50", "p90", "p99"] {
            assert_eq!(colours(&seen["latency"], &name.into()).len(), 1, "{name}");
        }
    }
    let words = text(&reads["latency"]["words"]);
    assert!(words.starts_with("Latency of reads"), "{words}");
    assert_eq!(list(&SIZES_SEEN["latency"]["curves"]).len(), 0);
}

// Planted bugs: seconds of chips, which work at the same time, as if they were simulated time; parts of a chart that are more
// than the whole; causes that do not add up to the whole difference.
#[test]
fn causes_are_shares_of_the_work_of_the_chips() {
    let seen = *CLOCKED_SEEN;
    let why = text(&seen["why"]);
    assert!(why.contains("in percent of that time with "), "{why}");
    let head = list(&seen["head"]);
    assert!(
        head[3..].iter().all(|title| text(title).ends_with(" (%)")),
        "{head:?}"
    );
    let words = text(&seen["time"]["words"]);
    assert!(words.starts_with("Use of the chips by cause"), "{words}");
    for (run, _) in runs(&seen["data"]) {
        let parts = run["time"].as_object().unwrap().values();
        let sum: f64 = parts.map(|part| part.as_f64().unwrap()).sum();
        let busy = run["clocked"]["use"]["chips"].as_f64().unwrap();
        assert!((sum - busy).abs() < 1e-6, "{sum} % of {busy} %");
    }
    let reasons = &list(&seen["data"]["reasons"])[0];
    let column = |at: usize| -> f64 {
        let lines = list(&reasons["lines"]).iter();
        lines.map(|line| line[at].as_f64().unwrap()).sum()
    };
    assert!((column(4) - column(3) - column(5)).abs() < 1e-6);
    assert!(column(4) < 100.0 + 1e-6);
    assert!(text(&SIZES_SEEN["time"]["words"]).starts_with("Simulated time by cause"));
}

// Planted bugs: the values of another measure; an interval left out; time counted in intervals instead of seconds.
#[test]
fn values_over_time() {
    let chips = &CLOCKED_VISIT["chips"];
    for (seen, key) in [(*CLOCKED_SEEN, "write"), (chips, "chips")] {
        let (mut across, mut down) = (Vec::new(), Vec::new());
        let runs = runs(&seen["data"]);
        assert_eq!(list(&seen["over"]["curves"]).len(), runs.len());
        for (run, colour) in runs {
            let mut curves = list(&seen["over"]["curves"]).iter();
            let curve = curves
                .find(|curve| curve["colour"] == *colour)
                .expect("its curve");
            let time = &run["clocked"]["time"];
            let width = time["width"].as_f64().unwrap();
            let (values, points) = (numbers(&time[key]), list(&curve["points"]));
            // points that fall on each other are drawn once
            assert!(points.len() > values.len() / 2, "{} points", points.len());
            let at = |place: usize| (place as f64 + 0.5) * width;
            let [first, last] =
                [points.first(), points.last()].map(|point| numbers(point.unwrap()));
            across.extend([(at(0), first[0]), (at(values.len() - 1), last[0])]);
            let most = values.iter().copied().fold(0.0, f64::max);
            let top = points.iter().map(|point| numbers(point)[1]);
            down.extend([
                (values[0], first[1]),
                (most, top.fold(f64::INFINITY, f64::min)),
            ]);
        }
        assert!(assert_scaled(&across) > 0.0);
        assert!(assert_scaled(&down) < 0.0);
    }
}

// Planted bug: the bars of the channels for the chips.
#[test]
fn the_use_of_the_parts() {
    let data = &CLOCKED_SEEN["data"];
    let bars = list(&CLOCKED_SEEN["use"]["bars"]);
    let mut pairs = Vec::new();
    for part in ["chips", "channels", "bus"] {
        let drawn = bars
            .iter()
            .filter(|bar| bar["colour"] == data["parts"][part]);
        let drawn = drawn.map(|bar| bar["width"].as_f64().unwrap());
        let values = runs(data).into_iter();
        let values = values.map(|(run, _)| run["clocked"]["use"][part].as_f64().unwrap());
        pairs.extend(values.zip(drawn));
    }
    assert_eq!(pairs.len(), 6);
    assert!(assert_scaled(&pairs) > 0.0);
}

// Planted bugs: the spans of another run; a part left out; programs of merges in the colour of other programs; a
// picture that ends before the write completes.
#[test]
fn the_slowest_write_waits_for_a_merge() {
    let other = &CLOCKED_VISIT["other"];
    for (seen, place) in [(*CLOCKED_SEEN, 0), (other, 1)] {
        let data = &seen["data"];
        let line = &data["timelines"][place];
        let (from, completed) = (
            line["from"].as_f64().unwrap().max(0.0),
            line["completed"].as_f64().unwrap(),
        );
        let mut merged = 0.0;
        let mut pairs = Vec::new();
        for (activity, key) in list(&data["activities"]).iter().enumerate() {
            let parts = list(&line["parts"]).iter();
            let spans = parts.flat_map(|part| list(&part["spans"])).map(numbers);
            let spans: Vec<Vec<f64>> = spans.filter(|span| span[0] == activity as f64).collect();
            let mut starts: Vec<f64> = spans.iter().map(|span| span[1].max(from)).collect();
            starts.sort_by(f64::total_cmp);
            let curves = list(&seen["timeline"]["curves"]).iter();
            let curves = curves.filter(|curve| curve["colour"] == data["parts"][text(key)]);
            let points: Vec<Vec<f64>> = curves
                .flat_map(|curve| list(&curve["points"]))
                .map(numbers)
                .collect();
            assert_eq!(points.len(), 2 * spans.len(), "{key}");
            let mut drawn: Vec<f64> = points.chunks(2).map(|pair| pair[0][0]).collect();
            drawn.sort_by(f64::total_cmp);
            pairs.extend(starts.into_iter().zip(drawn));
            if *key == "copy_program" {
                merged += spans.iter().map(|span| span[2] - span[1]).sum::<f64>();
            }
        }
        assert!(assert_scaled(&pairs) > 0.0);
        assert!(merged > 0.3 * (completed - from), "{merged} of {completed}");
        let words = text(&seen["timeline"]["words"]);
        assert!(words.starts_with("The slowest write: "), "{words}");
        assert!(words.contains(text(&line["label"])), "{words}");
    }
}
