//! The configuration of a run: a schema of all keys, presets, layers, and the typed result.
//!
//! ```
//! use ssdlab_config::Resolver;
//!
//! let mut resolver = Resolver::new();
//! resolver.preset("bplru-2008");
//! resolver.file("device.toml", b"[flash]\ncapacity = \"32MiB\"\n")?;
//! resolver.set("buffer.policy=lru")?;
//! let config = resolver.resolve()?;
//! assert_eq!((config.policy, config.logical_blocks()), ("lru", 128));
//! # Ok::<(), ssdlab_config::ConfigError>(())
//! ```
//!
//! Precedence, weakest first: defaults, preset, file, `--set` from left to right.
//! Keys and types are checked when a layer is added. Ranges, names and availability are checked after merging, so that
//! a stronger layer can correct a weaker one.
//!
//! May depend on `device` and the crates below it, whose systems and parameters it resolves; not on traces or on the
//! simulator. A device needs no configuration, so no parser reaches whoever embeds one. The text of a file is an
//! argument: no input or output, no clock, no environment.

mod check;
mod config;
mod effect;
mod error;
mod hint;
mod kind;
mod layer;
mod nearest;
mod presets;
mod resolver;
mod scale;
mod schema;
mod show;
mod value;

pub use check::FORBIDDEN;
pub use config::{Config, DriveConfig};
pub use error::{ConfigError, Origin};
pub use kind::{legal, names};
pub use presets::{Preset, presets};
pub use resolver::{Resolver, is_of_device, is_of_flash};
pub use scale::{BUFFERED, Large};
pub use schema::keys;
pub use show::default_of;
pub use ssdlab_policy::{Key, Kind};
pub use value::Value;
