//! Files over HTTP from a real server that fails in all the ways that servers do.
//!
//! Planted bugs that these catch: a file joined from two versions; a part taken for the whole; a wrong file under its final
//! name; a retry that begins at the wrong byte; tries without end.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use ssdlab_catalogue::Known;
use ssdlab_fetch::{Bytes, Client, Event, FetchError, Fetched, Patience, Source, fetch, finish};
use ssdlab_output::PartFile;
use tempfile::TempDir;

use crate::server::{File, Server};

/// Bytes that differ at all places.
pub fn content(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// A client that does not wait.
pub fn client() -> Client {
    Client::new(Patience {
        tries: 4,
        wait: Duration::ZERO,
        silence: Duration::from_secs(10),
        unsized_bytes: 1 << 20,
    })
}

struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("t.csv")
    }

    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = names
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn part(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("t.csv.part")).unwrap()
    }

    fn fetch(&self, source: &Source, bytes: Bytes) -> (Result<Fetched, FetchError>, Vec<String>) {
        let mut told = Vec::new();
        let part = PartFile::open(&self.path()).unwrap();
        let fetched = fetch(&client(), source, bytes, part, |happened| match happened {
            Event::GoesOn { at } => told.push(format!("goes on at {at}")),
            Event::Anew { .. } => told.push("anew".to_owned()),
            Event::Again { .. } => told.push("again".to_owned()),
            Event::Begins { .. } | Event::Arrived { .. } => {}
        });
        let fetched = fetched.and_then(|(part, fetched)| finish(part).map(|()| fetched));
        (fetched, told)
    }

    /// A fetch that must succeed and leave one file, of this content.
    #[track_caller]
    fn fetches(&self, source: &Source, content: &[u8]) -> (Fetched, Vec<String>) {
        let (fetched, told) = self.fetch(source, Bytes::default());
        let fetched = fetched.unwrap();
        assert_eq!(self.files(), ["t.csv"]);
        assert!(fs::read(self.path()).unwrap() == content, "other bytes");
        assert!(fetched.is_whole);
        assert_eq!(fetched.bytes, content.len() as u64);
        (fetched, told)
    }

    /// A fetch that must fail for good.
    #[track_caller]
    fn fails(&self, source: &Source, bytes: Bytes) -> String {
        let (fetched, _) = self.fetch(source, bytes);
        let error = fetched.unwrap_err().to_string();
        assert!(!self.path().exists(), "{error}");
        error
    }
}

fn source(server: &Server, path: &str) -> Source {
    Source {
        address: server.at(path),
        name: "t.csv".to_owned(),
        member: None,
        known: Known::default(),
    }
}

/// The first bytes.
fn first(to: u64) -> Bytes {
    Bytes {
        from: 0,
        to: Some(to),
    }
}

const SIZE: usize = 300_000;

#[test]
fn a_file_arrives_whole_with_its_hash() {
    let server = Server::start(File::new("abc"));
    let (fetched, told) = Disk::new().fetches(&source(&server, "/a"), b"abc");
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(fetched.sha256, sha256);
    assert_eq!(
        fetched.date.as_deref(),
        Some("Thu, 01 Jan 2026 00:00:00 GMT")
    );
    assert!(told.is_empty());
    let head = server.asked().remove(0).to_lowercase();
    assert!(head.contains("accept-encoding: identity"), "{head}");
    // an empty file, and one of unknown length
    let server = Server::start(File::new(""));
    Disk::new().fetches(&source(&server, "/a"), b"");
    let server = Server::start(File {
        length: false,
        ..File::new(content(SIZE))
    });
    Disk::new().fetches(&source(&server, "/a"), &content(SIZE));
}

