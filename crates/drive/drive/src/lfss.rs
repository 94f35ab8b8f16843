//! LFSS, the log flash storage system of the DEB paper: data blocks without a file system, over a [`Drive`].

use std::borrow::BorrowMut;
use std::path::Path;

use ssdlab_config::Config;
use ssdlab_device::keys;

use crate::drive::{Drive, OpenOptions};
use crate::error::DriveError;

/// A store of data blocks that survives crashes, with the calls of the paper's LFSS (Li, Chang: Improving flash storage
/// system performance by using an extra RAM buffer, section 3.2).
///
/// The paper's terms: a *data block* is a page of the drive, a *segment* one of its erase blocks, the *extra buffer
/// region* (EBR) the region in RAM of `ftl.placement = "deb"` (section 3.1). Data blocks are numbered from 0. A block
/// exists from its write until it is erased; the drive's own tables tell, so this is right after a crash too. In a drive
/// with `precondition = "full"`, all blocks exist from the beginning, full of zeros.
///
/// What survives a crash is what survives in a drive: see [`Drive::flush`].
///
/// ```no_run
/// use ssdlab_config::Resolver;
/// use ssdlab_drive::{Design, Drive, Lfss, OpenOptions};
///
/// let mut resolver = Resolver::new();
/// resolver.preset("deb").set("precondition=empty")?;
/// let design = Design::new(resolver.resolve()?)?;
/// Drive::create("lfss.img".as_ref(), &design)?;
///
/// let mut lfss = Lfss::open("lfss.img".as_ref(), OpenOptions::default())?;
/// lfss.write(7, &vec![1; lfss.block_size()])?;
/// lfss.update(7, &vec![2; lfss.block_size()])?;
/// assert_eq!(lfss.read(7)?[0], 2);
/// lfss.erase(7)?;
/// lfss.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It owns its drive, or borrows it: `Lfss<&mut Drive>`.
pub struct Lfss<D = Drive> {
    drive: D,
}

/// Where a data block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the extra buffer region, in RAM with a battery.
    Ebr,
    /// In flash.
    Flash,
}

/// Why a call was refused or failed. Display is the full message for the user, without the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum LfssError {
    /// The data block exists; only an update may replace it.
    #[error("data block {0} exists already; update it, or erase it first")]
    Exists(u64),
    /// The data block was never written, or was erased.
    #[error("data block {0} does not exist; write it first")]
    Missing(u64),
    /// The drive has no data block of this number.
    #[error("there is no data block {block}; this drive has 0 to {}", .blocks - 1)]
    Beyond {
        /// The number that was asked for.
        block: u64,
        /// [`Lfss::blocks`].
        blocks: u64,
    },
    /// The data do not have the size of a data block.
    #[error("data block {block} takes {size} bytes, not {found}")]
    Size {
        /// The number of the data block.
        block: u64,
        /// The size of the data in bytes.
        found: usize,
        /// [`Lfss::block_size`].
        size: usize,
    },
    /// The drive is no log of pages without a write buffer, so that it does not know which pages exist.
    #[error("LFSS needs a drive with {key} = \"{needed}\", and this one has \"{found}\"")]
    Unsuited {
        /// The key.
        key: &'static str,
        /// The value that LFSS needs.
        needed: &'static str,
        /// The value of the drive.
        found: String,
    },
    /// The drive failed in a call for this data block.
    #[error("data block {block}: {error}")]
    Block {
        /// The number of the data block.
        block: u64,
        /// What failed.
        error: DriveError,
    },
    /// The drive cannot be opened, flushed or closed.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

impl Lfss {
    /// Opens the store in the image of a drive, which [`Drive::create`] has made. After a crash, this repairs the image.
    ///
    /// # Errors
    /// As [`Drive::open`]; [`LfssError::Unsuited`].
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, LfssError> {
        Self::over(Drive::open(path, options)?)
    }

    /// Whether a drive of this configuration can be a store. Only page mapping without a write buffer knows exactly which
    /// pages exist: others pad blocks, or keep pages that were only read. The placement may be any.
    ///
    /// # Errors
    /// [`LfssError::Unsuited`].
    pub fn suits(config: &Config) -> Result<(), LfssError> {
        let needs = [
            (keys::ftl::KIND.key.path, "page", config.ftl),
            (keys::buffer::POLICY.key.path, "none", config.policy),
        ];
        let unsuited = needs
            .into_iter()
            .find(|(_, needed, found)| needed != found)
            .map(|(key, needed, found)| LfssError::Unsuited {
                key,
                needed,
                found: found.into(),
            });
        unsuited.map_or(Ok(()), Err)
    }

    /// Flushes, and marks the image as closed: see [`Drive::close`]. Dropping the store without this is a crash.
    ///
    /// # Errors
    /// As [`Drive::close`].
    pub fn close(self) -> Result<(), LfssError> {
        Ok(self.drive.close()?)
    }

    /// The drive below, to lose its power, for example.
    pub fn into_drive(self) -> Drive {
        self.drive
    }
}

impl<D: BorrowMut<Drive>> Lfss<D> {
    /// The store in an open drive.
    ///
    /// # Errors
    /// [`LfssError::Unsuited`].
    pub fn over(drive: D) -> Result<Self, LfssError> {
        Lfss::suits(drive.borrow().config())?;
        Ok(Self { drive })
    }

    /// The size of a data block in bytes.
    pub fn block_size(&self) -> usize {
        self.drive().page_size() as usize
    }

