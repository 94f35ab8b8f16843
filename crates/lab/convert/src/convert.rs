//! Reads a trace, chooses and moves requests, and writes them.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Format, Identity, ReadOptions, TraceError, TraceReader, TraceSummary};

use crate::error::{ConvertError, WriteError};
use crate::fit::{Fit, Mover};
use crate::groups::Touched;
use crate::notes::Notes;
use crate::select::Select;
use crate::target::Target;
use crate::writer::{About, Head, TraceWriter, Volume};

/// How a trace is converted; by default all requests stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Convert {
    /// The requests that are chosen.
    pub select: Select,
    /// Their addresses are moved; `None`: they stay.
    pub fit: Option<Fit>,
    /// See [`Head::whole_sectors`].
    pub whole_sectors: bool,
}

/// What was converted.
#[derive(Clone, Debug, Serialize)]
pub struct Converted {
    /// The trace that was read.
    pub trace: TraceSummary,
    /// Requests in the output.
    pub requests: u64,
    /// What the options leave out or change.
    #[serde(flatten)]
    pub notes: Notes,
    /// What the format of the output cannot say.
    pub by_format: Notes,
}

impl Convert {
    /// Converts the trace at `path`, or standard input for `-`. Returns the output, which is not flushed.
    ///
    /// # Errors
    /// The trace cannot be read, or not twice; a request that the format cannot say; addresses that do not fit; an output
    /// that cannot be written.
    pub fn run<W: Write + Send>(
        &self,
        path: &Path,
        read: &ReadOptions,
        target: Target,
        out: W,
    ) -> Result<(W, Converted), ConvertError> {
        let steps = self.steps(path, read)?;
        self.write(path, read, target, out, steps)
    }

    pub(crate) fn write<W: Write + Send>(
        &self,
        path: &Path,
        read: &ReadOptions,
        target: Target,
        out: W,
        steps: Steps,
    ) -> Result<(W, Converted), ConvertError> {
        let mut pass = Pass::begin(path, read)?;
        let mut writer =
            TraceWriter::new(out, target, pass.head(self)).map_err(ConvertError::Write)?;
        let notes = steps.each(&mut pass, |request, volume| writer.add(request, volume))?;
        let requests = writer.requests();
        let mut converted = pass.finish(path, &steps, notes)?;
        let ended = writer.finish(&converted.about());
        let (out, by_format) = ended.map_err(ConvertError::Write)?;
        converted.requests = requests;
        converted.by_format = by_format;
        Ok((out, converted))
    }

    /// What is done with each request; reads the trace once if its groups must be known.
    pub(crate) fn steps<'a>(
        &'a self,
        path: &Path,
        read: &ReadOptions,
    ) -> Result<Steps<'a>, ConvertError> {
        let mut steps = Steps {
            select: &self.select,
            movers: Vec::new(),
            identity: None,
        };
        let Some(fit) = self.fit else {
            return Ok(steps);
        };
        let Some(group) = fit.group() else {
            let mover = fit.mover(&Touched::default(), None);
            steps.movers.push(mover.map_err(ConvertError::Refused)?);
            return Ok(steps);
        };
        let (touched, volumes, identity) = touched(path, read, &self.select, group)?;
        for (number, touched) in touched.iter().enumerate() {
            let volume = volumes.get(number).map(String::as_str);
            let mover = fit.mover(touched, volume);
            steps.movers.push(mover.map_err(ConvertError::Refused)?);
        }
        steps.identity = Some(identity);
        Ok(steps)
    }
}

impl Converted {
    /// What a file says of its source.
    pub(crate) fn about(&self) -> About {
        About {
            source: self.trace.name.clone(),
            sha256: self.trace.sha256.clone(),
        }
    }
}

