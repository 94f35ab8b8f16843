//! Spatial sampling: some groups of addresses, chosen by a hash, with all that happens in them.
//!
//! A device with the same share of the capacity, of the write buffer and of the log blocks, and with the same
//! over-provisioning, cleans as the whole one does, if the groups behave like the others. `docs/sampling.md` says how
//! far that is so.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use ssdlab_host::{Op, Request};
use ssdlab_trace::ReadOptions;
use ssdlab_words::{bytes, thousands};

use crate::convert::{Convert, Converted, Steps, touched};
use crate::error::ConvertError;
use crate::fit::Mover;
use crate::groups::{Packing, Touched};
use crate::select;
use crate::target::Target;

/// The most groups that a trace may touch: each of them may be kept, and those beside it not.
const MOST: u64 = 1 << 28;

/// The share of the groups that are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    share: f64,
}

impl Rate {
    /// A share above 0, at most 1.
    pub fn new(share: f64) -> Option<Rate> {
        (share > 0.0 && share <= 1.0).then_some(Rate { share })
    }

    /// `1/64`, `0.05` or `5%`.
    pub fn parse(text: &str) -> Option<Rate> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        Rate::new(match (text.split_once('/'), text.strip_suffix('%')) {
            (Some((part, whole)), _) => number(part)? / number(whole)?,
            (None, Some(percent)) => number(percent)? / 100.0,
            (None, None) => number(text)?,
        })
    }

    /// The share.
    pub const fn share(self) -> f64 {
        self.share
    }

    /// Whether a hash is below the share of all hashes.
    fn keeps(self, hash: u64) -> bool {
        // 53 bits, which a float holds exactly
        ((hash >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }
}

/// How a trace is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The share of the groups that are kept. The groups of a smaller rate are among those of a larger one.
    pub rate: Rate,
    /// Another seed keeps other groups.
    pub seed: u64,
    /// Bytes of a group.
    pub group: u64,
}

/// What was sampled.
#[derive(Clone, Debug, Serialize)]
pub struct Sampled {
    /// What was read and written.
    #[serde(flatten)]
    pub converted: Converted,
    /// What was kept.
    #[serde(flatten)]
    pub kept: Kept,
}

/// The groups of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Bytes of a group.
    pub group: u64,
    /// Groups that reads or writes touch.
    pub groups: u64,
    /// Those of them that were kept.
    pub groups_kept: u64,
}

impl Kept {
    /// The share of the groups that was kept; the rate is what was asked for.
    pub fn share(&self) -> f64 {
        self.groups_kept as f64 / self.groups as f64
    }

    /// A size or number of the whole device, scaled to the sample: to the nearest multiple of `step`, at least one.
    pub fn scaled(&self, size: u64, step: u64) -> u64 {
        let steps = (size as f64 * self.share() / step as f64).round() as u64;
        steps.max(1).saturating_mul(step)
    }

    /// A capacity, scaled to the sample: whole groups, and room for all that were kept.
    pub fn scaled_capacity(&self, capacity: u64) -> u64 {
        let kept = self.groups_kept.saturating_mul(self.group);
        self.scaled(capacity, self.group).max(kept)
    }
}

impl Sample {
    /// Samples the trace at `path`, which is read twice. Kept groups are packed without gaps in the order of their
    /// addresses; requests are cut to them; flushes stay. Returns the output, which is not flushed.
    ///
    /// # Errors
    /// As [`Convert::run`]; too many groups, or none that is kept.
    pub fn run<W: Write + Send>(
        &self,
        path: &Path,
        read: &ReadOptions,
        target: Target,
        out: W,
    ) -> Result<(W, Sampled), ConvertError> {
        let convert = Convert::default();
        let (touched, _, identity) = touched(path, read, &convert.select, self.group)?;
        let touched = &touched[0];
        if touched.count() > MOST {
            return Err(ConvertError::Refused(format!(
                "--group {}: the trace touches {} groups, and at most {} can be sampled; choose larger groups",
                bytes(self.group),
                thousands(touched.count()),
                thousands(MOST)
            )));
        }
        let packing = self.packing(touched);
        let (groups, groups_kept) = (touched.count(), packing.groups());
        if groups_kept == 0 {
            return Err(ConvertError::Refused(format!(
                "--rate: none of the {groups} groups of {} that the trace touches is kept; choose a larger rate, a smaller \
                 --group or another --seed",
                bytes(self.group)
            )));
        }
        let notes = [
            "in groups that are not kept",
            "cut at the ends of kept groups",
        ];
        let steps = Steps {
            select: &convert.select,
            movers: vec![Mover::packed(packing, notes)],
            identity: Some(identity),
        };
        let (out, converted) = convert.write(path, read, target, out, steps)?;
        let sampled = Sampled {
            converted,
            kept: Kept {
                group: self.group,
                groups,
                groups_kept,
            },
        };
        Ok((out, sampled))
    }

    /// Samples requests in memory. `each` passes all of them, and is called twice.
    ///
    /// # Errors
    /// The error of `each`.
    pub fn requests<E>(
        &self,
        each: impl Fn(&mut dyn FnMut(&Request)) -> Result<(), E>,
    ) -> Result<(Vec<Request>, Kept), E> {
        let mut touched = Touched::default();
        each(&mut |request| {
            if matches!(request.op(), Op::Read | Op::Write) {
                touched.add(request, self.group);
            }
        })?;
        let packing = self.packing(&touched);
        let mut requests = Vec::new();
        each(&mut |request| {
            let part = packing.part(request);
            let part = part.filter(|(_, size)| *size > 0 || request.op() == Op::Flush);
            requests.extend(
                part.and_then(|(offset, size)| {
                    select::part(request, request.time_ns, offset, size)
                }),
            );
        })?;
        let kept = Kept {
            group: self.group,
            groups: touched.count(),
            groups_kept: packing.groups(),
        };
        Ok((requests, kept))
    }

    /// The groups that are kept.
    fn packing(&self, touched: &Touched) -> Packing {
        let groups = touched.runs().flatten();
        let kept = groups.filter(|&group| self.rate.keeps(hash(self.seed, group)));
        Packing::new(self.group, kept.map(|group| group..group + 1))
    }
}

/// A well-spread hash: the finaliser of SplitMix64 (Steele, Lea and Flood 2014), once for the seed and once for the group.
fn hash(seed: u64, group: u64) -> u64 {
    mixed(mixed(seed.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ group)
}

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