#[test]
fn a_cut_connection_is_taken_up_where_it_ended() {
    let file = File {
        cuts: vec![100_000, 50_000, 0],
        ..File::new(content(SIZE))
    };
    let server = Server::start(file);
    let (fetched, told) = Disk::new().fetches(&source(&server, "/a"), &content(SIZE));
    assert_eq!(told, ["again"; 3]);
    assert_eq!(
        server.ranges(),
        ["-", "bytes=100000-", "bytes=150000-", "bytes=150000-"]
    );
    assert!(
        server.asked()[1]
            .to_lowercase()
            .contains("if-range: \"one\"")
    );
    let whole = Server::start(File::new(content(SIZE)));
    let (other, _) = Disk::new().fetches(&source(&whole, "/a"), &content(SIZE));
    assert_eq!(fetched.sha256, other.sha256);
}

#[test]
fn a_later_run_goes_on() {
    // by the time of the last change, where there is no ETag, or a weak one
    for etag in [
        Some("\"one\"".to_owned()),
        Some("W/\"weak\"".to_owned()),
        None,
    ] {
        let modified = Some("Wed, 31 Dec 2025 00:00:00 GMT".to_owned());
        let cuts = vec![100_000, 0, 0, 0, 0];
        let server = Server::start(File {
            etag,
            modified,
            cuts,
            ..File::new(content(SIZE))
        });
        let (disk, source) = (Disk::new(), source(&server, "/a"));
        let error = disk.fails(&source, Bytes::default());
        assert!(error.contains("100,000 bytes are kept"), "{error}");
        assert_eq!(disk.files(), ["t.csv.part", "t.csv.part.json"]);
        assert!(disk.part() == content(SIZE)[..100_000]);
        server.file().cuts.clear();
        let (_, told) = disk.fetches(&source, &content(SIZE));
        assert_eq!(told, ["goes on at 100000"]);
        assert_eq!(server.ranges().last().unwrap(), "bytes=100000-");
    }
}

/// Leaves a part of 100,000 bytes.
fn interrupted(server: &Server) -> (Disk, Source) {
    interrupted_by(server, vec![100_000, 0, 0, 0, 0])
}

fn interrupted_by(server: &Server, cuts: Vec<usize>) -> (Disk, Source) {
    let (disk, source) = (Disk::new(), source(server, "/a"));
    server.file().cuts = cuts;
    disk.fails(&source, Bytes::default());
    server.file().cuts.clear();
    (disk, source)
}

#[test]
fn a_file_that_has_changed_starts_anew() {
    let other: Vec<u8> = content(SIZE).iter().map(|byte| !byte).collect();
    let sizes = [SIZE, 50_000, 2 * SIZE];
    for (if_range, size) in [(true, 0), (true, 1), (false, 0), (false, 1), (false, 2)] {
        let server = Server::start(File {
            if_range,
            ..File::new(content(SIZE))
        });
        let (disk, source) = interrupted(&server);
        let now: Vec<u8> = other.iter().copied().cycle().take(sizes[size]).collect();
        server.file().bytes.clone_from(&now);
        server.file().etag = Some("\"two\"".to_owned());
        let (_, told) = disk.fetches(&source, &now);
        assert_eq!(told[0], "goes on at 100000");
        assert!(told.len() > 1, "{told:?}");
    }
}

#[test]
fn without_a_validator_every_run_starts_anew() {
    let server = Server::start(File {
        etag: None,
        ..File::new(content(SIZE))
    });
    let (disk, source) = interrupted_by(&server, vec![100_000; 5]);
    let (_, told) = disk.fetches(&source, &content(SIZE));
    assert_eq!(told, ["anew"]);
    assert_eq!(server.ranges().last().unwrap(), "-");
}

