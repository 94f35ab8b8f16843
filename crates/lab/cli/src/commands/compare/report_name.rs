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

/// The page with its trace in a comment.
pub fn marked(page: &str, summary: &TraceSummary) -> String {
    const HEAD: &str = "<!doctype html>\n";
    match page.strip_prefix(HEAD) {
        Some(rest) => format!("{HEAD}{}\n{rest}", key(summary)),
        None => page.to_owned(),
    }
}

/// The same comment in all reports of a trace.
fn key(summary: &TraceSummary) -> String {
    let digest = summary.sha256.as_deref();
    let (requests, end, latest) = (summary.requests, summary.end, summary.latest);
    let part = || format!("a part of {requests} requests, {end} bytes, {latest} ns");
    let of = digest.map_or_else(part, |digest| format!("SHA-256 {digest}"));
    format!("<!-- ssdlab compare: {of} -->")
}

/// Whether a file is a report of this trace.
pub fn is_of(file: File, trace: &TraceSummary) -> bool {
    const HEAD: u64 = 512;
    let mut head = Vec::new();
    let read = file.take(HEAD).read_to_end(&mut head);
    read.is_ok() && String::from_utf8_lossy(&head).contains(&key(trace))
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
