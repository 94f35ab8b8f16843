//! LFSS, the log flash storage system of the DEB paper (section 3.2). Programs read, write, update and erase data
//! blocks without a file system. Here it is a small library over a device in memory with real bytes.
//!
//!     cargo run --release -p ssdlab-device --example lfss
//!
//! The paper's terms: a *data block* is a page of the device, a *segment* one of its erase blocks, the extra buffer
//! region (EBR) its RAM region. The placement `deb` does the work inside the calls. With another configuration, the
//! same calls use another log, such as the paper's JFFS2.

use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_device::{BuildError, Device, DeviceError, FtlMaker, HostData, Part, Stack};
use ssdlab_flash::{Array, Bytes, Payload};
use ssdlab_ftl::page::PageMapping;
use ssdlab_ftl::{FtlError, FtlKind};
use ssdlab_host::{Op, Request};

/// Why a call was refused or failed.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum LfssError {
    /// The data block exists; only an update may replace it.
    #[error("data block {0} is already written; update it")]
    Exists(u32),
    /// The data block was never written, or was erased.
    #[error("data block {0} is not written")]
    Missing(u32),
    /// The data do not have the size of a data block.
    #[error("{found} bytes do not fit a data block of {size} bytes")]
    Size {
        /// The size of the data in bytes.
        found: usize,
        /// [`Lfss::block_size`].
        size: usize,
    },
    /// The configuration cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The number is beyond the device, or the device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// A store of data blocks, numbered from 0.
pub struct Lfss {
    config: Config,
    device: Device<Array<Bytes>>,
    time_ns: u64,
    /// Whether each data block is written.
    written: Vec<bool>,
}

/// Page mapping with the cleaning and the placement of the configuration, without a write buffer.
fn stack(config: &Config) -> Stack<Array<Bytes>> {
    Stack::new(FtlMaker::of::<PageMapping>(PageMapping::configure(
        &config.inputs(),
    )))
}

impl Lfss {
    /// A new, empty store.
    pub fn new(config: Config) -> Result<Self, LfssError> {
        let stack = stack(&config);
        let device = Device::fresh(&config, &stack)?;
        Ok(Self {
            written: vec![false; config.logical_pages() as usize],
            config,
            device,
            time_ns: 0,
        })
    }

    /// The size of a data block in bytes.
    pub fn block_size(&self) -> usize {
        self.config.flash.page_size as usize
    }

    /// The number of data blocks that fit.
    pub fn blocks(&self) -> u32 {
        self.written.len() as u32
    }

    /// Segments erased so far, the figure of the paper (section 4).
    pub fn erases(&self) -> u64 {
        self.device.counters().erases
    }

    /// Lets time pass. The time since the last update decides whether an update is fast (section 3.1).
    pub fn wait(&mut self, seconds: f64) {
        self.time_ns += (seconds * 1e9) as u64;
    }

    /// Creates a data block. It enters the EBR (section 3.1, rule 1). If the EBR overflows, its oldest data blocks are
    /// written back, each to the region of its stable time, until half of it is free (rule 5).
    pub fn write(&mut self, block: u32, data: &[u8]) -> Result<(), LfssError> {
        if self.is_written(block) {
            return Err(LfssError::Exists(block));
        }
        self.store(block, data)?;
        self.written[block as usize] = true;
        Ok(())
    }

    /// Replaces a data block. In the EBR this happens in place (section 3.1, rule 6). In flash, a fast update moves it
    /// to the next hotter region, or to the EBR if the last update was fast too (rule 2). A slow update moves it to the
    /// next colder region (rule 3). Any other update stays in its region (rule 4). The old data become garbage.
    pub fn update(&mut self, block: u32, data: &[u8]) -> Result<(), LfssError> {
        if !self.is_written(block) {
            return Err(LfssError::Missing(block));
        }
        self.store(block, data)
    }

    /// Reads a data block from the EBR or from flash (section 3.2). The block does not move.
    pub fn read(&mut self, block: u32) -> Result<Vec<u8>, LfssError> {
        let data = if self.is_written(block) {
            self.load(block)?
        } else {
            None
        };
        data.map(|data| data.0.into_vec())
            .ok_or(LfssError::Missing(block))
    }

