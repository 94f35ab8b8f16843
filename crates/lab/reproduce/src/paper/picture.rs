//! Figures that show the traces themselves: their addresses over time, and what each kind of request moves.

use std::collections::BTreeMap;

use ssdlab_characterise::Raster;
use ssdlab_host::Op;
use ssdlab_report::chart::{addresses, kind_of_marks};
use ssdlab_sim::Trace;
use ssdlab_words::{decimal_bytes, markdown_table, thousands};

use super::checked::Paper;
use super::description::Figure;
use super::job::left_out;
use super::traces::{Source, Traces};
use crate::error::ReproduceError;
use crate::study::Settings;

/// Columns of time and rows of addresses: fine enough for a page.
const FINENESS: (u64, u64) = (256, 128);

/// The picture of a trace.
pub struct Picture {
    /// The short name of the trace.
    pub trace: String,
    /// The addresses over time, as SVG.
    pub svg: String,
    /// The kinds of requests, as a table in Markdown.
    pub table: String,
}

/// What the requests of one operation and stream move.
#[derive(Default)]
struct Moved {
    requests: u64,
    bytes: u64,
    /// Requests that begin where the last one of the operation ended, of any stream.
    in_sequence: u64,
}

/// The pictures of the traces of a figure; none if it does not show them.
///
/// # Errors
/// An unreadable trace.
pub fn pictures(
    paper: &Paper,
    settings: &Settings,
    figure: &Figure,
    traces: &mut Traces,
) -> Result<Vec<Picture>, ReproduceError> {
    if !figure.picture {
        return Ok(Vec::new());
    }
    let left_out = left_out(paper, figure);
    let names = figure.traces.iter().map(|name| {
        let source = Source::Named(name);
        traces.load(paper, settings, &source, &left_out)?;
        let streams = &paper.description.trace[name.get_ref()].streams;
        picture(name.get_ref(), traces.get(&source, &left_out), streams)
    });
    names.collect()
}

fn picture(name: &str, trace: &Trace, streams: &[String]) -> Result<Picture, ReproduceError> {
    let mut raster = Raster::new(FINENESS.0, FINENESS.1);
    let mut moved: BTreeMap<(usize, u16), Moved> = BTreeMap::new();
    let mut ends = [0; Op::ALL.len()];
    trace.each(|request| {
        raster.add(request);
        let op = request.op() as usize;
        let moved = moved.entry((op, request.stream())).or_default();
        moved.requests += 1;
        moved.bytes += request.size();
        moved.in_sequence += u64::from(request.offset == ends[op]);
        ends[op] = request.end();
    })?;
    let apart = moved.keys().any(|&(_, stream)| stream != 0);
    let rows = moved.iter().map(|(&(op, stream), moved)| {
        [
            kind_of_marks(Op::ALL[op], stream, apart, streams),
            thousands(moved.requests),
            decimal_bytes(moved.bytes),
            format!(
                "{:.1}",
                100.0 * moved.in_sequence as f64 / moved.requests as f64
            ),
        ]
    });
    let header = format!("{name} | Requests | Data | Begin where the last one ended, %");
    Ok(Picture {
        table: markdown_table("lrrr", &header, rows),
        svg: addresses(name, &raster, streams),
        trace: name.to_owned(),
    })
}
