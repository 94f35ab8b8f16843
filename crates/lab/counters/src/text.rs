//! The text that smartctl, `nvme smart-log` and CrystalDiskInfo print, as people paste it.

use ssdlab_words::days_since_1970;

use crate::json::{DATA_UNIT, error_counter_log};
use crate::log::{Attribute, Kind, Log, Sure};

/// The drives of a text, and the times at which one was asked.
pub(crate) fn logs(text: &str) -> Vec<Log> {
    let mut logs = vec![Log::default()];
    let mut lines = text.lines().map(unquoted).peekable();
    while let Some(line) = lines.next() {
        // CrystalDiskInfo: ` (01) NAME` above a rule
        let listed = line.starts_with('(')
            && lines
                .peek()
                .is_some_and(|next| next.starts_with("----------"));
        // logs that were put behind one another
        let named = |log: &Log| {
            let model = line.starts_with("Device Model:") || line.starts_with("Model Number:");
            model && log.model.is_some()
                || line.starts_with("Smart Log for NVME device") && log.device.is_some()
        };
        let begins = |log: &Log| log.has_counters() && (listed || named(log));
        if logs.last().is_some_and(begins) {
            logs.push(Log::default());
        }
        if let Some(log) = logs.last_mut() {
            line_of(log, line);
        }
    }
    logs
}

/// A line without the marks of a quotation.
fn unquoted(line: &str) -> &str {
    line.trim().trim_start_matches(['>', '|', '`']).trim()
}

fn line_of(log: &mut Log, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    if attribute(log, &words)
        || statistic(log, &words)
        || hexadecimal(log, &words)
        || life_time(log, line)
    {
        return;
    }
    if line.starts_with("Smartctl open device:") && line.contains("failed") {
        log.failed = Some(line.to_owned());
    }
    match line {
        _ if line.starts_with("SMART support is:") => {
            log.smart_off |= line.contains("Disabled") || line.contains("Unavailable");
        }
        _ if line.starts_with("write:") => {
            // the last but one is 10^9 bytes
            let gigabytes = words
                .iter()
                .rev()
                .nth(1)
                .and_then(|word| word.replace(',', ".").parse::<f64>().ok());
            log.hosts.extend(gigabytes.and_then(error_counter_log));
        }
        _ => {
            let pair = line.split_once(':').or_else(|| line.split_once(" = "));
            // `nvme ocp smart-add-log`
            let halves = || line.split_at_checked("Physical media units written".len());
            let pair = pair.or_else(|| halves().filter(|(key, _)| key.starts_with("Physical")));
            if let Some((key, value)) = pair {
                let key = key.trim().to_lowercase().replace([' ', '_'], "");
                field(log, &key, value.trim());
            }
        }
    }
}

