//! Presets: the devices of the papers, as configuration files.

/// A preset.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name in configurations.
    pub name: &'static str,
    /// The device in one line.
    pub about: &'static str,
    /// The paper with its values.
    pub paper: &'static str,
    /// Its keys, as a configuration file.
    pub toml: &'static str,
}

/// Names of planned presets, whose systems are not built yet.
pub const PLANNED_PRESETS: &[&str] = &["lfs-2010", "lfs-2010-slc"];

/// All presets.
pub fn presets() -> &'static [Preset] {
    &[BPLRU_2008, BAGC_2012, DEB, PLRU_BR_2Q]
}

const BPLRU_2008: Preset = Preset {
    name: "bplru-2008",
    about: "1 GiB MLC (2 KiB x 128), bast with 7 log blocks, 16 MiB bplru buffer",
    paper: "Kim, Ahn: BPLRU: a buffer management scheme for improving random writes in flash \
            storage, FAST 2008, section 4.2.1",
    toml: r#"
[flash]
capacity = "1GiB"
page_size = 2048
pages_per_block = 128

[timing]
model = "serial"
read_us = 50.0
program_us = 800.0
erase_us = 1500.0
transfer_us = 50.0

[ftl]
kind = "bast"
log_blocks = 7
partial_merge = false

[buffer]
policy = "bplru"
size = "16MiB"
count_headers = true
"#,
};

const BAGC_2012: Preset = Preset {
    name: "bagc-2012",
    about: "9 GiB in 4 planes (2 KiB x 64), buffer-aware fast with 512 log blocks, 32 MiB three-region buffer",
    paper: "Lee, Shin, Kim: BAGC: buffer-aware garbage collection for flash-based storage systems, 2012, \
            sections 7.1 and 7.3.1",
    toml: r#"
[flash]
capacity = "9GiB"
page_size = 2048
pages_per_block = 64
planes = 4
copy_back = true

[timing]
model = "serial"
read_us = 25.0
program_us = 200.0
erase_us = 1500.0
transfer_us = 100.0

[ftl]
kind = "fast"
log_blocks = 512
buffer_aware = "merge+victim"

[buffer]
policy = "three-region"
size = "32MiB"
reads = "bypass"
flush_age_s = 30
"#,
};

const DEB: Preset = Preset {
    name: "deb",
    about: "64 MiB in 512 segments of 128 KiB, 460 of them full; page with deb, 4 MiB of RAM and cat",
    paper: "Li, Chang: Improving flash storage system performance by using an extra RAM buffer, section 4",
    toml: r#"
clock = "trace"

[flash]
capacity = "58880KiB"
page_size = 4096
pages_per_block = 32

[timing]
model = "serial"
read_us = 50.0
program_us = 800.0
erase_us = 1500.0
transfer_us = 50.0

[ftl]
kind = "page"
spare_blocks = 52
cleaning = "cat"
placement = "deb"
regions = 4
stable_s = [100, 200, 300, 400]
ram = "4MiB"

[buffer]
policy = "none"
"#,
};

const PLRU_BR_2Q: Preset = Preset {
    name: "plru-br-2q",
    about: "32 GiB on 2 x 4 chips as one (16 KiB x 64), fast with 4096 log blocks, 64 MiB plru-br-2q buffer",
    paper: "Shin: Block-level replacement scheme considering re-write probability for solid state \
            drives, section 4",
    toml: r#"
drain = false

[flash]
capacity = "32GiB"
page_size = 2048
pages_per_block = 64
channels = 2
chips_per_channel = 4
interleave = "superpage"

[timing]
model = "serial"
read_us = 25.0
program_us = 200.0
erase_us = 2000.0
transfer_us = 70.0

[ftl]
kind = "fast"
log_blocks = 4096

[buffer]
policy = "plru-br-2q"
size = "64MiB"
reads = "bypass"
"#,
};
