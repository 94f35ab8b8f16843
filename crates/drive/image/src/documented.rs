//! `docs/image-format.md` describes the file: each structure is encoded with distinct values, which must stand where the
//! document says.
//!
//! Planted bugs that these catch: a field that moved, or that the document does not have; a section that begins
//! elsewhere.

use ssdlab_flash::{Geometry, Lpn, Pbn, ProgramOrder, Role, Spare};

use crate::bytes::sum;
use crate::layout::{CONFIG_AT, HEADER, Layout, MAGIC, MARKS_AT, VERSION, WITHOUT_OWN_BLOCKS};
use crate::mark::{self, DiscardRecords, Mark, MetaCounts, Tally};
use crate::mirror::{HEAD, LONGEST_RECORD, MirrorPlace, RecordHead, RecordKind};
use crate::records::{DiscardRecord, RecordPage};
use crate::shape::ImageShape;
use crate::shared::UNCOMMITTED;
use crate::spare::{self, BlockEntry, Holds, PageEntry};

const PAGE: &str = include_str!("../../../../docs/image-format.md");

/// The cells of the rows of the `table`-th table below a heading.
fn rows(heading: &str, table: usize) -> Vec<Vec<&'static str>> {
    let section = PAGE.split("\n## ").find(|text| text.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("no section {heading}"));
    let mut tables = vec![Vec::new()];
    for line in section.lines() {
        match line
            .strip_prefix("| ")
            .and_then(|line| line.strip_suffix('|'))
        {
            Some(row) => tables
                .last_mut()
                .unwrap()
                .push(row.split('|').map(str::trim).collect()),
            None if tables.last().unwrap().is_empty() => {}
            None => tables.push(Vec::new()),
        }
    }
    // below names and lines
    tables[table].split_off(2)
}

/// Compares an encoded structure with its table: every field in order, zeros between.
fn holds(heading: &str, table: usize, bytes: &[u8], fields: &[(&str, u64)]) {
    let rows = rows(heading, table);
    let names: Vec<&str> = rows.iter().map(|row| row[2].trim_matches('`')).collect();
    let expected: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, expected, "{heading}");
    let mut end = 0;
    for (row, (name, value)) in rows.iter().zip(fields) {
        let [at, size] = [row[0], row[1]].map(|cell| cell.parse::<usize>().expect("a number"));
        assert!(
            bytes[end..at].iter().all(|&byte| byte == 0),
            "{heading}: before {name}"
        );
        let mut found = [0; 8];
        found[..size].copy_from_slice(&bytes[at..at + size]);
        assert_eq!(u64::from_le_bytes(found), *value, "{heading}: {name}");
        end = at + size;
    }
    assert!(
        bytes[end..].iter().all(|&byte| byte == 0),
        "{heading}: after the last field"
    );
}

fn layout() -> Layout {
    let geometry = Geometry::new(1024, 4, 16, 22, 1);
    let shape = ImageShape {
        geometry,
        chips: 1,
        order: ProgramOrder::Ascending,
        full: true,
        ram_pages: 0,
        spares: 0,
    };
    Layout::new(shape, 88, 5000, 77).unwrap()
}

#[test]
fn the_header() {
    let mut layout = layout();
    layout.shape.geometry = Geometry::new(2048, 12, 5, 9, 3)
        .in_lines(4)
        .with_own_pages(10)
        .with_own_blocks(11);
    layout.shape.chips = 6;
    layout.shape.order = ProgramOrder::Any;
    layout.shape.ram_pages = 7;
    layout.shape.spares = 8;
    let bytes = layout.encode();
    let fields = [
        ("magic", u64::from_le_bytes(*MAGIC)),
        ("version", VERSION.into()),
        ("page_size", 2048),
        ("pages_per_block", 12),
        ("logical_blocks", 5),
        ("physical_blocks", 9),
        ("planes", 3),
        ("chips", 6),
        ("any_order", 1),
        ("full", 1),
        ("line", 4),
        ("ram_pages", 7),
        ("spares", 8),
        ("own_pages", 10),
        ("config_bytes", 5000),
        ("config_sum", 77),
        ("id", 88),
        ("own_blocks", 11),
        ("sum", sum(&bytes[..80], 0).into()),
    ];
    holds("Header", 0, &bytes, &fields);
    layout.shape.geometry = layout.shape.geometry.with_own_blocks(0);
    let without = layout.encode();
    assert_eq!(without[8..12], WITHOUT_OWN_BLOCKS.to_le_bytes());
    assert_eq!(without[12..76], bytes[12..76]);
    assert_eq!(without[76..80], sum(&without[..76], 0).to_le_bytes());
    assert!(without[80..].iter().all(|byte| *byte == 0));
    for version in [VERSION, WITHOUT_OWN_BLOCKS] {
        assert!(PAGE.contains(&format!("version {version}")));
    }
    assert!(PAGE.contains(&format!("its copy in the last {HEADER} bytes")));
    assert_eq!(layout.headers(), [0, layout.length - HEADER]);
    let magic = String::from_utf8_lossy(MAGIC);
    assert_eq!(rows("Header", 0)[0][3], format!("`{magic}`"));
    assert_eq!(rows("Header", 0)[1][3], VERSION.to_string());
}

