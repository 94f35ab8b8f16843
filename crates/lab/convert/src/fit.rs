//! Addresses that are moved so that they fit a smaller device.

use ssdlab_host::{Op, Request};
use ssdlab_words::bytes;

use crate::groups::{Packing, Touched};
use crate::notes::Notes;
use crate::select::part;

/// How addresses fit a size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The groups of this many bytes that reads and writes touch are packed without gaps, in the order of their addresses.
    /// The trace is read twice. Discards are cut to these groups.
    Packed {
        /// Bytes.
        size: u64,
        /// Bytes of a group.
        group: u64,
    },
    /// Addresses are taken modulo this size; a request that goes over its end is cut there.
    Wrapped {
        /// Bytes.
        size: u64,
    },
}

/// Moves the requests of one volume.
pub(crate) struct Mover {
    to: Place,
    /// The notes of a request of which nothing stays, and of one that is cut.
    notes: [&'static str; 2],
}

enum Place {
    Packed(Packing),
    /// Modulo a size.
    Wrapped(u64),
}

impl Fit {
    /// Moves requests after the groups of all of them are known; `volume`: for the message.
    ///
    /// # Errors
    /// The groups do not fit.
    pub(crate) fn mover(self, touched: &Touched, volume: Option<&str>) -> Result<Mover, String> {
        let (size, group) = match self {
            Fit::Wrapped { size } => return Ok(Mover::wrapped(size)),
            Fit::Packed { size, group } => (size, group),
        };
        let packing = Packing::new(group, touched.runs());
        if packing.groups() > size / group {
            let of = volume.map_or(String::new(), |volume| format!(" of volume {volume}"));
            return Err(format!(
                "--scale-to {}: reads and writes{of} touch {} groups of {}, which need {}; choose at least that, a smaller \
                 --block, a part of the trace, or --wrap",
                bytes(size),
                packing.groups(),
                bytes(group),
                bytes(packing.groups().saturating_mul(group))
            ));
        }
        Ok(Mover::packed(
            packing,
            [
                "discards of what is neither read nor written",
                "cut by --scale-to",
            ],
        ))
    }

    /// The size of the groups that must be known first.
    pub(crate) const fn group(self) -> Option<u64> {
        match self {
            Fit::Packed { group, .. } => Some(group),
            Fit::Wrapped { .. } => None,
        }
    }
}

impl Mover {
    /// To packed groups.
    pub const fn packed(packing: Packing, notes: [&'static str; 2]) -> Self {
        let to = Place::Packed(packing);
        Self { to, notes }
    }

    const fn wrapped(size: u64) -> Self {
        let to = Place::Wrapped(size);
        let notes = ["", "cut by --scale-to"];
        Self { to, notes }
    }

    /// Calls `emit` with the parts of a request.
    ///
    /// # Errors
    /// The first error of `emit`; or a request that is larger than the device.
    pub fn each<E: From<String>>(
        &self,
        request: &Request,
        notes: &mut Notes,
        mut emit: impl FnMut(&Request) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut moved = 0;
        let mut count = 0;
        let mut emit = |(offset, size): (u64, u64)| {
            (moved, count) = (moved + size, count + 1);
            part(request, request.time_ns, offset, size).map_or(Ok(()), |part| emit(&part))
        };
        match &self.to {
            Place::Packed(packing) => packing.part(request).into_iter().try_for_each(&mut emit)?,
            Place::Wrapped(size) => wrapped(request, *size)?.try_for_each(&mut emit)?,
        }
        if count == 0 {
            notes.leave_out(self.notes[0]);
        } else if moved < request.size() || count > 1 {
            notes.change(self.notes[1]);
        }
        Ok(())
    }
}

/// The parts of a request modulo a size.
fn wrapped(
    request: &Request,
    size: u64,
) -> Result<impl Iterator<Item = (u64, u64)> + use<>, String> {
    let length = match request.op() {
        // all of the device
        Op::Discard => request.size().min(size),
        _ => request.size(),
    };
    if length > size {
        return Err(format!(
            "a request of {} bytes, more than --scale-to {}",
            length,
            bytes(size)
        ));
    }
    let start = request.offset % size;
    let before = length.min(size - start);
    let behind = (before < length).then(|| (0, length - before));
    Ok([Some((start, before)), behind].into_iter().flatten())
}