    /// Deletes a data block (section 3.2). Its data in flash become garbage, which cleaning reclaims with their segment
    /// (section 2.2). Its data in the EBR are freed at once.
    pub fn erase(&mut self, block: u32) -> Result<(), LfssError> {
        if !self.is_written(block) {
            return Err(LfssError::Missing(block));
        }
        let request = self.request(Op::Discard, block);
        self.device.submit(&request, &mut Transfer::default())?;
        self.written[block as usize] = false;
        Ok(())
    }

    /// Turns the power off and on. The battery keeps the EBR (section 1); the rest is rebuilt from flash.
    pub fn power_cycle(self) -> Result<Self, LfssError> {
        let ebr = self.device.ram();
        let flash = self.device.into_media().into_iter().map(Array::power_on);
        let stack = stack(&self.config);
        let device = Device::mount_with(&self.config, &stack, flash.collect(), &ebr)
            .map_err(|(_, error): (_, FtlError)| DeviceError::from(error))?;
        let mut storage = Self { device, ..self };
        for block in 0..storage.blocks() {
            storage.written[block as usize] = storage.load(block)?.is_some();
        }
        Ok(storage)
    }

    fn is_written(&self, block: u32) -> bool {
        self.written.get(block as usize).is_some_and(|&is| is)
    }

    fn store(&mut self, block: u32, data: &[u8]) -> Result<(), LfssError> {
        let (found, size) = (data.len(), self.block_size());
        if found != size {
            return Err(LfssError::Size { found, size });
        }
        let request = self.request(Op::Write, block);
        let mut transfer = Transfer(Some(Bytes(data.into())));
        Ok(self.device.submit(&request, &mut transfer)?)
    }

    fn load(&mut self, block: u32) -> Result<Option<Bytes>, LfssError> {
        let request = self.request(Op::Read, block);
        let mut transfer = Transfer::default();
        self.device.submit(&request, &mut transfer)?;
        Ok(transfer.0)
    }

    fn request(&self, op: Op, block: u32) -> Request {
        let size = self.block_size() as u64;
        let request = Request::new(self.time_ns, op, u64::from(block) * size, size);
        request.expect("a request reaches all blocks of 32-bit numbers")
    }
}

/// The data block of a request, written or read.
#[derive(Default)]
struct Transfer(Option<Bytes>);

impl HostData<Bytes> for Transfer {
    fn write(&mut self, _: &Part, page: &mut Bytes) {
        page.copy_from(self.0.as_ref().expect("a write carries its data"));
    }

    fn read(&mut self, _: &Part, data: Option<&Bytes>) {
        self.0 = data.cloned();
    }
}

/// An eighth of the paper's flash (section 4): 64 segments of 128 KiB. The EBR has 512 KiB.
const SHAPE: [&str; 9] = [
    "flash.page_size=4KiB",
    "flash.pages_per_block=32",
    "flash.capacity=6912KiB",
    "ftl.kind=page",
    "ftl.spare_blocks=10",
    "ftl.ram=512KiB",
    "clock=trace",
    "precondition=empty",
    "buffer.policy=none",
];
/// LFSS itself, and the log to which the paper compares it.
const DEB: [&str; 1] = ["ftl.placement=deb"];
const JFFS2: [&str; 2] = ["ftl.gc_frontier=shared", "ftl.cleaning=jffs2"];

fn storage(log: &[&str]) -> Result<Lfss, Box<dyn std::error::Error>> {
    let configure = || -> Result<Config, ConfigError> {
        let mut resolver = Resolver::new();
        for setting in SHAPE.iter().chain(log) {
            resolver.set(setting)?;
        }
        resolver.resolve()
    };
    Ok(Lfss::new(configure()?)?)
}