#[test]
fn the_sections() {
    let all = rows("Sections", 0);
    let begins = |name: &str| all.iter().find(|row| row[0] == name).expect(name)[1].to_owned();
    assert_eq!(begins("marks"), MARKS_AT.to_string());
    assert_eq!(begins("configuration"), CONFIG_AT.to_string());
    assert_eq!(all[0][2], MARKS_AT.to_string());
    assert_eq!(all[1][2], mark::BYTES.to_string());
    assert!(all[3][2].starts_with(&format!("{} ", spare::BLOCK_BYTES)));
    assert!(all[4][2].starts_with(&format!("{} ", spare::BYTES)));
    let layout = layout();
    let example = [
        ("blocks", layout.blocks_at),
        ("spare areas", layout.spares_at),
        ("records of discards", layout.records_at),
        ("mirror of RAM", layout.mirror.at),
        ("data", layout.data_at),
        ("marks, second place", layout.end_at),
        ("copy of the header", layout.headers()[1]),
        ("end of the file", layout.length),
    ];
    let example = example.map(|(name, at)| vec![name.to_owned(), at.to_string()]);
    assert_eq!(rows("Sections", 1), example);
}

#[test]
fn the_marks() {
    let mark = Mark {
        number: 2,
        sequence: 3,
        base: 4,
        tally: Tally {
            pages: 5,
            erases: 6,
            sum: 7,
        },
        records: DiscardRecords {
            epoch: 8,
            pages: 9,
            sum: 10,
        },
        mirror: MirrorPlace { at: 11, number: 12 },
        mirror_end: MirrorPlace { at: 13, number: 14 },
        opening: 15,
        meta: MetaCounts {
            syncs: 16,
            meta_programs: 17,
            meta_erases: 18,
        },
        worn_out: true,
        closed: true,
    };
    let bytes = mark.encode(88);
    let fields = [
        ("number", 2),
        ("sequence", 3),
        ("base", 4),
        ("pages", 5),
        ("erases", 6),
        ("tally", 7),
        ("epoch", 8),
        ("record_pages", 9),
        ("record_sum", 10),
        ("mirror_at", 11),
        ("mirror_number", 12),
        ("mirror_end_at", 13),
        ("mirror_end_number", 14),
        ("opening", 15),
        ("syncs", 16),
        ("meta_programs", 17),
        ("meta_erases", 18),
        ("state", 4),
        ("sum", sum(&bytes[..144], 88).into()),
        ("zero", 0),
    ];
    holds("Marks", 0, &bytes, &fields);
    let layout = layout();
    let slots = |slot: u64| [MARKS_AT, layout.end_at].map(|place| place + slot * 4096);
    assert_eq!(layout.mark_slots(6), slots(0));
    assert_eq!(layout.mark_slots(7), slots(1));
    assert_eq!(layout.confirmed_slots(), slots(2));
}

/// Planted bug: a count that overflows with the next operation.
#[test]
fn no_drive_counts_to_the_end() {
    let (mut possible, mut refused) = (Vec::new(), Vec::new());
    for place in (0..144).step_by(8) {
        let mut bytes = Mark::default().encode(88);
        bytes[place..place + 8].copy_from_slice(&(1u64 << 62).to_le_bytes());
        let sum = sum(&bytes[..144], 88).to_le_bytes();
        bytes[144..148].copy_from_slice(&sum);
        match Mark::decode(&bytes, 88) {
            Some(_) => possible.push(place),
            None => refused.push(place),
        }
    }
    // sums go around; the number of pages has 32 bits; the state is two bits
    assert_eq!(possible, [40, 56, 64, 136]);
    assert_eq!(
        refused,
        [0, 8, 16, 24, 32, 48, 72, 80, 88, 96, 104, 112, 120, 128]
    );
    assert!(PAGE.contains("(bytes 0 to 39, 48 to 55 and 72 to 135) is 2^62 or more"));
}

