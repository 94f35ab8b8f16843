//! Drives over flash of the caller.

use std::ffi::c_char;
use std::slice;

use ssdlab_config::{Config, Resolver};
use ssdlab_device::{Device, DeviceError, Registry, RequestBytes, Stack};
use ssdlab_flash::ProgramOrder;
use ssdlab_ftl::BufferAware;
use ssdlab_host::{Op, Request};

use crate::flash::{CFlash, SsdlabFlash};
use crate::{SSDLAB_DEFECT, SSDLAB_FAILED, SSDLAB_INVALID, SSDLAB_OK, guarded, tell, text};

/// What a drive of a configuration needs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SsdlabShape {
    /// Bytes for the host.
    pub capacity: u64,
    /// The RAM that a controller needs for its tables and its buffer, in bytes.
    pub controller_ram: u64,
    /// Bytes of a page.
    pub page_size: u32,
    /// Pages of an erase block.
    pub pages_per_block: u32,
    /// Logical pages.
    pub logical_pages: u32,
    /// Erase blocks that the flash must have.
    pub physical_blocks: u32,
    /// Whether the FTL programs the pages of a block in any order, which only small-block SLC flash allows.
    pub any_order: bool,
}

/// A drive: a write buffer and an FTL over flash of the caller. One thread at a time may use it.
pub struct SsdlabDrive {
    device: Device<CFlash>,
    discards: bool,
    /// A call failed: what is in memory may differ from the flash.
    failed: bool,
}

/// A configuration whose systems work over such flash.
fn resolved(settings: &str) -> Result<(Config, Stack<CFlash>, SsdlabShape), String> {
    let mut resolver = Resolver::new();
    let read = resolver.file("settings", settings.as_bytes());
    read.map_err(|error| error.to_string())?;
    // what is on the flash is what it says
    let set = resolver.set("precondition=empty");
    set.map_err(|error| error.to_string())?;
    let config = resolver.resolve().map_err(|error| error.to_string())?;
    if config.is_auto() {
        return Err("flash.capacity must be a size: there is no trace to fit".into());
    }
    let stack: Stack<CFlash> = config.stack(&Registry::built_in());
    let checked = config.check(&stack);
    checked.map_err(|impossible| format!("{} {}", impossible.key, impossible.why))?;
    let nature = stack.buffer_nature();
    let geometry = config.chip_geometry(&stack);
    for (is_wrong, why) in [
        (
            config.flash.separate_chips() > 1,
            "flash.interleave must be line or superpage: one FTL for all of the flash",
        ),
        (
            geometry.physical_blocks() == 0,
            "ftl.kind must be an FTL with flash",
        ),
        (
            nature.is_some_and(|nature| !nature.bounded || nature.foresees),
            "buffer.policy must be none or a buffer that a drive can have",
        ),
        (
            config.needs.future,
            "ftl.placement must be one that does not know the writes to come",
        ),
        (
            config.needs.aware.mode == BufferAware::Skip || config.needs.in_place,
            "ftl.buffer_aware = \"skip\" and ftl.gc_frontier = \"in-place\" lose data at a power cut",
        ),
        (
            // nothing tells the flash in which mode a block is
            config.needs.has_slc,
            "ftl.slc must be off: the functions of the flash have no modes of blocks",
        ),
        (
            config.needs.ram_pages > 0,
            "ftl.placement must not be dac+ or deb: their RAM would need a battery",
        ),
    ] {
        if is_wrong {
            return Err(why.into());
        }
    }
    let shape = SsdlabShape {
        capacity: config.flash.capacity,
        controller_ram: config.controller().ram_bytes.total().unwrap_or(0),
        page_size: geometry.page_size(),
        pages_per_block: geometry.pages_per_block(),
        logical_pages: geometry.logical_pages(),
        physical_blocks: geometry.all_blocks(),
        any_order: stack.program_order() == ProgramOrder::Any,
    };
    Ok((config, stack, shape))
}

/// What a drive with these settings needs. `settings` is the text of a configuration file, as the program takes it: TOML, also
/// with a preset. On SSDLAB_INVALID, `error` (of `error_length` bytes, or null) says why.
///
/// # Safety
/// `settings` is a text, `shape` points to a shape, and `error` is null or has room for `error_length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_shape(
    settings: *const c_char,
    shape: *mut SsdlabShape,
    error: *mut c_char,
    error_length: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function demands
        unsafe {
            let Some(settings) = text(settings).filter(|_| !shape.is_null()) else {
                tell(
                    "no settings, or no place for the shape",
                    error,
                    error_length,
                );
                return SSDLAB_INVALID;
            };
            match resolved(settings) {
                Ok((_, _, found)) => {
                    shape.write(found);
                    SSDLAB_OK
                }
                Err(why) => {
                    tell(&why, error, error_length);
                    SSDLAB_INVALID
                }
            }
        }
    })
}

/// Opens a drive: as new on erased flash, or else as the spare areas say. Reads each of them. Puts the drive at `drive`, to be
/// closed by ssdlab_close; on an error nothing is there, and `error` says why. `flash` is copied, its context is not.
///
/// # Safety
/// `settings` is a text, `flash` points to functions that take these arguments, `drive` to room for a pointer, and `error` is
/// null or has room for `error_length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_open(
    settings: *const c_char,
    flash: *const SsdlabFlash,
    drive: *mut *mut SsdlabDrive,
    error: *mut c_char,
    error_length: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function demands
        unsafe {
            let arguments = text(settings).filter(|_| !flash.is_null() && !drive.is_null());
            let Some(settings) = arguments else {
                tell(
                    "no settings, no flash, or no place for the drive",
                    error,
                    error_length,
                );
                return SSDLAB_INVALID;
            };
            match opened(settings, *flash) {
                Ok(opened) => {
                    drive.write(Box::into_raw(Box::new(opened)));
                    SSDLAB_OK
                }
                Err((code, why)) => {
                    tell(&why, error, error_length);
                    code
                }
            }
        }
    })
}