#[test]
fn a_server_without_ranges_starts_anew_and_gives_up_in_the_end() {
    let server = Server::start(File {
        ranges: false,
        ..File::new(content(SIZE))
    });
    let (disk, source) = interrupted_by(&server, vec![100_000; 5]);
    let (_, told) = disk.fetches(&source, &content(SIZE));
    assert_eq!(told, ["goes on at 100000", "anew"]);
    // each try gets as far as the one before, which is no progress
    let cuts = vec![100_000; 50];
    let server = Server::start(File {
        ranges: false,
        cuts,
        ..File::new(content(SIZE))
    });
    let error = Disk::new().fails(&self::source(&server, "/a"), Bytes::default());
    assert!(error.contains("after 4 tries"), "{error}");
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn a_part_of_something_else_is_not_used() {
    let server = Server::start(File::new(content(SIZE)));
    let (disk, _) = interrupted(&server);
    let (_, told) = disk.fetches(&source(&server, "/b"), &content(SIZE));
    assert_eq!(told, ["anew"]);
    // nor one of which nothing is known, or a note that is damaged
    for note in ["", "{", "{\"address\":1}"] {
        let (disk, source) = interrupted(&server);
        fs::write(disk.folder.path().join("t.csv.part.json"), note).unwrap();
        let (_, told) = disk.fetches(&source, &content(SIZE));
        assert_eq!(told, ["anew"], "{note}");
    }
    // nor one that is longer than the file
    let (disk, source) = interrupted(&server);
    fs::write(disk.folder.path().join("t.csv.part"), content(2 * SIZE)).unwrap();
    let (_, told) = disk.fetches(&source, &content(SIZE));
    assert_eq!(told, ["anew"]);
}

/// Planted bugs: a short part gets the name of the file; the size of a part for that of the file.
#[test]
fn a_server_that_sends_less_is_asked_for_the_rest() {
    let server = Server::start(File::new(content(SIZE)));
    server.file().most = Some(SIZE / 7);
    let from = 1000;
    for to in [Some(SIZE as u64 - 5), None] {
        let disk = Disk::new();
        let (fetched, _) = disk.fetch(&source(&server, "/a"), Bytes { from, to });
        let end = to.map_or(SIZE, |to| to as usize);
        assert_eq!(fetched.unwrap().bytes, end as u64 - from);
        assert!(fs::read(disk.path()).unwrap() == content(SIZE)[1000..end]);
    }
    // one that ends before its part does, and never goes on
    server.file().cuts = vec![0; 100];
    let disk = Disk::new();
    let (fetched, _) = disk.fetch(&source(&server, "/a"), Bytes { from, to: None });
    let why = fetched.unwrap_err().to_string();
    assert!(why.contains("the connection ended early"), "{why}");
    assert!(disk.files().is_empty());
}

/// Planted bug: what is there of a member gets its name.
#[test]
fn a_member_of_an_archive_that_was_cut_is_an_error() {
    let server = Server::start(File::new(content(SIZE)));
    let source = Source {
        member: Some((SIZE as u64 - 100, 200)),
        ..source(&server, "/a.tar")
    };
    let disk = Disk::new();
    let (fetched, _) = disk.fetch(&source, Bytes::default());
    let why = fetched.unwrap_err().to_string();
    assert!(
        why.contains("the archive ends 100 bytes before its member t.csv does"),
        "{why}"
    );
    assert!(disk.files().is_empty());
}

/// Planted bug: a file of the user's that ends in .part is emptied.
#[test]
fn a_part_of_another_program_stays() {
    let server = Server::start(File::new(content(SIZE)));
    let disk = Disk::new();
    fs::write(disk.folder.path().join("t.csv.part"), "my notes").unwrap();
    let (fetched, told) = disk.fetch(&source(&server, "/a"), Bytes::default());
    let why = fetched.unwrap_err().to_string();
    assert!(
        why.contains("t.csv.part: is there, and no fetch of ssdlab has left it"),
        "{why}"
    );
    assert!(told.is_empty());
    assert_eq!(disk.part(), b"my notes");
    assert_eq!(disk.files(), ["t.csv.part"]);
}

#[test]
fn a_part_that_was_whole_only_takes_its_name() {
    let server = Server::start(File::new(content(SIZE)));
    let (disk, source) = interrupted(&server);
    fs::write(disk.folder.path().join("t.csv.part"), content(SIZE)).unwrap();
    let before = server.asked().len();
    disk.fetches(&source, &content(SIZE));
    assert_eq!(server.asked().len(), before);
}

#[test]
fn ranges_are_fetched_and_taken_up() {
    let server = Server::start(File::new(content(SIZE)));
    let size = SIZE as u64;
    for (from, to, expected) in [
        (0, Some(1000), 0..1000),
        (5, Some(6), 5..6),
        (1000, None, 1000..SIZE),
        (size - 1, Some(2 * size), SIZE - 1..SIZE),
    ] {
        let disk = Disk::new();
        let (fetched, _) = disk.fetch(&source(&server, "/a"), Bytes { from, to });
        let fetched = fetched.unwrap();
        assert!(!fetched.is_whole);
        assert!(fs::read(disk.path()).unwrap() == content(SIZE)[expected]);
    }
    let (fetched, _) = Disk::new().fetch(&source(&server, "/a"), first(2 * size));
    assert!(fetched.unwrap().is_whole);
    // an interrupted one goes on, but not as another one
    let (disk, source) = (Disk::new(), source(&server, "/a"));
    server.file().cuts = vec![100, 0, 0, 0, 0];
    disk.fails(&source, first(1000));
    server.file().cuts.clear();
    let (fetched, told) = disk.fetch(&source, first(1000));
    fetched.unwrap();
    assert_eq!(told, ["goes on at 100"]);
    assert_eq!(server.ranges().last().unwrap(), "bytes=100-999");
    assert!(fs::read(disk.path()).unwrap() == content(SIZE)[..1000]);
}

// a body that ends with its connection is whole only if the range says so
#[test]
fn a_range_without_a_length_may_be_cut() {
    let server = Server::start(File {
        length: false,
        cuts: vec![100, 300],
        ..File::new(content(SIZE))
    });
    let disk = Disk::new();
    let (fetched, told) = disk.fetch(&source(&server, "/a"), first(1000));
    assert_eq!(fetched.unwrap().bytes, 1000);
    assert_eq!(told, ["again"; 2]);
    assert!(fs::read(disk.path()).unwrap() == content(SIZE)[..1000]);
}

// planted bug: a body, or a head, without an end
#[test]
fn a_server_that_does_not_end_is_refused() {
    let server = Server::start(File {
        length: false,
        ..File::new(vec![0; (1 << 20) + 1])
    });
    let why = Disk::new().fails(&source(&server, "/a"), Bytes::default());
    assert!(
        why.contains("more than 1048576 bytes have arrived; name those"),
        "{why}"
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/a.csv", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            // until the client has had enough
            let mut sent = client.write_all(b"HTTP/1.1 200 Yes\r\n");
            while sent.is_ok() {
                sent = client.write_all(b"X-Padding: 0123456789\r\n");
            }
        }
    });
    let source = Source::at(&client(), &address, None, |_| {}).unwrap();
    Disk::new().fails(&source, Bytes::default());
}

