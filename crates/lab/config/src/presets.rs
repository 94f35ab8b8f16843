//! Presets: the devices of the papers and drives of today, as configuration files.
//!
//! The comment behind a value is its source: a paper, a data sheet, a maker's page. Where a figure has none, the
//! comment says `assumption`, and why.

use ssdlab_policy::{Source, papers};

/// A preset.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name in configurations.
    pub name: &'static str,
    /// The device in one line.
    pub about: &'static str,
    /// The paper with its values, or the kind of drive.
    pub source: Source,
    /// The preset that gives the keys that it leaves out.
    pub base: Option<&'static Preset>,
    /// Its keys, as a configuration file with a source behind each value.
    pub toml: &'static str,
}

/// All presets.
pub fn presets() -> &'static [Preset] {
    &[
        BPLRU_2008,
        LFS_2010,
        LFS_2010_SLC,
        BAGC_2012,
        DEB,
        PLRU_BR_2Q,
        SATA_TLC,
        NVME_TLC,
        NVME_TLC_OP28,
        NVME_QLC_16K,
        NVME_QLC_64K,
        CONSUMER_TLC_1TB,
        CONSUMER_QLC_2TB,
        DRAMLESS_TLC,
        DRAMLESS_TLC_ALONE,
        EMMC,
        EMMC_PAGE,
        SD_A1,
    ]
}

impl Preset {
    /// The path of each key that it gives, with the source of its value.
    pub fn sources(&self) -> impl Iterator<Item = (String, &'static str)> {
        let mut table = "";
        self.toml.lines().filter_map(move |line| {
            if let Some(name) = line.strip_prefix('[') {
                table = name.trim_end_matches(']');
            }
            let (assignment, source) = line.split_once(" # ")?;
            let key = assignment.split_once('=')?.0.trim();
            let path = match table {
                "" => key.to_owned(),
                table => format!("{table}.{key}"),
            };
            Some((path, source))
        })
    }

    /// The least and the most that are usual, where the source of a key of its own says so: `1000 to 3000 is usual`.
    pub fn usual(&self, path: &str) -> Option<[u64; 2]> {
        let (words, _) = self.source(path)?.split_once(" is usual")?;
        let (before, most) = words.rsplit_once(" to ")?;
        let least = before.rsplit(' ').next()?;
        Some([least.parse().ok()?, most.parse().ok()?])
    }

    /// The source of the value that it gives a key itself, without its base.
    pub fn source(&self, path: &str) -> Option<&'static str> {
        let mut sources = self.sources();
        sources.find_map(|(key, source)| (key == path).then_some(source))
    }
}

const BPLRU_2008: Preset = Preset {
    name: "bplru-2008",
    about: "1 GiB MLC (2 KiB x 128), bast with 7 log blocks, 16 MiB bplru buffer",
    source: Source::of("{}, section 4.2.1", &[&papers::BPLRU]),
    base: None,
    toml: r#"
[flash]
capacity = "1GiB" # section 4.2.1
page_size = 2048 # section 4.2.1
pages_per_block = 128 # section 4.2.1
pe_cycles = 10000 # section 2.1: MLC blocks are expected to endure 10,000 erases

[timing]
model = "serial" # assumption: the sum of all operations
read_us = 50.0 # Table 2
program_us = 800.0 # Table 2
erase_us = 1500.0 # Table 2
transfer_us = 50.0 # Table 2

[ftl]
kind = "bast" # section 4.2.1: log blocks
log_blocks = 7 # section 4.2.1
partial_merge = false # assumption: the log-block FTL without partial merges

[buffer]
policy = "bplru" # the paper's own
size = "16MiB" # section 4.2.1: the largest of 1 to 16 MB
count_headers = "bplru" # section 3.4: a free node serves as a header or a sector node
"#,
};

