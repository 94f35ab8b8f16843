//! What the status page says: a page for people, JSON, and the text format of Prometheus.

use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ssdlab_device::LatencyByOp;
use ssdlab_device::results::{Handle, Placed, Region};
use ssdlab_drive::Status;
use tokio::time::sleep;

use super::history::History;
use crate::locked;

const PAGE: &str = include_str!("page.html");
/// Stands in the page for the status at the time of the request.
const HERE: &str = "\"STATUS\"";

/// The time between two looks at the drive: requests in between wait, and share the next one.
const PAUSE: Duration = Duration::from_millis(100);

/// The pages, made when they are asked for.
pub struct Pages {
    /// Looks at the drive; finds nothing once it is closed.
    status: Box<dyn Fn() -> Option<Status> + Send + Sync>,
    last: Mutex<Option<Arc<Look>>>,
    history: Mutex<History>,
}

/// What one look at the drive has found.
pub struct Look {
    at: Instant,
    status: Option<Status>,
    /// Until then.
    history: History,
    /// Each [`PageKind`], once it was asked for.
    texts: [OnceLock<String>; 3],
}

impl Pages {
    /// Pages of what `status` returns.
    pub fn of(status: impl Fn() -> Option<Status> + Send + Sync + 'static) -> Self {
        Self {
            status: Box::new(status),
            last: Mutex::new(None),
            history: Mutex::default(),
        }
    }

    /// A look at the drive that is no older than this call. The drive is looked at once in [`PAUSE`], however many ask.
    pub async fn look(&self) -> Arc<Look> {
        let asked = Instant::now();
        loop {
            let last = locked(&self.last).clone();
            match last {
                Some(last) if last.at >= asked => return last,
                Some(last) if last.at.elapsed() < PAUSE => {
                    sleep(PAUSE.saturating_sub(last.at.elapsed())).await;
                }
                _ => break,
            }
        }
        let look = Arc::new(Look {
            at: Instant::now(),
            status: (self.status)(),
            history: locked(&self.history).clone(),
            texts: Default::default(),
        });
        *locked(&self.last) = Some(Arc::clone(&look));
        look
    }

    /// Adds a point to the history, and returns the time until the next one; `None` once the drive is closed.
    pub async fn remember(&self) -> Option<Duration> {
        let look = self.look().await;
        let status = look.status.as_ref()?;
        Some(locked(&self.history).add(status))
    }
}

/// What can be asked for.
#[derive(Clone, Copy)]
pub enum PageKind {
    Html,
    Json,
    Metrics,
}

impl PageKind {
    /// The page at a path of the server.
    pub fn at(path: &str) -> Option<Self> {
        match path {
            "/" => Some(Self::Html),
            "/status.json" => Some(Self::Json),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }

    /// Its content type.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Json => "application/json",
            Self::Metrics => "text/plain; version=0.0.4",
        }
    }

    fn of(self, status: &Status, history: &History) -> String {
        let json = || {
            let mut value = status.to_json();
            value["history"] = history.to_json();
            value.to_string()
        };
        match self {
            Self::Html => PAGE.replace(HERE, &json().replace('<', "\\u003c")),
            Self::Json => json(),
            Self::Metrics => metrics(status),
        }
    }
}

impl Look {
    /// A page of what was seen; none if the drive is closed.
    pub fn page(&self, page: PageKind) -> Option<&str> {
        let status = self.status.as_ref()?;
        Some(self.texts[page as usize].get_or_init(|| page.of(status, &self.history)))
    }
}

