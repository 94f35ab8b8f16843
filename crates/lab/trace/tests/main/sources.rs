//! Files and streams: compressed, mislabelled, cut off, corrupt, empty, failing.
//!
//! Planted bugs these catch: a decoder that stops after the first frame or member, an unexpected end taken for the
//! end of the trace, a hash of the decompressed bytes, trusting the name instead of the bytes.

use crate::common::{gz, listed, refused, with, zst};
use ssdlab_host::Request;
use ssdlab_trace::{ReadOptions, TraceError, TraceReader, TraceSummary, plain};
use std::fmt::Write as _;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn csv(requests: u64) -> Vec<u8> {
    let mut text = format!("{}\n", plain::HEADER);
    for request in 0..requests {
        let page = request * request % 9973;
        writeln!(text, "{},W,{},4096", request * 1000, page * 4096).unwrap();
    }
    text.into_bytes()
}

fn read(name: &str, input: impl Read + Send + 'static) -> Result<TraceSummary, TraceError> {
    let mut reader = TraceReader::from_reader(name, input, &ReadOptions::default())?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {}
    Ok(reader.finish())
}

fn read_bytes(name: &str, bytes: Vec<u8>) -> Result<TraceSummary, TraceError> {
    read(name, Cursor::new(bytes))
}

fn read_all(path: &Path) -> Result<(Vec<Request>, TraceSummary), TraceError> {
    ssdlab_trace::read_all(path, &ReadOptions::default())
}

fn store(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[track_caller]
fn check(error: &TraceError, fragments: &[&str]) {
    let message = error.to_string();
    for fragment in fragments {
        assert!(message.contains(fragment), "{message:?} lacks {fragment:?}");
    }
}

#[test]
fn frames_and_members_may_follow_each_other() {
    let text = csv(1000);
    let (front, back) = text.split_at(777);
    let skippable = [&[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 7, 7], &zst(&text)[..]].concat();
    for (name, bytes) in [
        ("a.csv", text.clone()),
        ("a.csv.zst", [zst(front), zst(back)].concat()),
        ("a.csv.gz", [gz(front), gz(back)].concat()),
        ("A.CSV.ZST", zst(&text)),
        ("other", zst(&text)),
        ("other.txt", gz(&text)),
        ("skippable.zst", skippable),
    ] {
        assert_eq!(read_bytes(name, bytes).unwrap().requests, 1000, "{name}");
    }
}

#[test]
fn names_must_fit_bytes() {
    let folder = TempDir::new().unwrap();
    let text = csv(3);
    for (name, bytes, says, is, rename) in [
        ("a.csv.zst", text.clone(), "zstd", "plain text", "a.csv"),
        ("a.csv.gz", text.clone(), "gzip", "plain text", "a.csv"),
        ("a.csv.zst", gz(&text), "zstd", "gzip", "a.csv.gz"),
        ("a.csv.gz", zst(&text), "gzip", "zstd", "a.csv.zst"),
        ("a.csv", zst(&text), "plain text", "zstd", "a.csv.zst"),
        ("a.CSV", gz(&text), "plain text", "gzip", "a.CSV.gz"),
    ] {
        let path = store(&folder, name, &bytes);
        let error = read_all(&path).unwrap_err();
        let to = folder.path().join(rename);
        let expected = format!(
            "{}: mislabelled: the name says {says}, but the file is {is}; rename it to {}",
            path.display(),
            to.display()
        );
        assert_eq!(error.to_string(), expected);
        assert!(!error.is_io());
    }
}

#[test]
fn paths_that_cannot_be_opened() {
    let folder = TempDir::new().unwrap();
    let missing = read_all(&folder.path().join("none.csv")).unwrap_err();
    check(&missing, &["none.csv", "no such file", "standard input"]);
    let below_a_file = store(&folder, "file.csv", b"x").join("a.csv");
    check(&read_all(&below_a_file).unwrap_err(), &["no such file"]);
    let directory = read_all(folder.path()).unwrap_err();
    check(&directory, &["is a directory"]);
    assert!(!missing.is_io() && !directory.is_io());
}

/// Root may read everything, so on every machine only the message can be checked.
#[cfg(unix)]
#[test]
fn files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = store(&folder, "secret.csv", &csv(1));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o0)).unwrap();
    if let Err(error) = TraceReader::open(&path, &ReadOptions::default()) {
        check(&error, &["secret.csv", "permission denied", "readable"]);
        assert!(!error.is_io());
    }
}

#[test]
fn every_cut_is_noticed() {
    let text = csv(200);
    for (name, bytes) in [("a.csv.zst", zst(&text)), ("a.csv.gz", gz(&text))] {
        for length in 4..bytes.len() {
            let error = read_bytes(name, bytes[..length].to_vec()).expect_err(name);
            assert!(!error.is_io());
            check(&error, &[name, "are cut off"]);
        }
    }
}

