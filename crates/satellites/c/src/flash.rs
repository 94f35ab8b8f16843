//! Flash that is a set of C functions.

use std::ffi::c_void;

use ssdlab_flash::{
    Bytes, Fault, Geometry, Lpn, Media, Payload, Pbn, Ppn, Role, Spare, SpareState,
};

use crate::{
    SSDLAB_ERASE_FAILED, SSDLAB_ERASED, SSDLAB_GOOD, SSDLAB_OK, SSDLAB_POWER_LOST,
    SSDLAB_PROGRAM_FAILED, SSDLAB_UNCORRECTABLE,
};

/// The metadata of a page, which its program writes with it, whole or not at all: 13 bytes of the spare area.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SsdlabSpare {
    /// Grows with every program and discard of the drive.
    pub sequence: u64,
    /// The logical page that the page holds.
    pub page: u32,
    /// Why the FTL programmed it.
    pub role: u8,
    /// SSDLAB_ERASED, SSDLAB_TORN or SSDLAB_GOOD; set by `read_spare`.
    pub state: u8,
}

/// The flash below a drive. Each function gets `context` first, is called from the thread that called the drive, and returns
/// SSDLAB_OK, a code of the flash, or a negative code of its own, with which the drive fails. Pages of the flash are numbered
/// through: block * pages of a block + place in the block.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SsdlabFlash {
    /// The first argument of every function.
    pub context: *mut c_void,
    /// Programs a page and its spare area. Pages of a block are programmed in ascending order, each once until the next erase,
    /// unless `any_order` of the shape is set.
    pub program: Option<
        unsafe extern "C" fn(
            *mut c_void,
            at: u32,
            data: *const u8,
            spare: *const SsdlabSpare,
        ) -> i32,
    >,
    /// Reads a programmed page.
    pub read: Option<unsafe extern "C" fn(*mut c_void, at: u32, data: *mut u8) -> i32>,
    /// Reads the spare area of a page, with its state. Called for every page when the drive is mounted.
    pub read_spare:
        Option<unsafe extern "C" fn(*mut c_void, at: u32, spare: *mut SsdlabSpare) -> i32>,
    /// Erases a block.
    pub erase: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> i32>,
    /// Returns when all earlier operations are durable. Null if each is when it returns.
    pub barrier: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// The erases of a block so far. Null: they are counted from 0 when the drive is opened.
    pub erase_count: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> u32>,
    /// Records outside these blocks that a logical page was discarded, with a sequence number. Null: discards are refused.
    pub record_discard: Option<unsafe extern "C" fn(*mut c_void, page: u32, sequence: u64) -> i32>,
    /// The sequence number of the last record of a page; 0 if there is none. Null if `record_discard` is.
    pub discarded_at:
        Option<unsafe extern "C" fn(*mut c_void, page: u32, sequence: *mut u64) -> i32>,
}

/// The flash as the FTLs see it.
pub struct CFlash {
    flash: SsdlabFlash,
    geometry: Geometry,
    sequence: u64,
    /// If the flash does not count them.
    erases: Vec<u32>,
    page: Bytes,
}

// SAFETY: a drive is used by one thread at a time, which the header demands; its flash is used only by its calls
unsafe impl Send for CFlash {}

impl CFlash {
    /// `None` if a function that is needed is missing.
    pub fn new(flash: SsdlabFlash, geometry: Geometry) -> Option<Self> {
        let is_whole = flash.program.is_some()
            && flash.read.is_some()
            && flash.read_spare.is_some()
            && flash.erase.is_some()
            && flash.record_discard.is_some() == flash.discarded_at.is_some();
        is_whole.then(|| Self {
            flash,
            sequence: 0,
            erases: vec![0; geometry.all_blocks() as usize],
            page: Bytes::blank(geometry.page_size()),
            geometry,
        })
    }

    /// Finds the newest sequence number, which must grow on, and returns whether all pages are erased.
    pub fn scan(&mut self) -> Result<bool, Fault> {
        let mut is_erased = true;
        for at in 0..self.geometry.all_pages() {
            match self.read_spare(Ppn(at))? {
                SpareState::Erased => {}
                SpareState::Torn => is_erased = false,
                SpareState::Good(_, sequence) => {
                    is_erased = false;
                    self.sequence = self.sequence.max(sequence);
                }
            }
        }
        for page in 0..self.geometry.logical_pages() {
            self.sequence = self.sequence.max(self.discarded_at(Lpn(page))?);
        }
        Ok(is_erased)
    }

