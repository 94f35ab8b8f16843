//! Files and streams: compressed, mislabelled, cut off, corrupt, empty, failing.
//!
//! Planted bugs these catch: a decoder that stops after the first frame or member, an unexpected end taken for the
//! end of the trace, a hash of the decompressed bytes, trusting the name instead of the bytes.

use flate2::Compression;
use flate2::write::GzEncoder;
use ssdlab_host::Request;
use ssdlab_trace::{ReadOptions, TraceError, TraceReader, TraceSummary, plain};
use std::fmt::Write as _;
use std::io::{self, Cursor, Read, Write};
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

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
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
    let error = read_bytes("a.csv.zst", b"\xFE\x01\x02\x03".to_vec()).unwrap_err();
    check(
        &error,
        &[
            "a.csv.zst",
            "neither zstd data nor text, found \"\\xfe\\u{1}",
            "from the start",
        ],
    );
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
fn nothing_inside() {
    for (name, bytes, what) in [
        ("a.csv", Vec::new(), ": empty, 0 bytes;"),
        ("a.csv.zst", Vec::new(), ": empty, 0 bytes;"),
        ("a.csv.zst", zst(b""), "0 bytes once decompressed"),
        ("a.csv.gz", gz(b""), "0 bytes once decompressed"),
    ] {
        let error = read_bytes(name, bytes).unwrap_err();
        check(&error, &[name, what, "header"]);
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

#[test]
fn a_cut_names_the_last_good_line() {
    let frames = [zst(&csv(100)), zst(b"1,W,0,")].concat();
    let whole = frames.len();
    let error = read_bytes("a.csv.zst", frames[..whole - 3].to_vec()).unwrap_err();
    check(
        &error,
        &["a.csv.zst: the zstd data are cut off after line 101; copy"],
    );
    let error = read_bytes("a.csv.gz", vec![0x1F, 0x8B, 8, 0]).unwrap_err();
    check(&error, &["the gzip data are cut off from the start"]);
}

#[test]
fn corrupt_data_are_named() {
    let text = csv(5000);
    let mut member = gz(&text);
    let checksum = member.len() - 8;
    member[checksum] ^= 1;
    let trailing = [zst(&text), b"garbage".to_vec()].concat();
    for (name, bytes, line) in [
        ("a.csv.gz", member, "line"),
        ("a.csv.zst", trailing, "line 5001"),
    ] {
        let error = read_bytes(name, bytes).unwrap_err();
        assert!(matches!(error, TraceError::Damaged { .. }), "{error}");
        check(&error, &[name, "cannot be decompressed", line]);
    }
}

/// Planted bug: allocating as much memory as the header of a frame asks for.
#[test]
fn huge_windows_are_refused() {
    let two_gib = [0x28, 0xB5, 0x2F, 0xFD, 0, 0xA8, 1, 0, 0];
    let error = read_bytes("a.csv.zst", two_gib.to_vec()).unwrap_err();
    check(
        &error,
        &["a window above 128 MiB", "--long", "make the file again"],
    );
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
    let options = ReadOptions {
        limit: Some(2),
        ..ReadOptions::default()
    };
    let input = Cursor::new(text[..whole - 2].to_vec());
    let mut reader = TraceReader::from_reader("a.csv", input, &options).unwrap();
    reader.read_all().unwrap();
    assert!(!reader.next_batch(&mut Vec::new()).unwrap());
    assert_eq!(reader.finish().unended, None);
}
