//! A device that is checked after every request.

use ssdlab_config::Config;
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{Cause, Counters, Device, DeviceError, PartialWrites, Precondition, Reads};
use ssdlab_flash::{Geometry, Lpn, Media};
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::{PADDING, Padding};

use crate::cases::Case;
use crate::configs::stack;
use crate::flash::Flash;
use crate::versions::Versions;

/// A device over checked flash, and the knowledge of its host.
pub struct Checked<'a> {
    case: &'a Case,
    config: Config,
    device: Device<Flash>,
    geometry: Geometry,
    versions: Versions,
    /// The `host_` counters, counted from the requests.
    asked: Counters,
    /// Number of partly written pages.
    partial_pages: u64,
    /// The pages of the write buffer, of all regions in RAM if they are the buffer, and of the read buffer.
    buffer_pages: u64,
    /// Whether a region in RAM counts as the buffer. A flush leaves it alone.
    has_ram: bool,
    /// Whether victims may be padded.
    padding: Padding,
    before: Counters,
    /// The changes of the flash before the last comparison of tables and spare areas.
    compared: Option<[u64; 6]>,
}

/// Counts what changes flash: programs, copies, erases and discards.
fn changes(c: &Counters) -> [u64; 6] {
    [
        c.flash_programs,
        c.merge_programs,
        c.flash_copies,
        c.copy_backs,
        c.erases,
        c.host_discard_pages,
    ]
}

type Verdict = Result<(), String>;

impl<'a> Checked<'a> {
    /// A new device.
    pub fn new(case: &'a Case) -> Result<Self, String> {
        let config = case.config();
        let stack = stack(&config);
        let mut device =
            Device::fresh_on(&config, &stack, Flash::checked).map_err(|e| e.to_string())?;
        device.wrap_around(case.wrap);
        let ram_pages = config.needs.ram_pages * config.flash.separate_chips();
        let mut buffer_pages = u64::from(config.buffer_pages() + ram_pages);
        if config.has_read_buffer() {
            buffer_pages += config.flash.pages_in(config.read_buffer_size);
        }
        Ok(Self {
            case,
            device,
            geometry: config.geometry(&stack),
            versions: Versions::new(config.precondition == Precondition::Full),
            asked: Counters::default(),
            partial_pages: 0,
            buffer_pages,
            has_ram: config.reads("ftl.ram"),
            padding: match config.reads("buffer.padding") {
                true => PADDING.of(config.inputs().settings),
                false => Padding::Off,
            },
            config,
            before: Counters::default(),
            compared: None,
        })
    }

    /// Serves all requests to the end of the trace, and then reads every page.
    pub fn run(case: &Case) -> Result<Counters, String> {
        let mut checked = Checked::new(case)?;
        checked.check()?;
        for (number, request) in case.requests.iter().enumerate() {
            checked
                .serve(request)
                .map_err(|what| format!("request {number}: {what}"))?;
        }
        checked.finish().map_err(|what| format!("end: {what}"))
    }

    /// Serves one request, or checks that it is refused.
    pub fn serve(&mut self, request: &Request) -> Verdict {
        if !self.case.is_legal(request) {
            return self.refuse(request);
        }
        let covered = self.ask(request);
        let served = self.device.submit(request, &mut self.versions);
        served.map_err(|e| e.to_string())?;
        let touched = self.versions.take_touched();
        match request.op() {
            Op::Write | Op::Read => same("pages touched", touched, covered)?,
            Op::Discard => covered
                .into_iter()
                .for_each(|lpn| self.versions.discard(lpn)),
            // an aged page that enters the read buffer evicts another one there
            Op::Flush if self.config.buffer.protected && !self.config.read_buffer_takes_writes => {
                let victims = self.device.counters().evictions;
                same("victims of a flush", victims, self.before.evictions)?;
            }
            Op::Flush => {}
        }
        let is_flushed = request.op() == Op::Flush && !self.config.buffer.protected;
        let changed =
            request.op() != Op::Read || self.compared != Some(changes(&self.device.counters()));
        if changed && (is_flushed || !self.has_buffer()) && !self.has_ram {
            self.check_flash()?;
        }
        self.check()
    }

    fn refuse(&mut self, request: &Request) -> Verdict {
        let answer = self.device.submit(request, &mut self.versions);
        let as_it_should = match answer {
            Err(DeviceError::Empty) => request.size() == 0,
            Err(DeviceError::PastCapacity { end, .. }) => end == request.end(),
            Err(DeviceError::TooLarge { size, .. }) => size == request.size(),
            _ => false,
        };
        if !as_it_should {
            return Err(format!("{request:?} is answered with {answer:?}"));
        }
        same("counters", self.device.counters(), self.before.clone())
    }