    /// Whether discards can be recorded.
    pub fn discards(&self) -> bool {
        self.flash.record_discard.is_some()
    }
}

/// What a code of the flash means for a page and its block.
fn fault(code: i32, at: Ppn, block: Pbn) -> Result<(), Fault> {
    Err(match code {
        SSDLAB_OK => return Ok(()),
        SSDLAB_PROGRAM_FAILED => Fault::ProgramFailed(at),
        SSDLAB_ERASE_FAILED => Fault::EraseFailed(block),
        SSDLAB_UNCORRECTABLE => Fault::Uncorrectable(at),
        SSDLAB_POWER_LOST => Fault::PowerLost,
        code => Fault::Io(code),
    })
}

/// A function that [`CFlash::new`] has found.
fn present<F>(function: Option<F>) -> F {
    function.expect("checked when the drive was opened")
}

impl Media for CFlash {
    type Data = Bytes;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &Bytes) -> Result<(), Fault> {
        self.sequence += 1;
        let spare = SsdlabSpare {
            sequence: self.sequence,
            page: spare.lpn.0,
            role: spare.role.0,
            state: SSDLAB_GOOD,
        };
        // SAFETY: the functions are those of the caller, who promises that they take these arguments
        let code = unsafe {
            present(self.flash.program)(self.flash.context, to.0, page.0.as_ptr(), &spare)
        };
        fault(code, to, self.geometry.block_of(to))
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        let mut page = std::mem::replace(&mut self.page, Bytes(Box::default()));
        let copied = self
            .read(from, &mut page)
            .and_then(|()| self.program(to, spare, &page));
        self.page = page;
        copied
    }

    fn read(&mut self, at: Ppn, into: &mut Bytes) -> Result<(), Fault> {
        // SAFETY: as above; the page has as many bytes as the geometry says
        let code =
            unsafe { present(self.flash.read)(self.flash.context, at.0, into.0.as_mut_ptr()) };
        fault(code, at, self.geometry.block_of(at))
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        // SAFETY: as above
        let code = unsafe { present(self.flash.erase)(self.flash.context, block.0) };
        fault(code, self.geometry.ppn(block, 0), block)?;
        let erases = &mut self.erases[block.index()];
        *erases = erases.saturating_add(1);
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        // SAFETY: as above
        let code = self
            .flash
            .barrier
            .map_or(SSDLAB_OK, |barrier| unsafe { barrier(self.flash.context) });
        fault(code, Ppn(0), Pbn(0))
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        let Some(record) = self.flash.record_discard else {
            return Err(Fault::Io(-1));
        };
        self.sequence += 1;
        // SAFETY: as above
        let code = unsafe { record(self.flash.context, lpn.0, self.sequence) };
        fault(code, Ppn(0), Pbn(0))
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        let Some(discarded_at) = self.flash.discarded_at else {
            return Ok(0);
        };
        let mut sequence = 0;
        // SAFETY: as above
        let code = unsafe { discarded_at(self.flash.context, lpn.0, &mut sequence) };
        fault(code, Ppn(0), Pbn(0)).map(|()| sequence)
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        let mut spare = SsdlabSpare::default();
        // SAFETY: as above
        let code = unsafe { present(self.flash.read_spare)(self.flash.context, at.0, &mut spare) };
        fault(code, at, self.geometry.block_of(at))?;
        Ok(match spare.state {
            SSDLAB_ERASED => SpareState::Erased,
            SSDLAB_GOOD => {
                let lpn = Lpn(spare.page);
                let role = Role(spare.role);
                SpareState::Good(Spare { lpn, role }, spare.sequence)
            }
            _ => SpareState::Torn,
        })
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        match self.flash.erase_count {
            // SAFETY: as above
            Some(count) => unsafe { count(self.flash.context, block.0) },
            None => self.erases[block.index()],
        }
    }
}
