//! Buffer-aware merges (BABM): how a merge moves a page (section 10.1).

use super::bavbs::Decision;
use super::flash::Flash;
use super::number::{Lpn, Pbn};
use super::record::Record;

impl Flash {
    /// Moves a page in a merge or in cleaning, buffer-aware or not. A dirty page in the buffer needs no valid flash
    /// copy; where merges skip it, it loses the one that it has.
    pub(super) fn migrate(
        &mut self,
        lpn: Lpn,
        (target, position): (Pbn, u64),
        decision: Decision,
        record: &mut Record,
    ) {
        if record.skips(lpn, decision) {
            self.skip(lpn, record);
            return;
        }
        let held = record.view.get(lpn);
        let from_buffer = match held {
            Some(page) if record.gives(decision) => {
                page.dirty
                    || self.locate(lpn).is_some() && !self.can_copy_back(lpn, (target, position))
            }
            _ => false,
        };
        if from_buffer {
            self.merge_program(lpn, target, position, record);
            record.counters.cleaned_pages += u64::from(held.is_some_and(|page| page.dirty));
            record.view.clean(lpn, decision.page_ns);
        } else if self.copy(lpn, target, position, record) && held.is_some_and(|page| page.dirty) {
            record.counters.useless_migrations += 1;
        }
    }

    /// Drops the flash copy of a page, if there is one.
    pub(super) fn skip(&mut self, lpn: Lpn, record: &mut Record) {
        if self.locate(lpn).is_some() {
            self.invalidate(lpn);
            record.counters.skipped_migrations += 1;
        }
    }
}
