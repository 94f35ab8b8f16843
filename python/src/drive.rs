//! Virtual SSDs.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::json;
use ssdlab_drive::{Design, Drive as Opened, DriveError, MemoryDisk, OpenOptions};
use ssdlab_words::shown_path;

use crate::device::Device;
use crate::errors::{Raise, Said};
use crate::memory::SharedMemory;

/// A virtual SSD. Its calls take turns, and wait without the lock of the interpreter.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Drive {
    home: Home,
    state: Mutex<State>,
    #[pyo3(get)]
    capacity: u64,
    #[pyo3(get)]
    page_size: u64,
    /// The keys that differ from their defaults, with values as in a file.
    #[pyo3(get)]
    device: Vec<(&'static str, String)>,
}

/// Where the image is.
enum Home {
    File { path: PathBuf, read_only: bool },
    Memory(SharedMemory),
}

enum State {
    Open(Box<Opened>),
    /// Power has failed.
    Off,
    /// Closed, and why.
    Closed(String),
}

const CLOSED: &str = "the drive is closed; reopen() opens it again";

impl Home {
    /// Says where something went wrong.
    fn said(&self, error: impl Raise) -> Said {
        self.of(error.said())
    }

    fn of(&self, said: Said) -> Said {
        match self {
            Self::File { path, .. } => said.in_file(&shown_path(path)),
            Self::Memory(_) => said,
        }
    }

    fn open(&self) -> Result<Box<Opened>, Said> {
        let opened = match self {
            Self::File {
                path,
                read_only: true,
            } => Opened::look_at(path),
            Self::File { path, .. } => Opened::open(path, OpenOptions::default()),
            Self::Memory(disk) => Opened::open_disk(disk.clone()),
        };
        let mut drive = opened.map_err(|error| self.said(error))?;
        drive.watch_power();
        Ok(Box::new(drive))
    }
}

impl State {
    fn closed(&self) -> Said {
        match self {
            Self::Closed(why) => Said::of("DriveError", why),
            _ => Said::of("PowerCut", "the power is off; reopen() turns it on again"),
        }
    }
}

impl Drive {
    fn at(py: Python, home: Home) -> PyResult<Self> {
        py.detach(|| {
            let drive = home.open()?;
            Ok(Self {
                capacity: drive.capacity(),
                page_size: drive.page_size(),
                device: drive.config().changed(),
                state: Mutex::new(State::Open(drive)),
                home,
            })
        })
        .map_err(|said: Said| said.into())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses the open drive.
    fn using<T: Send>(
        &self,
        py: Python,
        what: impl FnOnce(&mut Opened) -> Result<T, DriveError> + Send,
    ) -> PyResult<T> {
        self.lent(py, what)
    }

    /// The same for what is over a drive, and has errors of its own.
    pub fn lent<T: Send, E: Raise>(
        &self,
        py: Python,
        what: impl FnOnce(&mut Opened) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let used = py.detach(|| {
            let mut state = self.state();
            let State::Open(drive) = &mut *state else {
                return Err(self.home.of(state.closed()));
            };
            let done = what(drive);
            if drive.power_is_off() {
                *state = State::Off;
                let why = "the power failed; reopen() turns it on again";
                return Err(self.home.of(Said::of("PowerCut", why)));
            }
            done.map_err(|error| self.home.said(error))
        });
        used.map_err(|said| said.into())
    }

    /// Uses the open drive to change it.
    pub fn changing<E: Raise>(
        &self,
        py: Python,
        what: impl FnOnce(&mut Opened) -> Result<(), E> + Send,
    ) -> PyResult<()> {
        if let Home::File {
            read_only: true, ..
        } = self.home
        {
            let said = Said::of("DriveError", "the drive was opened with read_only=True");
            return Err(self.home.of(said).into());
        }
        self.lent(py, what)
    }

    /// Takes the open drive out.
    fn take(&self, py: Python, leave: State) -> Result<Box<Opened>, Said> {
        py.detach(|| {
            let mut state = self.state();
            match std::mem::replace(&mut *state, leave) {
                State::Open(drive) => Ok(drive),
                other => {
                    let said = self.home.of(other.closed());
                    *state = other;
                    Err(said)
                }
            }
        })
    }
}

/// How an image was found, as `ssdlab drive info --json` says it.
fn found(drive: &Opened) -> String {
    let opened = drive.opened();
    let left = match (opened.new, opened.closed) {
        (true, _) => "new",
        (_, true) => "closed",
        _ => "open",
    };
    json!({
        "left": left,
        "undone": opened.undone,
        "torn_programs": opened.torn_programs,
        "torn_erase": opened.torn_erase,
        "interrupted_record": opened.interrupted_record,
        "lost_records": opened.lost_records,
        "damaged_copies": opened.damaged_copies,
        "commits": opened.commits,
        "operations": opened.operations,
    })
    .to_string()
}

#[pymethods]
impl Drive {
    /// Makes an image in a file, or in memory, and opens it.
    #[staticmethod]
    fn create(py: Python, path: Option<PathBuf>, device: &Device) -> PyResult<Self> {
        let config = device.config.clone();
        let home = py.detach(|| {
            let design = Design::new(config).map_err(Raise::said)?;
            let Some(path) = path else {
                let made = MemoryDisk::new(design.image_bytes().map_err(Raise::said)?);
                let mut disk = made.map_err(|error| DriveError::from(error).said())?;
                design.create_on(&mut disk).map_err(Raise::said)?;
                return Ok(Home::Memory(SharedMemory::new(disk)));
            };
            let created = Opened::create(&path, &design);
            let read_only = false;
            let home = Home::File { path, read_only };
            created.map_err(|error| home.said(error)).map(|()| home)
        });
        Self::at(py, home.map_err(|said: Said| PyErr::from(said))?)
    }

