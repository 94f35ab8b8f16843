//! Write-buffer policies.

use std::sync::Arc;

use ssdlab_flash::{Lbn, Lpn, Page};
use ssdlab_policy::BitTree;
use ssdlab_policy::buffer::{Access, BufferPolicy, COUNT_HEADERS, Nature, SIZE, Shape, Victim};
use ssdlab_sim::Lab;

use pyo3::types::PyAnyMethods;

use super::called::{Called, number, values};
use super::declared::Declared;
use super::ending::Ending;

const METHODS: [&str; 7] = [
    "hit",
    "enter",
    "left",
    "cleaned",
    "begin_request",
    "victim",
    "pads",
];
const HIT: usize = 0;
const ENTER: usize = 1;
const LEFT: usize = 2;
const CLEANED: usize = 3;
const BEGIN_REQUEST: usize = 4;
const VICTIM: usize = 5;
const PADS: usize = 6;

/// The bytes that objects of Python take for each held page, and its block, as a rule.
const OBJECT_BYTES: u64 = 512;

/// A buffer policy. The pages that are held are kept here too: no page that is not held is ever evicted.
struct PyBuffer {
    called: Called,
    held: BitTree,
    pages: u32,
    /// The held pages of each block, if blocks are evicted.
    blocks: Option<Vec<u32>>,
    headers: u32,
    pads_blanks: bool,
    pages_per_block: u32,
    logical_pages: u32,
}

/// Adds a policy to a laboratory.
pub fn add(lab: Lab, policy: &Arc<Declared>, ending: &Ending) -> Lab {
    let mut keys = vec![SIZE.key];
    let mut nature = if policy.evicts_blocks {
        keys.push(COUNT_HEADERS.key);
        Nature::block_level([1, OBJECT_BYTES, 4])
    } else {
        Nature::page_level([1, OBJECT_BYTES, 0]).serving_reads()
    };
    if policy.caches_reads {
        nature = nature.caching_reads();
    }
    if policy.pads {
        nature = nature.padding();
    }
    let (policy, ending) = (Arc::clone(policy), ending.clone());
    lab.buffer(policy.entry(&keys), nature, move |settings| {
        let keys = values(&policy, settings);
        let (policy, ending) = (Arc::clone(&policy), ending.clone());
        move |shape: &Shape| {
            let of = &shape.geometry;
            let told = vec![
                ("pages", shape.pages),
                ("page_size", of.page_size().into()),
                ("pages_per_block", of.pages_per_block().into()),
                ("logical_pages", of.logical_pages().into()),
                ("logical_blocks", of.logical_blocks().into()),
            ];
            let blocks = policy.evicts_blocks;
            PyBuffer {
                pads_blanks: policy.pads_blanks,
                called: Called::new(&policy, &ending, &METHODS, told, keys.clone()),
                held: BitTree::new(of.logical_pages()),
                pages: 0,
                blocks: blocks.then(|| vec![0; of.logical_blocks() as usize]),
                headers: 0,
                pages_per_block: of.pages_per_block(),
                logical_pages: of.logical_pages(),
            }
        }
    })
}

impl PyBuffer {
    /// A page or block that may leave, in case the policy names none.
    fn any_victim(&self) -> Victim {
        let first = self.held.first().expect("called only while a page is held");
        match self.blocks {
            Some(_) => Victim::Block(Lbn(first / self.pages_per_block)),
            None => Victim::Page(Lpn(first)),
        }
    }
}

impl BufferPolicy for PyBuffer {
    fn begin_request(&mut self) {
        self.called.tell(BEGIN_REQUEST, ());
    }

    fn hit(&mut self, page: Page, access: Access) {
        self.called.tell(HIT, (page.lpn.0, access == Access::Write));
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.held.insert(page.lpn.0);
        self.pages += 1;
        if let Some(blocks) = &mut self.blocks {
            let held = &mut blocks[page.lbn.index()];
            self.headers += u32::from(*held == 0);
            *held += 1;
        }
        self.called
            .tell(ENTER, (page.lpn.0, access == Access::Write));
    }

    fn left(&mut self, page: Page) {
        self.held.remove(page.lpn.0);
        self.pages -= 1;
        if let Some(blocks) = &mut self.blocks {
            let held = &mut blocks[page.lbn.index()];
            *held -= 1;
            self.headers -= u32::from(*held == 0);
        }
        self.called.tell(LEFT, (page.lpn.0,));
    }

    fn cleaned(&mut self, page: Page) {
        self.called.tell(CLEANED, (page.lpn.0,));
    }

    fn victim(&mut self) -> Victim {
        let (held, blocks, pages, headers) = (&self.held, &self.blocks, self.pages, self.headers);
        let end = self.logical_pages;
        let named = self.called.ask(
            VICTIM,
            (),
            |value| {
                let named = number(value)?;
                match blocks {
                    Some(blocks) => {
                        let is_held = *blocks.get(named as usize)? > 0;
                        is_held.then_some(Victim::Block(Lbn(named)))
                    }
                    None => {
                        (named < end && held.contains(named)).then_some(Victim::Page(Lpn(named)))
                    }
                }
            },
            || match blocks {
                Some(_) => format!(
                    "the number (lbn) of one of the {headers} blocks of which pages are held"
                ),
                None => format!("the number (lpn) of one of the {pages} pages that are held"),
            },
        );
        named.unwrap_or_else(|| self.any_victim())
    }

    fn pads(&mut self, lbn: Lbn) -> bool {
        let pads = self.called.ask(
            PADS,
            (lbn.0,),
            |value| value.extract::<bool>().ok(),
            || "True or False".into(),
        );
        pads.unwrap_or(false)
    }

    fn pads_blanks(&self) -> bool {
        self.pads_blanks
    }

    fn headers(&self) -> u32 {
        self.headers
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        let blocks = self.blocks.as_ref();
        blocks.is_some_and(|blocks| blocks[lbn.index()] == 0)
    }
}
