//! What a report says of itself.

use ssdlab_sim::Figure;

/// The origin of a report.
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
    /// Figures that the table has beside the usual ones.
    pub columns: Vec<Figure>,
}