#[test]
fn the_entries_of_blocks_and_pages() {
    let erased = BlockEntry {
        generation: 2,
        since: 5,
        sequence: 3,
        holds: Holds::Block(Pbn(4)),
        torn: true,
    };
    let (bytes, sum) = erased.encode(9);
    let fields = [
        ("sequence", 3),
        ("generation", 2),
        ("block", 4),
        ("since", 5),
        ("torn", 1),
        ("sum", sum.into()),
    ];
    holds("Blocks", 0, &bytes, &fields);
    let holds_nothing = BlockEntry {
        holds: Holds::Bad,
        ..erased
    };
    let (bytes, sum) = holds_nothing.encode(9);
    let fields = fields.map(|(name, value)| match name {
        "block" => (name, u32::MAX.into()),
        "sum" => (name, sum.into()),
        _ => (name, value),
    });
    holds("Blocks", 0, &bytes, &fields);
    let page = PageEntry {
        spare: Spare {
            lpn: Lpn(4),
            role: Role(5),
        },
        sequence: 6,
        generation: 7,
        data_sum: 8,
    };
    let (bytes, sum) = page.encode(9);
    let fields = [
        ("sequence", 6),
        ("lpn", 4),
        ("generation", 7),
        ("data_sum", 8),
        ("role", 5),
        ("state", 1),
        ("sum", sum.into()),
    ];
    holds("Spare areas", 0, &bytes, &fields);
    let (lost, lost_sum) = page.encode_lost(9);
    let of_lost = fields.map(|(name, value)| match name {
        "state" => (name, 3),
        "sum" => (name, lost_sum.into()),
        _ => (name, value),
    });
    holds("Spare areas", 0, &lost, &of_lost);
    let torn = spare::torn(7, 9);
    let sum = crate::bytes::sum(&torn[..28], 9);
    let fields = fields.map(|(name, _)| match name {
        "generation" => (name, 7),
        "state" => (name, 2),
        "sum" => (name, sum.into()),
        _ => (name, 0),
    });
    holds("Spare areas", 0, &torn, &fields);
}

#[test]
fn the_records_of_discards() {
    let record = DiscardRecord {
        chip: 2,
        first: Lpn(3),
        count: 4,
        sequence: 5,
    };
    let page = RecordPage {
        epoch: 6,
        index: 7,
        records: vec![record],
    };
    let (bytes, sum) = page.encode(512);
    let fields = [
        ("sum", sum.into()),
        ("count", 1),
        ("epoch", 6),
        ("index", 7),
        ("zero", 0),
    ];
    holds("Records of discards", 0, &bytes[..24], &fields);
    let fields = [
        ("sequence", 5),
        ("chip", 2),
        ("first", 3),
        ("pages", 4),
        ("zero", 0),
    ];
    holds("Records of discards", 1, &bytes[24..], &fields);
    assert!(PAGE.contains("Its records follow, 24 bytes each"));
}

#[test]
fn the_mirror() {
    let head = RecordHead {
        kind: RecordKind::Discard,
        number: 3,
        opening: 4,
        offset: 5,
        length: 6,
    };
    let bytes = head.encode(&[], 88);
    let fields = [
        ("sum", sum(&bytes[4..64], 88).into()),
        ("kind", 2),
        ("number", 3),
        ("opening", 4),
        ("offset", 5),
        ("length", 6),
        ("data_sum", sum(&[], 88).into()),
    ];
    holds("Mirror of RAM", 0, &bytes, &fields);
    for sentence in [
        format!("The data of a write follows at byte {HEAD}."),
        format!("A write of more than {LONGEST_RECORD} bytes"),
        format!("and\n{} bytes more.", 4 * LONGEST_RECORD),
        format!("after {UNCOMMITTED} bytes of programmed pages"),
    ] {
        assert!(PAGE.contains(&sentence), "no {sentence:?}");
    }
}
