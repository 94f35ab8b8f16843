//! Members of a tar archive on a server.
//!
//! Planted bugs that these catch: the whole archive is read; a member of a like name; bytes beside the member.

use std::fs;
use std::time::Duration;

use ssdlab_catalogue::Catalogue;
use ssdlab_fetch::{Bytes, Source, fetch, finish};
use ssdlab_output::PartFile;
use tempfile::TempDir;

use crate::fetching::{client, content};
use crate::server::{File, Server};

/// An archive of some files of 100,000 bytes and a folder, with long names.
fn archive() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, bytes).unwrap();
    };
    add("T/README.txt", b"read me");
    for number in 0..20_u8 {
        let bytes: Vec<u8> = content(100_000).iter().map(|byte| byte ^ number).collect();
        add(&format!("T/usr_{number}.csv.gz"), &bytes);
    }
    add(&format!("T/{}/deep.csv", "x".repeat(150)), b"deep");
    archive.into_inner().unwrap()
}

fn catalogue(server: &Server) -> Catalogue {
    let text = format!(
        r#"
[[set]]
name = "ours"
title = "Ours"
format = "msr"
address = "{0}"
size = "small"
years = "2026"
licence = "none"
redistribution = "no"
citation = ""
traps = []
sources = []
[set.get]
kind = "members"
archives = ["{0}", "{1}"]
member = "{{volume}}.csv.gz"
volumes = ["usr_0..29"]
"#,
        server.at("/a.tar"),
        server.at("/b.tar"),
    );
    Catalogue::parse(&text).unwrap()
}

#[test]
fn only_the_bytes_of_a_member_are_fetched() {
    let server = Server::start(File::new(archive()));
    let catalogue = catalogue(&server);
    let set = catalogue.set("ours").unwrap();
    let mut looked = 0;
    let source = Source::of(&client(), set, Some("usr_12"), |number| looked = number).unwrap();
    assert_eq!(looked, 14);
    assert_eq!(source.name, "usr_12.csv.gz");
    let expected: Vec<u8> = content(100_000).iter().map(|byte| byte ^ 12).collect();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("m");
    let get = |bytes| {
        let part = PartFile::open(&path).unwrap();
        let (part, fetched) = fetch(&client(), &source, bytes, part, |_| {}).unwrap();
        finish(part).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        (bytes, fetched)
    };
    let (bytes, fetched) = get(Bytes::default());
    assert!(bytes == expected);
    assert!(fetched.is_whole);
    let (bytes, fetched) = get(Bytes {
        from: 10,
        to: Some(20),
    });
    assert_eq!(bytes, expected[10..20]);
    assert!(!fetched.is_whole);
    let (bytes, _) = get(Bytes {
        from: 99_999,
        to: Some(u64::MAX),
    });
    assert_eq!(bytes, expected[99_999..]);
    // all headers and one member, and nothing like 2 MB
    assert!(
        server
            .ranges()
            .iter()
            .all(|range| range.starts_with("bytes="))
    );
    let beyond = Bytes {
        from: 100_000,
        to: None,
    };
    let part = PartFile::open(&path).unwrap();
    let error = fetch(&client(), &source, beyond, part, |_| {})
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("usr_12.csv.gz has 100000 bytes"),
        "{error}"
    );
}

#[test]
fn a_member_is_found_in_any_archive_by_the_end_of_its_path() {
    let server = Server::start(File::new(archive()));
    let find = |member: &str| Source::at(&client(), &server.at("/a.tar"), Some(member), |_| {});
    let deep = find("deep.csv").unwrap();
    assert_eq!(deep.member.unwrap().1, 4);
    assert_eq!(find("T/usr_3.csv.gz").unwrap().name, "usr_3.csv.gz");
    // usr_3 is no sr_3, and not usr_30
    for missing in ["sr_3.csv.gz", "usr_30.csv.gz", "usr_3", "T"] {
        let error = find(missing).unwrap_err().to_string();
        assert!(error.contains("has no member"), "{error}");
    }
}

#[test]
fn archives_that_cannot_be_searched_say_so() {
    let server = Server::start(File::new(archive()));
    let find = |path: &str| Source::at(&client(), &server.at(path), Some("x"), |_| {});
    for (path, ending) in [
        ("/a.tar.gz", ".gz"),
        ("/a.tgz?x=1", ".tgz"),
        ("/a.zip", ".zip"),
    ] {
        let error = find(path).unwrap_err().to_string();
        let expected = format!("an archive in {ending} is one stream");
        assert!(error.contains(&expected), "{error}");
    }
    server.file().ranges = false;
    let error = find("/a.tar").unwrap_err().to_string();
    assert!(
        error.contains("no byte ranges: fetch it whole and unpack it"),
        "{error}"
    );
    server.file().ranges = true;
    server.file().bytes = content(100_000);
    let error = find("/a.tar").unwrap_err().to_string();
    assert!(error.contains("cannot be read as a tar archive"), "{error}");
    server.file().statuses = vec![404];
    let error = find("/a.tar").unwrap_err().to_string();
    assert!(error.contains("answers 404"), "{error}");
    // a search survives a broken connection
    server.file().bytes = archive();
    server.file().cuts = vec![100, 0];
    server.file().pace = Duration::ZERO;
    find("/a.tar").unwrap_err();
    assert!(
        find("/a.tar")
            .unwrap_err()
            .to_string()
            .contains("has no member")
    );
}