fn metrics(status: &Status) -> String {
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, samples: &[(&str, f64)]| {
        // writing to a string cannot fail
        let _ = writeln!(text, "# TYPE ssdlab_{name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(text, "ssdlab_{name}{labels} {value}");
        }
    };
    for (name, value) in status.counters.entries() {
        add(&format!("{name}_total"), "counter", &[("", value as f64)]);
    }
    let bytes = &status.bytes_to_flash;
    let causes: Vec<(String, f64)> = bytes
        .iter()
        .map(|(cause, bytes)| (format!("{{cause=\"{}\"}}", cause.key()), bytes as f64))
        .collect();
    let causes: Vec<(&str, f64)> = causes.iter().map(|(l, v)| (l.as_str(), *v)).collect();
    add("flash_bytes_total", "counter", &causes);
    if let Some(waf) = status.write_amplification {
        add("write_amplification", "gauge", &[("", waf)]);
    }
    for (figure, value) in status.figures.iter() {
        if let Some(value) = value {
            add(&format!("figure_{}", figure.key), "gauge", &[("", value)]);
        }
    }
    for (name, samples) in by_handle(status) {
        let samples: Vec<(&str, f64)> = samples.iter().map(|(l, v)| (l.as_str(), *v)).collect();
        add(name, "counter", &samples);
    }
    let buffer = &status.buffer;
    let pages = [
        ("{state=\"capacity\"}", f64::from(buffer.pages)),
        ("{state=\"held\"}", f64::from(buffer.held)),
        ("{state=\"dirty\"}", f64::from(buffer.dirty)),
    ];
    add("buffer_pages", "gauge", &pages);
    let most = status.erases.iter().max().copied().unwrap_or_default();
    add("block_erases_max", "gauge", &[("", most.into())]);
    let life = status.erases.iter().map(|&count| f64::from(count)).sum();
    add("block_erases_total", "counter", &[("", life)]);
    add(
        "read_only",
        "gauge",
        &[("", f64::from(u8::from(status.read_only.is_some())))],
    );
    if let Some(by_op) = &status.latency_ns {
        let samples = latency_samples(by_op);
        let samples: Vec<(&str, f64)> = samples.iter().map(|(l, v)| (l.as_str(), *v)).collect();
        add("latency_seconds", "gauge", &samples);
    }
    text
}

/// The counts of each reclaim unit handle, or of each region of a placement.
fn by_handle(status: &Status) -> Vec<(&'static str, Vec<(String, f64)>)> {
    let labelled = |label: &str, counts: &[u64]| -> Vec<(String, f64)> {
        let counts = (0..).zip(counts);
        counts
            .map(|(number, &count)| (format!("{{{label}=\"{number}\"}}"), count as f64))
            .collect()
    };
    match &status.placed {
        None => Vec::new(),
        Some(Placed::Handles { handles, .. }) => {
            let of = |count: fn(&Handle) -> u64| {
                labelled("handle", &handles.iter().map(count).collect::<Vec<_>>())
            };
            vec![
                ("handle_host_pages_total", of(|handle| handle.host_pages)),
                (
                    "handle_copied_pages_total",
                    of(|handle| handle.copied_pages),
                ),
                ("handle_victims_total", of(|handle| handle.victims)),
            ]
        }
        Some(Placed::Regions { regions }) => {
            let of = |count: fn(&Region) -> u64| {
                labelled("region", &regions.iter().map(count).collect::<Vec<_>>())
            };
            vec![
                ("region_host_pages_total", of(|region| region.host_pages)),
                ("region_copied_in_total", of(|region| region.copied_in)),
                ("region_copied_out_total", of(|region| region.copied_out)),
                ("region_victims_total", of(|region| region.victims)),
            ]
        }
    }
}

/// The labels of each quantile of the latencies, and its seconds.
fn latency_samples(by_op: &LatencyByOp) -> Vec<(String, f64)> {
    let ops = [
        ("read", &by_op.reads),
        ("write", &by_op.writes),
        ("flush", &by_op.flushes),
        ("discard", &by_op.discards),
    ];
    let mut samples = Vec::new();
    for (op, latency) in ops {
        for (quantile, ns) in [
            ("0.5", latency.p50),
            ("0.9", latency.p90),
            ("0.99", latency.p99),
            ("0.999", latency.p99_9),
            ("1", latency.max),
        ] {
            if let Some(ns) = ns {
                let labels = format!("{{op=\"{op}\",quantile=\"{quantile}\"}}");
                samples.push((labels, ns as f64 / 1e9));
            }
        }
    }
    samples
}
