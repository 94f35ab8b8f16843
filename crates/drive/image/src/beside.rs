//! Reads whose bytes come from the disk while others use the image.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ssdlab_flash::Ppn;

/// What threads may do with a disk while another one uses it.
pub trait Beside: Send + Sync {
    /// Reads exactly these bytes, which nobody writes meanwhile.
    ///
    /// # Errors
    /// As [`Disk::read`](crate::Disk::read).
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()>;

    /// Returns when no more writes wait for the disk than may.
    fn make_way(&self) {}
}

/// The reads in flight. What they read is not written over before they end.
#[derive(Debug, Default)]
pub struct InFlight {
    reads: Mutex<usize>,
    none: Condvar,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when there is none. None may begin meanwhile.
    pub fn wait(&self) {
        let mut reads = self.lock();
        while *reads > 0 {
            reads = self
                .none
                .wait(reads)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// One of the reads in flight.
struct Ticket(Arc<InFlight>);

impl Ticket {
    fn new(all: &Arc<InFlight>) -> Self {
        *all.lock() += 1;
        Self(Arc::clone(all))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut reads = self.0.lock();
        *reads -= 1;
        if *reads == 0 {
            self.0.none.notify_all();
        }
    }
}

/// Where the bytes of a programmed page are.
#[derive(Clone, Copy, Debug)]
pub struct PagePlace {
    pub(crate) chip: u32,
    pub(crate) page: Ppn,
    /// The sequence number of the last erase of its block.
    pub(crate) erased_at: u64,
    /// In the file.
    pub(crate) at: u64,
    pub(crate) sum: u32,
}

impl PagePlace {
    /// The chip of the page.
    pub fn chip(&self) -> usize {
        self.chip as usize
    }
}

/// Bytes of a page that are still to be read.
#[derive(Clone, Debug)]
pub struct Later<T> {
    /// Where they are.
    pub place: PagePlace,
    /// Which bytes of the page.
    pub bytes: Range<usize>,
    /// Their place in the request.
    pub into: Range<usize>,
    /// Whose page it is.
    pub of: T,
}

/// The bytes of a request that are read beside others, which may erase no block until then.
pub struct LaterReads<T> {
    pages: Vec<Later<T>>,
    page_size: usize,
    disk: Arc<dyn Beside>,
    _ticket: Ticket,
}

impl<T> LaterReads<T> {
    pub(crate) fn new(
        pages: Vec<Later<T>>,
        page_size: usize,
        disk: Arc<dyn Beside>,
        all: &Arc<InFlight>,
    ) -> Self {
        Self {
            pages,
            page_size,
            disk,
            _ticket: Ticket::new(all),
        }
    }

    /// Reads them. Returns those that could not be read, or do not have their checksums.
    pub fn fetch(mut self, into: &mut [u8]) -> Vec<Later<T>> {
        let pages = std::mem::take(&mut self.pages);
        let mut wrong = Vec::new();
        let mut one = Vec::new();
        let mut pages = pages.into_iter().peekable();
        while let Some(first) = pages.next() {
            if first.bytes.len() < self.page_size {
                one.resize(self.page_size, 0);
                if self.fetch_page(&first.place, &mut one) {
                    into[first.into.clone()].copy_from_slice(&one[first.bytes.clone()]);
                } else {
                    wrong.push(first);
                }
                continue;
            }
            // neighbours in the request and in the file are read together
            let (begin, mut end, at) = (first.into.start, first.into.end, first.place.at);
            let mut run = vec![first];
            while let Some(next) = pages.next_if(|next| {
                let is_whole = next.bytes.len() == self.page_size;
                is_whole && next.into.start == end && next.place.at == at + (end - begin) as u64
            }) {
                end = next.into.end;
                run.push(next);
            }
            let read = self.disk.read(at, &mut into[begin..end]).is_ok();
            let is_wrong = |page: &Later<T>| {
                !read || crc32fast::hash(&into[page.into.clone()]) != page.place.sum
            };
            wrong.extend(run.into_iter().filter(is_wrong));
        }
        wrong
    }

    fn fetch_page(&self, place: &PagePlace, into: &mut [u8]) -> bool {
        self.disk.read(place.at, into).is_ok() && crc32fast::hash(into) == place.sum
    }
}
