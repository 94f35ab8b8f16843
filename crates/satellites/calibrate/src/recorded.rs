//! A recorded workload on a smaller drive: one page of each group of neighbours stands for the group. Such a page is
//! written when the recorded one was, so times and order of rewrites stay as they were.

use std::path::Path;
use std::sync::Arc;

use ssdlab_host::{Op, Request};
use ssdlab_trace::{ReadOptions, TraceReader};
use ssdlab_words::{decimal_bytes, thousands};
use ssdlab_workload::synthetic::Random;

use crate::error::CalibrateError;

/// The most pages that a trace may write or discard; each takes 8 bytes.
const MOST_PAGES: u64 = 1 << 27;

/// A trace in pages.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// Bytes of a page.
    pub page: u64,
    /// The pages of the space.
    pages: u64,
    /// Each page that is written or discarded, times two; odd: discarded.
    accesses: Arc<Vec<u64>>,
    /// Bytes of written pages for each byte that the host wrote.
    pub coarse: f64,
}

impl Recorded {
    /// Reads a trace of a space of `used` bytes. The error says what is wrong with it.
    pub fn read(path: &Path, used: u64, page: u64) -> Result<Self, CalibrateError> {
        let wrong = |why: String| CalibrateError::Log {
            path: path.to_owned(),
            why,
        };
        let mut reader = TraceReader::open(path, &ReadOptions::default())?;
        let (mut accesses, mut batch) = (Vec::new(), Vec::new());
        let (mut bytes, mut written) = (0.0, 0_u64);
        while reader.next_batch(&mut batch)? {
            for request in &batch {
                let end = request.offset.saturating_add(request.size());
                if end > used {
                    return Err(wrong(format!(
                        "a request ends at byte {end}, and the used space has {used}"
                    )));
                }
                let pages = match request.op() {
                    Op::Write => {
                        let pages = request.offset / page..end.div_ceil(page);
                        bytes += request.size() as f64;
                        written += pages.end - pages.start;
                        pages
                    }
                    Op::Discard => request.offset.div_ceil(page)..end / page,
                    Op::Read | Op::Flush => continue,
                };
                if accesses.len() as u64 + (pages.end.saturating_sub(pages.start)) > MOST_PAGES {
                    let most = thousands(MOST_PAGES);
                    return Err(wrong(format!("writes more than {most} pages; cut it")));
                }
                let discards = u64::from(request.op() == Op::Discard);
                accesses.extend(pages.map(|page| 2 * page + discards));
            }
        }
        if written * page < used / 100 {
            return Err(wrong(format!(
                "writes {}, less than a hundredth of the used space: too little to show a sample of",
                decimal_bytes(written * page)
            )));
        }
        Ok(Self {
            page,
            pages: used / page,
            accesses: Arc::new(accesses),
            coarse: (written * page) as f64 / bytes,
        })
    }

    /// The same on a space of `pages` pages, again and again.
    pub fn scaled_to(&self, pages: u64, requests: u64) -> impl Iterator<Item = Request> + use<> {
        let Self {
            page, pages: all, ..
        } = *self;
        let chosen = chosen(all, pages);
        let small: Vec<u64> = self
            .accesses
            .iter()
            .filter_map(|access| {
                let small = scaled(access / 2, pages, all);
                (chosen[small as usize] == access / 2).then_some(2 * small + access % 2)
            })
            .collect();
        let request = move |access: u64| {
            let op = if access % 2 == 1 {
                Op::Discard
            } else {
                Op::Write
            };
            Request::new(0, op, access / 2 * page, page)
        };
        let requests = usize::try_from(requests).unwrap_or(usize::MAX);
        small.into_iter().cycle().filter_map(request).take(requests)
    }
}

fn scaled(page: u64, pages: u64, all: u64) -> u64 {
    (u128::from(page) * u128::from(pages) / u128::from(all)) as u64
}

/// For each small page, the recorded one that stands for its group: any, since programs align what they write.
fn chosen(all: u64, pages: u64) -> Vec<u64> {
    let mut random = Random::new(1);
    let first =
        |small: u64| (u128::from(small) * u128::from(all)).div_ceil(u128::from(pages)) as u64;
    (0..pages)
        .map(|small| random.between(first(small), first(small + 1) - 1))
        .collect()
}
