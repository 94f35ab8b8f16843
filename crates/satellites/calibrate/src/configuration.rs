//! The configuration of a calibrated drive: the keys of a preset, with those that sheet and measurements tell in place of
//! its own, and the source of each behind it.

use ssdlab_config::{Config, Preset};
use ssdlab_words::{decimal_bytes, shown_text, size_value};
use toml::Value;

use crate::calibration::Spare;
use crate::drive::Drive;
use crate::load::{GC_LOW, IDLE_BLOCKS};
use crate::sheet::Stated;
use crate::times::FittedKey;

/// GiB of a die where nothing tells: 512 Gbit.
const DIE: u64 = 64;
/// Units that a chip programs at once, in a block that is erased in [`ERASE_US`].
const ERASED_UNITS: f64 = 683.0;
/// The erase of a chip's block, µs.
const ERASE_US: f64 = 10_000.0;
/// A sense where nothing tells, µs, and the bytes that a die of TLC programs at once.
const READ_US: f64 = 58.0;
const TLC: f64 = (192 << 10) as f64;
/// The program of a die of TLC and of QLC takes at least and at most so long, µs; otherwise another number of dies is likelier.
const PROGRAMS: [[f64; 2]; 2] = [[500.0, 5_000.0], [500.0, 12_000.0]];
/// The latency that hosts see of a write that ends in memory, µs, at most.
const WRITE_HOST_US: f64 = 9.0;
/// The least spare blocks of page mapping with two frontiers.
const LEAST_SPARE: f64 = GC_LOW as f64 + 3.0;

/// A key with its value and source.
struct Line {
    path: String,
    value: String,
    source: String,
}

/// The keys of a configuration, in the order of its file.
pub(crate) struct Lines<'a> {
    drive: &'a Drive,
    all: Vec<Line>,
}

/// The configuration file of a drive with this flash. The error says why the drive cannot be described.
pub(crate) fn configuration(
    drive: &Drive,
    spare: &Spare,
    fitted: &[FittedKey],
) -> Result<String, String> {
    let mut lines = Lines::of(drive);
    lines.shape(spare)?;
    lines.times();
    for one in fitted {
        lines.put(&one.key, one.value, format!("fitted to the {}", one.from));
    }
    let mut text = lines.head();
    if spare.overhead > 1.0 {
        text += &format!(
            "# Its writes in order program {:.4} bytes for each byte of the host, which the simulator does not: {}\n",
            spare.overhead,
            match spare.added {
                true => format!(
                    "add {:.4} to its write amplification.",
                    spare.overhead - 1.0
                ),
                false => "multiply its write amplification by that.".to_owned(),
            }
        );
    }
    text += &lines.text();
    lines.resolved(&text).map(|_| text)
}

impl<'a> Lines<'a> {
    /// Those of the preset of a drive, which has no presets but its base.
    pub fn of(drive: &'a Drive) -> Self {
        let mut lines = Lines {
            drive,
            all: Vec::new(),
        };
        for preset in drive.like.base.iter().copied().chain([drive.like]) {
            lines.preset(preset);
        }
        lines.without(&["flash.rated_tbw"]);
        lines
    }

    /// The device that a text of these lines describes.
    pub fn resolved(&self, text: &str) -> Result<Config, String> {
        let mut resolver = self.drive.lab.resolver();
        let resolved = resolver
            .file("the configuration", text.as_bytes())
            .and_then(|file| file.resolve());
        resolved.map_err(|error| error.to_string())
    }

    /// All keys of a preset.
    fn preset(&mut self, preset: &Preset) {
        let values: toml::Table = toml::from_str(preset.toml).expect("presets are valid");
        for (path, source) in preset.sources() {
            let value = match path.split_once('.') {
                Some((table, key)) => &values[table][key],
                None => &values[path.as_str()],
            };
            let value = literal(value);
            let source = format!("{}: {source}", preset.name);
            self.put(&path, value, source);
        }
    }

    /// Leaves out keys.
    pub fn without(&mut self, paths: &[&str]) {
        self.all.retain(|line| !paths.contains(&line.path.as_str()));
    }

