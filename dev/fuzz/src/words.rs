//! Descriptions of synthetic workloads, as on the command line and in the descriptions of papers.
//!
//! An input is the words.

/// The requests that are made of a workload.
const REQUESTS: usize = 300;
/// The digits of the longest number: a benchmark of more files takes long.
const DIGITS: usize = 6;

pub fn run(input: &[u8]) {
    let Ok(words) = std::str::from_utf8(input) else {
        return;
    };
    let digits = |word: &str| word.bytes().filter(u8::is_ascii_digit).count();
    if words.split_whitespace().any(|word| digits(word) > DIGITS) {
        return;
    }
    let made = || -> Result<Vec<_>, String> {
        Ok(ssdlab_workload::requests(words)?.take(REQUESTS).collect())
    };
    match (made(), made()) {
        (Ok(one), Ok(other)) => assert_eq!(one, other, "other requests the second time"),
        (Err(one), Err(other)) => {
            assert_eq!(one, other);
            assert!(!one.is_empty() && !one.contains('\n'), "{one:?}");
        }
        _ => panic!("valid once"),
    }
}
