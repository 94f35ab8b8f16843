//! The default path of the report.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ssdlab_sim::TraceSummary;

/// The names for the report of `traces/w9.csv.zst`, in the working folder: `w9.compare.html`, `w9.compare-2.html`, ….
pub fn default_names(trace: &Path) -> impl Fn(u32) -> PathBuf + Send + use<> {
    let stem = stem(trace);
    move |number| match number {
        1 => PathBuf::from(format!("{stem}.compare.html")),
        _ => PathBuf::from(format!("{stem}.compare-{number}.html")),
    }
}

/// A comment that all reports of the same comparison have: of the same trace with the same settings.
pub struct Mark(String);

impl Mark {
    /// That of a trace and a text that differs if the settings do.
    pub fn of(summary: &TraceSummary, settings: &str) -> Self {
        let digest = summary.sha256.as_deref();
        let (requests, end, latest) = (summary.requests, summary.end, summary.latest);
        let part = || format!("a part of {requests} requests, {end} bytes, {latest} ns");
        let of = digest.map_or_else(part, |digest| format!("SHA-256 {digest}"));
        let settings = fnv_1a(settings);
        Self(format!(
            "<!-- ssdlab compare: {of}, settings {settings:016x} -->"
        ))
    }

    /// The page with this mark.
    pub fn on(&self, page: &str) -> String {
        const HEAD: &str = "<!doctype html>\n";
        match page.strip_prefix(HEAD) {
            Some(rest) => format!("{HEAD}{}\n{rest}", self.0),
            None => page.to_owned(),
        }
    }

    /// Whether a file is a report with this mark.
    pub fn is_on(&self, file: File) -> bool {
        const HEAD: u64 = 512;
        let mut head = Vec::new();
        let read = file.take(HEAD).read_to_end(&mut head);
        read.is_ok() && String::from_utf8_lossy(&head).contains(&self.0)
    }
}

/// The 64-bit FNV-1a hash of a text: the same in every build, so that the same comparison makes the same report.
fn fnv_1a(text: &str) -> u64 {
    let mixed = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mixed)
}

/// The name of the trace without its folder and extensions; `stdin` for standard input.
fn stem(trace: &Path) -> String {
    let name = match trace.file_name() {
        Some(name) if trace != Path::new("-") => name.to_string_lossy().into_owned(),
        _ => "stdin".into(),
    };
    let mut stem = name.as_str();
    for endings in [&[".zst", ".gz"][..], &[".csv", ".txt"][..]] {
        let cut = endings.iter().find_map(|ending| stem.strip_suffix(ending));
        stem = cut.filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv_1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a("foobar"), 0x8594_4171_f739_67e8);
    }

    // planted bugs: a folder in the name; an extension kept; a hidden file without a name
    #[test]
    fn named_after_the_trace() {
        for (trace, name) in [
            ("traces/w9-ext3-postmark.csv.zst", "w9-ext3-postmark"),
            ("usr_0.csv.gz", "usr_0"),
            ("trace.v2.csv", "trace.v2"),
            ("out.txt", "out"),
            ("/tmp/trace", "trace"),
            (".csv", ".csv"),
            ("-", "stdin"),
        ] {
            assert_eq!(stem(Path::new(trace)), name, "{trace}");
        }
    }
}