    /// The number of data blocks that fit.
    pub fn blocks(&self) -> u64 {
        self.drive().capacity() / self.drive().page_size()
    }

    /// The data blocks that exist, in ascending order.
    pub fn existing(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.blocks()).filter(|&block| self.exists(block))
    }

    /// The data blocks in the EBR, in ascending order.
    pub fn in_ebr(&self) -> Vec<u64> {
        let mut blocks = self.drive().pages_in_ram();
        blocks.sort_unstable();
        blocks
    }

    /// Where a data block is; none if it does not exist.
    ///
    /// # Errors
    /// [`LfssError::Beyond`].
    pub fn home(&self, block: u64) -> Result<Option<Home>, LfssError> {
        self.admit(block)?;
        Ok(self.exists(block).then(|| {
            if self.drive().pages_in_ram().contains(&block) {
                Home::Ebr
            } else {
                Home::Flash
            }
        }))
    }

    /// Segments erased over the life of the drive, the figure of the paper (section 4).
    pub fn erases(&self) -> u64 {
        let counts = self.drive().erase_counts();
        counts.into_iter().map(u64::from).sum()
    }

    /// Reads a data block from the EBR or from flash (section 3.2). The block does not move.
    ///
    /// # Errors
    /// [`LfssError::Missing`], [`LfssError::Beyond`]; data that cannot be read.
    pub fn read(&mut self, block: u64) -> Result<Vec<u8>, LfssError> {
        self.admit(block)?;
        let mut data = vec![0; self.block_size()];
        let offset = self.offset(block);
        let read = self.drive.borrow_mut().read(offset, &mut data);
        // asked afterwards: a drive that failed has its tables again after it has read
        if !self.exists(block) {
            return Err(LfssError::Missing(block));
        }
        read.map(|()| data)
            .map_err(|error| LfssError::Block { block, error })
    }

    /// Creates a data block. It enters the EBR (section 3.1, rule 1). If the EBR then holds more than
    /// `ftl.ram_threshold`, its oldest data blocks are written back, each to the region of its stable time, until it
    /// holds at most half of that (rule 5).
    ///
    /// # Errors
    /// [`LfssError::Exists`], [`LfssError::Beyond`], [`LfssError::Size`]; as [`Drive::write`].
    pub fn write(&mut self, block: u64, data: &[u8]) -> Result<(), LfssError> {
        match self.is_there_to_change(block)? {
            true => Err(LfssError::Exists(block)),
            false => self.store(block, data),
        }
    }

    /// Replaces a data block. In the EBR this happens in place (section 3.1, rule 6). In flash, a fast update moves it to
    /// the next hotter region, or to the EBR if the last update was fast too (rule 2). A slow update moves it to the next
    /// colder region (rule 3). Any other update stays in its region (rule 4). The old data become garbage.
    ///
    /// # Errors
    /// [`LfssError::Missing`], [`LfssError::Beyond`], [`LfssError::Size`]; as [`Drive::write`].
    pub fn update(&mut self, block: u64, data: &[u8]) -> Result<(), LfssError> {
        match self.is_there_to_change(block)? {
            true => self.store(block, data),
            false => Err(LfssError::Missing(block)),
        }
    }

    /// Deletes a data block (section 3.2). Its data in flash become garbage, which cleaning reclaims with their segment
    /// (section 2.2). Its data in the EBR are freed at once.
    ///
    /// # Errors
    /// [`LfssError::Missing`], [`LfssError::Beyond`]; as [`Drive::trim`].
    pub fn erase(&mut self, block: u64) -> Result<(), LfssError> {
        if !self.is_there_to_change(block)? {
            return Err(LfssError::Missing(block));
        }
        let (offset, length) = (self.offset(block), self.drive().page_size());
        let erased = self.drive.borrow_mut().trim(offset, length);
        erased.map_err(|error| LfssError::Block { block, error })
    }

    /// Makes all calls so far durable: see [`Drive::flush`].
    ///
    /// # Errors
    /// As [`Drive::flush`].
    pub fn flush(&mut self) -> Result<(), LfssError> {
        Ok(self.drive.borrow_mut().flush()?)
    }

    /// The drive below.
    pub fn drive(&self) -> &Drive {
        self.drive.borrow()
    }

    fn admit(&self, block: u64) -> Result<(), LfssError> {
        let blocks = self.blocks();
        if block < blocks {
            Ok(())
        } else {
            Err(LfssError::Beyond { block, blocks })
        }
    }

    /// Whether a data block exists, for a call that changes it. A drive that only reads refuses all of them.
    fn is_there_to_change(&self, block: u64) -> Result<bool, LfssError> {
        self.admit(block)?;
        if let Some(why) = self.drive().read_only() {
            let error = DriveError::ReadOnly(why);
            return Err(LfssError::Block { block, error });
        }
        Ok(self.exists(block))
    }

    fn exists(&self, block: u64) -> bool {
        self.drive().has_data(self.offset(block))
    }

    fn store(&mut self, block: u64, data: &[u8]) -> Result<(), LfssError> {
        let (found, size) = (data.len(), self.block_size());
        if found != size {
            return Err(LfssError::Size { block, found, size });
        }
        let offset = self.offset(block);
        let written = self.drive.borrow_mut().write(offset, data);
        written.map_err(|error| LfssError::Block { block, error })
    }

    /// The first byte of a data block that the drive has.
    fn offset(&self, block: u64) -> u64 {
        block * self.drive().page_size()
    }
}