    /// A figure of the sheet.
    pub fn sheet(&self, name: &str) -> Option<&'a Stated> {
        self.drive.sheet.get(name)
    }

    /// Puts a key in the place of that of the preset, or at the end of its table.
    pub fn put(&mut self, path: &str, value: impl ToString, source: impl Into<String>) {
        let line = Line {
            path: path.to_owned(),
            value: value.to_string(),
            source: source.into(),
        };
        let table = |path: &str| path.rsplit_once('.').map(|(table, _)| table.to_owned());
        let same = self.all.iter().position(|other| other.path == path);
        let last = self
            .all
            .iter()
            .rposition(|other| table(&other.path) == table(path));
        match (same, last) {
            (Some(at), _) => self.all[at] = line,
            (None, Some(last)) => self.all.insert(last + 1, line),
            (None, None) => self.all.push(line),
        }
    }

    /// A number of the preset.
    pub fn number(&self, path: &str) -> f64 {
        let line = self.all.iter().find(|line| line.path == path);
        line.and_then(|line| line.value.parse().ok()).unwrap_or(1.0)
    }

    /// A figure of the sheet as it is.
    fn stated(&mut self, path: &str, name: &str) {
        if let Some(stated) = self.drive.sheet.get(name) {
            self.put(path, stated.value, stated.source.clone());
        }
    }

    fn shape(&mut self, spare: &Spare) -> Result<(), String> {
        let sheet = &self.drive.sheet;
        let page = sheet.mapping_unit() as f64;
        let block_bytes = self.number("flash.pages_per_block") * self.number("flash.page_size");
        if let Some(unit) = sheet.get("mapping_unit") {
            self.put(
                "flash.page_size",
                page,
                format!("mapping unit: {}", unit.source),
            );
        } else {
            self.put(
                "flash.page_size",
                page,
                "assumption: drives map units of 4 KiB; QLC drives often larger ones",
            );
        }
        let unit = self.units(page);
        let dies = self.dies()?;
        let pages = match sheet.get("erase_unit") {
            None => (block_bytes / page).floor().clamp(1.0, 65536.0),
            Some(unit) => unit.value / (page * dies),
        };
        // whole programs
        let whole = (pages / unit).round().max(1.0) * unit;
        if pages.fract() != 0.0 || !(1.0..=65536.0).contains(&whole) {
            return Err(format!(
                "erase_unit: must be 1 to 65536 times the mapping unit on each of {dies} dies, {} times",
                size_value((page * dies) as u64)
            ));
        }
        match sheet.get("erase_unit") {
            Some(unit) => {
                let rounded = match whole == pages {
                    true => String::new(),
                    false => format!(
                        ", rounded to whole programs of {unit_pages} pages",
                        unit_pages = self.number("timing.program_pages")
                    ),
                };
                let unit = format!(
                    "erase unit of {} on {dies} dies{rounded}: {}",
                    size_value(unit.value as u64),
                    unit.source
                );
                self.put("flash.pages_per_block", whole, unit);
            }
            None => {
                let like = format!(
                    "assumption: {} on each die, as {} has",
                    size_value((whole * page) as u64),
                    self.drive.like.name
                );
                self.put("flash.pages_per_block", whole, like);
            }
        }
        self.put(
            "timing.erase_us",
            format!("{:.0}", ERASE_US * whole / unit / ERASED_UNITS),
            format!("assumption: 10 ms for a block of {ERASED_UNITS} programs, in proportion"),
        );
        let line = whole * page * dies;
        let blocks = self.capacity(line)?;
        let spare_blocks = (spare.flash / line - blocks + IDLE_BLOCKS)
            .round()
            .max(LEAST_SPARE);
        let idle = format!(
            "{}, and {IDLE_BLOCKS} lines that stay free or are half written",
            spare.basis
        );
        self.spare(blocks, spare_blocks, idle);
        self.put(
            "ftl.cleaning",
            format!("{:?}", spare.cleaning),
            spare.cleaning_source.clone(),
        );
        self.put(
            "ftl.pace",
            "\"paced\"",
            "drives clean behind the writes, in portions",
        );
        self.stated("flash.rated_tbw", "rated_tbw");
        self.cycles(spare);
        Ok(())
    }

    /// The capacity in whole lines of so many bytes; their number.
    pub fn capacity(&mut self, line: f64) -> Result<f64, String> {
        let capacity = self.drive.sheet.get("capacity").expect("checked");
        let blocks = (capacity.value / line).floor();
        if blocks < 16.0 {
            return Err(format!(
                "capacity: has only {blocks} lines of {}; state a smaller erase_unit or fewer dies",
                size_value(line as u64)
            ));
        }
        self.put(
            "flash.capacity",
            format!("{:?}", size_value((blocks * line) as u64)),
            format!(
                "{}, rounded down to whole lines of {}: {}",
                decimal_bytes(capacity.value as u64),
                size_value(line as u64),
                capacity.source
            ),
        );
        Ok(blocks)
    }

    /// The spare blocks beside so many logical ones.
    pub fn spare(&mut self, blocks: f64, spare_blocks: f64, source: String) {
        let share = (spare_blocks - 0.5) / blocks;
        self.without(&["ftl.over_provisioning"]);
        match share < 1.0 {
            true => self.put("ftl.over_provisioning", format!("{share:.5}"), source),
            false => self.put("ftl.spare_blocks", spare_blocks, source),
        }
    }

    /// The mapping units that a die programs at once, and those that it senses at once: as many bytes as in the preset.
    fn units(&mut self, page: f64) -> f64 {
        let of_preset = self.number_of_preset("flash", "page_size");
        let mut pages = 1.0;
        for key in ["sense_pages", "program_pages"] {
            let bytes = self.number_of_preset("timing", key) * of_preset;
            pages = (bytes / page).floor().max(1.0);
            let path = format!("timing.{key}");
            let source = match self.all.iter().find(|line| line.path == path) {
                Some(line) if page == of_preset => line.source.clone(),
                _ => format!(
                    "as many bytes as {} has: {}",
                    self.drive.like.name,
                    size_value(bytes as u64)
                ),
            };
            self.put(&path, pages, source);
        }
        pages
    }

    /// The dies by the sheet, else those of the preset.
    pub fn dies_or_preset(&mut self) -> Result<f64, String> {
        match self.sheet("dies").or(self.sheet("channels")) {
            Some(_) => self.dies(),
            None => Ok(self.number("flash.channels") * self.number("flash.chips_per_channel")),
        }
    }

    /// Channels and dies on each; the number of dies.
    fn dies(&mut self) -> Result<f64, String> {
        let sheet = &self.drive.sheet;
        let channels = sheet.get("channels");
        let usual = self.number("flash.channels");
        if let Some(dies) = sheet.get("dies") {
            let channels = match channels {
                Some(channels) => channels.clone(),
                None => {
                    let divides = |channels: &f64| dies.value % channels == 0.0;
                    let value = [usual, usual / 2.0, 2.0]
                        .into_iter()
                        .find(divides)
                        .unwrap_or(1.0);
                    Stated {
                        value,
                        source: "assumption: usual for controllers of this class".into(),
                    }
                }
            };
            if dies.value % channels.value != 0.0 {
                return Err(format!(
                    "dies: must be a multiple of the {} channels",
                    channels.value
                ));
            }
            self.put("flash.channels", channels.value, channels.source.clone());
            self.put(
                "flash.chips_per_channel",
                dies.value / channels.value,
                format!("{} dies: {}", dies.value, dies.source),
            );
            return Ok(dies.value);
        }
        let gib = sheet.capacity().div_ceil(1 << 30);
        let dies = (gib.next_power_of_two() / DIE).max(1) as f64;
        let value = channels.map_or(usual, |channels| channels.value);
        if let Some(channels) = channels {
            self.put("flash.channels", value, channels.source.clone());
        } else if dies < value {
            let why = "assumption: no more than dies";
            self.put("flash.channels", dies, why);
        }
        let value = if channels.is_none() {
            value.min(dies)
        } else {
            value
        };
        let each = (dies / value).ceil().max(1.0);
        self.put(
            "flash.chips_per_channel",
            each,
            format!(
                "assumption: dies of 512 Gbit, {} GiB in all",
                gib.next_power_of_two()
            ),
        );
        Ok(value * each)
    }

    /// Erases that a block endures.
    fn cycles(&mut self, spare: &Spare) {
        let sheet = &self.drive.sheet;
        if sheet.get("pe_cycles").is_some() {
            self.stated("flash.pe_cycles", "pe_cycles");
        } else if let Some(rated) = sheet.get("rated_tbw") {
            let cycles = (rated.value * 1e12 * spare.uniform / spare.flash)
                .ceil()
                .max(1.0);
            let why = format!(
                "assumption: as many as {} TB of uniform writes take at write amplification {:.2}; makers publish none",
                rated.value, spare.uniform
            );
            self.put("flash.pe_cycles", cycles, why);
        }
    }

    fn times(&mut self) {
        let sheet = &self.drive.sheet;
        let page = sheet.mapping_unit() as f64;
        let channels = self.number("flash.channels");
        let dies = channels * self.number("flash.chips_per_channel");
        let reads = sheet.get("sequential_read_mb_s");
        if let Some(reads) = reads {
            self.put(
                "timing.bus_mb_s",
                reads.value,
                format!("reads in order: {}", reads.source),
            );
        }
        let bus = self.number("timing.bus_mb_s");
        if channels * self.number("timing.channel_mb_s") < bus {
            let fast = (1.1 * bus / channels).ceil();
            self.put(
                "timing.channel_mb_s",
                fast,
                format!("assumption: {channels} channels are no slower than the bus"),
            );
        }
        let transfer = page / self.number("timing.channel_mb_s");
        self.put(
            "timing.transfer_us",
            format!("{transfer:.3}"),
            "page_size / channel_mb_s",
        );
        let unit = self.number("timing.program_pages") * page;
        self.program(dies * unit, unit);
        if let Some(latency) = sheet.get("read_latency_us") {
            let read = (0.88 * latency.value - 8.0).max(1.0);
            self.put(
                "timing.read_us",
                format!("{read:.1}"),
                format!(
                    "0.88 of a read of {} µs, less 8, as measured drives have it: {}",
                    latency.value, latency.source
                ),
            );
        } else if unit <= TLC {
            let why =
                "assumption: published drives with TLC, whose sheets say 75 to 90 µs for a read";
            self.put("timing.read_us", READ_US, why);
        }
        if let Some(latency) = sheet.get("write_latency_us") {
            let write = latency.value.min(WRITE_HOST_US);
            let why = format!(
                "a write of {} µs, at most {WRITE_HOST_US}: {}",
                latency.value, latency.source
            );
            self.put("timing.write_host_us", write, why);
        }
        if let Some(reads) = sheet.get("random_read_iops") {
            let command = 1e6 / reads.value;
            let why = format!(
                "{} reads a second, one after the other: {}",
                reads.value, reads.source
            );
            self.put("timing.command_us", format!("{command:.3}"), why);
        }
        self.stated("queue_depth", "queue_depth");
        match sheet.get("power_loss_protection") {
            Some(protected) => self.put(
                "buffer.protected",
                protected.value == 1.0,
                protected.source.clone(),
            ),
            // capacitors are stated by whoever has them
            None => self.all.retain(|line| line.path != "buffer.protected"),
        }
        if !self.has_capacitors() && self.drive.like.toml.contains("protected = true") {
            let why = "assumption: without capacitors, most of the memory of a drive holds its map";
            self.put("buffer.size", "\"16MiB\"", why);
        }
    }

    /// Whether the sheet states protection against power loss.
    fn has_capacitors(&self) -> bool {
        self.drive.sheet.value("power_loss_protection") == Some(1.0)
    }

    /// The time of a program of `unit` bytes, of which all dies write `at_once` bytes: from the rate of writes in order, unless
    /// that is only a burst. What a drive writes beside data takes its share of that time, as the simulator programs no such pages.
    fn program(&mut self, at_once: f64, unit: f64) {
        let sheet = &self.drive.sheet;
        let rate = |name| sheet.get(name);
        let (stated, sustained) = (rate("sequential_write_mb_s"), rate("sustained_write_mb_s"));
        let Some(writes) = sustained.or(stated) else {
            return;
        };
        let program = at_once / writes.value;
        let of_class = self.class() * unit;
        // a drive with capacitors writes to all of its cells at once; others have a part of them as a cache
        if sustained.is_none() && !self.has_capacitors() && program < of_class {
            let why = format!(
                "as {} has it: {} MB/s are more than such dies write, so a burst into a cache ({}); state \
                 sustained_write_mb_s, the rate once that is full",
                self.drive.like.name, writes.value, writes.source
            );
            self.put("timing.program_us", format!("{of_class:.1}"), why);
            return;
        }
        let [least, most] = PROGRAMS[usize::from(unit > TLC)];
        let odd = match program {
            time if time < least => "; dies are hardly so fast: more dies are likelier, state them",
            time if time > most => "; dies are hardly so slow: fewer dies are likelier, state them",
            _ => "",
        };
        let why = format!(
            "{} MB/s of writes in order on {} dies, with what is written beside data; at most, if the bus limits them: {}{odd}",
            writes.value,
            at_once / unit,
            writes.source
        );
        self.put("timing.program_us", format!("{program:.1}"), why);
    }

    /// The time in which a die of the preset programs one byte, µs.
    fn class(&self) -> f64 {
        let page = self.number_of_preset("flash", "page_size");
        let pages = self.number_of_preset("timing", "program_pages");
        self.number_of_preset("timing", "program_us") / (page * pages)
    }

    /// A number of the preset itself.
    fn number_of_preset(&self, table: &str, key: &str) -> f64 {
        let values: toml::Table = toml::from_str(self.drive.like.toml).expect("presets are valid");
        let value = &values[table][key];
        let whole = value.as_integer().map(|whole| whole as f64);
        value.as_float().or(whole).expect("a number")
    }

    /// What the file is.
    fn head(&self) -> String {
        format!(
            "# {}, calibrated by ssdlab from {}\n",
            shown_text(&self.drive.name),
            shown_text(&self.drive.file)
        )
    }

    /// The file with its head.
    pub fn headed(&self) -> String {
        self.head() + &self.text()
    }

    /// The file.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut table = "";
        for Line {
            path,
            value,
            source,
        } in &self.all
        {
            let (own, key) = path.rsplit_once('.').unwrap_or(("", path));
            if own != table {
                text += &format!("\n[{own}]\n");
                table = own;
            }
            text += &format!(
                "{key} = {value} # {}\n",
                shown_text(&source.replace(['\n', '\r'], " "))
            );
        }
        text
    }
}

/// A value as in a file.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(switch) => switch.to_string(),
        other => format!("{other:?}"),
    }
}
