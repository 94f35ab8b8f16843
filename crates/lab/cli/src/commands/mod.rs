//! One file for each subcommand.

pub mod calibrate;
pub mod command_line;
pub mod compare;
pub mod config;
mod config_args;
pub mod drive;
pub mod lfss;
pub mod list;
pub mod replay;
mod replay_args;
pub mod reproduce;
pub mod run;
pub mod serve;
pub mod shell;
pub mod theory;
pub mod top;
pub mod trace;
mod trace_args;
mod trace_catalogue;
mod trace_convert;
mod trace_fetch;
mod trace_generate;
pub mod trace_info;
mod trace_merge;
mod trace_output;
mod trace_record;
mod trace_sample;
