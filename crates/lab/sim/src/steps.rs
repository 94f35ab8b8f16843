//! A replay that stops behind each request, to show what it did.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ssdlab_config::Config;
use ssdlab_flash::{Lbn, Lpn};
use ssdlab_ftl::{Context, Event, Events};
use ssdlab_host::Request;
use ssdlab_policy::buffer::Victim;
use ssdlab_simulators::{SimDevice, Systems};
use ssdlab_trace::{ReadOptions, TraceReader};

use crate::aged::by_workload;
use crate::error::SimError;
use crate::input::{Trace, is_file};
use crate::room::free_memory;
use crate::run::{PreparedRun, Replay, has_times, rest_end};

/// The most events of a step that are kept.
const MOST_EVENTS: usize = 512;

/// What a request did, or the end of the trace.
#[derive(Clone, Debug)]
pub struct Step {
    /// The request and its number, from 1; `None` for the end of the trace.
    pub request: Option<(u64, Request)>,
    /// The events in order, those of the gap before the request included; the request itself is the last one. Of very
    /// many, the first ones and the last one.
    pub events: Vec<(Context, Event)>,
    /// The number of events between them that were not kept.
    pub left_out: u64,
}

/// Pages of the buffer that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their logical block.
    pub lbn: Lbn,
    /// The pages in ascending order, and whether each is dirty.
    pub pages: Vec<(Lpn, bool)>,
}

/// The content of the write buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The places: pages, and headers if they are counted; `None` without a bound.
    pub places: Option<u64>,
    /// The pages that it holds.
    pub pages: u32,
    /// The dirty ones among them.
    pub dirty: u32,
    /// Pages in the order in which they would leave, each a group; or blocks.
    pub by_page: bool,
    /// Whether the order is that in which they would leave, the next one first. Otherwise it is that of addresses.
    pub in_order: bool,
    /// The first groups.
    pub groups: Vec<Group>,
    /// There are more.
    pub goes_on: bool,
}

/// The events of a step.
#[derive(Default)]
struct Caught {
    wanted: bool,
    events: Vec<(Context, Event)>,
    left_out: u64,
}

impl Caught {
    fn add(&mut self, context: &Context, event: &Event) {
        if !self.wanted {
            return;
        }
        let request = matches!(
            event,
            Event::Write { .. } | Event::Read { .. } | Event::Flush | Event::Discard { .. }
        );
        if request || self.events.len() < MOST_EVENTS {
            self.events.push((*context, event.clone()));
        } else {
            self.left_out += 1;
        }
    }
}

/// What was served.
enum Served {
    Request(u64, Request),
    End,
}

/// A replay that stops behind each request. Its memory does not grow with the trace.
pub struct Steps {
    run: PreparedRun,
    device: SimDevice,
    /// The time that ageing by the trace took.
    shift_ns: u64,
    caught: Arc<Mutex<Caught>>,
    /// The trace, until its end.
    reader: Option<TraceReader>,
    batch: Vec<Request>,
    /// The next request in the batch.
    at: usize,
    /// The requests that were served.
    served: u64,
}

impl Steps {
    /// Begins a replay on a new device.
    ///
    /// # Errors
    /// An invalid device, or a trace that cannot be read.
    pub fn begin(
        config: Config,
        path: &Path,
        read: &ReadOptions,
        wrap: bool,
        systems: Systems,
    ) -> Result<Self, SimError> {
        let foresees = systems.foresees(&config);
        let aged = by_workload(&config).is_some();
        let trace = if config.is_auto() || foresees || aged {
            if !is_file(path) {
                return Err(SimError::NeedsFile(match foresees {
                    _ if aged => {
                        "precondition = \"workload\" needs a trace in a file, which is read twice; age the drive in another way"
                    }
                    true => {
                        "buffer.policy = \"clairvoyant\" needs a trace in a file, which is read twice; choose another policy"
                    }
                    false => {
                        "flash.capacity = \"auto\" needs a trace in a file, which is read twice; name a capacity"
                    }
                }));
            }
            let memory = if aged { u64::MAX } else { 0 };
            Some(Trace::load(path, read, memory)?)
        } else {
            None
        };
        let reader = || Ok(TraceReader::open(path, read)?);
        Self::with(config, trace.as_ref(), reader, wrap, systems)
    }

    /// The same on a trace of these bytes; the extension of `name` must fit them.
    ///
    /// # Errors
    /// As [`Steps::begin`].
    pub fn of_bytes(
        config: Config,
        (name, bytes): (&str, Arc<[u8]>),
        read: &ReadOptions,
        wrap: bool,
        systems: Systems,
    ) -> Result<Self, SimError> {
        let trace = Trace::read(name, Cursor::new(Arc::clone(&bytes)), read)?;
        let reader = || Ok(TraceReader::from_reader(name, Cursor::new(bytes), read)?);
        Self::with(config, Some(&trace), reader, wrap, systems)
    }

