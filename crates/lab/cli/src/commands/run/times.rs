//! What a device does over time, for a picture of chips, channels, buffer and requests.

use std::sync::{Arc, Mutex, PoisonError};

use ssdlab_ftl::{Context, Event, MergeKind};
use ssdlab_sim::{Activity, Completion, Interval, Observed, Observer, Resource};
use ssdlab_words::duration;

use super::chrome::{Chrome, MOST, Track, Window};
use super::log::Log;
use crate::failure::Failure;

/// The file of `--trace-events`, while a device writes to it.
pub struct Times(Arc<Mutex<State>>);

struct State {
    chrome: Chrome,
    /// Reads of the host suspend what a chip does, and overlap it.
    suspends: bool,
    /// For each chip, the ends of the last of those reads that were drawn side by side.
    reads: Vec<Vec<u64>>,
    /// The request that was told last, and its arguments.
    asked: Option<(u64, String)>,
    /// The counters that were written last.
    buffered: Option<(u32, u32)>,
    free_blocks: Option<u64>,
}

impl Times {
    /// Begins the file.
    pub fn begin(log: Log, window: Window, suspends: bool) -> Self {
        Self(Arc::new(Mutex::new(State {
            chrome: Chrome::begin(log, window, MOST),
            suspends,
            reads: Vec::new(),
            asked: None,
            buffered: None,
            free_blocks: None,
        })))
    }

    /// Draws events.
    pub fn events(&self) -> impl FnMut(&Context, &Event) + Send + 'static {
        let state = Arc::clone(&self.0);
        move |context, event| locked(&state, |state| state.event(context, event))
    }

    /// Draws the work of the parts, and requests.
    pub fn observer(&self) -> Observer {
        let state = Arc::clone(&self.0);
        Box::new(move |observed| locked(&state, |state| state.observed(observed)))
    }

    /// Completes the file; the device must be dropped before. Returns warnings.
    pub fn finish(self) -> Result<Vec<String>, Failure> {
        let state = Arc::into_inner(self.0)
            .expect("the device is gone")
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let full = state.chrome.full_at().map(|at| {
            format!(
                "--trace-events: the file has about {MOST} records, the most that it may have, and nothing that began \
                 from about {} on; choose a part with --from and --to",
                duration(at as f64)
            )
        });
        state.chrome.finish()?;
        Ok(full.into_iter().collect())
    }
}

