//! How long a drive lives, as the page asks it.

use serde::Deserialize;
use serde_json::{Value, json};
use ssdlab_counters::{Kind, Log, readings};
use ssdlab_life::{Question, Use, answer, parse_amount, parse_date, parse_rate};

/// The options of `ssdlab life`, under their names, with values as they stand on the command line; what is empty is not known.
/// The bytes of the call are the text of a log.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Life {
    pub drive: String,
    pub capacity: String,
    pub kind: String,
    pub written: String,
    pub used: String,
    pub rate: String,
    pub since: String,
    #[serde(rename = "use")]
    pub used_at: String,
    /// Seconds since 1970.
    pub now: i64,
}

/// An option that is given.
fn given<T>(
    option: &str,
    text: &str,
    of: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let text = text.trim();
    match text {
        "" => Ok(None),
        text => of(text)
            .map(Some)
            .map_err(|why| format!("--{option} {text}: {why}")),
    }
}

fn amount(text: &str) -> Result<f64, String> {
    let size = parse_amount(text).filter(|size| *size > 0.0 && *size < 1e21);
    size.ok_or_else(|| "must be a size above 0, such as 500GB or 1.92TB".into())
}

fn used(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches('%').trim_end().parse();
    let used = number.ok().filter(|used| *used <= 255);
    used.ok_or_else(|| {
        "must be a whole number from 0 to 255, which is the most that a drive says".into()
    })
}

impl Life {
    /// The text and the object of `ssdlab life`.
    pub fn answer(&self, log: Vec<u8>) -> Result<Value, String> {
        let log = match log.iter().all(u8::is_ascii_whitespace) {
            true => Vec::new(),
            false => Log::parse("the log", &log).map_err(|error| error.to_string())?,
        };
        let one_of = |first: &'static str, second: &'static str| {
            move |text: &str| match text {
                text if text == first => Ok(true),
                text if text == second => Ok(false),
                _ => Err(format!("must be {first} or {second}")),
            }
        };
        let question = Question {
            readings: match log.is_empty() {
                true => Vec::new(),
                false => readings(log).map_err(|error| error.to_string())?,
            },
            drive: given("drive", &self.drive, |text| Ok(text.to_owned()))?,
            capacity: given("capacity", &self.capacity, amount)?.map(|bytes| bytes as u64),
            kind: given("kind", &self.kind, one_of("nvme", "sata"))?
                .map(|nvme| if nvme { Kind::Nvme } else { Kind::Sata }),
            written: given("written", &self.written, amount)?,
            used: given("used", &self.used, used)?,
            rate: given("rate", &self.rate, parse_rate)?,
            since: given("since", &self.since, parse_date)?,
            now: self.now,
            used_at: given("use", &self.used_at, one_of("desk", "servers"))?
                .map(|desk| if desk { Use::Desk } else { Use::Servers }),
            ..Question::default()
        };
        let found = answer(&question).map_err(|error| error.to_string())?;
        Ok(json!({ "text": found.to_string(), "life": found }))
    }
}
