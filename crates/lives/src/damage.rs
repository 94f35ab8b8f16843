//! Damage to the file of an image, section by section (`docs/image-format.md`).

use std::ops::Range;

use crate::event::{Damage, How, Part};

const ALIGNED: usize = 4096;

/// The sections of an image.
struct Sections {
    /// At both ends of the file.
    headers: [Range<usize>; 2],
    marks: [Range<usize>; 2],
    configuration: Range<usize>,
    blocks: Range<usize>,
    spares: Range<usize>,
    records: Range<usize>,
    mirror: Range<usize>,
    data: Range<usize>,
}

/// The bytes of a page of RAM, with the head of its record and room for a wrap.
fn mirrored(page: usize) -> usize {
    page + 128
}

impl Sections {
    /// Reads the header.
    fn of(image: &[u8]) -> Self {
        let field = |at: usize| {
            let bytes = image[at..at + 4].try_into();
            u32::from_le_bytes(bytes.expect("four bytes")) as usize
        };
        let (page, per_block) = (field(12), field(16));
        let (chips, slots) = (field(32), field(24) + field(52));
        let records = field(20) * per_block * chips;
        let half = 2 * records.div_ceil((page - 24) / 24) + 2;
        let half = half.next_multiple_of(per_block);
        let mirror = match field(48) {
            0 => 0,
            pages => 4 * pages * mirrored(page) + 524_288,
        };
        let mut at = 0;
        let mut section = |bytes: usize| {
            let begin = at;
            at = (begin + bytes).next_multiple_of(ALIGNED);
            begin..begin + bytes
        };
        let pages = chips * slots * per_block;
        let (header, marks) = (section(ALIGNED), section(3 * ALIGNED));
        let sections = Self {
            configuration: section(field(56)),
            blocks: section(chips * slots * 64),
            spares: section(pages * 32),
            records: section(2 * half * page),
            mirror: section(mirror),
            data: section(pages * page),
            marks: [marks, section(3 * ALIGNED)],
            headers: [header, section(ALIGNED)],
        };
        assert_eq!(at, image.len(), "sections as in docs/image-format.md");
        sections
    }

    /// A part of an image of this length; of what it has at both ends, the one or the other.
    fn of_part(&self, part: Part, length: usize, end: usize) -> Range<usize> {
        match part {
            Part::Anywhere => 0..length,
            Part::Header => self.headers[end].clone(),
            Part::Mark | Part::Marks => self.marks[end].clone(),
            Part::Configuration => self.configuration.clone(),
            Part::Blocks => self.blocks.clone(),
            Part::Spares => self.spares.clone(),
            Part::Records => self.records.clone(),
            Part::Mirror => self.mirror.clone(),
            Part::Data => self.data.clone(),
        }
    }
}

/// The place of the mirror of RAM.
pub fn mirror(image: &[u8]) -> Range<usize> {
    Sections::of(image).mirror
}

/// The part of an image that has this byte.
pub fn part_of(image: &[u8], at: usize) -> Part {
    use Part::*;
    let sections = Sections::of(image);
    let mut parts = [
        Header,
        Mark,
        Configuration,
        Blocks,
        Spares,
        Records,
        Mirror,
        Data,
    ]
    .into_iter();
    let has = |part: &Part| {
        let mut ends = [0, 1]
            .map(|end| sections.of_part(*part, image.len(), end))
            .into_iter();
        ends.any(|range| range.contains(&at))
    };
    parts.find(has).unwrap_or(Anywhere)
}

/// What damage changes: bytes at a place; none if this part of the image is empty. `whole`: the image before all damage.
pub fn change(whole: &[u8], image: &[u8], damage: &Damage) -> Option<(usize, Vec<u8>)> {
    let end = (damage.place >> 63) as usize;
    let range = Sections::of(whole).of_part(damage.part, image.len(), end);
    // only bytes in use matter
    let used: Vec<usize> = range
        .clone()
        .step_by(32)
        .filter(|at| {
            image[*at..range.end.min(at + 32)]
                .iter()
                .any(|byte| *byte != 0)
        })
        .collect();
    let place = *used.get(damage.place as usize % used.len().max(1))?;
    if damage.part == Part::Marks {
        let begin = place / ALIGNED * ALIGNED;
        return Some((begin, vec![0; range.end - begin]));
    }
    let within = |length: usize| {
        let begin = match length < 512 {
            true => place,
            false => place / 512 * 512,
        };
        begin..(begin + length).min(range.end)
    };
    Some(match damage.how {
        How::Flip => {
            let at = (place + (damage.place >> 32) as usize % 32).min(range.end - 1);
            (at, vec![image[at] ^ (1 << ((damage.place >> 40) % 8))])
        }
        How::Zero(length) => {
            let within = within(length);
            (within.start, vec![0; within.len()])
        }
        How::Misplace(length) => {
            let within = within(length);
            let other = used[(damage.place >> 20) as usize % used.len()];
            let other = other..(other + within.len()).min(range.end);
            (within.start, image[other].to_vec())
        }
    })
}
