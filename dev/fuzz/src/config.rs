//! Configurations: a file in TOML, `--preset` and `--set`, up to a small drive that serves requests.
//!
//! An input is a file. Comments in it are the rest of the command line, so that it stays a file of TOML: `#set
//! KEY=VALUE`, `#preset NAME`, `#fit` (the capacity fits the trace where nothing gives one), `#end BYTES` (of the
//! trace).

use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk};
use ssdlab_words::{parse_bytes, parse_count, parse_size};

use crate::design::has_faults;

/// The longest message: a list of all keys of the largest table.
const MESSAGE: usize = 4000;
/// The largest drive that is made.
const IMAGE: u64 = 2 << 20;
/// The most pages of a buffer of such a drive.
const BUFFER: u64 = 1 << 12;

pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    text.lines().for_each(sizes);
    let config = match resolve(&text, input) {
        Ok(config) => config,
        Err(error) => return is_message(&error.to_string()),
    };
    shown_again(&config);
    let end = text.lines().find_map(|line| line.strip_prefix("#end "));
    let end = end.and_then(|end| end.trim().parse().ok()).unwrap_or(0);
    match config.with_capacity(end) {
        Ok(config) => {
            assert!(!config.is_auto());
            shown_again(&config);
            drive(config);
        }
        Err(error) => is_message(&error.to_string()),
    }
}

fn resolve(text: &str, file: &[u8]) -> Result<Config, ConfigError> {
    let mut resolver = Resolver::new();
    for line in text.lines() {
        if let Some(preset) = line.strip_prefix("#preset ") {
            resolver.preset(preset);
        } else if let Some(assignment) = line.strip_prefix("#set ") {
            resolver.set(assignment)?;
        } else if line == "#fit" {
            resolver.fit_capacity(true);
        }
    }
    resolver.file("file.toml", file)?.resolve()
}

/// Errors are one short line that a terminal shows as it is.
fn is_message(message: &str) {
    let is_line = !message.contains(char::is_control);
    assert!(is_line && message.len() <= MESSAGE, "{message:?}");
}

/// A configuration that is shown is a file that gives the same configuration, which is shown as the same file.
fn shown_again(config: &Config) {
    config
        .warnings
        .iter()
        .for_each(|warning| is_message(warning));
    let shown = config.to_toml();
    let read = || {
        Resolver::new()
            .file("shown.toml", shown.as_bytes())?
            .resolve()
    };
    let again = read().unwrap_or_else(|error| panic!("{error}\n{shown}"));
    assert!(again == *config, "another configuration:\n{shown}");
    // keys without effect are comments, and another file gives them their defaults
    let in_effect = |shown: &str| -> Vec<String> {
        let lines = shown.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(in_effect(&again.to_toml()), in_effect(&shown));
    assert!(config.to_json().is_object());
    for (key, value) in config.changed() {
        let set = || Resolver::new().set(&format!("{key}={value}")).map(drop);
        set().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// A small drive of this configuration works.
fn drive(config: Config) {
    let pages = |bytes: u64| bytes / u64::from(config.flash.page_size);
    let buffers = pages(config.read_buffer_size).max(config.buffer_pages().into());
    if buffers > BUFFER {
        return;
    }
    let has_faults = has_faults(&config);
    let works = || -> Result<(), DriveError> {
        let design = Design::new(config)?;
        let bytes = design.image_bytes()?;
        if bytes > IMAGE {
            return Ok(());
        }
        let mut disk = MemoryDisk::new(bytes)?;
        design.create_on(&mut disk)?;
        if let Err(error) = serves(Drive::open_disk(disk)?) {
            assert!(has_faults, "{error}");
        }
        Ok(())
    };
    if let Err(error) = works() {
        is_message(&error.to_string());
    }
}

fn serves(mut drive: Drive) -> Result<(), DriveError> {
    let (capacity, page) = (drive.capacity(), drive.page_size());
    for round in 1..=3 {
        let bytes = vec![round; 3 * page.min(capacity / 3) as usize / 2];
        let places = [0, capacity / 2, capacity - bytes.len() as u64];
        for at in places {
            drive.write(at, &bytes)?;
            let mut read = vec![0; bytes.len()];
            drive.read(at, &mut read)?;
            assert_eq!(read, bytes, "at byte {at}");
        }
        drive.trim(0, capacity / 4)?;
        drive.flush()?;
    }
    drive.check()?;
    drive.close()
}

/// Sizes and counts as people write them.
fn sizes(text: &str) {
    let size = parse_size(text);
    if let Some(size) = size {
        assert_eq!(parse_bytes(text), u64::try_from(size.bytes).ok());
        let plain = parse_size(&size.bytes.to_string());
        assert_eq!(plain.map(|plain| plain.bytes), Some(size.bytes));
    }
    if let Some(count) = parse_count(text) {
        assert_eq!(parse_count(&count.to_string()), Some(count));
    }
}
