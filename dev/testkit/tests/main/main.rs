//! All tests of this crate in one program, which is compiled once.

mod ageing;
mod by_hand;
mod bytes;
mod chips;
mod closed_forms;
mod drives;
mod intervals;
mod large;
mod maps;
mod model_alone;
mod model_aware;
mod model_cases;
mod model_ftl_rules;
mod model_random;
mod model_regions;
mod model_rules;
mod payloads;
mod power_cut;
mod preconditioned;
mod properties;
mod ram_regions;
mod regressions;
mod slc;
mod timing;
mod write_amplification;