#[test]
fn ranges_that_cannot_be_had_are_refused() {
    let server = Server::start(File::new("abc"));
    let source = source(&server, "/a");
    let beyond = Bytes {
        from: 3,
        to: Some(9),
    };
    let error = Disk::new().fails(&source, beyond);
    assert!(error.contains("answers 416, it has fewer bytes"), "{error}");
    let error = Disk::new().fails(
        &source,
        Bytes {
            from: 4,
            to: Some(4),
        },
    );
    assert!(
        error.contains("the end must be behind the beginning"),
        "{error}"
    );
    server.file().ranges = false;
    let error = Disk::new().fails(&source, Bytes { from: 1, to: None });
    assert!(
        error.contains("no byte ranges: fetch it without --bytes"),
        "{error}"
    );
    // the first bytes can be had of any server
    let disk = Disk::new();
    let (fetched, _) = disk.fetch(&source, first(2));
    assert!(!fetched.unwrap().is_whole);
    assert_eq!(fs::read(disk.path()).unwrap(), b"ab");
}

#[test]
fn what_the_catalogue_knows_is_compared() {
    let server = Server::start(File::new("abc"));
    let with = |known| Source {
        known,
        ..source(&server, "/a")
    };
    let sha256 =
        Some("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned());
    let md5 = Some("900150983cd24fb0d6963f7d28e17f72".to_owned());
    let right = Known {
        bytes: Some(3),
        sha256: sha256.clone(),
        md5: md5.clone(),
        volume: None,
    };
    let (fetched, _) = Disk::new().fetches(&with(right.clone()), b"abc");
    assert_eq!(fetched.compared, Some("SHA-256"));
    let only_md5 = Known {
        md5: md5.clone(),
        ..Known::default()
    };
    let (fetched, _) = Disk::new().fetches(&with(only_md5), b"abc");
    assert_eq!(fetched.compared, Some("MD5"));
    let wrong = |text: &Option<String>| text.as_ref().map(|text| text.replace('9', "8"));
    for (known, what) in [
        (
            Known {
                bytes: Some(4),
                ..right.clone()
            },
            "its size is 3, but the catalogue has 4",
        ),
        (
            Known {
                sha256: wrong(&sha256),
                ..right.clone()
            },
            "its SHA-256 is ba7816",
        ),
        (
            Known {
                md5: wrong(&md5),
                ..right.clone()
            },
            "its MD5 is 9001",
        ),
    ] {
        let disk = Disk::new();
        let error = disk.fails(&with(known.clone()), Bytes::default());
        assert!(error.contains(what), "{error}");
        assert!(disk.files().is_empty(), "{:?}", disk.files());
        // nothing is known of a part of it
        let (fetched, _) = disk.fetch(&with(known), first(2));
        assert_eq!(fetched.unwrap().compared, None);
    }
    // a hash that two runs have made
    let server = Server::start(File::new(content(SIZE)));
    let (disk, source) = interrupted(&server);
    let (fetched, _) = disk.fetches(&source, &content(SIZE));
    let known = Known {
        sha256: Some(fetched.sha256),
        ..Known::default()
    };
    Disk::new().fetches(&Source { known, ..source }, &content(SIZE));
}

#[test]
fn statuses_mean_what_they_mean() {
    for (status, tries, means) in [
        (404, 1, "answers 404, it is not there"),
        (403, 1, "answers 403, access is refused"),
        (410, 1, "answers 410"),
        (503, 4, "answers 503, after 4 tries"),
        (429, 4, "answers 429"),
        (500, 4, "answers 500"),
    ] {
        let server = Server::start(File {
            statuses: vec![status; 9],
            ..File::new("abc")
        });
        let disk = Disk::new();
        let error = disk.fails(&source(&server, "/a"), Bytes::default());
        assert!(error.contains(means), "{error}");
        assert_eq!(server.asked().len(), tries, "{status}");
        assert!(disk.files().is_empty());
    }
    let server = Server::start(File {
        statuses: vec![503, 500, 429],
        ..File::new("abc")
    });
    Disk::new().fetches(&source(&server, "/a"), b"abc");
    // nobody listens there
    let gone = Source {
        address: "http://127.0.0.1:1/a".to_owned(),
        ..source(&server, "/a")
    };
    let error = Disk::new().fails(&gone, Bytes::default());
    assert!(error.contains("after 4 tries"), "{error}");
}

#[test]
fn redirects_are_followed_with_the_range() {
    let server = Server::start(File {
        redirects: 3,
        cuts: vec![1000],
        ..File::new(content(SIZE))
    });
    let (fetched, _) = Disk::new().fetches(&source(&server, "/moved0"), &content(SIZE));
    assert_eq!(fetched.address, server.at("/there.csv"));
    assert_eq!(server.ranges().last().unwrap(), "bytes=1000-");
    server.file().redirects = 1000;
    let error = Disk::new().fails(&source(&server, "/moved0"), Bytes::default());
    assert!(error.contains("redirects without end"), "{error}");
}
