//! What an answer says.

mod coverage;
mod examples;
mod names;
mod refusals;
