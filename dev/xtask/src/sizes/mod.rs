//! `cargo xtask sizes`: the bytes of code of each write buffer and FTL on a controller without an operating system, for
//! `docs/firmware.md`.

use std::any::type_name;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use ssdlab_ftl::FtlKind;
use ssdlab_policy::buffer::BufferKind;

use crate::tree;

/// A Cortex-M4 or M7.
const TARGET: &str = "thumbv7em-none-eabihf";
const DOCUMENT: &str = "docs/firmware.md";
const BEGIN: &str = "<!-- sizes -->\n";
const END: &str = "<!-- end -->\n";

/// A program of one policy or FTL alone.
struct Alone {
    name: &'static str,
    main: String,
}

/// The programs of all write buffers that a drive can have, and of all FTLs with flash.
#[derive(Default)]
struct All {
    buffers: Vec<Alone>,
    ftls: Vec<Alone>,
}

impl ssdlab_policy::buffer::EachKind for All {
    fn kind<B: BufferKind>(&mut self) {
        if B::NATURE.bounded && !B::NATURE.foresees {
            let of = type_name::<B>();
            self.buffers.push(Alone {
                name: B::ENTRY.name,
                main: format!(
                    "fn entry(shape: &ssdlab_policy::buffer::Shape, config: &<{of} as ssdlab_policy::buffer::BufferKind>::Config) {{ firmware::buffer::<{of}>(shape, config) }}"
                ),
            });
        }
    }
}

impl ssdlab_ftl::EachKind for All {
    fn kind<K: FtlKind>(&mut self) {
        if K::ENTRY.name == ssdlab_ftl::ideal::Ideal::ENTRY.name {
            return;
        }
        let of = type_name::<K>();
        self.ftls.push(Alone {
            name: K::ENTRY.name,
            main: format!(
                "fn entry(geometry: ssdlab_flash::Geometry, config: &<{of} as ssdlab_ftl::FtlKind>::Config) {{ firmware::ftl::<{of}>(geometry, config) }}"
            ),
        });
    }
}

/// Writes the table into the document.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let path = root.join(DOCUMENT);
    let text = fs::read_to_string(&path)?;
    Ok(fs::write(path, placed(&text, &table(root)?)?)?)
}

/// The error if the table is not that of the code.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(root.join(DOCUMENT))?;
    match placed(&text, &table(root)?)? == text {
        true => Ok(()),
        false => Err(format!("{DOCUMENT} is not current: cargo xtask sizes").into()),
    }
}

/// The document with another table.
fn placed(text: &str, table: &str) -> Result<String, Box<dyn Error>> {
    let missing = || format!("{DOCUMENT} has no {BEGIN}");
    let (before, rest) = text.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}{table}{END}{after}"))
}

fn table(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut all = All::default();
    ssdlab_policy::buffer::each_kind(&mut all);
    ssdlab_ftl::each_kind(&mut all);
    let folder = tree::target(root).join("sizes");
    write(root, &folder, &all)?;
    let built = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["build", "--quiet", "--release", "--target", TARGET])
        .current_dir(&folder)
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_TARGET_DIR")
        .env(
            "RUSTFLAGS",
            "-C link-arg=--entry=entry -C link-arg=--unresolved-symbols=ignore-all",
        )
        .status()?;
    if !built.success() {
        return Err(format!("the programs in {}: {built}", folder.display()).into());
    }
    let programs = folder.join("target").join(TARGET).join("release");
    let mut text =
        String::from("| alone on a Cortex-M4 | bytes of code and constants |\n| --- | ---: |\n");
    for (kind, alone) in [("write buffer", &all.buffers), ("FTL", &all.ftls)] {
        for Alone { name, .. } in alone {
            let bytes = bytes(&fs::read(programs.join(program(kind, name)))?)
                .ok_or_else(|| format!("{name}: its program is no ELF file of 32 bits"))?;
            writeln!(
                text,
                "| {kind} `{name}` | {} |",
                ssdlab_words::thousands(bytes)
            )?;
        }
    }
    Ok(text)
}

fn program(kind: &str, name: &str) -> String {
    format!("{}-{name}", kind.replace(' ', "-"))
}

/// A package of its own: the workspace has other profiles, and these programs have no library.
fn write(root: &Path, folder: &Path, all: &All) -> Result<(), Box<dyn Error>> {
    let programs = folder.join("src").join("bin");
    let _ = fs::remove_dir_all(&programs);
    fs::create_dir_all(&programs)?;
    let mut manifest = String::from(
        "[package]\nname = \"sizes\"\nedition = \"2024\"\npublish = false\n\n[workspace]\n\n[profile.release]\nopt-level = \"s\"\nlto = true\ncodegen-units = 1\npanic = \"abort\"\n\n[dependencies]\n",
    );
    for name in ["flash", "ftl", "policy"] {
        let path = root.join("crates/core").join(name);
        writeln!(manifest, "ssdlab-{name}.path = {path:?}")?;
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(
        folder.join("src").join("firmware.rs"),
        include_str!("firmware.rs"),
    )?;
    for (kind, alone) in [("write buffer", &all.buffers), ("FTL", &all.ftls)] {
        for Alone { name, main } in alone {
            fs::write(
                programs.join(program(kind, name) + ".rs"),
                format!(
                    "#![no_std]\n#![no_main]\n#[path = \"../firmware.rs\"]\nmod firmware;\n#[unsafe(no_mangle)]\n{main}\n"
                ),
            )?;
        }
    }
    Ok(())
}

/// The bytes of an ELF file of 32 bits that a controller keeps in its flash: all sections that are loaded and not empty at
/// first, without the tables for unwinding, which nothing here reads.
fn bytes(elf: &[u8]) -> Option<u64> {
    const ALLOCATED: u32 = 2;
    const NO_BYTES: u32 = 8;
    const UNWINDING: u32 = 0x7000_0001;
    let half = |at: usize| Some(u16::from_le_bytes(*elf.get(at..)?.first_chunk()?));
    let word = |at: usize| Some(u32::from_le_bytes(*elf.get(at..)?.first_chunk()?));
    if elf.get(..5)? != b"\x7fELF\x01" {
        return None;
    }
    let (first, size, count) = (word(32)? as usize, half(46)?, half(48)?);
    (0..usize::from(count))
        .map(|section| {
            let at = first + section * usize::from(size);
            let (kind, flags, length) = (word(at + 4)?, word(at + 8)?, word(at + 20)?);
            let kept = flags & ALLOCATED != 0 && kind != NO_BYTES && kind != UNWINDING;
            Some(if kept { u64::from(length) } else { 0 })
        })
        .sum()
}
