//! Drives from the fill that a review measured.
//!
//! Planted bugs: the speed behind a cache of all flash taken for that of native programs; the fixed part counted as dynamic; erases left out
//! of what a folded page costs; a last step that no flash explains, taken at its word.

use crate::common::{good, near, of};

const SHEET: &str = "name = \"d\"\n[sheet]\nsource = \"sheet\"\ncapacity = \"1TB\"\nsequential_write_mb_s = 5000\n[cliff]\nsource = \"review\"\ncell_bits = 3\n";

/// The bytes and speeds of the phases that the configuration has in closed form.
fn phases(text: &str) -> Vec<[f64; 2]> {
    let found = good(&format!("{SHEET}{text}")).cliff.expect("a fill");
    let phases = found.predicted.phases.iter();
    phases
        .map(|phase| [phase.bytes as f64, phase.mb_s])
        .collect()
}

#[test]
fn three_numbers_of_a_review_are_those_of_the_drive() {
    let fill = "cache = \"280GB\"\nfixed = \"10GB\"\nbehind_mb_s = 2000\nlast = { from = \"495GB\", mb_s = 500 }\n";
    let found = phases(fill);
    let expected = [[280e9, 5000.0], [215e9, 2000.0], [505e9, 500.0]];
    assert_eq!(found.len(), 3, "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        near(found[1], expected[1], 0.01);
        assert!(
            (found[0] - expected[0]).abs() < 4e9,
            "{found:?} {expected:?}"
        );
    }
    let found = good(&format!("{SHEET}{fill}"));
    let text = &found.configuration;
    for line in [
        "slc = \"hybrid\" # 280 GB written at full speed: review",
        "# 5000 MB/s within the cache: review",
        "# 2000 MB/s behind the cache: review",
        "# 500 MB/s in the last step: review",
        "# the last step, which begins at 495 GB, and 3.5 lines",
        "gc_low", // of no figure
    ] {
        assert_eq!(text.contains(line), line != "gc_low", "{line}\n{text}");
    }
    let sourced = |line: &&str| line.contains(" = ") && !line.contains(" # ");
    assert_eq!(text.lines().find(sourced), None);
    let cliff = found.cliff.expect("a fill");
    let keys: Vec<&str> = cliff.told.iter().map(|key| key.key.as_str()).collect();
    for key in [
        "ftl.slc_dynamic",
        "ftl.slc_static",
        "timing.slc_program_us",
        "timing.program_us",
        "timing.fold_program_us",
    ] {
        assert!(keys.contains(&key), "{keys:?}");
    }
}

#[test]
fn a_cache_of_all_flash_is_folded_from_its_end_on() {
    let found = phases("cache = \"341GB\"\nbehind_mb_s = 450\n");
    near(found.last().expect("a phase")[1], 450.0, 0.01);
    let said = good(&format!("{SHEET}cache = \"341GB\"\nbehind_mb_s = 450\n"))
        .cliff
        .expect("a fill")
        .notes;
    assert!(
        said.iter().any(|note| note.contains("speed of folding")),
        "{said:?}"
    );
    // a cache that is always there
    let found = phases("cache = \"12GB\"\nfixed = \"12GB\"\nbehind_mb_s = 420\n");
    near(found[0][0], 12e9, 0.2);
    near(found[1][1], 420.0, 0.01);
}

#[test]
fn a_step_that_no_flash_explains_is_told() {
    let found = good(&format!(
        "{SHEET}cache = \"150GB\"\nbehind_mb_s = 500\nlast = {{ from = \"600GB\", mb_s = 400 }}\n"
    ));
    let cliff = found.cliff.expect("a fill");
    assert!(
        cliff.notes[0].contains("too little for a drive of"),
        "{:?}",
        cliff.notes
    );
    let last = cliff.predicted.phases.last().expect("a phase");
    near(last.mb_s, 400.0, 0.01);
    near(found.spare, 0.07, 0.1);
}

#[test]
fn what_a_fill_cannot_be_is_refused() {
    for (fill, why) in [
        (
            "cell_bits = 9",
            "line 5: cell_bits = 9: cell_bits: must be 2 to 5",
        ),
        ("cache = \"2TB\"", "cache: must be less than the capacity"),
        ("fixed = \"200GB\"", "fixed: must be a part of cache"),
        (
            "behind_mb_s = 9000",
            "behind_mb_s: must be MB/s from 1 to 3000, the speed within the cache",
        ),
        (
            "last = { from = \"50GB\", mb_s = 90 }",
            "from: must lie behind the cache",
        ),
        (
            "last = { from = \"500GB\", mb_s = 900 }",
            "must be MB/s from 1 to 500, the speed behind the cache",
        ),
        ("cache_mb_s = 0.0", "cache_mb_s: must be MB/s from 1"),
        ("later = 1", "unknown field `later`"),
    ] {
        let key = fill.split(' ').next().expect("a key");
        let lines = [
            "cell_bits = 3",
            "cache = \"100GB\"",
            "cache_mb_s = 3000",
            "behind_mb_s = 500",
        ];
        let others = lines
            .iter()
            .filter(|line| line.split(' ').next() != Some(key));
        let others: Vec<&str> = others.copied().collect();
        let text = format!(
            "name = \"d\"\n[sheet]\ncapacity = \"1TB\"\n[cliff]\n{fill}\n{}\n",
            others.join("\n")
        );
        let said = of(&text, &[]).expect_err("an error");
        assert!(said.contains(why), "{said}");
    }
    let none = "name = \"d\"\n[sheet]\ncapacity = \"1TB\"\n[cliff]\ncell_bits = 3\ncache = \"9GB\"\nbehind_mb_s = 5\n";
    let said = of(none, &[]).expect_err("an error");
    assert!(
        said.contains("state cache_mb_s, or sequential_write_mb_s"),
        "{said}"
    );
    let both = format!("{none}cache_mb_s = 50\n[[load]]\nwrites = 5\n");
    let said = of(&both, &[]).expect_err("an error");
    assert!(
        said.contains("has no place beside measurement and load"),
        "{said}"
    );
    let like = none.replace("[sheet]", "like = \"nvme-tlc\"\n[sheet]");
    let said = of(&format!("{like}cache_mb_s = 50\n"), &[]).expect_err("an error");
    assert!(
        said.contains("with an SLC cache: consumer-tlc-1tb or consumer-qlc-2tb"),
        "{said}"
    );
}