/// The groups that the chosen reads and writes touch, for each volume; the volumes; and the identity of what was read. A
/// discard of a whole device would touch all of its groups.
pub(crate) fn touched(
    path: &Path,
    read: &ReadOptions,
    select: &Select,
    group: u64,
) -> Result<(Vec<Touched>, Vec<String>, Identity), ConvertError> {
    if path == Path::new("-") {
        let name = "standard input".to_owned();
        let what =
            "the trace is read twice, which standard input cannot be; write it to a file first"
                .into();
        return Err(TraceError::Selection { name, what }.into());
    }
    let mut touched = vec![Touched::default()];
    let mut ignored = Notes::default();
    let mut pass = Pass::begin(path, read)?;
    pass.each(|request, volume| {
        let number = volume.map_or(0, |volume| volume.number as usize);
        if touched.len() <= number {
            touched.resize_with(number + 1, Touched::default);
        }
        if let Some(request) = select.apply(request, &mut ignored)
            && matches!(request.op(), Op::Read | Op::Write)
        {
            touched[number].add(&request, group);
        }
        Ok(())
    })?;
    let volumes = pass.reader.volumes().to_vec();
    Ok((touched, volumes, pass.reader.identity()))
}

/// What is done with each request.
pub(crate) struct Steps<'a> {
    pub select: &'a Select,
    /// One for each volume, or for all of them; none: addresses stay.
    pub movers: Vec<Mover>,
    /// Of the first pass.
    pub identity: Option<Identity>,
}

impl Steps<'_> {
    /// Calls `emit` with what becomes of each request.
    pub fn each(
        &self,
        pass: &mut Pass,
        mut emit: impl FnMut(&Request, Option<Volume>) -> Result<(), WriteError>,
    ) -> Result<Notes, ConvertError> {
        let mut notes = Notes::default();
        pass.each(|request, volume| {
            let Some(request) = self.select.apply(request, &mut notes) else {
                return Ok(());
            };
            let number = volume.map_or(0, |volume| volume.number as usize);
            match self.movers.get(number).or(self.movers.last()) {
                Some(mover) => mover.each(&request, &mut notes, |part| emit(part, volume)),
                None => emit(&request, volume),
            }
        })?;
        Ok(notes)
    }
}

/// One pass over a trace.
pub(crate) struct Pass {
    reader: TraceReader,
    batch: Vec<Request>,
    more: bool,
}

impl Pass {
    /// Reads the first requests: then it is known what requests have.
    pub fn begin(path: &Path, read: &ReadOptions) -> Result<Self, ConvertError> {
        let read = ReadOptions {
            from_zero: true,
            ..read.clone()
        };
        let mut reader = TraceReader::open(path, &read)?;
        let mut batch = Vec::new();
        let more = reader.next_batch(&mut batch)?;
        Ok(Self {
            reader,
            batch,
            more,
        })
    }

    /// What the requests have.
    pub fn head(&self, how: &Convert) -> Head {
        Head {
            streams: self.reader.has_streams(),
            volumes: !self.reader.volumes().is_empty(),
            whole_sectors: how.whole_sectors,
        }
    }

    /// # Errors
    /// The trace has no volumes.
    pub fn check_volumes(&self) -> Result<(), ConvertError> {
        if !self.reader.volumes().is_empty() {
            return Ok(());
        }
        let format = self.reader.format().map_or("", Format::name);
        let name = self.reader.name();
        let why = format!("{name}: a trace in the format {format} has no volumes to split by");
        Err(ConvertError::Refused(why))
    }

    /// Calls `take` with each request and its volume.
    pub fn each(
        &mut self,
        mut take: impl FnMut(&Request, Option<Volume>) -> Result<(), WriteError>,
    ) -> Result<(), ConvertError> {
        while self.more {
            for (index, request) in self.batch.iter().enumerate() {
                let number = self.reader.volume_of(index);
                let name = self.reader.volumes().get(number as usize);
                let volume = name.map(|name| Volume { number, name });
                take(request, volume).map_err(|error| {
                    let (name, unit) = (self.reader.name(), self.reader.unit());
                    error.at(|| format!("{name}, {unit} {}", self.reader.line_of(index)))
                })?;
            }
            self.more = self.reader.next_batch(&mut self.batch)?;
        }
        Ok(())
    }

    /// The end of the pass; its requests are not counted yet.
    pub fn finish(
        self,
        path: &Path,
        steps: &Steps,
        notes: Notes,
    ) -> Result<Converted, ConvertError> {
        if let Some(identity) = &steps.identity {
            let name = self.reader.name().to_owned();
            identity.check_file(&name, path)?;
            identity.check(&name, &self.reader.identity())?;
        }
        Ok(Converted {
            trace: self.reader.finish(),
            requests: 0,
            notes,
            by_format: Notes::default(),
        })
    }
}