    /// Ends the trace and then reads all pages. The counters are those before these reads.
    fn finish(mut self) -> Result<Counters, String> {
        self.device.finish().map_err(|e| e.to_string())?;
        self.compared = None;
        self.check()?;
        if self.config.drain || !self.has_buffer() && !self.has_ram {
            self.check_flash()?;
        }
        let counters = self.device.counters();
        let geometry = self.geometry.clone();
        let size = u64::from(geometry.page_size());
        for page in 0..u64::from(geometry.logical_pages()) {
            let read = Request::new(0, Op::Read, page * size, size).expect("a small device");
            self.serve(&read)?;
        }
        self.device.check()?;
        Ok(counters)
    }

    fn has_buffer(&self) -> bool {
        self.config.policy != NO_BUFFER
    }

    fn has_any_buffer(&self) -> bool {
        self.has_buffer() || self.has_ram || self.config.has_read_buffer()
    }

    fn is_ideal(&self) -> bool {
        self.config.ftl == "ideal"
    }

    /// Counts a request of the host; returns the pages that it covers.
    fn ask(&mut self, request: &Request) -> Vec<Lpn> {
        let geometry = &self.geometry;
        let (size, logical) = (
            u64::from(geometry.page_size()),
            u64::from(geometry.logical_pages()),
        );
        let wholly =
            |page: &u64| page * size >= request.offset && (page + 1) * size <= request.end();
        let mut pages: Vec<u64> = (request.offset / size..request.end().div_ceil(size)).collect();
        let asked = &mut self.asked;
        match request.op() {
            Op::Read => {
                asked.host_reads += 1;
                asked.host_read_bytes += request.size();
                asked.host_read_pages += pages.len() as u64;
            }
            Op::Write => {
                asked.host_writes += 1;
                asked.host_write_bytes += request.size();
                asked.host_write_pages += pages.len() as u64;
                self.partial_pages += pages.iter().filter(|page| !wholly(page)).count() as u64;
            }
            Op::Discard => {
                pages.retain(wholly);
                asked.host_discards += 1;
                asked.host_discard_pages += pages.len() as u64;
            }
            Op::Flush => asked.host_flushes += 1,
        }
        pages
            .into_iter()
            .map(|page| Lpn((page % logical) as u32))
            .collect()
    }

    fn check(&mut self) -> Verdict {
        // reads and the buffer leave the tables as they are, or the next change of the flash, or the end, shows it
        let counters = self.device.counters();
        let changes = Some(changes(&counters));
        if self.compared != changes || self.has_ram {
            self.device.check()?;
            self.compared = changes;
        }
        if let Some(wrong) = self.versions.wrong() {
            return Err(wrong.to_owned());
        }
        self.check_growth(&counters)?;
        self.check_host(&counters)?;
        self.check_buffer(&counters)?;
        self.check_reads(&counters)?;
        self.check_programs(&counters)?;
        self.check_operations(&counters)?;
        self.check_bytes(&counters)?;
        same(
            "elapsed_ns",
            counters.elapsed_ns,
            self.elapsed_ns(&counters),
        )?;
        same(
            "time in parts",
            self.device.time().total(),
            counters.elapsed_ns,
        )?;
        self.before = counters;
        Ok(())
    }

    /// Checks that the flash holds all data that the host wrote.
    fn check_flash(&self) -> Verdict {
        if self.is_ideal() {
            return Ok(());
        }
        let mut chips: Vec<_> = self.device.media().cloned().collect();
        for lpn in 0..self.geometry.logical_pages() {
            let mut version = 0;
            let (chip, local) = self.config.flash.stripes().on_chip(Lpn(lpn));
            let chip = chip as usize;
            let at = chips[chip].check().newest(local);
            if let Some(at) = at {
                let read = chips[chip].read(at, &mut version);
                read.map_err(|e| e.to_string())?;
            }
            if !self.versions.allows(Lpn(lpn), at.map(|_| version)) {
                return Err(format!("flash holds version {version} of page {lpn}"));
            }
        }
        Ok(())
    }

    fn check_growth(&self, c: &Counters) -> Verdict {
        for ((name, now), (_, before)) in c.entries().into_iter().zip(self.before.entries()) {
            // what is in an SLC cache now
            let is_state = ["valid_in_slc", "room_pages"].contains(&name);
            at_most(name, if is_state { 0 } else { before }, now)?;
        }
        Ok(())
    }

