//! Write amplification of a trace on a drive that its data fill, and on one of which it leaves a part unused.

use ssdlab_config::BUFFERED;
use ssdlab_policy::buffer::SIZE;

use crate::error::SimError;
use crate::input::Trace;
use crate::lab::Lab;
use crate::run::{Replay, RunOptions, StopFlag, run_loaded};

/// The share of the larger drive that the trace uses.
const USED: f64 = 0.6;
/// Replays on one device; the last one counts.
const LOOPS: u32 = 12;

/// Bytes programmed for each byte that the host wrote.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filled {
    /// On a drive that ends where the trace ends.
    pub full: f64,
    /// On a drive of which 40 % were never written; `None` if the trace spans as much as the drive of the preset.
    pub with_room: Option<f64>,
}

impl Lab {
    /// Replays a trace twelve times on a drive of a preset, scaled down to the end of the trace, and on one that is larger.
    /// `None`: the trace writes nothing.
    ///
    /// # Errors
    /// No such preset, a trace that cannot be read, or [`SimError::Stopped`].
    pub fn filled(
        &self,
        preset: &str,
        trace: &Trace,
        stop: Option<&StopFlag>,
    ) -> Result<Option<Filled>, SimError> {
        let on = |size: u64, used: f64| {
            let mut resolver = self.resolver();
            resolver.preset(preset);
            if size < u64::MAX {
                resolver.scale_to(size, &format!("{size}B"));
                // a short trace leaves no room for the buffer of a large drive
                let room = size / BUFFERED;
                if resolver.clone().resolve().is_err() && room > 0 {
                    resolver.set(&format!("{}={room}", SIZE.key.path))?;
                }
            }
            resolver.set(&format!("precondition={used}"))?;
            resolver.resolve()
        };
        let replayed = |config| {
            let replay = Replay {
                wrap: true,
                loops: LOOPS,
                ..Replay::default()
            };
            let options = RunOptions {
                replay,
                stop: stop.cloned(),
                ..RunOptions::new(self)
            };
            Ok::<_, SimError>(run_loaded(config, trace, options)?.derived.waf)
        };
        let whole = on(u64::MAX, 1.0)?;
        let most = whole.flash.capacity;
        // too small a drive has no room for its spare blocks
        let mut size = trace.summary.end.max(1);
        let full = loop {
            match on(size, 1.0) {
                Ok(config) if size < most => break config,
                Err(_) if size < most => size *= 2,
                _ => break whole,
            }
        };
        let Some(full) = replayed(full)? else {
            return Ok(None);
        };
        let larger = (size as f64 / USED) as u64;
        let with_room = if larger < most {
            replayed(on(larger, USED)?)?
        } else {
            None
        };
        Ok(Some(Filled { full, with_room }))
    }
}
