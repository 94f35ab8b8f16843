//! The sets of the catalogue, and catalogues that are wrong.

use ssdlab_catalogue::{Catalogue, Get, page};
use ssdlab_trace::Format;

#[test]
fn every_set_is_complete() {
    let catalogue = Catalogue::built_in().unwrap();
    assert!(catalogue.sets().len() >= 12);
    for set in catalogue.sets() {
        let name = &set.name;
        assert!(
            Format::named(&set.format).is_some(),
            "{name}: {}",
            set.format
        );
        assert!(set.citation.trim_start().starts_with('@'), "{name}: BibTeX");
        let braces = |brace| set.citation.matches(brace).count();
        assert_eq!(braces('{'), braces('}'), "{name}: BibTeX");
        assert!(!set.sources.is_empty(), "{name}: a fact has a source");
        assert!(!set.traps.is_empty(), "{name}: every set has traps");
        for text in [
            &set.title,
            &set.size,
            &set.years,
            &set.licence,
            &set.redistribution,
        ] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{name}: {text:?}");
        }
        // what must be accepted can be read
        assert!(!set.accept || set.licence_address.is_some(), "{name}");
    }
}

#[test]
fn volumes_are_those_of_the_publishers() {
    let catalogue = Catalogue::built_in().unwrap();
    let msr = catalogue.set("msr-cambridge").unwrap();
    assert_eq!(msr.volume_names().len(), 36);
    assert_eq!(msr.known(Some("hm_0")).bytes, Some(41_967_571));
}

#[test]
fn an_unknown_set_has_a_near_one() {
    let catalogue = Catalogue::built_in().unwrap();
    let error = catalogue.set("msr-cambrige").unwrap_err().to_string();
    assert!(error.contains("did you mean msr-cambridge?"), "{error}");
    let error = catalogue.set("qqq").unwrap_err().to_string();
    assert!(error.contains("it has msr-cambridge, systor17,"), "{error}");
}

const RIGHT: &str = r#"
[[set]]
name = "ours"
title = "Ours"
format = "msr"
address = "https://a.org"
size = "small"
years = "2026"
licence = "none"
redistribution = "no"
citation = "@misc{a}"
traps = []
sources = []
[set.get]
kind = "files"
location = "https://a.org/{volume}.csv"
volumes = ["usr_0..2"]
[[set.known]]
volume = "usr_1"
md5 = "900150983cd24fb0d6963f7d28e17f72"
"#;

// planted bugs: a key that is not read passes; a range that is none passes
#[test]
fn wrong_catalogues_are_refused() {
    let catalogue = Catalogue::parse(RIGHT).unwrap();
    assert!(matches!(catalogue.sets()[0].get, Get::Files { .. }));
    for (find, replace, expected) in [
        (
            "\"ours\"",
            "\"Ours\"",
            "set \"Ours\": name: must be of small letters",
        ),
        ("title", "titel", "unknown field `titel`"),
        ("title = \"Ours\"\n", "", "missing field `title`"),
        (
            "\"https://a.org\"",
            "\"a.org\"",
            "address: must begin with http:// or https://, found \"a.org\"",
        ),
        (
            "\"https://a.org/{volume}.csv\"",
            "\"file:///etc/{volume}\"",
            "get.location: must begin with http",
        ),
        (
            "{volume}",
            "volume",
            "get.location: must have {volume} once",
        ),
        ("usr_0..2", "usr_2..0", "get.volumes: must be a range"),
        ("usr_0..2", "../usr", "get.volumes: must be a"),
        ("[\"usr_0..2\"]", "[]", "get: must have volumes or examples"),
        (
            "usr_1",
            "usr_7",
            "known.volume: Some(\"usr_7\") is none of the volumes",
        ),
        (
            "9001509",
            "X",
            "known.md5: must be 32 small hexadecimal digits",
        ),
        ("\"files\"", "\"ftp\"", "unknown variant `ftp`"),
    ] {
        assert!(RIGHT.contains(find), "{find}");
        let error = Catalogue::parse(&RIGHT.replacen(find, replace, 1)).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
    }
    let twice = format!("{RIGHT}{RIGHT}");
    let error = Catalogue::parse(&twice).unwrap_err().to_string();
    assert_eq!(error, "two sets have the name \"ours\"");
}

#[test]
fn the_page_has_every_set() {
    let catalogue = Catalogue::built_in().unwrap();
    let page = page(&catalogue);
    for set in catalogue.sets() {
        assert!(page.contains(&format!("\n### {}\n", set.name)));
    }
}