const LFS_2010: Preset = Preset {
    name: "lfs-2010",
    about: "1 GiB MLC on 4 x 4 chips (4 KiB x 128), block mapping on each chip, 8 MiB write and read buffers",
    source: Source::of("{}, sections 2 to 4", &[&papers::LFS_BUFFERS]),
    base: None,
    toml: r#"
[flash]
capacity = "1GiB" # section 3: the trace covers 1 GB of addresses
page_size = 4096 # Table 1, MLC
pages_per_block = 128 # Table 1, MLC
channels = 4 # section 3, (1)
chips_per_channel = 4 # section 3, (1)
interleave = "page" # section 2.2: shared bus and multi-channel; assumption: pages go to all chips in turn
pe_cycles = 10000 # BPLRU 2008, section 2.1: MLC blocks are expected to endure 10,000 erases

[timing]
model = "parallel" # section 4: bus, channel and chip latencies
read_us = 60.0 # Table 1, MLC
program_us = 800.0 # Table 1, MLC
erase_us = 1500.0 # Table 1, MLC
transfer_us = 102.4 # page_size / channel_mb_s
bus_mb_s = 166.0 # section 4, Figure 3 (a)
channel_mb_s = 40.0 # section 4, Figure 3 (a)

[ftl]
kind = "block" # section 3, (2)

[buffer]
policy = "fifo" # section 3, (3)
size = "8MiB" # section 4, Figure 3 (b)

[read_buffer]
policy = "fifo" # section 4: one of its three, the first
size = "8MiB" # section 4, Figure 3 (a)
"#,
};

const LFS_2010_SLC: Preset = Preset {
    name: "lfs-2010-slc",
    about: "1 GiB SLC on 4 x 4 chips (2 KiB x 64), block mapping on each chip, 8 MiB write and read buffers",
    source: Source::of("{}, sections 2 to 4", &[&papers::LFS_BUFFERS]),
    base: Some(&LFS_2010),
    toml: r#"
[flash]
page_size = 2048 # Table 1, SLC
pages_per_block = 64 # Table 1, SLC
pe_cycles = 100000 # BPLRU 2008, section 2.1: SLC blocks are expected to endure 100,000 erases

[timing]
read_us = 25.0 # Table 1, SLC
program_us = 200.0 # Table 1, SLC
erase_us = 1500.0 # Table 1, SLC
transfer_us = 51.2 # page_size / channel_mb_s

[energy]
read_uj = 0.75 # Numonyx NAND01G-B2B data sheet, Table 23, SLC of 2 KiB x 64 too: 10 mA at 3 V, typically, here for read_us
program_uj = 6.0 # the same for program_us
erase_uj = 45.0 # the same for erase_us
"#,
};

const BAGC_2012: Preset = Preset {
    name: "bagc-2012",
    about: "9 GiB in 4 planes (2 KiB x 64), buffer-aware fast with 512 log blocks, 32 MiB three-region buffer",
    source: Source::of("{}, sections 7.1 and 7.3.1", &[&papers::BAGC]),
    base: None,
    toml: r#"
[flash]
capacity = "9GiB" # section 7.1: nine chips of 1 GiB
page_size = 2048 # section 7.1
pages_per_block = 64 # section 7.1
planes = 4 # section 7.1; merges stay within a chip, so the planes of one chip count
copy_back = true # its merges use copy-backs
pe_cycles = 100000 # chips of the series K9XXG08UXM: 100,000 (Agrawal et al., USENIX ATC 2008, Table 1)

[timing]
model = "serial" # assumption: the sum of all operations
read_us = 25.0 # section 7.1
program_us = 200.0 # section 7.1
erase_us = 1500.0 # section 7.1
transfer_us = 100.0 # section 7.1

[energy]
read_uj = 0.75 # Numonyx NAND01G-B2B data sheet, Table 23, SLC of 2 KiB x 64 too: 10 mA at 3 V, typically, here for read_us
program_uj = 6.0 # the same for program_us
erase_uj = 45.0 # the same for erase_us

[ftl]
kind = "fast" # section 7.3.1
log_blocks = 512 # section 7.3.1
buffer_aware = "merge+victim" # the paper's own

[buffer]
policy = "three-region" # the paper's own
size = "32MiB" # section 7.3.1
reads = "bypass" # section 7.1: a buffer of writes
flush_age_s = 30 # section 7.1: dirty pages older than 30 s are flushed
"#,
};

const DEB: Preset = Preset {
    name: "deb",
    about: "64 MiB in 512 segments of 128 KiB, 460 of them full; page with deb, 4 MiB of RAM and cat",
    source: Source::of("{}, section 4", &[&papers::LFSS]),
    base: None,
    toml: r#"
clock = "trace" # section 4: stable times in seconds

[flash]
capacity = "58880KiB" # section 4: 64 MiB filled by 90 %, here 460 of 512 segments
page_size = 4096 # assumption: the page of the file system above
pages_per_block = 32 # assumption: segments of 128 KiB; the paper gives no size

[timing]
model = "serial" # assumption: the paper counts erases, not time
read_us = 50.0 # assumption: the paper gives no time; that of bplru-2008
program_us = 800.0 # assumption: the paper gives no time; that of bplru-2008
erase_us = 1500.0 # assumption: the paper gives no time; that of bplru-2008
transfer_us = 50.0 # assumption: the paper gives no time; that of bplru-2008

[ftl]
kind = "page" # section 4: a log
spare_blocks = 52 # section 4: the other segments
cleaning = "cat" # section 2: one of its three
placement = "deb" # the paper's own
regions = 4 # section 4
stable_s = [100, 200, 300, 400] # section 4
ram = "4MiB" # section 4

[buffer]
policy = "none" # its region in RAM is the buffer
"#,
};

