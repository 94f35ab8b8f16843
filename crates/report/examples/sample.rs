//! Writes a report of made data: `cargo run -p ssdlab-report --example sample -- FILE`.

#[path = "../tests/common/mod.rs"]
mod common;

fn main() -> std::io::Result<()> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "ssdlab-sample.html".into());
    let comparison = common::comparison("w1-ntfs-office-install.csv.zst");
    std::fs::write(path, ssdlab_report::html(&comparison, &common::about()))
}
