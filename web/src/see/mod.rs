//! What a device does, step by step: the buffer, the blocks of flash, and what each request moved.
//!
//! [`Steps`] serves the requests and says what they caused. Beside it a second device with the same systems serves them on flash
//! that keeps a record (`flash`), from which the pictures are drawn (`draw`).

mod draw;
mod examples;
mod flash;

use serde::Deserialize;
use serde_json::{Value, json};
use ssdlab_device::{Device, NoData, NotAged, Precondition, Registry};
use ssdlab_ftl::{Events, MergeKind};
use ssdlab_report::steps::{Row, lines};
use ssdlab_sim::{Content, Lab, Step, Steps};
use ssdlab_trace::ReadOptions;

use crate::compare::resolver;
use draw::Scene;
use flash::{Act, Flash, Frame, Record, Watched};

/// The most physical pages that are drawn.
const MOST_PAGES: u32 = 2048;
/// The most requests that are replayed.
const MOST_REQUESTS: usize = 400;
/// The most groups of a buffer that are drawn.
const GROUPS: usize = 64;

/// A workload, and the device that serves it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct See {
    /// The name of an example, of which the other fields then change nothing.
    pub example: Option<String>,
    /// The device: assignments such as `buffer.policy=lru`.
    pub set: Vec<String>,
    /// The requests: numbers of pages to write, `4-7` for several at once; `r4` reads, `d4` discards, `f` flushes.
    pub pages: String,
    /// Instead of these, the name of the file with the trace.
    pub file: Option<String>,
}

/// A step and what can be drawn of it.
struct View {
    step: Step,
    rows: Vec<Row>,
    content: Option<Content>,
    /// The first of its frames.
    first: usize,
}

/// A replay that was recorded.
pub struct Walk {
    about: Value,
    device: String,
    ftl: &'static str,
    pages_per_block: u32,
    views: Vec<View>,
    frames: Vec<(Frame, usize)>,
}

/// A picture of the documents: its name and what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// A merge of log blocks.
    Merge(MergeKind),
    /// The cleaning of a block under page mapping.
    Cleaning,
}

impl Picture {
    /// All of them, with the names of their files.
    pub const ALL: [(&str, Picture); 4] = [
        ("switch-merge", Picture::Merge(MergeKind::Switch)),
        ("partial-merge", Picture::Merge(MergeKind::Partial)),
        ("full-merge", Picture::Merge(MergeKind::Full)),
        ("cleaning", Picture::Cleaning),
    ];

    /// The picture as an SVG file.
    ///
    /// # Errors
    /// The example does not do it.
    pub fn svg(self) -> Result<String, String> {
        let example = match self {
            Self::Merge(_) => "merges",
            Self::Cleaning => "cleaning",
        };
        let see = See {
            example: Some(example.into()),
            ..See::default()
        };
        let walk = see.walk(&Lab::new(), Vec::new())?;
        let shows = |(frame, _): &&(Frame, usize)| match self {
            Self::Merge(kind) => frame.merge.as_ref().is_some_and(|merge| merge.kind == kind),
            Self::Cleaning => frame.cleaned.is_some() && !frame.copies.is_empty(),
        };
        let at = walk.frames.iter().position(|frame| shows(&frame));
        let at = at.ok_or_else(|| format!("{example}: no step of it is a {self:?}"))?;
        Ok(walk.scene(at, 720.0).alone())
    }
}

impl See {
    /// Replays the workload.
    ///
    /// # Errors
    /// A device that cannot be built or drawn, or a workload that cannot be read.
    pub fn walk(&self, lab: &Lab, file: Vec<u8>) -> Result<Walk, String> {
        let mut asked = self.clone();
        let mut about = Value::Null;
        if let Some(name) = &self.example {
            let example = examples::named(name)?;
            asked.set = example.set.iter().map(|set| (*set).to_owned()).collect();
            asked.pages = example.pages.into();
            asked.file = None;
            about = example.said();
        }
        let config = resolver(lab, None, &asked.set, None)?.resolve();
        let config = config.map_err(|error| error.to_string())?;
        let (name, bytes) = match &asked.file {
            Some(name) => (name.as_str(), file),
            None => {
                let page = config.flash.page_size;
                (
                    "the workload",
                    requests(&asked.pages, page.into())?.into_bytes(),
                )
            }
        };
        if config.has_clocks() {
            return Err("timing.model = \"parallel\": cannot be drawn; must be \"serial\"".into());
        }
        if config.flash.separate_chips() > 1 {
            return Err(
                "flash.chips: several chips with an FTL each cannot be drawn; must be 1".into(),
            );
        }
        if matches!(&config.precondition, Precondition::Aged(ageing) if ageing.workload.is_some()) {
            return Err(
                "precondition = \"workload\": cannot be drawn; must be full, empty or random:TIMES"
                    .into(),
            );
        }
        let systems = lab.systems().clone();
        let read = ReadOptions::default();
        let steps = Steps::of_bytes(config, (name, bytes.into()), &read, false, systems);
        let walk = record(steps.map_err(|error| error.to_string())?)?;
        Ok(Walk { about, ..walk })
    }
}

