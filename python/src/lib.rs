//! The Python package `ssdlab`: what is native of it, `ssdlab._native`.
//!
//! The classes here hold values of the laboratory and give what plain Python needs: numbers, texts, JSON, and tables as
//! streams of Arrow. What users see is in `ssdlab/`, which has the types and their documentation. All that takes time runs
//! without the lock of the interpreter, but for policies in Python, and ends within a fraction of a second after Ctrl-C; what
//! does not is named in `docs/python.md`.
//!
//! May depend on every crate of the laboratory and of the drive. It is a program, as the command line is, which it
//! contains: [`command`] runs it.

mod arrow;
mod cliff;
mod columns;
mod command;
mod compare;
mod device;
mod drive;
mod errors;
mod events;
mod figures;
mod fork;
mod interrupt;
mod lab;
mod lfss;
mod life;
mod memory;
mod outcome;
mod pictures;
mod policies;
mod progress;
mod recommend;
mod results;
mod sweep;
mod theory;
mod trace;
mod write;

/// The native part of the package.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::arrow::Stream;
    #[pymodule_export]
    use crate::cliff::{Filled, cliff};
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::compare::Comparison;
    #[pymodule_export]
    use crate::device::Device;
    #[pymodule_export]
    use crate::drive::Drive;
    #[pymodule_export]
    use crate::events::events;
    #[pymodule_export]
    use crate::figures::figures;
    #[pymodule_export]
    use crate::fork::{after_fork, before_fork};
    #[pymodule_export]
    use crate::lab::{keys, parse_bytes, systems, version};
    #[pymodule_export]
    use crate::lfss::Lfss;
    #[pymodule_export]
    use crate::life::life;
    #[pymodule_export]
    use crate::outcome::Outcome;
    #[pymodule_export]
    use crate::policies::Lab;
    #[pymodule_export]
    use crate::recommend::recommend;
    #[pymodule_export]
    use crate::results::Results;
    #[pymodule_export]
    use crate::sweep::Sweep;
    #[pymodule_export]
    use crate::theory::{hot_and_cold, pools, spare_of, uniform};
    #[pymodule_export]
    use crate::trace::Trace;
    #[pymodule_export]
    use crate::write::write_file;
}
