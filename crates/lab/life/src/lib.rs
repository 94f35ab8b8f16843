//! How long a drive lives: how much of its life is used, how much can still be written, and how many years that is.
//!
//! A drive's life is the bytes that the host can write until the drive says that 100 % is used. Three tables say what drives did:
//! `models.csv` by name, `drives.csv` with ratings, `classes.csv` for all others. A [`Question`] has a reading of the counters, or a
//! name, or both; [`answer`] joins them, and says how sure that is. The ranges hold for 8 of 10 drives, which a test counts on drives
//! that owners reported.
//!
//! May depend on `words` and `counters`. There is no input or output.

mod answer;
mod data;
mod drive;
mod error;
mod question;
mod range;
mod rate;
mod words;

pub use answer::{Answer, answer};
pub use data::ATTRIBUTION;
pub use drive::Use;
pub use error::LifeError;
pub use question::{Here, Question, Simulated};
pub use range::Range;
pub use rate::{parse_amount, parse_date, parse_rate};