const PLRU_BR_2Q: Preset = Preset {
    name: "plru-br-2q",
    about: "32 GiB on 2 x 4 chips as one (16 KiB x 64), fast with 4096 log blocks, 64 MiB plru-br-2q buffer",
    source: Source::of("{}, section 4", &[&papers::PLRU_BR_2Q]),
    base: None,
    toml: r#"
drain = false # assumption: the time of the trace alone

[flash]
capacity = "32GiB" # section 4: the partition of the trace NTFS1
page_size = 2048 # section 4
pages_per_block = 64 # section 4
channels = 2 # section 4
chips_per_channel = 4 # section 4
interleave = "superpage" # section 4: clustered pages of 16 KiB, so all chips work as one (shared control)

[timing]
model = "serial" # section 4: its formula of the elapsed time
read_us = 25.0 # section 4
program_us = 200.0 # section 4
erase_us = 2000.0 # section 4
transfer_us = 70.0 # section 4, for 2 KiB
buffer_us = 0.0 # assumption: the formula of section 4 has a latency of the buffer, but the paper gives none

[ftl]
kind = "fast" # Figure 2
log_blocks = 4096 # assumption: the paper gives no number; with few, every eviction is a full merge

[buffer]
policy = "plru-br-2q" # the paper's own
size = "64MiB" # section 4: one of its sizes, 0 to 256 MB
reads = "bypass" # assumption: section 4 does not say; the abstract says that the buffer absorbs reads, too
"#,
};

const SATA_TLC: Preset = Preset {
    name: "sata-tlc",
    about: "500 GB SATA drive, TLC on 8 x 2 dies in lines, 4 KiB mapping units, 7 % spare",
    source: Source::words("like the Samsung 860 EVO 500 GB (product page and reviews, 2018)"),
    base: None,
    toml: r#"
partial_writes = "rmw" # a write of part of a mapping unit must read the rest
queue_depth = 32 # SATA 3: native command queueing takes 32 commands

[flash]
capacity = "476928MiB" # 500 GB, rounded down to whole lines of 384 MiB
page_size = 4096 # the mapping unit, a quarter of a NAND page: 4 bytes of map for 4 KiB (micron.com, September 2023)
pages_per_block = 6144 # assumption: 64 layers x 4 strings x 3 bits = 768 pages of 2 x 16 KiB, in units of 4 KiB
channels = 8 # assumption: usual for controllers of this class
chips_per_channel = 2 # assumption: 16 dies of 256 Gb (Samsung, June 2017) make 512 GiB
interleave = "line" # assumption: superblocks over all dies, as drives do
pe_cycles = 1500 # assumption: makers publish none for client TLC; 1000 to 3000 is usual
rated_tbw = 300.0 # Samsung 860 EVO 500 GB: 300 TBW

[timing]
model = "drive" # dies program many pages at once, and reads go before programs and suspend them
read_us = 60.0 # assumption: between 50 µs of the next V-NAND (Samsung, July 2018) and older dies
program_us = 3000.0 # Samsung, June 2017: tPROG 500 µs for 2 planes of 16 KiB (2: assumption), so 6 x 500 for 192 KiB
erase_us = 3000.0 # assumption: no figure for this die; 3 ms is typical of the Micron MT29F64G08CBABA data sheet
transfer_us = 4.096 # page_size / channel_mb_s
bus_mb_s = 550.0 # Samsung 860 EVO: reads 550 MB/s in sequence
channel_mb_s = 1000.0 # Samsung, June 2017: 1 Gbit/s for each of 8 lines of 64-layer V-NAND
program_pages = 48 # assumption: 192 KiB (3 bits x 4 planes x 16 KiB), as the latencies of published drives show
sense_pages = 16 # assumption: a page of 16 KiB on each of 4 planes
reads_at_once = 4 # assumption: each plane reads on its own
command_us = 10.204 # Samsung 860 EVO 500 GB: 98,000 random reads a second, which one processor handles in turn
read_host_us = 5.0 # assumption: firmware, link and host, as measured latencies of such drives leave it
write_host_us = 9.0 # assumption: the median write of published drives takes 8 to 12 µs

[ftl]
kind = "page" # client drives map pages
pace = "paced" # assumption: a drive does not keep a write waiting for the cleaning of a whole line
over_provisioning = 0.07 # assumption: 7 %, the gap between GiB and GB
cleaning = "greedy" # assumption: makers do not say which victims they take; the fewest valid pages is what all others are measured by
placement = "single" # assumption: makers do not say how they divide data; one log, copies apart

[buffer]
policy = "lru" # assumption: makers do not say how they cache writes
size = "16MiB" # assumption: most of the memory of a drive holds its map
flush_age_s = 0.01 # assumption: drives program what they hold as soon as dies are idle, not only when memory is full
"#,
};

