//! Every text format has a folder in `tests/formats`: samples as their source writes them (`.txt`), each with the requests
//! that it means in ssdlab's own format (`.csv`); malformed lines; lines of several volumes, if the format has volumes; the
//! options to read it, if it needs some. `messages.snap` is what ssdlab says of them.
//!
//! Planted bugs these catch: sectors taken for bytes or the reverse; a time in another unit, or rounded through f64; 0 and 1
//! of an operation swapped; a name with blanks cut at the first; a format that takes the files of another one; a field that is
//! not checked, or checked under the name of another one.

use crate::common::{Decoded, listed, read, read_damaged, read_pieces, refused, with};
use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_arguments::ReadArgs;
use ssdlab_trace::{Format, ReadOptions, Watch, plain};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a format.
struct Folder {
    format: Format,
    path: PathBuf,
}

fn folders() -> impl Iterator<Item = Folder> {
    let text = Format::ALL.into_iter();
    text.filter(|format| !format.example().is_empty())
        .map(|format| {
            let all = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats"));
            Folder {
                format,
                path: all.join(format.name()),
            }
        })
}

impl Folder {
    /// A file of the folder, if it is there.
    fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path.join(name)).ok()
    }

    /// The options without which the format cannot be read.
    fn options(&self) -> ReadOptions {
        let words = self.file("options").unwrap_or_default();
        let words: Vec<_> = words.split_whitespace().collect();
        ReadArgs::parse(&words).unwrap().options(Watch::default())
    }

    /// The names and the texts of the samples; the first is `sample.txt`.
    fn samples(&self) -> Vec<(String, String)> {
        let files = fs::read_dir(&self.path)
            .unwrap_or_else(|_| panic!("the format has no folder {}", self.path.display()));
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".txt")).collect();
        names.sort_by_key(|name| (name != "sample.txt", name.clone()));
        let text = |name: String| {
            let text = self.file(&name).unwrap();
            (name, text)
        };
        names.into_iter().map(text).collect()
    }

    /// The first sample.
    fn sample(&self) -> String {
        self.file("sample.txt")
            .unwrap_or_else(|| panic!("{} has no sample.txt", self.path.display()))
    }

    fn read(&self, text: &str, options: &ReadOptions) -> Decoded {
        read(text, options).unwrap_or_else(|error| panic!("{}: {error}", self.format.name()))
    }
}

/// Each sample is read as its format, however its lines end and arrive, and is detected as no other format.
#[test]
fn samples_mean_what_the_files_beside_them_say() {
    for folder in folders() {
        let options = folder.options();
        let format = folder.format.name();
        assert!(!folder.sample().is_empty());
        for (name, text) in folder.samples() {
            let whole = folder.read(&text, &options);
            let summary = &whole.summary;
            assert_eq!(summary.format, format, "{name}: {}", summary.format_reason);
            let mut meant = format!("{}\n", plain::header(summary.has_streams));
            for request in &whole.requests {
                plain::add_line(&mut meant, request, summary.has_streams);
            }
            let expected = folder.file(&name.replace(".txt", ".csv"));
            assert_eq!(Some(meant), expected, "{format}: {name}");
            let blank = (format != "plain").then(|| text.replace('\n', "\n\n \n"));
            let others = [text.replace('\n', "\r\n"), text.trim_end().to_owned()];
            for other in others.into_iter().chain(blank) {
                assert_eq!(
                    folder.read(&other, &options).requests,
                    whole.requests,
                    "{format}"
                );
            }
            assert_eq!(read_pieces(text.as_str(), &[1], &options), Ok(whole));
        }
    }
}

