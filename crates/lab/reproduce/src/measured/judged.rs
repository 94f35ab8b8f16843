//! The figures of the simulator beside the published ones.

use super::cell::{Cell, Found};
use super::description::Table;

/// A figure of one run.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Which part of the run, or which handle, it is of.
    pub of: String,
    pub kind: Kind,
    /// `None`: not published.
    pub published: Option<f64>,
    pub found: f64,
    /// The deviation that still counts as agreement: relative, or of a [`Kind::Rms`] absolute. `None`: not judged.
    pub within: Option<f64>,
    /// What is found was fitted to what was published, so it is not judged.
    pub fitted: bool,
}

/// The kind of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Write amplification in a window.
    Window,
    /// Write amplification of a handle in the last quarter.
    Handle,
    /// The root of the mean square of the deviations in the tenths of a pass.
    Rms,
}

impl Figure {
    /// The deviation from the published figure: relative, or of an rms absolute.
    pub fn deviation(&self) -> Option<f64> {
        match self.kind {
            Kind::Rms => Some(self.found),
            Kind::Window | Kind::Handle => Some(self.found / self.published? - 1.0),
        }
    }

    /// Whether it agrees; `None` if it is not judged.
    pub fn agrees(&self) -> Option<bool> {
        let near = self.deviation()?.abs() <= self.within?;
        (!self.fitted).then_some(near)
    }

    /// Whether it would be judged if nothing were fitted to it.
    pub fn is_fit(&self) -> bool {
        self.fitted && self.within.is_some() && self.deviation().is_some()
    }
}

/// A run with its figures.
pub struct Judged<'a> {
    pub cell: &'a Cell,
    pub found: Found,
    pub figures: Vec<Figure>,
}

impl<'a> Judged<'a> {
    /// Compares what was found with what was published.
    pub fn of(table: &Table, cell: &'a Cell, found: Found) -> Self {
        let share = |percent: Option<f64>| percent.map(|percent| percent / 100.0);
        let fitted = table.point[cell.point].fitted;
        let mut figures = Vec::new();
        for (&(window, published), &found) in cell.windows.iter().zip(&found.windows) {
            figures.push(Figure {
                of: window.name().into(),
                kind: Kind::Window,
                published,
                found,
                within: share(table.within_percent),
                fitted,
            });
        }
        for (&(handle, published), &found) in cell.log.handles.iter().zip(&found.handles) {
            figures.push(Figure {
                of: handle.map_or("common copies".into(), |handle| format!("handle {handle}")),
                kind: Kind::Handle,
                published: Some(published).filter(|figure| figure.is_finite()),
                found,
                within: share(table.handles_within_percent),
                fitted,
            });
        }
        if !cell.log.tenths.is_empty() {
            figures.push(Figure {
                of: "rms of the tenths".into(),
                kind: Kind::Rms,
                published: None,
                found: rms(&found.tenths, &cell.log.tenths),
                within: table.within_rms,
                fitted,
            });
        }
        Self {
            cell,
            found,
            figures,
        }
    }

    /// The write amplification of the last window, as found and as published.
    pub fn last(&self) -> (f64, Option<f64>) {
        let mut windows = self.figures.iter().filter(|one| one.kind == Kind::Window);
        windows
            .next_back()
            .map_or((f64::NAN, None), |one| (one.found, one.published))
    }
}

fn rms(found: &[f64], published: &[f64]) -> f64 {
    let squares = found.iter().zip(published).map(|(a, b)| (a - b) * (a - b));
    (squares.sum::<f64>() / published.len() as f64).sqrt()
}

/// The mean size of the deviations of these runs that are judged, those of handles left out.
pub fn mean_deviation<'a>(all: impl Iterator<Item = &'a Judged<'a>>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for judged in all {
        let figures = judged.figures.iter();
        let figures = figures.filter(|one| one.within.is_some() && one.kind != Kind::Handle);
        for deviation in figures.filter_map(Figure::deviation) {
            sum += deviation.abs();
            count += 1;
        }
    }
    sum / f64::from(count)
}