const NVME_TLC: Preset = Preset {
    name: "nvme-tlc",
    about: "1 TB NVMe drive, TLC on 8 x 4 dies in lines, 4 KiB mapping units, 7 % spare",
    source: Source::words(
        "like the Samsung 970 EVO Plus 1 TB (product page, press release of July 2018)",
    ),
    base: None,
    toml: r#"
partial_writes = "rmw" # a write of part of a mapping unit must read the rest
queue_depth = 32 # assumption: makers state random writes at queue depth 32

[flash]
capacity = "953856MiB" # 1 TB, rounded down to whole lines of 1152 MiB
page_size = 4096 # the mapping unit, a quarter of a NAND page: 4 bytes of map for 4 KiB (micron.com, September 2023)
pages_per_block = 9216 # assumption: 96 layers x 4 strings x 3 bits = 1152 pages of 2 x 16 KiB, in units of 4 KiB
channels = 8 # assumption: usual for controllers of this class
chips_per_channel = 4 # 1 TB of 256 Gb dies (thefpsreview.com on the 970 EVO, 2020) is 32 dies
interleave = "line" # assumption: superblocks over all dies, as drives do
pe_cycles = 1500 # assumption: makers publish none for client TLC; 1000 to 3000 is usual
rated_tbw = 600.0 # Samsung 970 EVO Plus 1 TB: 600 TBW

[timing]
model = "drive" # dies program many pages at once, and reads go before programs and suspend them
read_us = 50.0 # Samsung, July 2018: reads of the fifth V-NAND take 50 µs
program_us = 3000.0 # Samsung, July 2018: tPROG 500 µs for 2 planes of 16 KiB (2: assumption), so 6 x 500 for 192 KiB
erase_us = 3000.0 # assumption: no figure for this die; 3 ms is typical of the Micron MT29F64G08CBABA data sheet
transfer_us = 2.926 # page_size / channel_mb_s
bus_mb_s = 3500.0 # Samsung 970 EVO Plus: reads 3500 MB/s in sequence
channel_mb_s = 1400.0 # Samsung, July 2018: 1.4 Gbit/s for each of 8 lines of the fifth V-NAND
program_pages = 48 # assumption: 192 KiB (3 bits x 4 planes x 16 KiB), as the latencies of published drives show
sense_pages = 16 # assumption: a page of 16 KiB on each of 4 planes
reads_at_once = 4 # assumption: each plane reads on its own
command_us = 1.667 # Samsung 970 EVO Plus 1 TB: 600,000 random reads a second, which one processor handles in turn
read_host_us = 5.0 # assumption: firmware, link and host, as measured latencies of such drives leave it
write_host_us = 9.0 # assumption: the median write of published drives takes 8 to 12 µs

[ftl]
kind = "page" # client drives map pages
pace = "paced" # assumption: a drive does not keep a write waiting for the cleaning of a whole line
over_provisioning = 0.07 # assumption: 7 %, the gap between GiB and GB
cleaning = "greedy" # assumption: makers do not say which victims they take; the fewest valid pages is what all others are measured by
placement = "single" # assumption: makers do not say how they divide data; one log, copies apart

[buffer]
policy = "lru" # assumption: makers do not say how they cache writes
size = "16MiB" # assumption: most of the memory of a drive holds its map
flush_age_s = 0.01 # assumption: drives program what they hold as soon as dies are idle, not only when memory is full
"#,
};

