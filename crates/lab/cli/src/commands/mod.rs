//! One file for each subcommand.

#[cfg(feature = "full")]
pub mod artifact;
#[cfg(feature = "full")]
pub mod calibrate;
#[cfg(feature = "full")]
pub mod cite;
#[cfg(feature = "full")]
pub mod cliff;
pub mod command_line;
pub mod compare;
pub mod config;
mod config_args;
#[cfg(all(feature = "full", unix))]
pub mod drive;
#[cfg(feature = "full")]
pub mod events;
#[cfg(all(feature = "full", unix))]
pub mod lfss;
pub mod life;
pub mod list;
pub mod recommend;
#[cfg(all(feature = "full", unix))]
pub mod replay;
mod replay_args;
#[cfg(feature = "full")]
pub mod report;
#[cfg(feature = "full")]
pub mod reproduce;
pub mod run;
#[cfg(all(feature = "full", unix))]
pub mod serve;
#[cfg(feature = "full")]
pub mod shell;
#[cfg(feature = "full")]
pub mod sweep;
pub mod theory;
#[cfg(all(feature = "full", unix))]
pub mod top;
pub mod trace;
mod trace_args;
#[cfg(feature = "full")]
mod trace_catalogue;
mod trace_convert;
#[cfg(feature = "full")]
mod trace_fetch;
mod trace_generate;
pub mod trace_info;
mod trace_merge;
mod trace_output;
#[cfg(unix)]
mod trace_record;
mod trace_sample;
