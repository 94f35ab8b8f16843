//! What is known of a drive, and the fill that follows.

use ssdlab_theory::{Fill, What, WhenFull};

use super::description::{Drive, Mean, Phase, States};

/// GB of a page of the form, so small that a block has no effect.
const PAGE: f64 = 0.001;

/// Figures of a drive's fill. GB and MB/s; `None`: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// What the cache takes.
    pub cache: Option<f64>,
    /// The speed within it.
    pub fast: Option<f64>,
    /// The speed behind it.
    pub behind: Option<f64>,
    /// Where a second, slower step begins; the capacity if there is none.
    pub step: Option<f64>,
    /// The speed of that step.
    pub last: Option<f64>,
    /// The mean speed of the whole fill.
    pub mean: Option<f64>,
}

impl Figures {
    /// What was measured.
    pub fn measured(drive: &Drive, phases: &[Phase], means: &[Mean]) -> Self {
        let of = |number: u8| {
            let phases = phases.iter();
            phases.filter(move |phase| phase.id == drive.id && phase.phase == number)
        };
        // a second phase that begins nobody knows where says that the first was not seen to its end
        let seen = of(2).all(|phase| phase.from_gb.is_some());
        let cache = of(1).next_back().and_then(|phase| phase.to_gb);
        let seconds: Option<Vec<f64>> = of(1)
            .map(|phase| Some((phase.to_gb? - phase.from_gb?) / phase.mb_s))
            .collect();
        let fast = seconds.and_then(|seconds| Some(cache? / seconds.iter().sum::<f64>()));
        let ends = |gb: &f64| *gb >= drive.capacity_gb;
        let last = of(3).next();
        let direct = of(2).next_back();
        Self {
            cache: cache.filter(|_| seen),
            fast,
            behind: of(2).next().map(|phase| phase.mb_s),
            step: match last {
                Some(last) => last.from_gb,
                None => direct.and_then(|phase| phase.to_gb).filter(ends),
            },
            last: last.map(|phase| phase.mb_s),
            mean: means
                .iter()
                .find(|mean| mean.id == drive.id)
                .map(|mean| mean.mean_mb_s),
        }
    }

    /// The mean that its own phases give, if they reach the end of the drive.
    pub fn mean_of_phases(&self, drive: &Drive) -> Option<f64> {
        let (cache, step) = (self.cache?, self.step?);
        let mut seconds = cache / self.fast? + (step - cache) / self.behind?;
        if step < drive.capacity_gb {
            seconds += (drive.capacity_gb - step) / self.last?;
        }
        Some(drive.capacity_gb / seconds)
    }
}

/// A number that a review gives, in place of one of the sheet or of what no sheet has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Cache,
    Fast,
    Behind,
    Last,
}

impl Number {
    /// All.
    pub const ALL: [Self; 4] = [Self::Cache, Self::Fast, Self::Behind, Self::Last];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cache => "size of the cache",
            Self::Fast => "speed within it",
            Self::Behind => "speed behind it",
            Self::Last => "speed of the last step",
        }
    }
}

/// What is known of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    capacity: f64,
    flash: Option<f64>,
    bits: f64,
    /// GB in fixed blocks, and at most in others.
    fixed: f64,
    dynamic: Option<f64>,
    fast: f64,
    behind: Option<f64>,
    /// The speed of the last step, if it is not that of the form.
    last: Option<f64>,
}

impl Known {
    /// What the sheet says. A cache that it calls dynamic may take all flash.
    pub fn of_sheet(drive: &Drive) -> Self {
        let bits = f64::from(drive.cell as u8);
        let fixed = drive.sheet_fixed_gb.unwrap_or(0.0);
        Self {
            capacity: drive.capacity_gb,
            flash: drive.raw_gb,
            bits,
            fixed,
            dynamic: match drive.sheet_states {
                States::Size | States::Share => drive.sheet_slc_gb.map(|all| all - fixed),
                States::Dynamic => drive.raw_gb.map(|raw| raw / bits),
                States::None => None,
            },
            fast: drive.sheet_write_mb_s,
            behind: drive.sheet_after_mb_s,
            last: None,
        }
    }

    /// With a measured number; `None`: it was not measured.
    pub fn with(mut self, number: Number, measured: &Figures) -> Option<Self> {
        match number {
            Number::Cache => self.dynamic = Some(measured.cache? - self.fixed),
            Number::Fast => self.fast = measured.fast?,
            Number::Behind => self.behind = Some(measured.behind?),
            // a fill that stays as fast as behind the cache to its end has a last step of that speed
            Number::Last => self.last = Some(measured.last.or(measured.step.and(measured.behind))?),
        }
        Some(self)
    }

    /// The numbers that the sheet has not, as far as they were measured. A size that is only called dynamic is none.
    pub fn completed(self, drive: &Drive, measured: &Figures) -> (Self, Vec<Number>) {
        let states = matches!(drive.sheet_states, States::Size | States::Share);
        let lacking = [
            (!states).then_some(Number::Cache),
            self.behind.is_none().then_some(Number::Behind),
        ];
        let mut known = self;
        let mut taken = Vec::new();
        for number in lacking.into_iter().flatten() {
            if let Some(with) = known.with(number, measured) {
                known = with;
                taken.push(number);
            }
        }
        (known, taken)
    }

    /// The fill by the closed form; phases that are a smaller share of the drive than `seen` are none.
    pub fn figures(&self, seen: f64) -> Figures {
        let cache = self.dynamic.map(|dynamic| self.fixed + dynamic);
        let mut found = Figures {
            cache,
            fast: Some(self.fast),
            behind: self.behind,
            ..Figures::default()
        };
        let (Some(dynamic), Some(behind), Some(flash)) = (self.dynamic, self.behind, self.flash)
        else {
            return found;
        };
        let mut fill = Fill {
            logical: self.capacity / PAGE,
            native: flash / self.bits / PAGE - self.fixed / PAGE,
            gc_low: 0.0,
            pages: self.bits,
            slc_pages: 1.0,
            fixed: self.fixed / PAGE,
            dynamic: (dynamic > 0.0).then_some(dynamic / PAGE),
            gone: 0.0,
            keep: 0.0,
            cache_speed: self.fast,
            native_speed: behind,
            fold: 1.0,
            erase: 0.0,
            full: WhenFull::Direct,
        };
        let is_seen = |pages: f64| pages * PAGE >= seen * self.capacity;
        let after = |fill: &Fill| {
            let mut phases = fill.phases(0.0);
            phases.retain(|phase| phase.what != What::Cache && is_seen(phase.pages));
            phases
        };
        match &after(&fill)[..] {
            // no direct phase is seen: the speed behind the cache is that of folding
            [only] if only.what == What::Folding => {
                fill.native_speed *= behind / only.speed;
            }
            [_, _] => {
                if let Some(last) = self.last {
                    fill.fold = (behind / last - 1.0) * (self.bits - 1.0);
                }
            }
            _ => {}
        }
        let phases = fill.phases(0.0);
        let seconds: f64 = phases.iter().map(|phase| phase.pages / phase.speed).sum();
        found.mean = Some(fill.logical / seconds);
        (found.step, found.last) = match &after(&fill)[..] {
            [_, last] if last.speed < 0.99 * behind => {
                (Some(self.capacity - last.pages * PAGE), Some(last.speed))
            }
            _ => (Some(self.capacity), None),
        };
        found
    }
}
