//! Damage to the file of an image, section by section (`docs/image-format.md`).

use std::ops::Range;

use crate::event::{Damage, DamageKind, ImagePart};

const ALIGNED: usize = 4096;

/// The sections of an image.
pub struct Sections(Vec<(ImagePart, Range<usize>)>);

/// The bytes of a page of RAM, with the head of its record and room for another one.
fn mirrored(page: usize) -> usize {
    page + 128
}

impl Sections {
    /// Read from the header, which is whole.
    pub fn of(image: &[u8]) -> Self {
        let field = |at: usize| {
            let bytes = image[at..at + 4].try_into();
            u32::from_le_bytes(bytes.expect("four bytes")) as usize
        };
        let (page, per_block) = (field(12), field(16));
        // of version 5: blocks for a map
        let own_blocks = if field(8) > 4 { field(76) } else { 0 };
        let (chips, slots) = (field(32), field(24) + own_blocks + field(52));
        let records = field(20) * per_block * chips;
        let half = 2 * records.div_ceil((page - 24) / 24) + 2;
        let half = half.next_multiple_of(per_block);
        let mirror = match field(48) {
            0 => 0,
            pages => 4 * pages * mirrored(page) + 524_288,
        };
        let pages = chips * slots * per_block;
        let mut at = 0;
        let mut section = |part: ImagePart, bytes: usize| {
            let begin = at;
            at = (begin + bytes).next_multiple_of(ALIGNED);
            (part, begin..begin + bytes)
        };
        let all = vec![
            section(ImagePart::Header, ALIGNED),
            section(ImagePart::Mark, 3 * ALIGNED),
            section(ImagePart::Configuration, field(60)),
            section(ImagePart::Blocks, chips * slots * 64),
            section(ImagePart::Spares, pages * 32),
            section(ImagePart::Records, 2 * half * page),
            section(ImagePart::Mirror, mirror),
            section(ImagePart::Data, pages * page),
            section(ImagePart::Mark, 3 * ALIGNED),
            section(ImagePart::Header, ALIGNED),
        ];
        assert_eq!(at, image.len(), "sections as in docs/image-format.md");
        Self(all)
    }

    /// The place of the mirror of RAM.
    pub fn mirror(&self) -> Range<usize> {
        self.of_part(ImagePart::Mirror, 0).unwrap_or_default()
    }

    /// The part that has this byte.
    pub fn part_of(&self, at: usize) -> ImagePart {
        let has = self.0.iter().find(|(_, section)| section.contains(&at));
        has.map_or(ImagePart::Anywhere, |(part, _)| *part)
    }

    /// One of the sections of a part.
    fn of_part(&self, part: ImagePart, which: u64) -> Option<Range<usize>> {
        let is_part = |section: &&(ImagePart, Range<usize>)| match part {
            ImagePart::Anywhere | ImagePart::Head | ImagePart::Tail => true,
            ImagePart::Marks => section.0 == ImagePart::Mark,
            part => section.0 == part,
        };
        let sections: Vec<_> = self.0.iter().filter(is_part).collect();
        let section = sections.get(which as usize % sections.len().max(1))?;
        Some(section.1.clone())
    }
}

/// What damage changes: bytes at a place; none if this part of the image is empty.
pub fn change(sections: &Sections, image: &[u8], damage: &Damage) -> Option<(usize, Vec<u8>)> {
    let range = match damage.part {
        ImagePart::Anywhere | ImagePart::Head | ImagePart::Tail => 0..image.len(),
        part => sections.of_part(part, damage.place >> 50)?,
    };
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
    // where zeros begin that go on beyond a slot or a section
    let begin = place / ALIGNED * ALIGNED;
    match damage.part {
        ImagePart::Marks | ImagePart::Tail => return Some((begin, vec![0; range.end - begin])),
        ImagePart::Head => return Some((0, vec![0; begin])),
        _ => {}
    }
    let within = |length: usize| {
        let begin = if length < 512 {
            place
        } else {
            place / 512 * 512
        };
        begin..(begin + length).min(range.end)
    };
    Some(match damage.how {
        DamageKind::Flip => {
            let at = (place + (damage.place >> 32) as usize % 32).min(range.end - 1);
            (at, vec![image[at] ^ (1 << ((damage.place >> 40) % 8))])
        }
        DamageKind::Zero(length) => {
            let within = within(length);
            (within.start, vec![0; within.len()])
        }
        DamageKind::Misplace(length) => {
            let within = within(length);
            let other = used[(damage.place >> 20) as usize % used.len()];
            let other = other..(other + within.len()).min(range.end);
            (within.start, image[other].to_vec())
        }
    })
}