    /// Pages that entered a buffer. Of the pages that a region in RAM misses, some go straight to flash.
    fn entries(&self, c: &Counters) -> Result<u64, String> {
        let straight = if self.has_ram {
            c.flash_programs.checked_sub(c.evicted_dirty_pages)
        } else {
            Some(0)
        };
        let straight = straight.ok_or("fewer programs than pages written back")?;
        let written = c.buffer_write_misses.checked_sub(straight);
        let written = written.ok_or("more programs than pages written back or missed")?;
        let caches = self.has_buffer() && self.config.buffer.reads == Reads::Cache;
        if caches || self.config.has_read_buffer() {
            Ok(written + c.buffer_read_misses)
        } else {
            Ok(written)
        }
    }

    fn check_host(&self, c: &Counters) -> Verdict {
        let host = |c: &Counters| {
            let entries = c.entries().into_iter();
            entries
                .filter(|(name, _)| name.starts_with("host_"))
                .collect::<Vec<_>>()
        };
        same("host counters", host(c), host(&self.asked))
    }

    fn check_buffer(&self, c: &Counters) -> Verdict {
        let written = c.buffer_write_hits + c.buffer_write_misses;
        let read = c.buffer_read_hits + c.buffer_read_misses;
        let left = c.evicted_dirty_pages + c.evicted_clean_pages;
        if !self.has_buffer() && !self.has_ram {
            let dirty = c.evicted_dirty_pages + c.aged_pages;
            same("counters of the write buffer", written + dirty, 0)?;
        } else {
            same("written pages", written, c.host_write_pages)?;
        }
        if !self.has_any_buffer() {
            return same("buffer counters", read + left + c.evictions, 0);
        }
        same("read pages", read, c.host_read_pages)?;
        // no counter has those of them that entered the read buffer
        let passed = if self.config.has_read_buffer() && self.config.read_buffer_takes_writes {
            c.flash_programs
        } else {
            0
        };
        let entered = self.entries(c)?;
        at_most("pages that left", left, entered + passed)?;
        at_most("victims", c.evictions, left)?;
        // only an upper bound is known for the pages that discards and, in the read buffer, writes dropped
        let dropped = if self.config.has_read_buffer() {
            c.host_discard_pages + c.host_write_pages
        } else {
            c.host_discard_pages
        };
        at_most("pages held", entered, left + self.buffer_pages + dropped)
    }

    fn check_reads(&self, c: &Counters) -> Verdict {
        let missed = if self.has_any_buffer() {
            c.buffer_read_misses
        } else {
            c.host_read_pages
        };
        let data = c.flash_reads - c.table_reads;
        let modified = (data + c.unmapped_reads).checked_sub(missed + c.padding_reads);
        let modified = modified.ok_or("fewer flash reads than read misses and padding")?;
        let most = match self.config.partial_writes {
            PartialWrites::Whole => 0,
            PartialWrites::Rmw => self.partial_pages,
        };
        at_most("reads to modify", modified, most)
    }

    fn check_programs(&self, c: &Counters) -> Verdict {
        if self.has_ram {
            return self.entries(c).map(|_| ());
        }
        if !self.has_buffer() {
            return same("programs", c.flash_programs, c.host_write_pages);
        }
        let dirty = c.evicted_dirty_pages + c.aged_pages;
        if self.padding == Padding::Off {
            same("padding", c.padding_reads, 0)?;
            return same("programs", c.flash_programs, dirty);
        }
        let least = dirty + c.padding_reads;
        at_most("padded blocks", least, c.flash_programs)?;
        // padding also writes clean pages along with aged ones, and no counter has them
        if self.config.buffer.flush_age_ns > 0 {
            return Ok(());
        }
        let most = match self.padding {
            Padding::Block => c.evictions * u64::from(self.config.flash.pages_per_block),
            _ => least + c.evicted_clean_pages,
        };
        at_most("programs", c.flash_programs, most)
    }

    /// The pages of all chips that were programmed or copied, as the flash itself counts.
    fn consumed(&self) -> u64 {
        let chips = self.device.media();
        chips.map(|flash| flash.check().consumed()).sum()
    }

