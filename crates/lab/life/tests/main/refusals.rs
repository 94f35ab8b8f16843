//! Questions that have no answer, and figures that cannot be.

use ssdlab_life::{Question, answer, parse_amount, parse_date, parse_rate};

#[test]
fn what_is_missing_is_named() {
    let refused = |question: Question| answer(&question).expect_err("a refusal").to_string();
    let said = refused(Question::default());
    assert!(
        said.contains("--drive") && said.contains("--capacity"),
        "{said}"
    );
    let named = || Question {
        drive: Some("MX500 1TB".into()),
        ..Question::default()
    };
    assert!(
        refused(Question {
            used: Some(256),
            ..named()
        })
        .contains("255")
    );
    assert!(
        refused(Question {
            capacity: Some(0),
            ..named()
        })
        .contains("above 0")
    );
    assert!(
        refused(Question {
            since: Some(1),
            now: 2 * 86400,
            ..named()
        })
        .contains("needs the bytes")
    );
    let early = Question {
        since: Some(9),
        now: 2 * 86400,
        written: Some(1e12),
        ..named()
    };
    assert!(refused(early).contains("future"));
}

// planted bug: 61 of `--written 61`, which are terabytes, as bytes: the drive then has a thousandth of a kilobyte left
#[test]
fn a_size_without_its_unit_is_refused() {
    for text in ["61", "1.92", "999999", "61 B"] {
        assert_eq!(parse_amount(text), None, "{text}");
    }
    assert_eq!(parse_amount("480103981056"), Some(480_103_981_056.0));
}

// planted bugs: 3.1TiB refused because it is no whole number of bytes; a month of 30 days; a time that is left out
#[test]
fn rates_as_people_say_them() {
    for (text, a_day) in [
        ("20GB/day", 20e9),
        ("10MB/s", 864e9),
        ("3.1TiB/4d17h", 3.1 * 2_f64.powi(40) / (4.0 + 17.0 / 24.0)),
        ("640TB/year", 640e12 / 365.25),
        ("1 GB / 2 weeks", 1e9 / 14.0),
        ("296GiB/3d", 296.0 * 2_f64.powi(30) / 3.0),
    ] {
        let found = parse_rate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!((found / a_day - 1.0).abs() < 1e-12, "{text}: {found}");
    }
    for text in [
        "20GB",
        "20GB/",
        "20/fortnight",
        "GB/day",
        "-1GB/day",
        "0GB/day",
        "40/day",
        "1GB/0d",
        "1GB/1m",
        "1GB/d1",
    ] {
        assert!(parse_rate(text).is_err(), "{text}");
    }
    assert_eq!(parse_date("2024-05-01"), Ok(19_844));
    for text in ["2024-5", "2024-02-30", "yesterday", "2024-05-01T00"] {
        assert!(parse_date(text).is_err(), "{text}");
    }
}
