//! What happens to an image that no process has open.

use std::collections::BTreeSet;

use ssdlab_disks::{End, WrongSector};
use ssdlab_drive::{Drive, DriveError};
use tempfile::NamedTempFile;

use super::{Done, Life, describe};
use crate::damage;
use crate::event::{Damage, ImagePart};

impl Life<'_> {
    pub fn damage(&mut self, damage: &Damage) -> Done {
        // one damaged place at a time
        if self.drive.is_some() || self.damaged.is_some() || !self.was_opened {
            return Ok(());
        }
        let image = self.disk.content();
        if let Some((at, bytes)) = damage::change(&self.sections, &image, damage) {
            let disk = self.disk.copy();
            disk.damage(at, &bytes);
            self.damaged = Some(disk);
            self.damaged_part = self.sections.part_of(at);
            self.damaged_bytes = bytes.len() as u64;
            self.looks = damage.place >> 61 & 1 == 1;
            self.goes_on = damage.place >> 60 & 1 == 1;
            self.saw("damage");
        }
        Ok(())
    }

    /// Opens the damaged copy of the disk, if there is one: it is refused, or what it returns is right, or it says how
    /// much is lost.
    pub fn look_at_damage(&mut self) -> Done {
        let Some(disk) = self.damaged.take() else {
            return Ok(());
        };
        let opened = Drive::open_made_with(disk.copy(), self.design.clone());
        if self.looks && opened.is_ok() != look_at(&disk.content()).is_ok() {
            let what = format!("{:?}", opened.err());
            return self.broken("a look accepts what the next opening accepts", what);
        }
        let Ok(mut drive) = opened else {
            self.saw("damage that no opening accepts");
            return Ok(());
        };
        if self.unconfirmed {
            self.model.leave(End::CrashedAndDamaged);
        }
        let compared = self.missing(&mut drive);
        self.model.leave(self.end);
        let missing = match compared {
            Ok(missing) => missing.len() as u64,
            Err(wrong) => return self.broken(self.promise_of_damage(), describe(&wrong)),
        };
        let opened = drive.opened();
        let lost = if opened.interrupted_record {
            // damage that reaches to the end of the mirror looks like that, and the shortest records have 64 bytes
            opened.lost_records + 1 + self.damaged_bytes / 64
        } else {
            opened.lost_records
        };
        if missing > lost {
            let what = format!("{missing} requests in RAM are missing, and it says {opened:?}");
            return self.broken(self.promise_of_damage(), what);
        }
        match missing {
            0 => self.saw("damage that does no harm"),
            _ => self.saw("damage to RAM that is told"),
        }
        let is_whole = opened.lost_records == 0 && !opened.interrupted_record;
        if missing == 0 && is_whole && self.goes_on && !self.unconfirmed {
            // the host goes on, and never learns of it
            self.saw("damage that stays");
            self.disk.becomes(&disk);
            self.looked = None;
            self.lossy = true;
            self.is_damaged = true;
        }
        Ok(())
    }

    /// Reads all pages of a damaged drive that can be read; the records of RAM that are missing.
    fn missing(&mut self, drive: &mut Drive) -> Result<BTreeSet<(u32, usize)>, WrongSector> {
        let mut page = vec![0; self.model.page()];
        let mut all = BTreeSet::new();
        for first in (0..self.model.capacity()).step_by(page.len()) {
            match drive.read(first as u64, &mut page) {
                Ok(()) => all.extend(self.model.missing(first, &page)?),
                Err(_) => self.saw("pages that are damaged"),
            }
        }
        Ok(all)
    }

    fn promise_of_damage(&self) -> &'static str {
        match self.damaged_part {
            ImagePart::Mirror => "damage to the mirror is never silent",
            ImagePart::Mark | ImagePart::Marks => "damage to the marks is never silent",
            _ => "damage is never silent",
        }
    }

    /// Looks at the image as `ssdlab drive check` does: what it finds is what the next opening finds.
    pub fn look(&mut self) -> Done {
        if self.drive.is_some() {
            return Ok(());
        }
        let image = self.disk.content();
        let mut drive = match look_at(&image) {
            Ok(drive) => drive,
            Err(_) if self.is_damaged && self.unconfirmed => return Ok(()),
            Err(what) => return self.broken("an image that opens can be looked at", what),
        };
        self.saw("looks");
        if let Err(error) = drive.check() {
            return self.broken("the tables are right", error.to_string());
        }
        let mut bytes = vec![0xa5; self.model.capacity()];
        match drive.read(0, &mut bytes) {
            Ok(()) => self.looked = Some(bytes),
            Err(DriveError::Lost(_)) if self.lossy => {}
            Err(error) => {
                let promise = "an image that opens can be looked at";
                return self.broken(promise, error.to_string());
            }
        }
        let damaged: Result<Vec<_>, _> = drive.damaged().collect();
        match damaged {
            Ok(damaged) if self.lossy || damaged.iter().all(Vec::is_empty) => Ok(()),
            Ok(damaged) => {
                let promise = "a check names no damage where there is none";
                self.broken(promise, format!("{:?}", damaged.concat()))
            }
            Err(error) => self.broken("an image that opens can be looked at", error.to_string()),
        }
    }
}

/// A look at an image in a file, which stays as it is.
fn look_at(image: &[u8]) -> Result<Drive, String> {
    let file = NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), image).expect("room for a small file");
    let drive = Drive::look_at(file.path()).map_err(|error| error.to_string());
    let now = std::fs::read(file.path()).expect("a file that was written");
    if now != image {
        return Err("the file has changed".to_owned());
    }
    drive
}
