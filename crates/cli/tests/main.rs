//! All tests of this crate in one program, which is built once.

mod bad_config;
mod bad_input;
mod bad_options;
mod browser;
mod cases;
mod changed;
mod clocked;
mod common;
mod compare;
mod drive;
mod endings;
mod endurance;
mod formats;
mod golden;
mod instructions;
mod json;
mod limits;
mod malformed;
mod replay;
mod reproduce;
mod serve;
mod shell;
mod show;
mod terminal;
mod theory;
mod verdict;
