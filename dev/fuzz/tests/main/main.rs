//! All inputs that are kept, and changed ones, without a fuzzer.

mod inputs;
mod mutant;
mod mutated;
mod replay;