fn opened(settings: &str, flash: SsdlabFlash) -> Result<SsdlabDrive, (i32, String)> {
    let (config, stack, _) = resolved(settings).map_err(|why| (SSDLAB_INVALID, why))?;
    let missing = || {
        let why = "the flash needs program, read, read_spare and erase, and both functions of discards or none";
        (SSDLAB_INVALID, why.to_owned())
    };
    let mut flash = CFlash::new(flash, config.chip_geometry(&stack)).ok_or_else(missing)?;
    let failed = |why: String| (SSDLAB_FAILED, why);
    let is_new = flash.scan().map_err(|fault| failed(fault.to_string()))?;
    let discards = flash.discards();
    let device = match is_new {
        true => Device::fresh_with(&config, &stack, vec![flash]),
        false => Device::mount(&config, &stack, vec![flash])
            .map_err(|(_, error)| failed(error.to_string()))?,
    };
    Ok(SsdlabDrive {
        device,
        discards,
        failed: false,
    })
}

/// Closes a drive without a flush: what was not flushed may be lost, as at a power cut. Null is no drive.
///
/// # Safety
/// `drive` is null or from ssdlab_open, and not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_close(drive: *mut SsdlabDrive) {
    if !drive.is_null() {
        guarded(|| {
            // SAFETY: as this function demands
            drop(unsafe { Box::from_raw(drive) });
            SSDLAB_OK
        });
    }
}

/// Serves a request.
///
/// # Safety
/// `drive` is null or an open drive.
unsafe fn submit(drive: *mut SsdlabDrive, op: Op, offset: u64, size: u64, data: &mut [u8]) -> i32 {
    // SAFETY: as this function demands
    let Some(drive) = (unsafe { drive.as_mut() }) else {
        return SSDLAB_INVALID;
    };
    let Some(request) = Request::new(0, op, offset, size) else {
        return SSDLAB_INVALID;
    };
    if op == Op::Discard && !drive.discards {
        return SSDLAB_INVALID;
    }
    if drive.failed {
        return SSDLAB_FAILED;
    }
    // stays if the device panics
    drive.failed = true;
    let served = guarded(
        || match drive.device.submit(&request, &mut RequestBytes(data)) {
            Ok(()) => SSDLAB_OK,
            Err(DeviceError::Empty | DeviceError::PastCapacity { .. }) => SSDLAB_INVALID,
            Err(DeviceError::Ftl(_)) => SSDLAB_FAILED,
            Err(_) => SSDLAB_DEFECT,
        },
    );
    drive.failed = !matches!(served, SSDLAB_OK | SSDLAB_INVALID);
    served
}

/// Writes `size` bytes from `offset` on. They survive a power cut after the next ssdlab_flush.
///
/// # Safety
/// `drive` is an open drive, and there are `size` bytes at `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_write(
    drive: *mut SsdlabDrive,
    offset: u64,
    data: *const u8,
    size: usize,
) -> i32 {
    if data.is_null() {
        return SSDLAB_INVALID;
    }
    // SAFETY: as this function demands
    unsafe {
        let mut copy = slice::from_raw_parts(data, size).to_vec();
        submit(drive, Op::Write, offset, size as u64, &mut copy)
    }
}

/// Reads `size` bytes from `offset` on. What was never written, or was discarded, is zeros.
///
/// # Safety
/// `drive` is an open drive, and there is room for `size` bytes at `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_read(
    drive: *mut SsdlabDrive,
    offset: u64,
    data: *mut u8,
    size: usize,
) -> i32 {
    if data.is_null() {
        return SSDLAB_INVALID;
    }
    // SAFETY: as this function demands
    unsafe {
        let data = slice::from_raw_parts_mut(data, size);
        submit(drive, Op::Read, offset, size as u64, data)
    }
}

/// Writes the buffer back. What was written before survives a power cut.
///
/// # Safety
/// `drive` is an open drive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_flush(drive: *mut SsdlabDrive) -> i32 {
    // SAFETY: as this function demands
    unsafe { submit(drive, Op::Flush, 0, 0, &mut []) }
}

/// Discards the whole pages in a range of bytes, which then read as zeros.
///
/// # Safety
/// `drive` is an open drive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_discard(drive: *mut SsdlabDrive, offset: u64, size: u64) -> i32 {
    // SAFETY: as this function demands
    unsafe { submit(drive, Op::Discard, offset, size, &mut []) }
}

/// The value of a counter since the drive was opened, by its name in docs/semantics.md: "erases", "host_write_pages".
///
/// # Safety
/// `drive` is an open drive, `name` a text, and `value` points to room for the value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ssdlab_counter(
    drive: *const SsdlabDrive,
    name: *const c_char,
    value: *mut u64,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function demands
        let (drive, name) = unsafe { (drive.as_ref(), text(name)) };
        let Some((drive, name)) = drive.zip(name).filter(|_| !value.is_null()) else {
            return SSDLAB_INVALID;
        };
        let entries = drive.device.counters().entries();
        let Some((_, counted)) = entries.iter().find(|(other, _)| *other == name) else {
            return SSDLAB_INVALID;
        };
        // SAFETY: as this function demands
        unsafe { value.write(*counted) };
        SSDLAB_OK
    })
}
