//! Formats by names.
//!
//! Planted bugs that these catch: an ending of capitals that is not known; Parquet that is compressed twice; a name that
//! says another format than the one asked for; two volumes with one name.

use std::path::Path;

use ssdlab_convert::{Coding, Target, To, file_name};

fn of(name: &str) -> Result<(To, Coding), String> {
    let target = Target::of_file(Path::new(name), None, None)?;
    Ok((target.to, target.coding))
}

#[test]
fn endings() {
    for (name, to, coding) in [
        ("a.csv", To::Plain, Coding::None),
        ("a.b.CSV.ZST", To::Plain, Coding::Zstd),
        ("a.csv.gz", To::Plain, Coding::Gzip),
        ("a.parquet", To::Parquet, Coding::None),
        ("a.fio", To::Fio, Coding::None),
        ("a.iolog.zst", To::Fio, Coding::Zstd),
        ("a.mqsim", To::Mqsim, Coding::None),
        ("folder.csv/a.blkparse.gz", To::Blkparse, Coding::Gzip),
    ] {
        assert_eq!(of(name), Ok((to, coding)), "{name}");
    }
    for name in ["a.txt", "a", "a.zst", "csv", "a.parquet.zst"] {
        assert!(of(name).is_err(), "{name}");
    }
    let why = of("a.txt").unwrap_err();
    for part in [
        "a.txt: ",
        ".csv, ",
        ".parquet",
        ".iolog",
        ".zst or .gz",
        "--to",
    ] {
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn a_format_that_is_asked_for() {
    let asked = |name: &str, to: &str| {
        let target = Target::of_file(Path::new(name), Some(Target::named(to).unwrap()), None)?;
        Ok::<_, String>((target.to, target.coding))
    };
    assert_eq!(asked("a.txt.gz", "mqsim"), Ok((To::Mqsim, Coding::Gzip)));
    assert_eq!(asked("a", "csv.zst"), Ok((To::Plain, Coding::Zstd)));
    assert_eq!(asked("a.csv", "plain"), Ok((To::Plain, Coding::None)));
    assert!(asked("a.csv", "fio").is_err());
    assert!(asked("a.csv.gz", "csv.zst").is_err());
    assert!(asked("a.gz", "parquet").is_err());
    for wrong in ["", "msr", "parquet.zst", "csv.", "zst"] {
        assert!(Target::named(wrong).is_err(), "{wrong}");
    }
    for to in To::ALL {
        assert_eq!(Target::named(to.name()).unwrap().to, to);
    }
}

#[test]
fn names_without_an_ending() {
    let plain = |name: &str| Target::of_file(Path::new(name), None, Some(To::Plain));
    assert_eq!(plain("/dev/stdout"), Ok(Target::PLAIN));
    assert_eq!(plain("a.zst").unwrap().coding, Coding::Zstd);
    assert!(plain("a.parqet").is_err());
}

#[test]
fn volumes_as_names_of_files() {
    assert_eq!(file_name("usr.0"), "usr.0");
    assert_eq!(file_name("8,0"), "8,0");
    assert_eq!(file_name("../a b"), "%2e.%2fa%20b");
    assert_eq!(file_name(".."), "%2e.");
    assert_eq!(file_name("a%2f"), "a%252f");
    assert_eq!(file_name(""), "%");
}
