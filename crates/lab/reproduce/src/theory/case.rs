//! A formula with its parameters: the theory and the matching run of the simulator.

use ssdlab_sim::key;
use ssdlab_theory::{Class, Spare, classes, d_choices, fifo, greedy, with_discards};

use super::description::{Formula, Hot};

/// A formula with its parameters, without the spare factor and the size of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Case {
    Fifo,
    Greedy,
    DChoices(u32),
    Classes(Hot),
    Discards(f64),
}

impl Formula {
    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Formula::Fifo => "fifo",
            Formula::Greedy => "greedy",
            Formula::DChoices(_) => "d-choices",
            Formula::Classes(_) => "classes",
            Formula::Discards(_) => "discards",
        }
    }

    /// One case for each value of the parameter.
    pub(super) fn cases(&self) -> Vec<Case> {
        match self {
            Formula::Fifo => vec![Case::Fifo],
            Formula::Greedy => vec![Case::Greedy],
            Formula::DChoices(all) => all.iter().map(|d| Case::DChoices(d.get())).collect(),
            Formula::Classes(hot) => vec![Case::Classes(*hot)],
            Formula::Discards(all) => all.iter().map(|&share| Case::Discards(share)).collect(),
        }
    }
}

impl Case {
    /// In words, without a comma.
    pub fn name(self) -> String {
        match self {
            Case::Fifo => "fifo".into(),
            Case::Greedy => "greedy".into(),
            Case::DChoices(d) => format!("d-choices with d = {d}"),
            Case::Classes(Hot { writes, data }) => format!("fifo with {writes}/{data}"),
            Case::Discards(share) => format!("fifo with q = {share}"),
        }
    }

    /// The write amplification in theory; `None` for invalid parameters.
    pub fn known(self, spare: Spare, pages_per_block: u32) -> Option<f64> {
        Some(match self {
            Case::Fifo => fifo(spare),
            Case::Greedy => greedy(spare, pages_per_block),
            Case::DChoices(d) => d_choices(spare, pages_per_block, d),
            Case::Classes(hot) => classes(spare, &hot_and_cold(hot)?),
            Case::Discards(share) => fifo(with_discards(spare, share)?),
        })
    }

    /// The column of `ssdlab theory` with this case, and the options for it.
    pub fn command(self, spare: f64, pages_per_block: u32) -> (String, String) {
        let with = format!("--spare {spare} --block {pages_per_block}");
        let (column, options) = match self {
            Case::Fifo => ("fifo".into(), format!("--spare {spare}")),
            Case::Greedy => (format!("greedy, {pages_per_block} pages"), with),
            Case::DChoices(d) => {
                let column = format!("{d}-choices, {pages_per_block} pages");
                (column, format!("{with} --d {d}"))
            }
            Case::Classes(Hot { writes, data }) => (
                "hot and cold, fifo".into(),
                format!("--spare {spare} --hot {writes}/{data}"),
            ),
            Case::Discards(share) => ("fifo".into(), format!("--spare {spare} --discards {share}")),
        };
        (column, format!("ssdlab theory {options}"))
    }

    /// The cleaning policy, in the syntax of `--set`.
    pub fn cleaning(self) -> Vec<String> {
        let policy = match self {
            Case::Greedy => "greedy",
            Case::DChoices(_) => "d-choices",
            Case::Fifo | Case::Classes(_) | Case::Discards(_) => "fifo",
        };
        let d = match self {
            Case::DChoices(d) => Some(format!("{}={d}", key::D)),
            _ => None,
        };
        let policy = format!("{}={policy}", key::CLEANING);
        std::iter::once(policy).chain(d).collect()
    }

    /// The requests, as arguments of `ssdlab trace generate`.
    pub fn workload(self) -> String {
        match self {
            Case::Fifo | Case::Greedy | Case::DChoices(_) => "uniform".into(),
            Case::Classes(Hot { writes, data }) => format!("locality --locality {data}/{writes}"),
            Case::Discards(share) => format!("uniform --discards {share}"),
        }
    }
}

/// Both classes; `None` unless each has some data and some writes.
fn hot_and_cold(hot: Hot) -> Option<[Class; 2]> {
    let valid = |percent: f64| percent > 0.0 && percent < 100.0;
    let class = |writes: f64, data: f64| Class {
        writes: writes / 100.0,
        data: data / 100.0,
    };
    let Hot { writes, data } = hot;
    (valid(writes) && valid(data))
        .then(|| [class(writes, data), class(100.0 - writes, 100.0 - data)])
}