const NVME_TLC_OP28: Preset = Preset {
    name: "nvme-tlc-op28",
    about: "the same flash, 1 TiB, of which the host uses 800 GB",
    source: Source::words(
        "like the Samsung 970 EVO Plus 1 TB (product page, press release of July 2018)",
    ),
    base: Some(&NVME_TLC),
    toml: r#"
[flash]
pe_cycles = 7000 # assumption: TLC for data centres, of which 7,000 cycles are usual, not client TLC

[ftl]
over_provisioning = 0.099 # 32 dies of 256 Gb are 1 TiB: 910 lines, 828 of them the 1 TB that is sold
reserve = 0.2 # 800 GB of 1 TB: makers of drives for mixed use divide 1024 by 800 and call it 28 %
"#,
};

const NVME_QLC_16K: Preset = Preset {
    name: "nvme-qlc-16k",
    about: "1.92 TB NVMe drive, QLC on 8 x 2 dies in lines, 16 KiB mapping units, 7 % spare",
    source: Source::words(
        "typical of data-centre QLC drives, such as the Solidigm D5-P5316 with units of 64 KiB",
    ),
    base: None,
    toml: r#"
partial_writes = "rmw" # coarse mapping units: a smaller write must read the rest
queue_depth = 32 # assumption: a server keeps the queue of the drive filled

[flash]
capacity = "1830912MiB" # assumption: such drives have 7.68 TB and more; 1.92 TB keeps the tables small; whole lines
page_size = 16384 # blog.pankajraghav.com/2023/12/18/IU-WAF.html: drives with units of 16 KiB; also one NAND page
pages_per_block = 6144 # assumption: 96 layers x 4 strings x 4 bits = 1536 pages of 4 x 16 KiB, in mapping units
channels = 8 # assumption: usual for controllers of this class
chips_per_channel = 2 # assumption: 16 dies of 1 Tb (ISSCC 2020, 13.2) make 2 TiB
interleave = "line" # assumption: superblocks over all dies, as drives do
pe_cycles = 1600 # Intel D5-P4320, a QLC drive: 1600 cycles (computerbase.de, August 2018)

[timing]
model = "drive" # dies program many pages at once, and reads go before programs and suspend them
read_us = 110.0 # assumption: about the middle of what QLC dies are published with; planes are read together
program_us = 8738.133 # ISSCC 2020, 13.2: 30 MB/s for a 1 Tb QLC die with all planes and bits together; 256 KiB / 30 MB/s
erase_us = 3000.0 # assumption: no figure for this die; 3 ms is typical of the Micron MT29F64G08CBABA data sheet
transfer_us = 13.653 # page_size / channel_mb_s
bus_mb_s = 7000.0 # typical of PCIe 4.0 x4 drives: 7000 MB/s
channel_mb_s = 1200.0 # assumption: 1.2 Gbit/s for each of 8 lines, usual for dies of 2020
program_pages = 16 # assumption: a word line of QLC: 4 bits x 4 planes x 16 KiB
sense_pages = 4 # assumption: a page of 16 KiB on each of 4 planes
reads_at_once = 4 # assumption: each plane reads on its own
command_us = 1.25 # Solidigm D5-P5316: 800,000 random reads a second, which one processor handles in turn
read_host_us = 5.0 # assumption: firmware, link and host, as measured latencies of such drives leave it
write_host_us = 9.0 # assumption: the median write of published drives takes 8 to 12 µs

[ftl]
kind = "page" # such drives map units
pace = "paced" # assumption: a drive does not keep a write waiting for the cleaning of a whole line
over_provisioning = 0.07 # assumption: 7 %, the gap between GiB and GB
cleaning = "greedy" # assumption: makers do not say which victims they take; the fewest valid pages is what all others are measured by
placement = "single" # assumption: makers do not say how they divide data; one log, copies apart

[buffer]
policy = "lru" # assumption: makers do not say how they cache writes
size = "32MiB" # assumption: what capacitors can save
flush_age_s = 0.01 # assumption: drives program what they hold as soon as dies are idle, not only when memory is full
protected = true # data-centre drives have capacitors against power loss
"#,
};

const NVME_QLC_64K: Preset = Preset {
    name: "nvme-qlc-64k",
    about: "1.92 TB NVMe drive, QLC on 8 x 2 dies in lines, 64 KiB mapping units, 7 % spare",
    source: Source::words(
        "typical of data-centre QLC drives, such as the Solidigm D5-P5316 with units of 64 KiB",
    ),
    base: Some(&NVME_QLC_16K),
    toml: r#"
[flash]
page_size = 65536 # assumption: the mapping unit that the Solidigm D5-P5316 is known for
pages_per_block = 1536 # assumption: 96 layers x 4 strings x 4 bits = 1536 pages of 4 x 16 KiB, in mapping units

[timing]
transfer_us = 54.613 # page_size / channel_mb_s
program_pages = 4 # assumption: a word line of QLC: 4 bits x 4 planes x 16 KiB
sense_pages = 1 # assumption: a page of 16 KiB on each of 4 planes
"#,
};