    /// Opens an image in a file.
    #[staticmethod]
    fn open(py: Python, path: PathBuf, read_only: bool) -> PyResult<Self> {
        Self::at(py, Home::File { path, read_only })
    }

    /// The bytes of a range.
    fn read<'py>(
        &self,
        py: Python<'py>,
        offset: u64,
        length: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        // before there is memory for it
        self.using(py, |drive| drive.admit(offset, length))?;
        PyBytes::new_with(py, length as usize, |into| {
            self.using(py, |drive| drive.read(offset, into))
        })
    }

    /// Reads into a buffer of bytes.
    fn readinto(&self, py: Python, offset: u64, buffer: PyBuffer<u8>) -> PyResult<()> {
        let length = buffer.item_count();
        self.using(py, |drive| drive.admit(offset, length as u64))?;
        let mut bytes = vec![0; length];
        self.using(py, |drive| drive.read(offset, &mut bytes))?;
        buffer.copy_from_slice(py, &bytes)
    }

    fn write(&self, py: Python, offset: u64, data: PyBackedBytes) -> PyResult<()> {
        self.changing(py, |drive| drive.write(offset, &data))
    }

    fn flush(&self, py: Python) -> PyResult<()> {
        self.changing(py, Opened::flush)
    }

    fn trim(&self, py: Python, offset: u64, length: u64) -> PyResult<()> {
        self.changing(py, |drive| drive.trim(offset, length))
    }

    /// What the status page has, as JSON.
    fn status(&self, py: Python) -> PyResult<String> {
        self.using(py, |drive| Ok(drive.status().to_json().to_string()))
    }

    /// The erases of each block over the life of the drive.
    fn erase_counts(&self, py: Python) -> PyResult<Vec<u32>> {
        self.using(py, |drive| Ok(drive.erase_counts()))
    }

    /// How the image was found, as JSON.
    fn opened(&self, py: Python) -> PyResult<String> {
        self.using(py, |drive| Ok(found(drive)))
    }

    /// Programs and erases since the drive was opened.
    fn operations(&self, py: Python) -> PyResult<u64> {
        self.using(py, |drive| Ok(drive.watched_operations()))
    }

    /// Power fails now.
    fn cut_power(&self, py: Python, seed: Option<u64>) -> PyResult<()> {
        let drive = self.take(py, State::Off)?;
        py.detach(|| drive.cut_power(seed).map_err(|error| self.home.said(error)))?;
        Ok(())
    }

    /// Power fails instead of the operation with this number from now on.
    fn cut_power_at(&self, py: Python, operation: u64, seed: Option<u64>) -> PyResult<()> {
        self.using(py, |drive| {
            drive.cut_power_at(operation, seed);
            Ok(())
        })
    }

    /// Closes the drive; `why` is what later calls say.
    #[pyo3(signature = (why = None))]
    fn close(&self, py: Python, why: Option<String>) -> PyResult<()> {
        let closed = why.unwrap_or_else(|| CLOSED.to_owned());
        let drive = self.take(py, State::Closed(closed))?;
        py.detach(|| drive.close().map_err(|error| self.home.said(error)))?;
        Ok(())
    }

    /// Whether it is open.
    fn is_open(&self, py: Python) -> bool {
        py.detach(|| matches!(*self.state(), State::Open(_)))
    }

    /// Opens the drive again, and says how its image was found, as JSON.
    fn reopen(&self, py: Python) -> PyResult<String> {
        let opened = py.detach(|| {
            let mut state = self.state();
            if let State::Open(_) = *state {
                let said = Said::of("DriveError", "the drive is open");
                return Err(self.home.of(said));
            }
            let drive = self.home.open()?;
            let found = found(&drive);
            *state = State::Open(drive);
            Ok(found)
        });
        opened.map_err(|said| said.into())
    }

    /// The file of the image, if it is in one.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        match &self.home {
            Home::File { path, .. } => Some(path.clone()),
            Home::Memory(_) => None,
        }
    }
}
