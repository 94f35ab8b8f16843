//! Names as people type them. Planted bugs that these catch: a word that matches a part of another; `980` as `980 PRO`; a row of the user
//! that does not win.

use ssdlab_life::{Question, answer};

fn found(
    drive: &str,
    capacity: Option<u64>,
    own: Option<&str>,
) -> Result<serde_json::Value, String> {
    let question = Question {
        drive: Some(drive.into()),
        capacity,
        drives: own.map(|text| ("own.csv".into(), text.into())),
        ..Question::default()
    };
    let answer = answer(&question).map_err(|error| error.to_string())?;
    Ok(serde_json::to_value(answer).expect("JSON")["drive"].clone())
}

#[test]
fn words_find_a_drive() {
    for (typed, name, from) in [
        ("860 EVO 1TB", "Samsung SSD 860 EVO 1TB", "models"),
        (
            "samsung ssd 860 evo 1 tb",
            "Samsung SSD 860 EVO 1TB",
            "models",
        ),
        ("980 1TB", "Samsung SSD 980 1TB", "rating"),
        ("980 PRO 1TB", "Samsung SSD 980 PRO 1TB", "rating"),
        ("MX500 1TB", "CT1000MX500SSD1", "models"),
        ("crucial mx500 250gb", "CT250MX500SSD1", "models"),
        ("860 PRO 1TB", "Samsung SSD 860 PRO 1TB", "models"),
        ("PM983 960GB", "SAMSUNG MZQLB960HAJR-00007", "models"),
        ("APPLE SSD AP0256Q", "APPLE SSD AP0256Q", "capacity"),
    ] {
        let drive = found(typed, None, None).unwrap_or_else(|error| panic!("{typed}: {error}"));
        assert_eq!(
            (drive["name"].as_str(), drive["known_from"].as_str()),
            (Some(name), Some(from)),
            "{typed}"
        );
    }
    let said = found("860 EVO", None, None).expect_err("five drives");
    assert!(
        ["250GB", "500GB", "1TB", "2TB", "4TB"]
            .iter()
            .all(|size| said.contains(size)),
        "{said}"
    );
    let said = found("SATA SSD", None, None).expect_err("five sizes");
    assert!(said.contains("--capacity"), "{said}");
    assert_eq!(
        found("SATA SSD", Some(120_034_123_776), None).expect("a size")["known_from"],
        "models"
    );
    assert!(
        found("Nobody's Drive", None, None)
            .expect_err("no capacity")
            .contains("--capacity")
    );
    assert_eq!(
        found("Nobody's Drive", Some(1_000_000_000_000), None).expect("a class")["known_from"],
        "capacity"
    );
}

#[test]
fn rows_of_the_user_win_and_are_checked() {
    let own = "maker,series,capacity_gb,segment,interface,rated_tbw,match,source\nMine,M1,1000,client,NVMe,700,MY M1|Samsung SSD 990 PRO 1TB,its sheet\n";
    for typed in ["MY M1", "mine m1", "Samsung SSD 990 PRO 1TB"] {
        let drive =
            found(typed, None, Some(own)).unwrap_or_else(|error| panic!("{typed}: {error}"));
        assert_eq!(
            (drive["rated_tb"].as_f64(), drive["rated_source"].as_str()),
            (Some(700.0), Some("its sheet")),
            "{typed}"
        );
    }
    for (from, to, why) in [
        (",its sheet", ",", "own.csv: line 2: source is empty"),
        (",700,", ",seven,", "own.csv: line 2: field"),
        (
            ",700,",
            ",-7,",
            "own.csv: line 2: rated_tbw is -7; must be above 0",
        ),
        (
            "rated_tbw",
            "rated",
            "own.csv: line 1: column \"rated\" is unknown; must be of maker, series",
        ),
        (",its sheet", "", "own.csv: line 2"),
    ] {
        let said = found("MY M1", None, Some(&own.replace(from, to))).expect_err("a refusal");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn the_tables_are_whole() {
    let rows = |text: &str| text.lines().count() - 1;
    assert_eq!(rows(include_str!("../../data/models.csv")), 328);
    assert!(rows(include_str!("../../data/drives.csv")) >= 160);
    // a row without a source is refused with every answer
    found("860 EVO 1TB", None, None).expect("rows with sources");
}