const CONSUMER_TLC_1TB: Preset = Preset {
    name: "consumer-tlc-1tb",
    about: "1 TB consumer NVMe drive, TLC on 8 x 4 dies in lines, 114 GB of SLC cache, 6 GB of it fixed",
    source: Source::words(
        "like the Samsung 980 PRO 1 TB (data sheet; TechPowerUp and Notebookcheck, 2020)",
    ),
    base: Some(&NVME_TLC),
    toml: r#"
precondition = "empty" # as the fills of reviews: an erased drive
replay = "timed" # folding in pauses needs the times of requests

[flash]
cell_bits = 3 # TLC (Samsung: "3-bit MLC")
pe_cycles = 1500 # assumption: makers publish none for client TLC; 1000 to 3000 is usual
slc_pe_cycles = 30000 # assumption: 20,000 to 40,000 for fixed pSLC (Kalstor; TechPowerUp forum 290690)
slc_wear = 1.0 # assumption: dynamic blocks count as native ones (TechPowerUp forum 290690)

[timing]
model = "parallel" # an SLC cache has times under this model
program_pages = 1 # program_us is that of one mapping unit
read_us = 50.0 # Samsung, July 2018: reads of the fifth V-NAND take 50 µs
program_us = 62.5 # Samsung, July 2018: 500 µs for 2 x 16 KiB; 32 dies then give 2003 MB/s (Notebookcheck: 2000)
erase_us = 3000.0 # assumption: as nvme-tlc
transfer_us = 2.926 # page_size / channel_mb_s
slc_read_us = 25.0 # assumption: SLC reads 25 µs (HP's white paper, AnandTech 2012)
slc_program_us = 23.3 # 5000 MB/s within the cache (sheet): 32 x 4096 / 5000 = 26.2 µs, less 2.9 µs of the channel
fold_program_us = 62.5 # assumption: as program_us
bus_mb_s = 7000.0 # sheet: reads 7000 MB/s in sequence
channel_mb_s = 1400.0 # assumption: as nvme-tlc
read_suspends = true # assumption: as nvme-tlc
spare_slots = 256 # assumption: memory for eight units of each die

[ftl]
over_provisioning = 0.07 # assumption: 7 %, the gap between GiB and GB
pace = "whole" # assumption: paced costs throughput here, as the program of a copy waits for its read
slc = "hybrid" # "Intelligent TurboWrite": a default and an intelligent region (Samsung)
slc_static = "6GB" # sheet
slc_dynamic = "108GB" # sheet; TechPowerUp measured 113 GB in all
slc_full = "direct" # assumption: 1.5 GB/s behind the cache and rising (TechPowerUp)
slc_victim = "fifo" # assumption: makers do not say
slc_idle_us = 100000.0 # assumption: a pause of a second already frees some of the cache (TechPowerUp)
slc_reclaim = 0.5 # assumption: makers do not say
"#,
};

