//! Flash that keeps a record of what is done to it, and its state after each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ssdlab_flash::{Array, Fault, Geometry, Lpn, Media, Pbn, Ppn, Role, Spare, SpareState};
use ssdlab_ftl::{Event, MergeKind};

/// What happened, in order.
#[derive(Clone, Debug)]
pub enum Act {
    Program(Ppn, Spare),
    Copy(Ppn, Ppn, Spare),
    Erase(Pbn),
    Discard(Lpn),
    /// The device told it.
    Told(Event),
}

/// The record that the flash and the device share.
#[derive(Clone, Default)]
pub struct Record(Arc<Mutex<Vec<Act>>>);

impl Record {
    fn acts(&self) -> MutexGuard<'_, Vec<Act>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, act: Act) {
        self.acts().push(act);
    }

    /// What was recorded since the last call.
    pub fn take(&self) -> Vec<Act> {
        std::mem::take(&mut self.acts())
    }
}

/// Flash in memory that records.
pub struct Watched {
    media: Array<()>,
    record: Record,
}

impl Watched {
    pub fn new(media: Array<()>, record: Record) -> Self {
        Self { media, record }
    }
}

// runs come page by page: each is recorded
impl Media for Watched {
    type Data = ();

    fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &()) -> Result<(), Fault> {
        self.media.program(to, spare, page)?;
        self.record.push(Act::Program(to, spare));
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.media.copy(from, to, spare)?;
        self.record.push(Act::Copy(from, to, spare));
        Ok(())
    }

    fn read(&mut self, at: Ppn, into: &mut ()) -> Result<(), Fault> {
        self.media.read(at, into)
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.media.erase(block)?;
        self.record.push(Act::Erase(block));
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        self.media.barrier()
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.media.record_discard(lpn)?;
        self.record.push(Act::Discard(lpn));
        Ok(())
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        self.media.discarded_at(lpn)
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        self.media.read_spare(at)
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.media.erase_count(block)
    }
}

/// A physical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Erased,
    /// The newest version of a page.
    Valid(u32),
    /// An older one.
    Invalid(u32),
}

/// A physical block that is not erased, and what the FTL uses it for.
pub type Use = Option<Role>;

/// The state of all flash.
#[derive(Clone, Debug)]
pub struct Flash {
    pub pages_per_block: u32,
    pub cells: Vec<Cell>,
    pub uses: Vec<Use>,
    pub erases: Vec<u32>,
    /// The place of the newest version of each logical page.
    newest: Vec<Option<u32>>,
}

/// The merge that begins in a frame.
#[derive(Clone, Debug)]
pub struct Merge {
    pub kind: MergeKind,
    pub lbn: u32,
    pub log: u32,
    pub data: Option<u32>,
    pub to: u32,
}

/// Some acts that belong together, and the state behind them.
#[derive(Clone, Debug)]
pub struct Frame {
    pub flash: Flash,
    /// Pages that were programmed.
    pub programmed: Vec<u32>,
    /// Pages that were copied: from, to.
    pub copies: Vec<(u32, u32)>,
    /// Blocks that were erased.
    pub erased: Vec<u32>,
    pub merge: Option<Merge>,
    /// The block that cleaning has chosen.
    pub cleaned: Option<u32>,
}

impl Frame {
    fn of(flash: &Flash) -> Self {
        Self {
            flash: flash.clone(),
            programmed: Vec::new(),
            copies: Vec::new(),
            erased: Vec::new(),
            merge: None,
            cleaned: None,
        }
    }

    fn is_empty(&self) -> bool {
        let moved = self.programmed.is_empty() && self.copies.is_empty() && self.erased.is_empty();
        moved && self.merge.is_none() && self.cleaned.is_none()
    }

    /// What happens in it, in a few words.
    pub fn says(&self) -> String {
        let blocks = |blocks: &[u32]| {
            let names: Vec<String> = blocks.iter().map(u32::to_string).collect();
            let word = if blocks.len() == 1 { "block" } else { "blocks" };
            format!("{word} {}", ssdlab_words::listed(&names))
        };
        let pages =
            |number: usize| format!("{number} {}", if number == 1 { "page" } else { "pages" });
        let mut says = Vec::new();
        if let Some(merge) = &self.merge {
            let lbn = merge.lbn;
            says.push(match merge.kind {
                MergeKind::Switch => format!(
                    "switch merge of logical block {lbn}: log block {} becomes its data block",
                    merge.log
                ),
                MergeKind::Partial => format!(
                    "partial merge of logical block {lbn}: log block {} is completed",
                    merge.log
                ),
                MergeKind::Full => {
                    format!("full merge of logical block {lbn} into block {}", merge.to)
                }
            });
        }
        if let Some(block) = self.cleaned {
            says.push(format!("cleaning of block {block}"));
        }
        if !self.programmed.is_empty() {
            says.push(format!("{} programmed", pages(self.programmed.len())));
        }
        if !self.copies.is_empty() {
            says.push(format!("{} copied", pages(self.copies.len())));
        }
        if !self.erased.is_empty() {
            says.push(format!("{} erased", blocks(&self.erased)));
        }
        says.join("; ")
    }
}