    fn check_operations(&self, c: &Counters) -> Verdict {
        let programs = c.flash_programs + c.merge_programs + c.flash_copies + c.copy_backs;
        if self.is_ideal() {
            let pages = u64::from(self.geometry.pages_per_block());
            let chips = self.device.media().count() as u64;
            same("programs", programs, c.flash_programs)?;
            // on each chip, the last programs may not fill a block
            let most = c.flash_programs / pages;
            at_most("erases", c.erases, most)?;
            return at_most("erases of all chips", most, c.erases + chips - 1);
        }
        let of_map = match self.config.needs.map {
            None => 0,
            Some(_) => c.table_programs + c.table_copies,
        };
        same("programs and copies", programs + of_map, self.consumed())?;
        let erased = self.device.erase_counts().into_iter().map(u64::from).sum();
        same("erases", c.erases, erased)?;
        if self.config.ftl == "superblock" {
            same("victims", c.gc_victims, c.erases)?;
            return same("merges", c.switch_merges + c.full_merges, c.gc_victims);
        }
        let replaced = c.switch_merges + c.partial_merges + c.full_merges;
        // fast erases one log block after the full merges of several logical blocks
        let is_fast = self.config.ftl == "fast";
        let logs = if is_fast { 0 } else { c.full_merges };
        // on a new device the first merge of a block finds no data block to erase
        let least = match self.config.precondition {
            Precondition::Full | Precondition::Aged(_) => logs + replaced,
            Precondition::Empty => logs,
        };
        at_most("erases of merges", least, c.erases)
    }

    /// Checks that each byte in flash has one cause, against the programs that the flash itself counts.
    fn check_bytes(&self, c: &Counters) -> Verdict {
        let page = u64::from(self.geometry.page_size());
        let programs = if self.is_ideal() {
            c.flash_programs
        } else {
            // the pages of a block map are not stored
            let of_block_map = match self.config.needs.map {
                None => c.table_programs,
                Some(_) => 0,
            };
            self.consumed() + of_block_map
        };
        let bytes = self.device.flash_bytes();
        same("bytes in flash by cause", bytes.total(), programs * page)?;
        at_most(
            "bytes of the host",
            bytes[Cause::Host],
            self.asked.host_write_bytes,
        )?;
        let moved = c.merge_programs + c.flash_copies + c.copy_backs;
        let cleans = matches!(self.config.ftl, "page" | "ideal");
        let expected = if cleans { (0, moved) } else { (moved, 0) };
        let (merge, cleaning) = (expected.0 * page, expected.1 * page);
        same("bytes of merges", bytes[Cause::Merge], merge)?;
        let folded = c.fold_pages * page;
        same("bytes of folding", bytes[Cause::Folding], folded)?;
        same(
            "bytes of cleaning",
            bytes[Cause::Cleaning] + folded,
            cleaning,
        )?;
        at_most(
            "padding read",
            c.padding_reads * page,
            bytes[Cause::Padding],
        )?;
        if self.padding == Padding::Off {
            same("bytes of padding", bytes[Cause::Padding], 0)?;
        }
        // without a buffer, what pages hold beyond the bytes of the host is the rest of its pages
        if !self.has_buffer() && !self.has_ram {
            let rest = c.host_write_pages * page - c.host_write_bytes;
            same("rest of pages", bytes[Cause::ReadModifyWrite], rest)?;
        }
        Ok(())
    }

    /// The time under the serial model, from the counters alone.
    fn elapsed_ns(&self, c: &Counters) -> u64 {
        let times = &self.config.timing;
        let (read, program, transfer) = (times.read_ns, times.program_ns, times.transfer_ns);
        let entered = self.entries(c).unwrap_or_default();
        let accesses = c.buffer_write_hits + c.buffer_read_hits + entered;
        let folded = c.fold_pages - c.fold_copy_backs;
        let fold = times.slc_read_ns + times.fold_program_ns;
        let native = c.flash_programs - c.slc_programs;
        (c.flash_reads - c.slc_reads) * (read + transfer)
            + c.slc_reads * (times.slc_read_ns + transfer)
            + c.slc_programs * (transfer + times.slc_program_ns)
            + folded * (fold + 2 * transfer)
            + c.fold_copy_backs * fold
            + (native + c.merge_programs + c.table_programs) * (transfer + program)
            + (c.flash_copies - folded + c.table_copies) * (read + 2 * transfer + program)
            + c.map_host_reads * times.map_host_ns
            + (c.copy_backs - c.fold_copy_backs) * (read + program)
            + (c.erases + c.table_erases) * times.erase_ns
            + accesses * times.buffer_ns
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Verdict {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, expected {expected:?}"))
    }
}

fn at_most(what: &str, found: u64, limit: u64) -> Verdict {
    if found <= limit {
        Ok(())
    } else {
        Err(format!("{what}: {found}, at most {limit}"))
    }
}
