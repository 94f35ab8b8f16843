//! Results for others: what to cite, and a folder for those who evaluate artifacts.
//!
//! [`Citations`] reads from results which systems, devices and traces they use, and gives an entry of BibTeX for each
//! paper. The papers themselves have their home beside the systems (`ssdlab_policy::papers`), the sets of traces in the
//! catalogue. An [`Artifact`] is a folder with a plan, its results and all that it takes to get them again.
//!
//! May depend on `words`, `policy`, `ftl`, `device`, `config`, `output`, `catalogue`, `results`, `sweep`, `analysis` and
//! `report`. Writes the folder that it is asked for, and prints nothing.

mod artifact;
mod bibtex;
mod citations;
mod error;
mod licence;
mod shipped;

pub use artifact::{Artifact, ArtifactSummary, Traces};
pub use bibtex::Entry;
pub use citations::{Citations, TITLE};
pub use error::PublishError;
pub use licence::may_be_given;
pub use shipped::{LICENCE, shipped, shipped_traces};