/// A line `KEY : VALUE`; the key is in small letters without spaces.
fn field(log: &mut Log, key: &str, value: &str) {
    let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
    match key {
        "modelnumber" | "devicemodel" | "model" | "vendor" => log.model = text(),
        "product" => {
            log.model =
                text().map(|product| [log.model.take().unwrap_or_default(), product].join(" "))
        }
        "serialnumber" => {
            log.serial = text().filter(|serial| !serial.starts_with(['*', 'X', '-', '[']))
        }
        "firmwareversion" | "firmware" | "revision" => log.firmware = text(),
        "totalnvmcapacity" | "usercapacity" => {
            log.capacity = count(value).and_then(|bytes| bytes.try_into().ok())
        }
        "namespace1size/capacity" => {
            log.kind = Some(Kind::Nvme);
            log.capacity = log
                .capacity
                .or_else(|| count(value).and_then(|bytes| bytes.try_into().ok()));
        }
        "disksize" => log.capacity = gigabytes(value, 1000),
        "sectorsize" | "sectorsizes" => {
            log.sector = count(value).and_then(|bytes| bytes.try_into().ok())
        }
        "rotationrate" => log.spins = value.to_lowercase().contains("rpm"),
        "deviceis" => log.in_database = Some(!value.starts_with("Not")),
        "transportprotocol" if value.starts_with("SAS") => log.kind = Some(Kind::Sas),
        "interface" if value.contains("NVM") => log.kind = Some(Kind::Nvme),
        "interface" if value.contains("ATA") => log.kind = Some(Kind::Sata),
        "nvmeversion" => log.kind = Some(Kind::Nvme),
        "localtimeis" => log.time = time(value),
        "date" => log.time = date(value),
        "smartlogfornvmedevice" => {
            log.kind = Some(Kind::Nvme);
            log.device = value.split_whitespace().next().map(str::to_owned);
        }
        "percentageused" => {
            log.kind = log.kind.or(Some(Kind::Nvme));
            log.used = small(value).map(|used| (used, "percentage_used".into()));
        }
        "percentageusedenduranceindicator" => {
            log.kind = Some(Kind::Sas);
            log.used = small(value).map(|used| (used, "SAS endurance indicator".into()));
        }
        "availablespare" => log.spare = small(value),
        "availablesparethreshold" => log.spare_threshold = small(value),
        "dataunitswritten" => {
            log.kind = log.kind.or(Some(Kind::Nvme));
            let units = count(value);
            log.hosts = Vec::from_iter(
                units.map(|units| Sure::new("data_units_written", units, DATA_UNIT)),
            );
        }
        "hostwritecommands" => log.write_commands = count(value),
        "poweronhours" => log.hours = count(value).map(|hours| hours as f64),
        // `hours:minutes 32319:20` and `32319.33`
        "accumulatedpowerontime,hours" | "numberofhourspoweredup" => {
            let value = value.trim_start_matches("minutes");
            let whole = value.split('.').next().unwrap_or_default();
            log.hours = count(whole).map(|hours| hours as f64);
        }
        // CrystalDiskInfo: its GB are 2^30 bytes
        "hostwrites" | "totalhostwrites" if log.hosts.is_empty() => {
            let writes = gibibytes("Host Writes of CrystalDiskInfo", value);
            log.hosts.extend(writes);
        }
        "nandwrites" | "totalnandwrites" => {
            let writes = gibibytes("NAND Writes of CrystalDiskInfo", value);
            log.medias.extend(writes);
        }
        // both halves, the high one first
        key if key.starts_with("physicalmediaunitswritten") => {
            let value = value.trim_start_matches([' ', '-']);
            let numbers: Vec<u128> = value
                .split_whitespace()
                .map_while(|word| word.parse().ok())
                .collect();
            let halves = |high: u128, low: u128| (high << 64) | low;
            let bytes = match numbers[..] {
                [bytes] => Some(bytes),
                [high, low] if high.max(low) <= u64::MAX.into() => Some(halves(high, low)),
                _ => None,
            };
            let sure = |bytes| Sure::new("physical_media_units_written", bytes, 1);
            log.medias.extend(bytes.map(sure));
        }
        "healthstatus" if log.used.is_none() => {
            let left = value
                .split_once('(')
                .and_then(|(_, percent)| small(percent));
            let used = left.and_then(|left| 100_u64.checked_sub(left));
            log.used = used.map(|used| (used, "Health Status of CrystalDiskInfo".into()));
        }
        _ => {}
    }
}

/// `241 Total_LBAs_Written 0x0032 099 099 000 Old_age Always - 1234` or `241 Total_LBAs_Written -O--CK 099 099 000 - 1234`.
fn attribute(log: &mut Log, words: &[&str]) -> bool {
    let [id, name, flags, value, _, _, rest @ ..] = words else {
        return false;
    };
    let Ok(id) = id.parse::<u8>() else {
        return false;
    };
    let raw = match rest {
        [_, _, _, raw, ..] if flags.starts_with("0x") => raw,
        [_, raw, ..]
            if flags.len() == 6
                && !flags.contains(|c: char| !c.is_ascii_uppercase() && c != '-') =>
        {
            raw
        }
        _ => return false,
    };
    let digits = |text: &str| {
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let raw = match raw.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => raw[..digits(raw)].parse().ok(),
    };
    let Some(raw) = raw else {
        return false;
    };
    log.kind = log.kind.or(Some(Kind::Sata));
    let (name, normalised) = ((*name).to_owned(), value.parse().ok());
    log.attributes.push(Attribute {
        id,
        name,
        normalised,
        raw,
    });
    true
}

/// `0x01  0x018  6  1566885559  ---  Logical Sectors Written`.
fn statistic(log: &mut Log, words: &[&str]) -> bool {
    let [page, offset, size, value, flags, ..] = words else {
        return false;
    };
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let (Some(page), Some(offset), true) = (
        number(page),
        offset.strip_prefix("0x").and(number(offset)),
        flags.len() == 3,
    ) else {
        return false;
    };
    if size.parse::<u8>().is_err() {
        return false;
    }
    if let Some(value) = number(value.trim_end_matches('~')) {
        log.statistic(page, offset, value);
    }
    true
}