const CONSUMER_QLC_2TB: Preset = Preset {
    name: "consumer-qlc-2tb",
    about: "2 TB consumer NVMe drive, QLC on 4 x 4 dies in lines, all free flash as SLC cache",
    source: Source::words("like the HP FX700 2 TB (TechPowerUp, 2024)"),
    base: None,
    toml: r#"
precondition = "empty" # as the fills of reviews: an erased drive
replay = "timed" # folding in pauses needs the times of requests
partial_writes = "rmw" # a write of part of a mapping unit must read the rest

[flash]
capacity = "1906176MiB" # 2 TB, rounded down to whole lines of 1536 MiB
page_size = 4096 # assumption: the mapping unit of most drives
pages_per_block = 24576 # assumption: 96 layers x 4 strings x 4 bits = 1536 pages of 4 x 16 KiB, in units of 4 KiB
channels = 4 # class of the Maxio MAP1602, which has four
chips_per_channel = 4 # 16 dies of 1 Tb (ISSCC 2020, 13.2) make 2 TiB
interleave = "line" # assumption: superblocks over all dies, as drives do
cell_bits = 4 # QLC (TechPowerUp)
pe_cycles = 900 # assumption: makers publish none for client QLC (Kalstor; D5-P4320); 100 to 1600 is usual
slc_wear = 1.0 # assumption: dynamic blocks count as native ones

[timing]
model = "parallel" # an SLC cache has times under this model
program_pages = 1 # program_us is that of one mapping unit
read_us = 110.0 # assumption: as nvme-qlc-16k
program_us = 377.0 # 16 x 4096 / 173 MB/s less 1.7 µs: TechPowerUp, 130 MB/s once folding makes room, 3/4 of 173
erase_us = 5000.0 # assumption: no figure for this die
transfer_us = 1.707 # page_size / channel_mb_s
slc_read_us = 30.0 # assumption: no figure for this die
slc_program_us = 17.0 # 16 x 4096 / 3500 MB/s less 1.7 µs: TechPowerUp, 3.5 GB/s within the cache (4.9 in its first 54 GB)
fold_program_us = 377.0 # assumption: as program_us
channel_mb_s = 2400.0 # assumption: 2400 MT/s
bus_mb_s = 7000.0 # PCIe 4 x4
read_suspends = true # assumption: as nvme-qlc-16k
spare_slots = 256 # assumption: memory for sixteen units of each die

[ftl]
kind = "page" # client drives map pages
over_provisioning = 0.07 # assumption: 7 %, the gap between GiB and GB
pace = "whole" # assumption: paced costs throughput here, as the program of a copy waits for its read
cleaning = "greedy" # assumption: makers do not say which victims they take
placement = "single" # assumption: makers do not say how they divide data
slc = "dynamic" # TechPowerUp: all of the free flash
slc_dynamic = "all" # TechPowerUp: 460 GB, 23 % of the capacity, of at most a quarter
slc_full = "direct" # assumption: with the whole drive in SLC mode there is nothing to write directly to
slc_victim = "fifo" # assumption: makers do not say
slc_idle_us = 500000.0 # assumption: makers do not say
slc_reclaim = 0.5 # assumption: makers do not say

[buffer]
policy = "lru" # assumption: makers do not say how they cache writes
size = "4MiB" # assumption: no DRAM; the controller's own memory
"#,
};

const DRAMLESS_TLC: Preset = Preset {
    name: "dramless-tlc",
    about: "1 TB NVMe drive without DRAM: its map is in flash, with 1 MiB of cache and 64 MiB of the host's memory",
    source: Source::words(
        "the flash of nvme-tlc behind a controller without DRAM; no maker says what such a controller caches",
    ),
    base: Some(&NVME_TLC),
    toml: r#"
[timing]
model = "parallel" # a map in flash has times under this model
program_pages = 1 # program_us is that of one mapping unit
program_us = 62.5 # Samsung, July 2018: 500 µs for 2 x 16 KiB
read_suspends = true # assumption: drives suspend programs and erases for reads
spare_slots = 256 # assumption: memory for eight units of each die
map_host_us = 1.0 # assumption: a short read over PCIe takes about 1 µs

[ftl]
pace = "whole" # assumption: paced costs throughput here, as the program of a copy waits for its read
map = "pages" # assumption: makers do not say; whole map pages need the least index
map_cache = "1MiB" # assumption: the controller has SRAM only
map_entry = 4 # 4 bytes of map for 4 KiB (micron.com, September 2023)
map_sync = 1048576 # assumption: a checkpoint behind 4 GiB
map_host = "64MiB" # assumption: such drives ask for some tens of MiB (NVMe 1.2 of 2014 allows it)

[buffer]
size = "1MiB" # assumption: the controller has SRAM only
"#,
};

const DRAMLESS_TLC_ALONE: Preset = Preset {
    name: "dramless-tlc-alone",
    about: "the same drive on a host that lends no memory",
    source: Source::words(
        "the flash of nvme-tlc behind a controller without DRAM; no maker says what such a controller caches",
    ),
    base: Some(&DRAMLESS_TLC),
    toml: r#"
[ftl]
map_host = "0B" # the host lends nothing
"#,
};