/// The summaries of the samples, and the messages on malformed lines behind them.
#[test]
fn messages_on_formats() {
    for folder in folders() {
        let mut options = folder.options();
        let mut said = String::new();
        for (name, text) in folder.samples() {
            let summary = folder.read(&text, &options).summary;
            let reason = &summary.format_reason;
            writeln!(said, "{name}: {reason}; left out {:?}", summary.skipped).unwrap();
            said.extend(
                summary
                    .remarks
                    .iter()
                    .map(|remark| format!("    {remark}\n")),
            );
        }
        if let Some(several) = folder.file("volumes") {
            let second = refused("t", several.as_str(), &options);
            said += &listed([(several, second)]);
        }
        // the header of a table names its columns
        if folder.format != Format::CSV {
            options.format = Some(folder.format);
        }
        let sample = folder.sample();
        let lines = sample.lines().count();
        let malformed = folder.file("malformed");
        let malformed =
            malformed.unwrap_or_else(|| panic!("{} has no malformed", folder.path.display()));
        let malformed: Vec<_> = malformed.strip_suffix('\n').unwrap().split('\n').collect();
        let messages = malformed.into_iter().map(|line| {
            let place = format!("t, line {}: ", lines + 1);
            let message = refused("t", format!("{sample}{line}\n"), &options);
            let inside = format!("{sample}{line}\n{}\n", sample.lines().last().unwrap());
            assert_eq!(refused("t", inside, &options), message);
            let what = message.strip_prefix(&place);
            (
                line,
                what.unwrap_or_else(|| panic!("{message} is not at {place}"))
                    .to_owned(),
            )
        });
        said += &listed(messages);
        insta::with_settings!({ snapshot_path => &folder.path, prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("messages", said);
        });
    }
}

/// Requests of other volumes are left out, whatever they are.
#[test]
fn volumes() {
    for folder in folders() {
        let Some(text) = folder.file("volumes") else {
            let volume = with(|options| options.volume = Some("8,0".into()));
            let message = refused("t", folder.format.example(), &volume);
            let has_none = message.contains("--volume is for");
            assert!(
                has_none || folder.format.name() == "camelab",
                "{message}: no file volumes"
            );
            continue;
        };
        let all = with(|options| options.all_volumes = true);
        let names = folder.read(&text, &all).summary.volumes;
        assert!(names.len() > 1, "{names:?}");
        for name in &names {
            let one = with(|options| options.volume = Some(name.clone()));
            let one = folder.read(&text, &one);
            assert_eq!(one.summary.volumes, [name.as_str()]);
            let left = one
                .summary
                .skipped
                .get("other volumes")
                .copied()
                .unwrap_or(0);
            let own = one.requests.len() as u64
                + one.summary.skipped.get("no data").copied().unwrap_or(0);
            let lines = text.lines().count() as u64;
            assert!(
                left + own <= lines && left >= names.len() as u64 - 1,
                "{name}: {left} of {lines}"
            );
        }
    }
}

/// The example of each format is detected as that format.
#[test]
fn examples_are_detected() {
    for Folder { format, .. } in folders() {
        let text = format!("{}\n", format.example());
        let found = match read(text, &ReadOptions::default()) {
            Ok(decoded) => decoded.summary.format.to_owned(),
            Err(error) => error.to_string(),
        };
        let expected = match format.name() {
            "camelab" => "units of camelab",
            name => name,
        };
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

/// The document has a row and a section for each format, with its own words.
#[test]
fn the_document_has_all_formats() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../docs/trace-formats.md"
    );
    let text = fs::read_to_string(path).unwrap();
    for format in Format::ALL {
        let name = format.name();
        let (about, source) = (format.about(), format.source());
        let row = format!("| [{name}](#{name}) | {about} | {source} |\n");
        for part in [&*row, &format!("\n## {name}\n")] {
            assert!(text.contains(part), "{path} lacks {part}");
        }
    }
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `--"));
    let mut compared = 0;
    for row in rows {
        let (options, row) = row.split_once(" | ").unwrap();
        let name = options.split(['`', ' ']).next().unwrap();
        let takers = Format::takers(&format!("--{name}"));
        if !takers.is_empty() {
            assert!(
                row.starts_with(&format!("{} | ", takers.join(", "))),
                "{path}: --{name}"
            );
            compared += 1;
        }
    }
    assert!(compared > 5);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Planted bugs: slicing past the end of a line; a result that depends on the position in the file.
    #[test]
    fn damage_never_panics_and_pieces_do_not_matter(
        folder in prop::sample::select(folders().map(|folder| folder.format.name()).collect::<Vec<_>>()),
        place: prop::sample::Index,
        bytes in vec(any::<u8>(), 0..6),
        cut in 0..6usize,
        length in 1..100usize,
        skip_malformed in 0..3u64,
        named: bool,
    ) {
        let folder = folders().find(|other| other.format.name() == folder).unwrap();
        let mut options = ReadOptions { skip_malformed, ..folder.options() };
        options.format = (named && folder.format != Format::CSV).then_some(folder.format);
        let text = folder.sample().repeat(3);
        read_damaged(text.into_bytes(), (place, cut, bytes), length, &options)?;
    }
}
