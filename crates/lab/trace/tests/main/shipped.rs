//! What a report says of a trace that is shipped.

use ssdlab_trace::{ReadOptions, read_all};
use std::path::Path;

/// Planted bug: hashing the decompressed bytes, or only the bytes up to the decoder's last read.
#[test]
fn summary_serialises_to_the_trace_key() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../traces");
    let (_, summary) = read_all(
        &folder.join("w5-fat16-media.csv.zst"),
        &ReadOptions::default(),
    )
    .unwrap();
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "name": "w5-fat16-media.csv.zst",
            "format": "plain",
            "format_reason": format!("line 1 is {:?}", ssdlab_trace::plain::HEADER),
            "requests": 3734,
            "sha256": "3a503ca1ede874c46594f6d9ab987684abf7110a5916da2ca646902caed7b93c",
            "skipped": {},
        })
    );
    assert_eq!(summary.backwards, 0);
}
