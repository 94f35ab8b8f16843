//! The export of pictures and tables.

use super::*;

/// The fields of a CSV file.
fn fields(file: &Value) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text(&file["text"]).as_bytes());
    let records = reader.records().map(|record| record.expect("valid CSV"));
    records
        .map(|record| record.iter().map(String::from).collect())
        .collect()
}

/// Checks that a table has the exact values of all curves at all sizes.
#[track_caller]
fn assert_values(rows: &[Vec<String>], data: &Value, curves: &[Expected]) {
    assert_eq!((rows.len(), &*rows[0][0]), (4, "Buffer size"));
    let labels = curves.iter().map(|curve| text(curve.label));
    assert_eq!(rows[0][1..], labels.collect::<Vec<_>>());
    for (place, row) in rows[1..].iter().enumerate() {
        let row = row.iter().map(|field| field.parse().expect("a number"));
        let row: Vec<f64> = row.collect();
        let size = &data["axes"][0]["values"][place]["at"];
        assert_eq!(Some(row[0]), size.as_f64());
        let values: Vec<f64> = curves.iter().map(|curve| curve.values[place]).collect();
        assert_eq!(row[1..], values);
    }
}

// Planted bugs: a file of another picture; formatted numbers instead of exact ones; an SVG without a title; a copy that
// is not a picture; an SVG that is not well-formed.
#[test]
fn a_picture_is_copied_and_saved() {
    let seen = ask(
        &SIZES,
        r##"
        await press("#figures button", 2);
        const figure = await taken("[data-picture=figure]");
        const time = await taken("[data-picture=time]");
        return { ...seen(), picture: figure, bars: time };
        "##,
    );
    let data = &seen["data"];
    let curves = shown(data, figure(data, "waf"));
    let files = list(&seen["picture"]["files"]);
    let names: Vec<&str> = files.iter().map(|file| text(&file["name"])).collect();
    let stem = "w9-ext3-postmark.csv-write-amplification-by-buffer-size";
    assert_eq!(names, [format!("{stem}.svg"), format!("{stem}.csv")]);
    let svg = text(&files[0]["text"]);
    assert_eq!([&files[0]["isSvg"], &files[1]["isSvg"]], [true, false]);
    for words in [
        "Write amplification by buffer size",
        "w9-ext3-postmark.csv.zst",
        "16 MiB",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    for curve in &curves {
        let label = format!(">{}</text>", text(curve.label));
        let line = format!("stroke=\"{}\"", curve.colour);
        assert!(svg.contains(&label) && svg.contains(&line), "{label}");
    }
    assert_values(&fields(&files[1]), data, &curves);
    let copied = &seen["picture"]["copied"][0];
    assert_eq!(copied["type"], "image/png");
    assert_eq!(copied["size"], serde_json::json!([1920, 1080]));
    assert_eq!(seen["picture"]["said"], "Copied");

    let times = fields(&seen["bars"]["files"][1]);
    assert_eq!(times[0], ["", "host data (s)", "padding (s)", "merges (s)"]);
    let labels: Vec<&str> = times[1..].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(labels, ["none", "lru", "fab", "bplru"]);
    let svg = text(&seen["bars"]["files"][0]["text"]);
    for words in [
        "Simulated time by cause",
        "buffer size 16 MiB",
        "padding",
        "bplru",
    ] {
        assert!(svg.contains(words), "{words}");
    }
}

// Planted bugs: a table in the order of its data instead of that of the screen; formatted cells.
#[test]
fn a_table_is_copied_and_saved() {
    let seen = ask(
        &SIZES,
        r##"
        all("#rows thead button")[2].click();
        const runs = await taken("[data-table=runs]");
        const why = await taken("[data-table=why]");
        return { ...seen(), runs, why };
        "##,
    );
    let file = &seen["runs"]["files"][0];
    assert_eq!(file["name"], "w9-ext3-postmark.csv-runs.csv");
    let rows = fields(file);
    assert_eq!(rows[0][..3], ["Policy", "Buffer size", "Throughput (MB/s)"]);
    let shown: Vec<Vec<&str>> = list(&seen["rows"])
        .iter()
        .map(|row| list(row).iter().map(text).collect())
        .collect();
    assert_eq!(rows[1..], shown);
    let copied = &seen["runs"]["copied"][0];
    let lines: Vec<Vec<&str>> = text(&copied["text"])
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(lines, rows);
    let data = &seen["data"];
    let mut reasons = list(&data["reasons"]).iter();
    let reasons = reasons.next_back().expect("of the largest size");
    let why = fields(&seen["why"]["files"][0]);
    assert_eq!(
        why[0][1..3],
        [text(&reasons["winner"]), text(&reasons["against"])]
    );
    for (row, line) in why[1..].iter().zip(list(&reasons["lines"])) {
        assert_eq!(row[0], text(&line[0]));
        assert_eq!(row[5].parse().ok(), line[5].as_f64());
    }
    assert_eq!(why.len() - 1, list(&reasons["lines"]).len());
}