/// Fills the store, and updates it 20,000 times, with a tenth of a second between two updates. Nine of ten updates go
/// to a tenth of the data blocks. Returns the number of segments that the updates erased.
fn erases_of_updates(storage: &mut Lfss) -> Result<u64, LfssError> {
    let mut data = vec![0; storage.block_size()];
    for block in 0..storage.blocks() {
        storage.write(block, &data)?;
    }
    storage.wait(1000.0);
    let before = storage.erases();
    let mut random = 1_u32;
    for number in 0..20_000_u32 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let range = match number % 10 {
            0 => storage.blocks(),
            _ => storage.blocks() / 10,
        };
        data[..4].copy_from_slice(&number.to_le_bytes());
        storage.update((random >> 8) % range, &data)?;
        storage.wait(0.1);
    }
    Ok(storage.erases() - before)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lfss = storage(&DEB)?;
    lfss.write(7, &vec![7; lfss.block_size()])?;
    lfss.update(7, &vec![77; lfss.block_size()])?;
    let mut lfss = lfss.power_cycle()?;
    println!("data block 7 begins with {:?}", &lfss.read(7)?[..4]);
    lfss.erase(7)?;
    let with_ebr = erases_of_updates(&mut lfss)?;
    let without = erases_of_updates(&mut storage(&JFFS2)?)?;
    let eliminated = 100.0 * (1.0 - with_ebr as f64 / without as f64);
    println!(
        "20000 updates erase {with_ebr} segments, {without} as JFFS2 does it: {eliminated:.0} % eliminated"
    );
    Ok(())
}

/// Planted bugs that these tests catch: erased data blocks that return after a power cycle; data of the EBR that it
/// loses; a write that replaces, or an update that creates; a number beyond the store that panics.
#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;

    #[test]
    fn calls_keep_their_promises() {
        let mut lfss = storage(&DEB).unwrap();
        let data = vec![1; lfss.block_size()];
        assert_eq!(lfss.update(3, &data), Err(LfssError::Missing(3)));
        assert_eq!(lfss.read(3), Err(LfssError::Missing(3)));
        assert_eq!(lfss.erase(3), Err(LfssError::Missing(3)));
        assert_eq!(lfss.write(3, &data), Ok(()));
        assert_eq!(lfss.write(3, &data), Err(LfssError::Exists(3)));
        let (found, size) = (1, lfss.block_size());
        assert_eq!(lfss.update(3, &[1]), Err(LfssError::Size { found, size }));
        assert_eq!(lfss.read(3), Ok(data.clone()));
        assert_eq!(lfss.erase(3), Ok(()));
        assert_eq!(lfss.write(3, &data), Ok(()));
        let beyond = lfss.blocks();
        assert_eq!(lfss.read(beyond), Err(LfssError::Missing(beyond)));
        assert!(matches!(
            lfss.write(beyond, &data),
            Err(LfssError::Device(_))
        ));
    }

    #[test]
    fn every_byte_is_there_after_each_power_cycle() {
        let mut lfss = storage(&DEB).unwrap();
        let mut expected: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        let mut random = 1_u32;
        for round in 0..4 {
            for _ in 0..4000 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let block = (random >> 8) % lfss.blocks();
                let block = if random >> 30 > 0 { block / 8 } else { block };
                let data = vec![(random >> 16) as u8; lfss.block_size()];
                if !expected.contains_key(&block) {
                    lfss.write(block, &data).unwrap();
                } else if random >> 5 & 7 == 0 {
                    lfss.erase(block).unwrap();
                    expected.remove(&block);
                    continue;
                } else {
                    lfss.update(block, &data).unwrap();
                }
                expected.insert(block, data);
                lfss.wait(0.1);
            }
            lfss = lfss.power_cycle().unwrap();
            for block in 0..lfss.blocks() {
                let found = lfss.read(block).ok();
                assert_eq!(
                    found.as_ref(),
                    expected.get(&block),
                    "round {round}, {block}"
                );
            }
        }
    }

    #[test]
    fn the_extra_buffer_region_saves_erases() {
        let with_ebr = erases_of_updates(&mut storage(&DEB).unwrap()).unwrap();
        let without = erases_of_updates(&mut storage(&JFFS2).unwrap()).unwrap();
        assert!(2 * with_ebr < without, "{with_ebr} and {without}");
    }
}