/// A row of CrystalDiskInfo, all in hexadecimal: `07 0000035A2B1F Data Units Written` of NVMe, `F1 100 100 __0 0000000A1B2C Total
/// Host Writes` of ATA.
fn hexadecimal(log: &mut Log, words: &[&str]) -> bool {
    let raw_of = |text: &str| {
        let is_raw = text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_raw
            .then(|| u128::from_str_radix(text, 16).ok())
            .flatten()
    };
    let Some(id) = words
        .first()
        .filter(|id| id.len() == 2)
        .and_then(|id| u8::from_str_radix(id, 16).ok())
    else {
        return false;
    };
    if let Some(raw) = words.get(1).and_then(|word| raw_of(word)) {
        let small = || u64::try_from(raw).ok();
        match id {
            3 => log.spare = small(),
            4 => log.spare_threshold = small(),
            5 => log.used = small().map(|used| (used, "percentage_used".into())),
            7 => log.hosts = vec![Sure::new("data_units_written", raw, DATA_UNIT)],
            9 => log.write_commands = Some(raw),
            12 => log.hours = Some(raw as f64),
            _ => {}
        }
        log.kind = Some(Kind::Nvme);
        return true;
    }
    let [_, value, _, _, raw, name @ ..] = words else {
        return false;
    };
    let Some(raw) = raw_of(raw).and_then(|raw| u64::try_from(raw).ok()) else {
        return false;
    };
    log.kind = Some(Kind::Sata);
    let normalised = value.trim_start_matches('_').parse().ok();
    log.attributes.push(Attribute {
        id,
        name: name.join("_"),
        normalised,
        raw,
    });
    true
}

/// The life time of an eMMC: `0x0b 0x0b` of the kernel, or a line of `mmc extcsd read`. Steps of 10 %; 11 is beyond.
fn life_time(log: &mut Log, line: &str) -> bool {
    let hex = |text: &str| {
        text.strip_prefix("0x")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
    };
    let line = line.strip_prefix("life_time:").unwrap_or(line).trim();
    let two = line.split_once(' ').filter(|_| line.len() == 9);
    let two = two.and_then(|(a, b)| Some(hex(a)?.max(hex(b)?)));
    let estimate = line
        .contains("DEVICE_LIFE_TIME_EST")
        .then(|| line.rsplit(' ').next().and_then(hex))
        .flatten();
    let Some(step) = two.or(estimate).filter(|step| (1..=11).contains(step)) else {
        return false;
    };
    log.kind = Some(Kind::Mmc);
    let before = log.used.as_ref().map_or(0, |(used, _)| *used);
    log.used = Some((before.max(10 * (step - 1)), "eMMC life time".into()));
    true
}

/// The number at the beginning of a text, with any marks between its thousands, up to a unit or bracket.
fn count(text: &str) -> Option<u128> {
    let mut digits = String::new();
    let mut marks = 0;
    for c in text.trim().chars() {
        match c {
            '0'..='9' => {
                digits.push(c);
                marks = 0;
            }
            ',' | '.' | '\'' | '?' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2019}' | '\u{fffd}'
                if marks == 0 && !digits.is_empty() =>
            {
                marks = 1
            }
            _ => break,
        }
    }
    digits.parse().ok()
}

fn small(text: &str) -> Option<u64> {
    count(text).and_then(|value| value.try_into().ok())
}

/// `1000.2 GB` in bytes; a kB has `thousand`.
fn gigabytes(text: &str, thousand: u64) -> Option<u64> {
    let number = text
        .split_whitespace()
        .next()?
        .replace(',', ".")
        .parse::<f64>()
        .ok()?;
    let unit = thousand.pow(if text.contains("TB") { 4 } else { 3 });
    (number > 0.0).then_some((number * unit as f64) as u64)
}

/// A count of GiB with a unit, such as `12345 GB`.
fn gibibytes(name: &str, text: &str) -> Option<Sure> {
    let bytes = gigabytes(text, 1024)?;
    Some(Sure::new(name, (bytes >> 30).into(), 1 << 30))
}

/// `2026/03/01 14:40:30` in seconds since 1970.
fn date(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once(' ')?;
    let date: Vec<u64> = date
        .split('/')
        .map_while(|part| part.parse().ok())
        .collect();
    let [year, month, day] = date[..] else {
        return None;
    };
    Some(86400 * days_since_1970(year, month, day)? + seconds(clock)?)
}

/// `14:40:30` in seconds.
fn seconds(clock: &str) -> Option<i64> {
    let clock: Vec<i64> = clock
        .trim()
        .split(':')
        .map_while(|part| part.parse().ok())
        .collect();
    match clock[..] {
        [hours @ 0..24, minutes @ 0..60, seconds @ 0..=60] => {
            Some(3600 * hours + 60 * minutes + seconds)
        }
        _ => None,
    }
}

/// `Mon Nov 24 10:00:00 2026 CET` in seconds since 1970, as if in UTC: two readings of one place have the same offset.
fn time(text: &str) -> Option<i64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, clock, year, ..] = words[..] else {
        return None;
    };
    let month = MONTHS.find(month.get(..3)?)? as u64 / 3 + 1;
    let days = days_since_1970(year.parse().ok()?, month, day.parse().ok()?)?;
    Some(86400 * days + seconds(clock)?)
}
