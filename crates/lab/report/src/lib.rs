//! The outputs of a comparison: the HTML report, one file without network access, and CSV and JSON for programs; and the
//! HTML page of what a workload is for flash.
//!
//! # Why ECharts
//!
//! The *common* build of Apache ECharts (Apache-2.0) draws the charts; `assets/` has an unchanged copy, and each report
//! embeds it once. It has 0.7 MB (Plotly 4.7 MB, its basic build 1.2 MB), makes no request, draws SVG, which prints
//! sharply, labels curves at their ends, does not block touch scrolling and can redraw when the colour scheme changes.
//! It adds no crate to the build. The charts of Markdown pages, which have no scripts, are [`picture`]s.
//!
//! This crate writes data, not chart options: [`html`] embeds one JSON object, and the scripts in `assets/` draw it. A
//! content security policy in the page forbids all requests, so the report stays offline whatever the library does.
//!
//! # What it may touch
//!
//! May depend on `results`, `sim` and the crates below them; not on `reproduce` or the command line. All outputs are returned as
//! text: nothing here reads or writes a file, prints, looks at a clock or reads an environment variable.

mod about;
#[cfg(feature = "analysis")]
pub mod analysis;
mod cells;
pub mod chart;
mod charts;
mod cliff;
mod clocked;
mod data;
mod distinct;
mod endurance;
mod escape;
mod facts;
mod figures;
mod marker;
mod page;
mod palette;
mod parts;
pub mod picture;
mod placed;
mod reasons;
mod series;
pub mod steps;
mod table;
mod template;
mod tiles;
mod varied;
mod workload;

pub use about::About;
pub use cells::{Cells, Look, cells};
pub use charts::charts;
pub use cliff::{Reviewed, picture as cliff_picture};
pub use data::{csv, json};
pub use page::html;
pub use palette::slot;
pub use placed::picture as placed_picture;
pub use workload::{AboutWorkload, workload_html};
