//! What a running Linux counts of its drives. None of it needs root.

use std::fs;
use std::path::Path;

use crate::error::CounterError;
use crate::log::Kind;

/// Bytes of a sector in the counters of Linux, whatever the drive has.
const SECTOR: u64 = 512;

/// A drive, and what was written to it since the system started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Its name below `/dev`.
    pub device: String,
    /// The model, as the drive says it.
    pub model: Option<String>,
    /// Bytes.
    pub capacity: u64,
    /// `None` for one that is no drive, such as a disk of a virtual machine.
    pub kind: Option<Kind>,
    /// Whether it is a hard disk.
    pub spins: bool,
    /// Bytes written.
    pub written: u64,
    /// Percentage used of an eMMC, in steps of 10; 100 is beyond.
    pub used: Option<u64>,
}

/// The drives of the system whose root is `root`, without loops, maps and partitions.
///
/// # Errors
/// There is no `/proc/diskstats`, or a line of it is not of Linux.
pub fn disks(root: &Path) -> Result<Vec<Disk>, CounterError> {
    const NAME: &str = "/proc/diskstats";
    let text = fs::read_to_string(root.join("proc/diskstats"));
    let text = text.map_err(|error| {
        CounterError::new(NAME, format!("cannot be read: {error}; --here needs Linux"))
    })?;
    let mut disks = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(device), Some(sectors)) = (
            words.get(2),
            words.get(9).and_then(|word| word.parse::<u64>().ok()),
        ) else {
            return Err(CounterError::new(
                NAME,
                format!("has a line that is not of Linux: {line:?}"),
            ));
        };
        let folder = root.join("sys/block").join(device);
        // partitions are not in that folder
        if !folder.is_dir()
            || ["loop", "ram", "zram", "dm-", "md", "sr", "nbd"]
                .iter()
                .any(|start| device.starts_with(start))
            || device.contains("boot")
        {
            continue;
        }
        let read = |name: &str| {
            fs::read_to_string(folder.join(name))
                .ok()
                .map(|text| text.trim().to_owned())
        };
        let kind = [
            ("nvme", Kind::Nvme),
            ("sd", Kind::Sata),
            ("mmcblk", Kind::Mmc),
        ];
        let kind = kind
            .into_iter()
            .find(|(start, _)| device.starts_with(start));
        let life = read("device/life_time").and_then(|text| {
            let log = crate::Log::parse(device, text.as_bytes()).ok()?;
            log[0].used.clone()
        });
        disks.push(Disk {
            device: (*device).to_owned(),
            model: read("device/model").or_else(|| read("device/name")),
            capacity: read("size")
                .and_then(|size| size.parse::<u64>().ok())
                .unwrap_or(0)
                .saturating_mul(SECTOR),
            kind: kind.map(|(_, kind)| kind),
            spins: read("queue/rotational").as_deref() == Some("1"),
            written: sectors.saturating_mul(SECTOR),
            used: life.map(|(used, _)| used),
        });
    }
    Ok(disks)
}

/// Seconds since the system started.
///
/// # Errors
/// There is no `/proc/uptime`.
pub fn uptime(root: &Path) -> Result<f64, CounterError> {
    const NAME: &str = "/proc/uptime";
    let text = fs::read_to_string(root.join("proc/uptime"));
    let text = text.map_err(|error| CounterError::new(NAME, format!("cannot be read: {error}")))?;
    let seconds = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok());
    seconds.ok_or_else(|| CounterError::new(NAME, format!("is {text:?}; must begin with seconds")))
}

/// Bytes that a process caused to be written, without those that were cancelled before they reached a drive.
///
/// # Errors
/// There is no such process, or it belongs to another user.
pub fn written_by(root: &Path, pid: u32) -> Result<u64, CounterError> {
    let name = format!("/proc/{pid}/io");
    let text = fs::read_to_string(root.join(format!("proc/{pid}/io")));
    let text = text.map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such process".into(),
            std::io::ErrorKind::PermissionDenied => {
                "the process belongs to another user, who may read this".into()
            }
            _ => format!("cannot be read: {error}"),
        };
        CounterError::new(&name, why)
    })?;
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|value| value.trim().parse::<u64>().ok())
    };
    let missing = || CounterError::new(&name, "has no write_bytes");
    let written = value("write_bytes:").ok_or_else(missing)?;
    Ok(written.saturating_sub(value("cancelled_write_bytes:").unwrap_or(0)))
}

/// Seconds that a process has run.
///
/// # Errors
/// There is no such process.
pub fn age(root: &Path, pid: u32) -> Result<f64, CounterError> {
    /// Ticks of a second, on all that Linux runs on today.
    const TICKS: f64 = 100.0;
    let name = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(root.join(format!("proc/{pid}/stat")));
    let text =
        text.map_err(|error| CounterError::new(&name, format!("cannot be read: {error}")))?;
    // the name of the program, in parentheses, may have spaces
    let start = text
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().nth(19)?.parse::<f64>().ok());
    let start = start.ok_or_else(|| CounterError::new(&name, "has no start time"))?;
    Ok((uptime(root)? - start / TICKS).max(0.0))
}

/// What a drive and a process have written, at one moment.
#[derive(Clone, Debug)]
pub struct Look {
    /// The drive that was asked for.
    pub disk: Option<Disk>,
    /// A process, and the bytes that it wrote.
    pub process: Option<(u32, u64)>,
    /// Days since the system started.
    pub days: f64,
    /// Days since the process began.
    pub process_days: f64,
}

/// Looks at the drive `device` (`Some(None)`: the only one) and at a process.
///
/// # Errors
/// There is no such drive or process, or several drives and none is named.
pub fn look(
    root: &Path,
    device: Option<Option<&str>>,
    pid: Option<u32>,
) -> Result<Look, CounterError> {
    if !cfg!(target_os = "linux") {
        let option = if device.is_some() { "--here" } else { "--pid" };
        return Err(CounterError::new(
            option,
            "only Linux counts this without root; give the output of smartctl (`smartctl -x DRIVE | ssdlab life -`), of \
             CrystalDiskInfo, or --drive with --written or --rate",
        ));
    }
    let disk = device
        .map(|device| chosen(disks(root)?, device))
        .transpose()?;
    Ok(Look {
        disk,
        process: pid
            .map(|pid| Ok((pid, written_by(root, pid)?)))
            .transpose()?,
        days: uptime(root)? / 86400.0,
        process_days: pid.map(|pid| age(root, pid)).transpose()?.unwrap_or(0.0) / 86400.0,
    })
}

/// The drive of a name, or the only one that is no hard disk.
fn chosen(disks: Vec<Disk>, device: Option<&str>) -> Result<Disk, CounterError> {
    let names: Vec<String> = disks.iter().map(|disk| disk.device.clone()).collect();
    let names = if names.is_empty() {
        "none".into()
    } else {
        ssdlab_words::listed(&names)
    };
    if let Some(device) = device {
        let name = device.trim_start_matches("/dev/");
        let found = disks.into_iter().find(|disk| disk.device == name);
        return found.ok_or_else(|| {
            CounterError::new(
                "--here",
                format!("there is no drive {name:?}; there are {names}"),
            )
        });
    }
    let mut flash = disks
        .into_iter()
        .filter(|disk| disk.kind.is_some() && !disk.spins);
    match (flash.next(), flash.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(CounterError::new(
            "--here",
            format!("no drive is known to be of flash; name one with --here DEVICE: {names}"),
        )),
        _ => Err(CounterError::new(
            "--here",
            format!("there are several drives: {names}; name one with --here DEVICE"),
        )),
    }
}
