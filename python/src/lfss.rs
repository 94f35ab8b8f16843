//! Data blocks over a virtual SSD.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use ssdlab_drive::{Drive as Opened, Home, Lfss as Store, LfssError};

use crate::drive::Drive;

/// The LFSS of the DEB paper over a drive, which others may use beside it.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Lfss {
    drive: Py<Drive>,
}

impl Lfss {
    fn using<T: Send>(
        &self,
        py: Python,
        what: impl FnOnce(&mut Store<&mut Opened>) -> Result<T, LfssError> + Send,
    ) -> PyResult<T> {
        self.drive
            .get()
            .lent(py, |drive| what(&mut Store::over(drive)?))
    }

    fn changing(
        &self,
        py: Python,
        what: impl FnOnce(&mut Store<&mut Opened>) -> Result<(), LfssError> + Send,
    ) -> PyResult<()> {
        self.drive
            .get()
            .changing(py, |drive| what(&mut Store::over(drive)?))
    }
}

#[pymethods]
impl Lfss {
    /// The store in a drive that suits it.
    #[new]
    fn new(py: Python, drive: Py<Drive>) -> PyResult<Self> {
        let lfss = Self { drive };
        lfss.using(py, |_| Ok(())).map(|()| lfss)
    }

    /// The bytes of a data block.
    fn block_size(&self, py: Python) -> PyResult<usize> {
        self.using(py, |lfss| Ok(lfss.block_size()))
    }

    /// The data blocks that fit.
    fn blocks(&self, py: Python) -> PyResult<u64> {
        self.using(py, |lfss| Ok(lfss.blocks()))
    }

    /// Those that exist.
    fn existing(&self, py: Python) -> PyResult<Vec<u64>> {
        self.using(py, |lfss| Ok(lfss.existing().collect()))
    }

    /// Those in the EBR.
    fn in_ebr(&self, py: Python) -> PyResult<Vec<u64>> {
        self.using(py, |lfss| Ok(lfss.in_ebr()))
    }

    /// Where a data block is: `ebr`, `flash`, or nowhere.
    fn home(&self, py: Python, block: u64) -> PyResult<Option<&'static str>> {
        let home = self.using(py, |lfss| lfss.home(block))?;
        Ok(home.map(|home| match home {
            Home::Ebr => "ebr",
            Home::Flash => "flash",
        }))
    }

    /// The segments erased over the life of the drive.
    fn erases(&self, py: Python) -> PyResult<u64> {
        self.using(py, |lfss| Ok(lfss.erases()))
    }

    fn read<'py>(&self, py: Python<'py>, block: u64) -> PyResult<Bound<'py, PyBytes>> {
        let data = self.using(py, |lfss| lfss.read(block))?;
        Ok(PyBytes::new(py, &data))
    }

    fn write(&self, py: Python, block: u64, data: PyBackedBytes) -> PyResult<()> {
        self.changing(py, |lfss| lfss.write(block, &data))
    }

    fn update(&self, py: Python, block: u64, data: PyBackedBytes) -> PyResult<()> {
        self.changing(py, |lfss| lfss.update(block, &data))
    }

    fn erase(&self, py: Python, block: u64) -> PyResult<()> {
        self.changing(py, |lfss| lfss.erase(block))
    }
}