impl Flash {
    /// New flash; `full`: each logical page is in the place of its number.
    pub fn new(pages_per_block: u32, physical: u32, logical: u32, full: bool) -> Self {
        let blocks = (physical / pages_per_block) as usize;
        let filled = if full { logical } else { 0 };
        let state = |page: u32| {
            if page < filled {
                Cell::Valid(page)
            } else {
                Cell::Erased
            }
        };
        let used = |block: u32| (block * pages_per_block < filled).then_some(Role::DATA);
        Self {
            pages_per_block,
            cells: (0..physical).map(state).collect(),
            uses: (0..blocks as u32).map(used).collect(),
            erases: vec![0; blocks],
            newest: (0..logical)
                .map(|page| (page < filled).then_some(page))
                .collect(),
        }
    }

    /// What was done before the first request.
    pub fn begin(&mut self, acts: &[Act]) {
        self.frames(acts);
        self.erases.fill(0);
    }

    /// Does what was recorded; what belongs together is one frame. There is at least one.
    pub fn frames(&mut self, acts: &[Act]) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut frame = Frame::of(self);
        let mut merges: Vec<u32> = Vec::new();
        for act in acts {
            let begins = match act {
                Act::Told(Event::Merge { .. } | Event::Clean { .. } | Event::Evict { .. }) => true,
                Act::Erase(_) => frame.erased.is_empty(),
                Act::Program(..) | Act::Copy(..) => !frame.erased.is_empty(),
                _ => false,
            };
            if begins && !frame.is_empty() {
                frame.flash = self.clone();
                frames.push(std::mem::replace(&mut frame, Frame::of(self)));
            }
            match act {
                Act::Program(to, spare) => {
                    self.place(*to, *spare);
                    frame.programmed.push(to.0);
                }
                Act::Copy(from, to, spare) => {
                    self.place(*to, *spare);
                    frame.copies.push((from.0, to.0));
                }
                Act::Erase(block) => {
                    self.erase(*block);
                    frame.erased.push(block.0);
                }
                Act::Discard(lpn) => self.forget(*lpn),
                Act::Told(Event::Merge {
                    kind,
                    lbn,
                    log,
                    data,
                    to,
                    ..
                }) => {
                    merges.push(to.0);
                    frame.merge = Some(Merge {
                        kind: *kind,
                        lbn: lbn.0,
                        log: log.0,
                        data: data.map(|data| data.0),
                        to: to.0,
                    });
                }
                Act::Told(Event::MergeEnd { .. }) => {
                    // the log block of a switch or partial merge is now the data block
                    if let Some(to) = merges.pop()
                        && let Some(used) = self.uses.get_mut(to as usize).and_then(Option::as_mut)
                    {
                        *used = Role::DATA;
                    }
                }
                Act::Told(Event::Clean { victim, .. }) => frame.cleaned = Some(victim.0),
                Act::Told(_) => {}
            }
        }
        frame.flash = self.clone();
        if !frame.is_empty() || frames.is_empty() {
            frames.push(frame);
        }
        frames
    }

    fn place(&mut self, to: Ppn, spare: Spare) {
        self.forget(spare.lpn);
        let lpn = spare.lpn.0;
        self.uses[(to.0 / self.pages_per_block) as usize].get_or_insert(spare.role);
        // a page of the FTL's own is none of the host's
        self.cells[to.0 as usize] = match self.newest.get_mut(lpn as usize) {
            Some(newest) => {
                *newest = Some(to.0);
                Cell::Valid(lpn)
            }
            None => Cell::Invalid(lpn),
        };
    }

    /// The newest version of a page is one no more.
    fn forget(&mut self, lpn: Lpn) {
        if let Some(at) = self.newest.get_mut(lpn.0 as usize).and_then(Option::take) {
            self.cells[at as usize] = Cell::Invalid(lpn.0);
        }
    }

    fn erase(&mut self, block: Pbn) {
        let first = block.0 * self.pages_per_block;
        for page in first..first + self.pages_per_block {
            self.cells[page as usize] = Cell::Erased;
        }
        for newest in &mut self.newest {
            if newest.is_some_and(|at| at / self.pages_per_block == block.0) {
                *newest = None;
            }
        }
        self.uses[block.0 as usize] = None;
        self.erases[block.0 as usize] += 1;
    }
}
