//! The flash of tests. A page holds a version number.

use ssdlab_flash::{
    Array, Check, Cut, Fault, Geometry, InFlight, Lpn, Media, Pbn, PowerCut, Ppn, Role, Spare,
    SpareState,
};

use crate::recorder::Recorder;

/// A cut that never comes.
pub(crate) const NEVER: Cut = Cut {
    at: 0,
    in_flight: InFlight::Done,
    lose: None,
};

/// Flash in every form in which tests use it. It is one type, so that all systems are compiled for it once.
#[derive(Clone)]
pub enum Flash {
    /// Refuses to erase what is valid.
    Checked(Check<Array<u64>>),
    /// Loses power.
    Cut(PowerCut<u64>),
    /// Records positions and runs.
    Recorded(Recorder<Array<u64>>),
}

impl Flash {
    /// Flash that refuses to erase what is valid.
    pub fn checked(array: Array<u64>) -> Result<Self, Fault> {
        Ok(Self::Checked(Check::new(array)?))
    }

    /// Flash that loses power.
    pub fn cut(array: Array<u64>, cut: Cut) -> Self {
        Self::Cut(PowerCut::new(array, cut))
    }

    /// Flash that is stopped between two operations only.
    pub fn stoppable(array: Array<u64>) -> Result<Self, Fault> {
        Ok(Self::cut(array, NEVER))
    }

    /// Flash that records positions and runs.
    pub fn recorded(array: Array<u64>) -> Result<Self, Fault> {
        Ok(Self::Recorded(Recorder::new(array)))
    }

    /// The flash without its power: what a mount finds.
    ///
    /// # Panics
    /// If the flash cannot lose power.
    pub fn into_array(self) -> Array<u64> {
        match self {
            Self::Cut(cut) => cut.into_array(),
            _ => panic!("flash without power cuts"),
        }
    }

    /// See [`PowerCut::set_effect`].
    ///
    /// # Panics
    /// As there, and as [`Self::into_array`].
    pub fn set_effect(&mut self, in_flight: InFlight, lose: Option<u64>) {
        match self {
            Self::Cut(cut) => cut.set_effect(in_flight, lose),
            _ => panic!("flash without power cuts"),
        }
    }

    /// The same flash after a stop: what a mount finds.
    ///
    /// # Panics
    /// As [`Self::into_array`].
    pub fn restarted(self) -> Self {
        Self::stoppable(self.into_array()).expect("no operation")
    }

    /// See [`PowerCut::operations`].
    ///
    /// # Panics
    /// As [`Self::into_array`].
    pub fn operations(&self) -> u64 {
        match self {
            Self::Cut(cut) => cut.operations(),
            _ => panic!("flash without power cuts"),
        }
    }

    /// The checks, which know the newest version of each page.
    ///
    /// # Panics
    /// If the flash has none.
    pub fn check(&self) -> &Check<Array<u64>> {
        match self {
            Self::Checked(check) => check,
            _ => panic!("flash without checks"),
        }
    }

    /// The records.
    ///
    /// # Panics
    /// If the flash has none.
    pub fn recorder(&self) -> &Recorder<Array<u64>> {
        match self {
            Self::Recorded(recorder) => recorder,
            _ => panic!("flash without records"),
        }
    }
}

/// The same call for every form.
macro_rules! each {
    ($flash:expr, $inner:ident => $call:expr) => {
        match $flash {
            Flash::Checked($inner) => $call,
            Flash::Cut($inner) => $call,
            Flash::Recorded($inner) => $call,
        }
    };
}

impl Media for Flash {
    type Data = u64;

    fn geometry(&self) -> &Geometry {
        each!(self, flash => flash.geometry())
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &u64) -> Result<(), Fault> {
        each!(self, flash => flash.program(to, spare, page))
    }

    fn program_run(&mut self, to: Ppn, count: u32, first: Spare, page: &u64) -> Result<(), Fault> {
        each!(self, flash => flash.program_run(to, count, first, page))
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        each!(self, flash => flash.copy(from, to, spare))
    }

    fn copy_run(&mut self, from: Ppn, to: Ppn, count: u32, first: Spare) -> Result<(), Fault> {
        each!(self, flash => flash.copy_run(from, to, count, first))
    }

    fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        each!(self, flash => flash.copy_pages(pages, to, role))
    }

    fn read(&mut self, at: Ppn, into: &mut u64) -> Result<(), Fault> {
        each!(self, flash => flash.read(at, into))
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        each!(self, flash => flash.erase(block))
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        each!(self, flash => flash.barrier())
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        each!(self, flash => flash.record_discard(lpn))
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        each!(self, flash => flash.discarded_at(lpn))
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        each!(self, flash => flash.read_spare(at))
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        each!(self, flash => flash.erase_count(block))
    }
}