fn locked(state: &Mutex<State>, act: impl FnOnce(&mut State)) {
    act(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
}

impl State {
    fn event(&mut self, context: &Context, event: &Event) {
        let at = context.time_ns;
        let chip = context.chip;
        let chip = chip.map_or(String::new(), |chip| format!(",\"chip\":{chip}"));
        let request = context.request;
        let request = request.map_or(String::new(), |number| format!(",\"request\":{number}"));
        let cause = context.cause.name();
        let about = format!("\"cause\":\"{cause}\"{request}{chip}");
        match event {
            Event::Write {
                lpn, pages, hits, ..
            }
            | Event::Read {
                lpn, pages, hits, ..
            } => {
                let lpn = lpn.0;
                let args = format!("\"lpn\":{lpn},\"pages\":{pages},\"hits\":{hits}");
                self.ask(context, args);
            }
            Event::Discard { lpn, pages } => {
                self.ask(context, format!("\"lpn\":{},\"pages\":{pages}", lpn.0));
            }
            Event::Flush => self.ask(context, String::new()),
            Event::Evict {
                dirty,
                clean,
                padding,
            } => {
                let first = dirty.iter().chain(clean).min();
                let first = first.map_or(String::new(), |lpn| format!("\"lpn\":{},", lpn.0));
                let [dirty, clean, padding] = [dirty.len(), clean.len(), padding.len()];
                let args = format!(
                    "{first}\"dirty\":{dirty},\"clean\":{clean},\"padding\":{padding},{about}"
                );
                self.chrome.instant(Track::Buffer, "evict", at, &args);
            }
            Event::Merge {
                kind, lbn, valid, ..
            } => {
                let name = match kind {
                    MergeKind::Switch => "switch merge",
                    MergeKind::Partial => "partial merge",
                    MergeKind::Full => "full merge",
                };
                let args = format!(
                    "\"lbn\":{},\"valid_in_log\":{},\"valid_in_data\":{},\"valid_elsewhere\":{},{about}",
                    lbn.0, valid.log, valid.data, valid.elsewhere
                );
                self.chrome.instant(Track::Ftl, name, at, &args);
            }
            Event::Clean { victim, valid } => {
                let args = format!("\"victim\":{},\"valid\":{valid},{about}", victim.0);
                self.chrome.instant(Track::Ftl, "clean", at, &args);
            }
            Event::MergeEnd { .. }
            | Event::Merged { .. }
            | Event::Regions { .. }
            | Event::Erase { .. } => {}
        }
    }

    fn ask(&mut self, context: &Context, args: String) {
        self.asked = context.request.map(|number| (number, args));
    }

    fn observed(&mut self, observed: &Observed) {
        let served = observed.completion.zip(self.asked.take());
        let issued = observed.completion.map(|served| served.issued_ns);
        let number = served.as_ref().map(|(_, (number, _))| *number);
        for interval in &observed.intervals {
            // work in the gap before a request is none of its own
            let own = issued.is_some_and(|issued| interval.start_ns >= issued);
            let number = number.filter(|_| own);
            let args = number.map_or(String::new(), |number| format!("\"request\":{number}"));
            self.interval(interval, &args);
        }
        if let Some((completion, (number, args))) = served {
            self.request(completion, number, &args);
            self.counters(completion.issued_ns, observed);
        }
    }

    fn interval(&mut self, interval: &Interval, args: &str) {
        let track = match interval.resource {
            Resource::Chip(chip) if self.suspends && interval.activity == Activity::HostRead => {
                Track::HostReads(chip, self.lane(chip, interval))
            }
            Resource::Chip(chip) => Track::Chip(chip),
            Resource::Channel(channel) => Track::Channel(channel),
            Resource::Bus => Track::Bus,
        };
        let name = match interval.activity {
            Activity::HostRead => "host read",
            Activity::Read => "read",
            Activity::Program => "program",
            Activity::CopyRead => "copy: read",
            Activity::CopyProgram => "copy: program",
            Activity::Erase => "erase",
            Activity::Move => "move",
        };
        let times = (interval.start_ns, interval.end_ns);
        self.chrome.slice(track, name, times, args);
    }

    /// The first of the lanes of a chip in which a read overlaps no other.
    fn lane(&mut self, chip: u32, read: &Interval) -> u32 {
        let chip = chip as usize;
        if self.reads.len() <= chip {
            self.reads.resize(chip + 1, Vec::new());
        }
        let ends = &mut self.reads[chip];
        let free = ends.iter().position(|&end| end <= read.start_ns);
        let lane = free.unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(end) => *end = read.end_ns,
            None => ends.push(read.end_ns),
        }
        lane as u32
    }

    fn request(&mut self, completion: Completion, number: u64, args: &str) {
        let name = completion.op.name();
        let times = (completion.issued_ns, completion.completed_ns);
        let comma = if args.is_empty() { "" } else { "," };
        let args = format!("\"request\":{number}{comma}{args}");
        self.chrome.request(number, name, times, &args);
    }

    /// The counters behind a request, at the time of its issue, if they have changed.
    fn counters(&mut self, at: u64, observed: &Observed) {
        let buffered = observed.buffered;
        if self.buffered != Some(buffered) {
            let (pages, dirty) = buffered;
            let values = format!("\"dirty\":{dirty},\"clean\":{}", pages - dirty);
            if self
                .chrome
                .counter(Track::Buffer, "pages in the buffer", at, &values)
            {
                self.buffered = Some(buffered);
            }
        }
        let free = observed.free_blocks;
        if let Some(blocks) = free
            && self.free_blocks != free
        {
            let values = format!("\"blocks\":{blocks}");
            if self.chrome.counter(Track::Ftl, "free blocks", at, &values) {
                self.free_blocks = free;
            }
        }
    }
}
