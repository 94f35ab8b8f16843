//! What a comparison is written to: the HTML report, one file that needs no network, and CSV and JSON for programs.
//!
//! # Why ECharts
//!
//! The charts are drawn by the *common* build of Apache ECharts (Apache-2.0), which is kept in
//! `assets/` and embedded once, as it was published. It weighs 0.7 MB (Plotly 4.7 MB, its basic
//! build 1.2 MB), makes no request, draws SVG, which prints sharply, labels curves at their ends,
//! leaves touch scrolling alone and can be redrawn when the colour scheme changes. It adds no
//! crate to the build. `plotters` needs no script at all, but shows no values on hover: with it
//! [`chart`] draws what stands in Markdown.
//!
//! This crate writes data, not chart options: [`html`] embeds one JSON object, and the scripts in
//! `assets/` decide what it looks like. A content security policy in the page forbids
//! every request, so the report stays offline whatever the library does.

pub mod chart;
mod data;
mod escape;
mod facts;
mod figures;
mod format;
mod page;
mod palette;
mod reasons;
mod series;
mod table;
mod tiles;
mod varied;

use ssdlab_sim::Comparison;

pub use data::{csv, json};
pub use palette::Palette;

/// What the report says about its own making.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The command line that made it.
    pub command: String,
    /// The version of ssdlab.
    pub version: String,
    /// The resolved configuration, as TOML.
    pub config_toml: String,
    /// Facts of the trace: label and value.
    pub trace_lines: Vec<(String, String)>,
}

/// The report of a comparison as one HTML page; the same input gives the same bytes.
pub fn html(comparison: &Comparison, about: &About) -> String {
    page::render(comparison, about)
}
