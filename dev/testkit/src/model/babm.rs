//! Buffer-aware merges (BABM): how a merge moves a page (section 10.1).

use super::flash::Flash;
use super::number::{Lpn, Pbn};
use super::record::Record;

impl Flash {
    /// Moves a page in a merge or in cleaning, buffer-aware or not. A dirty page in the buffer needs no valid flash
    /// copy.
    pub(super) fn migrate(
        &mut self,
        lpn: Lpn,
        (target, position): (Pbn, u64),
        aware: bool,
        record: &mut Record,
    ) {
        let from_buffer = match record.view.get(lpn) {
            Some(page) if aware => {
                page.dirty
                    || self.locate(lpn).is_some() && !self.can_copy_back(lpn, (target, position))
            }
            _ => false,
        };
        if from_buffer {
            self.merge_program(lpn, target, position, record);
            record.view.clean(lpn);
        } else {
            self.copy(lpn, target, position, record);
        }
    }
}
