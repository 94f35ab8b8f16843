//! A mix of sizes in words: `4KiB:0.7,64KiB:0.3`, or one size for all.

use ssdlab_host::Request;

use super::values::{all, parts, share_above_zero, size};
use crate::synthetic::Sizes;

/// Sizes in bytes with their shares.
#[derive(Clone, Debug)]
pub(super) struct Mix(Vec<(u64, f64)>);

impl Mix {
    /// # Errors
    /// What is wrong, with its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut sizes = Vec::new();
        for (at, part) in parts(text) {
            let pair = match part.split_once(':') {
                Some((size, share)) => (size, Some(share)),
                None => (part, None),
            };
            let refuse = |needed: &str| {
                format!("character {at}: found {part:?}, must be {needed}, such as 4KiB:0.7")
            };
            let bytes = size(pair.0).map_err(|_| refuse("a size and its share"))?;
            let share = pair.1.map(share_above_zero).transpose();
            let share = share.map_err(|_| refuse("a size and a share above 0, at most 1"))?;
            sizes.push((
                bytes,
                share,
                refuse("a size with a share, if there are several"),
            ));
        }
        let alone = sizes.len() == 1;
        let mix = sizes.into_iter().map(|(bytes, share, missing)| {
            let share = share.or(alone.then_some(1.0)).ok_or(missing)?;
            Ok((bytes, share))
        });
        let mix = mix.collect::<Result<Vec<_>, String>>()?;
        if mix.is_empty() {
            return Err("empty, must be sizes and their shares, such as 4KiB:0.7,64KiB:0.3".into());
        }
        all(mix.iter().map(|size| size.1), "the shares")?;
        Ok(Self(mix))
    }

    /// One size in bytes for all.
    pub fn one(bytes: u64) -> Self {
        Self(vec![(bytes, 1.0)])
    }

    /// The sizes in units of `unit` bytes, on a space of `units` units with the name `space`.
    ///
    /// # Errors
    /// The size that is no multiple, or larger than the space.
    pub fn in_units(&self, unit: u64, units: u64, space: &str) -> Result<Sizes, String> {
        for &(bytes, _) in &self.0 {
            if !bytes.is_multiple_of(unit) {
                return Err(format!(
                    "--sizes: has {bytes} bytes, must be multiples of --unit, {unit} bytes"
                ));
            }
            if bytes > Request::MAX_SIZE {
                return Err(format!(
                    "--sizes: has {bytes} bytes, must be less than 64 TiB"
                ));
            }
            if bytes / unit > units {
                return Err(format!(
                    "--sizes: has {bytes} bytes, {space} has only {units} units of {unit} bytes"
                ));
            }
        }
        let sizes = self.0.iter().map(|&(bytes, share)| (bytes / unit, share));
        Ok(Sizes::mix(sizes).unwrap_or(Sizes::all(1)))
    }
}
