//! Charts as SVG, for pages without scripts.
//!
//! `plotters` draws in the colours of the light scheme; a style sheet in the file replaces them in the dark scheme, so
//! that a page needs only one file. Each scheme has its own background.

mod addresses;
mod bars;
mod boxes;
mod curves;
mod drawing;

pub use addresses::{addresses, kind_of_marks};
pub use bars::{Bars, bars};
pub use boxes::{Axis, Boxes, boxes};
pub use curves::{Curve, Legend, Plot, curves};