/// Planted bugs: a line before the end of the damage that is not counted; allocating as much memory as the header of a
/// frame asks for.
#[test]
fn messages_on_damaged_files() {
    let text = csv(3);
    let (gzip, zstd) = (gz(&text), zst(&text));
    let joined = |bytes: &[u8], more: &[u8]| [bytes, more].concat();
    let mut checksum = gzip.clone();
    checksum[gzip.len() - 6] ^= 1;
    let mut corrupt = zst(&csv(5000));
    corrupt[8..40].fill(0xFF);
    let files: [(&str, Vec<u8>); _] = [
        ("empty.csv", vec![]),
        ("empty.csv.zst", vec![]),
        ("empty-inside.csv.gz", gz(b"")),
        ("empty-inside.csv.zst", zst(b"")),
        ("header-alone.csv.gz", gzip[..10].into()),
        ("header-cut-off.csv.gz", gzip[..4].into()),
        ("cut-off.csv.gz", gzip[..gzip.len() / 2].into()),
        ("cut-off.csv.zst", zstd[..zstd.len() - 4].into()),
        (
            "second-frame-cut-off.csv.zst",
            joined(&zstd, &zst(b"1,W,0,")[..10]),
        ),
        ("checksum-cut-off.csv.gz", gzip[..gzip.len() - 5].into()),
        ("checksum-wrong.csv.gz", checksum),
        ("corrupt.csv.zst", corrupt),
        ("followed-by-text.csv.gz", joined(&gzip, b"0,W,0,512\n")),
        ("followed-by-text.csv.zst", joined(&zstd, b"0,W,0,512\n")),
        ("long-line.csv.gz", gz(&joined(&text, &[b'9'; 5000]))),
        ("zstd-inside.csv.gz", gz(&zstd)),
        ("zip.csv.gz", b"PK\x03\x04\x14\0\0\0\x08\0trace.csv".into()),
        ("noise.csv.zst", b"\xA5\xA4\xA7\xA6".into()),
        (
            "window-of-2-gib.csv.zst",
            b"\x28\xB5\x2F\xFD\0\xA8\x01\0\0".into(),
        ),
    ];
    let messages = files.map(|(name, bytes)| (name, refused(name, bytes, &ReadOptions::default())));
    insta::assert_snapshot!(listed(messages));
}

/// Returns `good`, then fails like a dying disk.
struct Failing {
    good: Cursor<Vec<u8>>,
    interrupted: bool,
}

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match self.good.read(buffer)? {
            0 => Err(io::Error::other("the disk died")),
            read => Ok(read),
        }
    }
}

/// Planted bug: a failing disk reported as bad input, or no retry after an interrupted call.
#[test]
fn read_errors_are_io_errors() {
    let text = csv(300);
    let mut cut = zst(&text);
    cut.truncate(cut.len() - 1);
    for (name, bytes, place) in [
        ("a.csv", text.clone(), "after line 301"),
        ("a.csv.zst", cut, "from the start"),
        ("a.csv.gz", gz(&text)[..20].to_vec(), "from the start"),
        ("a", b"ti".to_vec(), "from the start"),
    ] {
        let good = Cursor::new(bytes);
        let interrupted = false;
        let error = read(name, Failing { good, interrupted }).unwrap_err();
        assert!(error.is_io(), "{error}");
        check(&error, &[name, "the disk died", place]);
    }
}

#[test]
fn the_hash_covers_all_stored_bytes() {
    let hash =
        |bytes: &[u8]| (read_bytes("a", bytes.to_vec()).unwrap().sha256).expect("all was read");
    // sha256sum of the header with a line end
    let header = format!("{}\n", plain::HEADER);
    assert_eq!(
        hash(header.as_bytes()),
        "8a4610dd8ae2282d291657cf40820625cc9212dd50a8985e3736e5ab860335dd"
    );
    let text = csv(50_000);
    let stored = zst(&text);
    assert_ne!(hash(&stored), hash(&text));
    assert_ne!(
        hash(&stored),
        hash(&[stored.clone(), zst(b"\n")].concat()),
        "the last frame counts"
    );
}

/// Planted bug: taking the folder into the name of the summary.
#[test]
fn a_file_is_named_without_folders() {
    let folder = TempDir::new().unwrap();
    let path = store(&folder, "a.csv", &csv(9000));
    let (requests, summary): (Vec<Request>, _) = read_all(Path::new(&path)).unwrap();
    assert_eq!((requests.len(), summary.requests), (9000, 9000));
    assert_eq!(summary.name, "a.csv");
}

/// Planted bugs: no warning about a cut inside the last number; a warning although a limit ends the reading earlier.
#[test]
fn a_last_line_without_its_end_is_told() {
    let text = csv(3);
    let whole = text.len();
    let unended = |bytes: &[u8]| read_bytes("a.csv", bytes.to_vec()).unwrap().unended;
    assert_eq!(unended(&text), None);
    assert_eq!(unended(&text[..whole - 1]), Some(4));
    assert_eq!(unended(&text[..whole - 2]), Some(4));
    let cut = zst(&text[..whole - 2]);
    assert_eq!(read_bytes("a", cut).unwrap().unended, Some(4));
    let options = with(|options| options.limit = Some(2));
    let input = Cursor::new(text[..whole - 2].to_vec());
    let mut reader = TraceReader::from_reader("a.csv", input, &options).unwrap();
    reader.read_all().unwrap();
    assert!(!reader.next_batch(&mut Vec::new()).unwrap());
    assert_eq!(reader.finish().unended, None);
}
