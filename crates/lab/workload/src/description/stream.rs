//! A stream in words: `share=0.3,range=0..0.5,kind=zipf,theta=0.9`.
//!
//! Keys and their values, with commas between them. What is no key of a stream is an option of its kind, without the
//! dashes. Lists in values have plus signs between their parts.

use clap::Parser;

use super::kind::Kind;
use super::sizes::Mix;
use super::values::share;

/// A stream.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub share: Share,
    /// The first and the last place in the space, 0 to 1.
    pub range: (f64, f64),
    /// Its number; none: its place among the streams.
    pub number: Option<u16>,
    pub reads: Option<f64>,
    pub sizes: Option<Mix>,
    pub kind: Box<Kind>,
}

/// The share of a stream at the start and at the end of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Share {
    /// Of the requests.
    Requests([f64; 2]),
    /// Of the bytes.
    Bytes([f64; 2]),
}

impl Share {
    pub fn ends(self) -> [f64; 2] {
        match self {
            Share::Requests(ends) | Share::Bytes(ends) => ends,
        }
    }
}

/// The kind alone.
#[derive(clap::Parser)]
#[command(
    no_binary_name = true,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
struct OfKind {
    #[command(subcommand)]
    kind: Kind,
}

/// The keys of a stream itself.
const KEYS: [&str; 7] = [
    "share", "bytes", "range", "stream", "reads", "sizes", "kind",
];

impl Stream {
    /// # Errors
    /// What is wrong, with its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut keys: Vec<(&str, &str, usize)> = Vec::new();
        let mut options = Vec::new();
        let mut at = 1;
        for item in text.split(',') {
            let word = item.trim();
            let place = at + item.chars().take_while(|c| c.is_whitespace()).count();
            at += item.chars().count() + 1;
            if word.is_empty() {
                return Err(format!(
                    "character {place}: found nothing, must be a key and its value, such as share=0.3"
                ));
            }
            match word.split_once('=') {
                Some((key, value)) if KEYS.contains(&key) => {
                    if keys.iter().any(|known| known.0 == key) {
                        return Err(format!("character {place}: found a second {key}"));
                    }
                    keys.push((key, value, place));
                }
                None if KEYS.contains(&word) => {
                    return Err(format!(
                        "character {place}: found {word:?}, must have a value, such as {word}=…"
                    ));
                }
                _ => options.push(format!("--{word}")),
            }
        }
        let keys = Keys(keys);
        let share = match (keys.value("share", shares)?, keys.value("bytes", shares)?) {
            (Some(share), None) => Share::Requests(share),
            (None, Some(share)) => Share::Bytes(share),
            _ => return Err("must have either share or bytes, such as share=0.3".into()),
        };
        let whole = |kind: &str| Ok(kind.to_owned());
        Ok(Self {
            share,
            range: keys.value("range", range)?.unwrap_or((0.0, 1.0)),
            number: keys.value("stream", number)?,
            reads: keys.value("reads", self::share)?,
            sizes: keys.value("sizes", Mix::parse)?,
            kind: Box::new(kind(
                keys.value("kind", whole)?.as_deref().unwrap_or("uniform"),
                options,
            )?),
        })
    }
}

/// Keys with their values and places.
struct Keys<'a>(Vec<(&'a str, &'a str, usize)>);

impl Keys<'_> {
    fn value<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let found = self.0.iter().find(|found| found.0 == key);
        let parsed = found.map(|(key, value, place)| {
            parse(value).map_err(|why| format!("character {place}: found \"{key}={value}\", {why}"))
        });
        parsed.transpose()
    }
}

fn kind(name: &str, options: Vec<String>) -> Result<Kind, String> {
    match name {
        "streams" => return Err("kind=streams: a stream has no streams in it".into()),
        "update" => {
            return Err("kind=update: a stream has no fill of its own, must be locality".into());
        }
        _ => {}
    }
    let words = std::iter::once(name.to_owned()).chain(options);
    let parsed = OfKind::try_parse_from(words);
    let parsed = parsed.map_err(|error| format!("kind={name}: {}", super::in_one_line(&error)));
    Ok(parsed?.kind)
}

/// One share, or two with dots between them.
fn shares(text: &str) -> Result<[f64; 2], String> {
    let (start, end) = text.split_once("..").unwrap_or((text, text));
    match (share(start), share(end)) {
        (Ok(start), Ok(end)) => Ok([start, end]),
        _ => Err("must be a number from 0 to 1, or two for the start and the end of the trace, such as 0.3..0.5".into()),
    }
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once("..");
    let both = both.and_then(|(first, end)| Some((share(first).ok()?, share(end).ok()?)));
    both.filter(|(first, end)| first < end)
        .ok_or_else(|| "must be two places of the space from 0 to 1, such as 0..0.5".into())
}

fn number(text: &str) -> Result<u16, String> {
    let number = text.parse();
    number.map_err(|_| "must be a whole number from 0 to 65535".into())
}