const EMMC: Preset = Preset {
    name: "emmc",
    about: "7.25 GiB eMMC of 2010 with one MLC die (8 KiB x 256), fast with 128 log blocks, 512 KiB of buffer",
    source: Source::words(
        "typical of an eMMC 4.41 device of 2010 with hybrid mapping; NAND of the Micron MT29F64G08CBABA data sheet",
    ),
    base: None,
    toml: r#"
partial_writes = "rmw" # a write of part of a page must read the rest
queue_depth = 1 # eMMC 4.41 has no command queue

[flash]
capacity = "7424MiB" # assumption: 3712 of the die's 4096 blocks, about 8 GB
page_size = 8192 # Micron MT29F64G08CBABA: 8 KiB; mapping unit and NAND page are the same
pages_per_block = 256 # Micron MT29F64G08CBABA
pe_cycles = 3000 # Micron MT29F64G08CBABA

[timing]
model = "parallel" # bus and die work on their own
read_us = 100.0 # Micron MT29F64G08CBABA: at most 100 µs
program_us = 1300.0 # Micron MT29F64G08CBABA: typically 1300 µs for one page, on one plane
erase_us = 3000.0 # Micron MT29F64G08CBABA: typically 3 ms
transfer_us = 40.96 # page_size / channel_mb_s
bus_mb_s = 104.0 # eMMC 4.41 (JESD84-A441, March 2010): 8 lines at 52 MHz, both edges
channel_mb_s = 200.0 # Micron MT29F64G08CBABA: 200 MT/s on 8 lines

[ftl]
kind = "fast" # assumption: hybrid mapping needs little memory, and FAST is its best-known form
log_blocks = 128 # assumption: 3 % of the blocks, mapped by page

[buffer]
policy = "fifo" # assumption: memory that gathers writes, without a policy
size = "512KiB" # assumption: the controller has SRAM only
"#,
};

const EMMC_PAGE: Preset = Preset {
    name: "emmc-page",
    about: "the eMMC with page mapping: its map is in flash, with 64 KiB of cache",
    source: Source::words(
        "typical of an eMMC 4.41 device of 2010; NAND of the Micron MT29F64G08CBABA data sheet; its map as in later devices",
    ),
    base: Some(&EMMC),
    toml: r#"
[ftl]
kind = "page" # assumption: later eMMC devices map pages
over_provisioning = 0.07 # assumption: most of the 384 blocks of the die that the host does not see
cleaning = "greedy" # assumption: makers do not say which victims they take
placement = "single" # assumption: makers do not say how they divide data
map = "pages" # assumption: makers do not say; whole map pages need the least index
map_cache = "64KiB" # assumption: eight map pages, as the controller has SRAM only
map_entry = 4 # 4 bytes of map for a page, as drives have
"#,
};

const SD_A1: Preset = Preset {
    name: "sd-a1",
    about: "32 GB SD card of class A1, one TLC die, 16 KiB mapping units, 7 % spare, no buffer: its map is in flash, with 64 KiB of cache",
    source: Source::words(
        "the least of Application Performance Class 1 (SD specification 5.1, 2016): 1500 random reads and 500 random writes of 4 \
         KiB a second, 10 MB/s in sequence",
    ),
    base: None,
    toml: r#"
partial_writes = "rmw" # a write of part of a mapping unit must read the rest
queue_depth = 1 # SD class A1 has no command queue; that is A2

[flash]
capacity = "30520MiB" # assumption: 32 GB, rounded up to whole blocks of 4 MiB
page_size = 16384 # assumption: one NAND page is the mapping unit, as the map must fit a small RAM
pages_per_block = 256 # assumption: blocks of 4 MiB, the usual allocation unit of cards of this size
pe_cycles = 1000 # assumption: makers publish none for cards; TLC of the cheapest kind

[timing]
model = "parallel" # bus and die work on their own
read_us = 425.0 # class A1: 1500 random reads a second, the transfers subtracted
program_us = 1400.0 # class A1: 500 random writes a second, each of which reads a unit and programs it
erase_us = 5000.0 # assumption: no figure for such a die
transfer_us = 81.92 # page_size / channel_mb_s
bus_mb_s = 104.0 # SD specification 3.01, UHS-I: 104 MB/s
channel_mb_s = 200.0 # assumption: 200 MT/s on 8 lines
program_pages = 1 # program_us is that of one mapping unit

[ftl]
kind = "page" # assumption: cards of class A1 map units, or random writes would merge blocks
over_provisioning = 0.07 # assumption: 7 %, the gap between GiB and GB
cleaning = "greedy" # assumption: makers do not say which victims they take; the fewest valid pages is what all others are measured by
placement = "single" # assumption: makers do not say how they divide data; one log, copies apart
map = "pages" # assumption: makers do not say; whole map pages need the least index
map_cache = "64KiB" # assumption: four map pages, those of 256 MiB; the controller has SRAM only
map_entry = 4 # 4 bytes of map for a unit, as drives have

[buffer]
policy = "none" # class A1 needs no cache; that is A2
"#,
};