/// The requests as a plain trace.
fn requests(pages: &str, page_size: u64) -> Result<String, String> {
    let mut text = "time_ns,op,offset_bytes,size_bytes\n".to_owned();
    for (at, word) in pages
        .split([' ', ',', '\n', '\t'])
        .filter(|word| !word.is_empty())
        .enumerate()
    {
        let wrong = || {
            format!(
                "{word:?} is no request; must be a page such as 7, pages such as 4-7, r7 to read, d7 to discard, or f to flush"
            )
        };
        let time = 1_000_000 * at;
        let (op, rest) = match word.as_bytes()[0].to_ascii_lowercase() {
            b'f' if word.len() == 1 => {
                text += &format!("{time},F,0,0\n");
                continue;
            }
            b'r' => ("R", &word[1..]),
            b'd' => ("D", &word[1..]),
            b'w' => ("W", &word[1..]),
            _ => ("W", word),
        };
        let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let (first, last) = (u64::from(number(first)?), u64::from(number(last)?));
        if last < first {
            return Err(wrong());
        }
        text += &format!(
            "{time},{op},{},{}\n",
            first * page_size,
            (last - first + 1) * page_size
        );
    }
    if text.lines().count() == 1 {
        return Err("no requests; must be pages such as 0 4 8 12".into());
    }
    Ok(text)
}

/// Replays all, on both devices.
fn record(mut steps: Steps) -> Result<Walk, String> {
    let config = steps.config().clone();
    let pages_per_block = steps.pages_per_block();
    let physical = config.physical_blocks().saturating_mul(pages_per_block);
    if physical > MOST_PAGES {
        return Err(format!(
            "flash.capacity: {physical} physical pages are too many to be drawn; at most {MOST_PAGES}"
        ));
    }
    let record = Record::default();
    let sink = record.clone();
    let registry: Registry<Watched> = Registry::built_in();
    let stack = config.stack(&registry);
    let refused = |error: &dyn std::fmt::Display| error.to_string();
    let full = config.precondition != Precondition::Empty;
    let mut flash = Flash::new(pages_per_block, physical, config.logical_pages(), full);
    let mut device = Device::unaged_on(&config, &stack, |array| {
        Ok(Watched::new(array, record.clone()))
    })
    .map_err(|error| refused(&error))?;
    match device.age(&config.precondition, &mut || false) {
        Ok(()) | Err(NotAged::Stopped) => {}
        Err(NotAged::Failed(error)) => return Err(error.to_string()),
    }
    flash.begin(&record.take());
    device.report_to(Events::to(move |_, event| {
        sink.push(Act::Told(event.clone()))
    }));
    let mut walk = Walk {
        about: Value::Null,
        device: config.device(),
        ftl: config.ftl,
        pages_per_block,
        views: Vec::new(),
        frames: Vec::new(),
    };
    let logical = config.logical_pages();
    while let Some(step) = steps.step().map_err(|error| error.to_string())? {
        let served = match &step.request {
            Some((_, request)) => device.submit(request, &mut NoData),
            None => device.finish(),
        };
        served.map_err(|error| error.to_string())?;
        if step.request.is_some() && walk.views.len() == MOST_REQUESTS {
            return Err(format!(
                "more than {MOST_REQUESTS} requests, which is the most that is replayed here"
            ));
        }
        let (first, view) = (walk.frames.len(), walk.views.len());
        walk.frames.extend(
            flash
                .frames(&record.take())
                .into_iter()
                .map(|frame| (frame, view)),
        );
        walk.views.push(View {
            rows: lines(&step, logical),
            content: steps.content(GROUPS),
            step,
            first,
        });
    }
    Ok(walk)
}

impl Walk {
    /// What the page shows: the device, and the texts of all steps.
    pub fn answer(&self) -> Value {
        let steps = self.views.iter().map(|view| {
            let rows = view.rows.iter().map(|row| {
                row.parts()
                    .map(|(text, ink)| json!([text, ink]))
                    .collect::<Vec<_>>()
            });
            json!({
                "number": view.step.request.map(|(number, _)| number),
                "rows": rows.collect::<Vec<_>>(),
                "first": view.first,
            })
        });
        json!({
            "about": self.about,
            "examples": examples::all(),
            "device": self.device,
            "steps": steps.collect::<Vec<_>>(),
            "frames": self.frames.iter().map(|(frame, step)| json!({ "step": step, "says": frame.says() })).collect::<Vec<_>>(),
        })
    }

    /// The picture of a frame, as a part of a page, `width` pixels wide.
    ///
    /// # Errors
    /// No such frame.
    pub fn draw(&self, frame: usize, width: f64) -> Result<String, String> {
        if frame >= self.frames.len() {
            return Err(format!(
                "frame {frame}: must be below {}",
                self.frames.len()
            ));
        }
        Ok(self.scene(frame, width.clamp(240.0, 1600.0)).inline())
    }

    fn scene(&self, at: usize, width: f64) -> Scene {
        let (frame, view) = &self.frames[at];
        let content = self.views[*view].content.as_ref();
        draw::drawn(frame, content, self.ftl, self.pages_per_block, width)
    }
}

/// The names of the examples.
pub fn examples() -> Vec<&'static str> {
    examples::ALL.iter().map(|example| example.name).collect()
}