    /// `trace`: what needs to be known of the trace before its replay.
    fn with(
        config: Config,
        trace: Option<&Trace>,
        reader: impl FnOnce() -> Result<TraceReader, SimError>,
        wrap: bool,
        systems: Systems,
    ) -> Result<Self, SimError> {
        let replay = Replay {
            wrap,
            ..Replay::default()
        };
        let run = match trace {
            Some(trace) => PreparedRun::new(systems, config, trace, &replay, None)?
                .foreseeing(trace, free_memory().unwrap_or(u64::MAX))?,
            None => PreparedRun::plain(systems, config, replay),
        };
        let caught = Arc::new(Mutex::new(Caught::default()));
        let sink = Arc::clone(&caught);
        let events = Events::to(move |context, event| {
            let mut caught = sink.lock().unwrap_or_else(PoisonError::into_inner);
            caught.add(context, event);
        });
        let (device, loops) = run.device(trace, events)?;
        Ok(Self {
            device,
            run,
            shift_ns: loops.ageing_ns(),
            caught,
            reader: Some(reader()?),
            batch: Vec::new(),
            at: 0,
            served: 0,
        })
    }

    /// The configuration, with its capacity.
    pub fn config(&self) -> &Config {
        &self.run.config
    }

    /// The requests that were served so far.
    pub fn served(&self) -> u64 {
        self.served
    }

    /// Serves the next request, or behind the last one the end of the trace; `None` behind that.
    ///
    /// # Errors
    /// An unreadable trace, or a request that the device refuses.
    pub fn step(&mut self) -> Result<Option<Step>, SimError> {
        self.caught().wanted = true;
        let served = self.serve();
        let caught = std::mem::take(&mut *self.caught());
        Ok(served?.map(|served| Step {
            request: match served {
                Served::Request(number, request) => Some((number, request)),
                Served::End => None,
            },
            events: caught.events,
            left_out: caught.left_out,
        }))
    }

    /// Serves up to `most` requests and keeps nothing of them. Returns their number: fewer only at the end of the trace,
    /// whose last requests are done then, but not the end itself.
    ///
    /// # Errors
    /// As [`Steps::step`].
    pub fn skip(&mut self, most: u64) -> Result<u64, SimError> {
        for done in 0..most {
            if !self.has_next()? {
                return Ok(done);
            }
            self.serve()?;
        }
        Ok(most)
    }

    fn caught(&self) -> std::sync::MutexGuard<'_, Caught> {
        self.caught.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request follows.
    fn has_next(&mut self) -> Result<bool, SimError> {
        let Some(reader) = &mut self.reader else {
            return Ok(false);
        };
        while self.at == self.batch.len() {
            self.at = 0;
            if !reader.next_batch(&mut self.batch)? {
                self.batch.clear();
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Serves the next request, or ends the replay; `None` behind the end.
    fn serve(&mut self) -> Result<Option<Served>, SimError> {
        if !self.has_next()? {
            return Ok(self.end()?.then_some(Served::End));
        }
        let (request, index) = (self.batch[self.at], self.at);
        self.at += 1;
        let mut shifted = request;
        shifted.time_ns = request.time_ns.saturating_add(self.shift_ns);
        if let Err(error) = self.device.submit(&shifted) {
            let reader = self.reader.take().expect("it gave the request");
            let place = format!("{}, line {}", reader.name(), reader.line_of(index));
            return Err(self.run.explain(place, error, rest_end(reader)));
        }
        self.served += 1;
        Ok(Some(Served::Request(self.served, request)))
    }

    /// Ends the replay. Returns whether it had not ended before.
    fn end(&mut self) -> Result<bool, SimError> {
        let Some(reader) = self.reader.take() else {
            return Ok(false);
        };
        let summary = reader.finish();
        has_times(&self.run.config, &summary)?;
        let ended = self.device.finish();
        ended.map_err(|error| SimError::at_the_end(&summary.name, error))?;
        Ok(true)
    }

    /// The content of the write buffer, at most `most` groups; `None` if there is no write buffer.
    pub fn content(&self, most: usize) -> Option<Content> {
        let places = self.device.buffer_places()?;
        let (pages, dirty) = self.device.buffered();
        // one more shows whether there are more
        let outlook = self.device.outlook(most + 1);
        let in_order = outlook.is_some();
        let first = outlook.as_ref().and_then(|victims| victims.first());
        let by_page = matches!(first, Some(Victim::Page(_)));
        let mut groups: Vec<Group> = match outlook {
            Some(victims) => victims.iter().map(|victim| self.group(*victim)).collect(),
            None => self.blocks(most + 1),
        };
        let goes_on = groups.len() > most;
        groups.truncate(most);
        Some(Content {
            places: Some(places).filter(|&places| places < u64::MAX),
            pages,
            dirty,
            by_page,
            in_order,
            groups,
            goes_on,
        })
    }

    fn group(&self, victim: Victim) -> Group {
        let each = self.pages_per_block();
        let (lbn, pages) = match victim {
            Victim::Page(Lpn(lpn)) => (lpn / each, lpn..lpn + 1),
            Victim::Block(Lbn(lbn)) => (lbn, lbn * each..(lbn + 1) * each),
        };
        Group {
            lbn: Lbn(lbn),
            pages: self.device.held_in(pages, usize::MAX),
        }
    }

    /// The first blocks with held pages.
    fn blocks(&self, most: usize) -> Vec<Group> {
        let mut blocks = Vec::new();
        let mut from = 0;
        while blocks.len() < most
            && let Some((lpn, _)) = self.device.held_in(from..u32::MAX, 1).first()
        {
            let lbn = Lbn(lpn.0 / self.pages_per_block());
            blocks.push(self.group(Victim::Block(lbn)));
            from = (lbn.0 + 1) * self.pages_per_block();
        }
        blocks
    }

    /// The pages of a logical block.
    pub fn pages_per_block(&self) -> u32 {
        self.device.pages_per_block()
    }
}
