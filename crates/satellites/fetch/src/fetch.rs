//! A file over HTTP, in as many tries and runs as it takes.

use std::io::{self, Read, Seek, SeekFrom, Write};

use md5::Md5;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ssdlab_output::{Files, OutputError, PartFile};

use crate::client::{Answer, Client, Failed};
use crate::error::{FetchError, of_reading};
use crate::source::{Bytes, Source, shown_address};

/// What a fetch reports on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It goes on with what an earlier run has fetched.
    GoesOn {
        /// The bytes that are there.
        at: u64,
    },
    /// What was there is of no use, and it starts anew.
    Anew {
        /// The reason.
        why: String,
    },
    /// The server answers.
    Begins {
        /// The bytes that are there.
        at: u64,
        /// The bytes that there will be, if the server says so.
        all: Option<u64>,
    },
    /// Bytes have arrived and are written.
    Arrived {
        /// Their number.
        bytes: u64,
    },
    /// A try has failed, and another one follows.
    Again {
        /// The reason.
        why: String,
    },
}

/// A file that has arrived.
#[derive(Debug)]
pub struct Fetched {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
    /// Whether it is the whole file, and not only a range of it.
    pub is_whole: bool,
    /// Whether its hash was compared with the catalogue's: `SHA-256`, `MD5`.
    pub compared: Option<&'static str>,
    /// Where it came from in the end, after redirects.
    pub address: String,
    /// The time of the last answer, as the server gave it.
    pub date: Option<String>,
}

/// The note beside a part: what it is a part of.
#[derive(Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
struct Note {
    address: String,
    from: u64,
    to: Option<u64>,
    /// What the server gives to tell whether the file is the same; without it, no later run goes on.
    validator: Option<String>,
    /// The size of the whole file.
    size: Option<u64>,
}

const NOTE: &str = ".json";

/// Fetches a range of a file into a part, which is complete at the end but does not have its name yet.
///
/// # Errors
/// The server does not give it, all tries failed, it is not what the catalogue says (the part is removed then), or the
/// disk fails. Otherwise the part keeps what has arrived.
pub fn fetch(
    client: &Client,
    source: &Source,
    bytes: Bytes,
    part: PartFile,
    mut tell: impl FnMut(Event),
) -> Result<(PartFile, Fetched), FetchError> {
    let range = source.range(bytes)?;
    let mut fetching = Fetching {
        client,
        source,
        range,
        have: 0,
        sha256: Sha256::new(),
        md5: Md5::new(),
        note: Note {
            address: shown_address(&source.address),
            from: range.from,
            to: range.to,
            ..Note::default()
        },
        last: None,
        part,
    };
    if let Some(happened) = fetching.go_on()? {
        tell(happened);
    }
    let (mut failures, mut most) = (0, fetching.have);
    while !fetching.is_complete() {
        let why = match fetching.try_once(&mut tell) {
            Ok(true) => break,
            Ok(false) => {
                // the server has sent less than it was asked for
                (failures, most) = (0, fetching.have);
                continue;
            }
            Err(Failed::ForGood(error)) => return Err(fetching.leave(error)),
            Err(Failed::ForNow(why)) => why,
        };
        // a server that always starts anew makes no progress
        if fetching.have > most {
            (failures, most) = (0, fetching.have);
        }
        failures += 1;
        if failures >= client.patience.tries {
            let error = FetchError::GaveUp {
                address: shown_address(&source.address),
                why,
                tries: failures,
                kept: fetching.have,
            };
            return Err(fetching.leave(error));
        }
        tell(Event::Again { why });
        client.patience.wait(failures);
    }
    fetching.finish(bytes)
}

/// Gives a file that has arrived its name, and removes the note beside its part.
///
/// # Errors
/// Something has the name by now, or the disk fails.
pub fn finish(part: PartFile) -> Result<(), FetchError> {
    let note = part.beside(NOTE);
    part.finish()?;
    let _ = std::fs::remove_file(note);
    Ok(())
}

/// Removes a part and the note beside it.
fn remove(part: PartFile) {
    let _ = std::fs::remove_file(part.beside(NOTE));
    part.remove();
}

struct Fetching<'a> {
    client: &'a Client,
    source: &'a Source,
    /// The bytes of the address.
    range: Bytes,
    /// The bytes in the part, which the hashes have seen.
    have: u64,
    sha256: Sha256,
    md5: Md5,
    note: Note,
    /// Address and date of the last answer.
    last: Option<(String, Option<String>)>,
    part: PartFile,
}

impl Fetching<'_> {
    /// Takes up what an earlier run has left.
    fn go_on(&mut self) -> Result<Option<Event>, FetchError> {
        if self.on_disk(self.part.file().metadata())?.len() == 0 {
            return Ok(None);
        }
        // the note is written before the first byte of a part
        let Ok(note) = std::fs::read(self.part.beside(NOTE)) else {
            let path = ssdlab_words::shown_path(self.part.path());
            return Err(FetchError::Refused(format!(
                "{path}.part: is there, and no fetch of ssdlab has left it: there is no {path}.part{NOTE} that says what it is; rename or \
                 remove it, or name another file with --output"
            )));
        };
        let note: Option<Note> = serde_json::from_slice(&note).ok();
        let usable = note.filter(|note| {
            let own = (&self.note.address, self.note.from, self.note.to);
            (&note.address, note.from, note.to) == own && note.validator.is_some()
        });
        let Some(note) = usable else {
            self.start_anew()?;
            let why =
                "what is there is of another file or range, or does not say of which".to_owned();
            return Ok(Some(Event::Anew { why }));
        };
        self.note = note;
        let hashed = self.hash_part();
        self.on_disk(hashed)?;
        if self.all().is_some_and(|all| self.have > all) {
            self.start_anew()?;
            let why = "more is there than the file has".to_owned();
            return Ok(Some(Event::Anew { why }));
        }
        Ok(Some(Event::GoesOn { at: self.have }))
    }

    fn on_disk<T>(&self, done: io::Result<T>) -> Result<T, FetchError> {
        done.map_err(|error| {
            let path = self.part.path().to_owned();
            OutputError::Failed { path, error }.into()
        })
    }

    fn hash_part(&mut self) -> io::Result<()> {
        self.part.file().rewind()?;
        let mut buffer = vec![0; BUFFER];
        loop {
            match self.part.file().read(&mut buffer)? {
                0 => return Ok(()),
                length => self.count(&buffer[..length]),
            }
        }
    }

    fn count(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        if self.source.known.md5.is_some() {
            self.md5.update(bytes);
        }
        self.have += bytes.len() as u64;
    }

    /// Drops what is there.
    fn start_anew(&mut self) -> Result<(), FetchError> {
        self.on_disk(self.part.file().set_len(0))?;
        self.have = 0;
        self.sha256 = Sha256::new();
        self.md5 = Md5::new();
        self.note.validator = None;
        self.note.size = None;
        Ok(())
    }

    /// The bytes that there will be, if that is known.
    fn all(&self) -> Option<u64> {
        let end = match (self.range.to, self.note.size) {
            (Some(to), Some(size)) => to.min(size),
            (Some(end), None) | (None, Some(end)) => end,
            (None, None) => return None,
        };
        Some(end.saturating_sub(self.range.from))
    }

    fn is_complete(&self) -> bool {
        // without a size, a range may reach beyond the end
        self.note.size.is_some() && self.all() == Some(self.have)
    }

    /// One request, and all that it brings. False: the server has more.
    fn try_once(&mut self, tell: &mut impl FnMut(Event)) -> Result<bool, Failed> {
        if self.have > 0 && self.note.validator.is_none() {
            self.start_anew()?;
        }
        let same_as = self.note.validator.as_deref().filter(|_| self.have > 0);
        let asked = self.range.from + self.have;
        let address = &self.source.address;
        let answer = self.client.ask(address, asked, self.range.to, same_as);
        let mut answer = answer?;
        let nonsense = |why: &str| Failed::ForGood(FetchError::nonsense(address, why));
        // the byte behind the last one that this answer brings
        let mut end = None;
        let size = match answer.status {
            200 if self.source.member.is_some() || self.range.from > 0 => {
                return Err(Failed::ForGood(FetchError::NoRanges {
                    address: shown_address(address),
                    hint: ": fetch it without --bytes".to_owned(),
                }));
            }
            200 => {
                if self.have > 0 {
                    let why = "the file has changed, or the server serves only whole files";
                    tell(Event::Anew {
                        why: why.to_owned(),
                    });
                    self.start_anew()?;
                }
                answer.length
            }
            206 => {
                let Some(range) = answer.range.filter(|range| range.from == asked) else {
                    let why = "the server answers with other bytes than those that were asked for";
                    return Err(nonsense(why));
                };
                if self.have > 0 && self.is_another(&answer) {
                    // a server that does not know If-Range
                    self.start_anew()?;
                    let why = "the file has changed".to_owned();
                    tell(Event::Anew { why: why.clone() });
                    return Err(Failed::ForNow(why));
                }
                end = Some(range.to);
                range.of
            }
            // a file of unknown size that ends here
            416 if self.have > 0 && self.note.size.is_none() => {
                self.note.size = Some(asked);
                return Ok(true);
            }
            416 if self.have > 0 => {
                self.start_anew()?;
                return Err(Failed::ForNow("the file has changed".to_owned()));
            }
            status => return Err(Failed::of_status(address, status)),
        };
        self.last = Some((answer.address.clone(), answer.date.clone()));
        if self.have == 0 {
            self.note.validator = answer.validator.take();
            self.note.size = size;
            self.write_note()?;
        }
        tell(Event::Begins {
            at: self.have,
            all: self.all(),
        });
        self.read_body(&mut *answer.body, end, tell)
    }

    /// Whether a part of another file came. An answer to `If-Range` may leave out what has not changed.
    fn is_another(&self, answer: &Answer) -> bool {
        fn differ<T: PartialEq>(new: Option<T>, old: Option<T>) -> bool {
            matches!((new, old), (Some(new), Some(old)) if new != old)
        }
        let size = answer.range.and_then(|range| range.of);
        let validators = (answer.validator.as_ref(), self.note.validator.as_ref());
        differ(validators.0, validators.1) || differ(size, self.note.size)
    }

    /// Refuses a server that sends without an end. `end`: the bytes that there will be, if that is known.
    fn ends_somewhere(&self, end: Option<u64>) -> Result<(), FetchError> {
        let listed = self.source.known.bytes;
        let listed = listed.filter(|_| self.source.member.is_none());
        let unsized_bytes = self.client.patience.unsized_bytes;
        let why = match (listed, end) {
            (Some(most), _) if self.range.from + self.have > most => {
                "the server sends more bytes than the catalogue says the file has".to_owned()
            }
            (None, None) if self.have > unsized_bytes => format!(
                "the server does not say how much it sends, and more than {unsized_bytes} bytes have arrived; name those that \
                 you want with --bytes"
            ),
            _ => return Ok(()),
        };
        Err(FetchError::nonsense(&self.source.address, why))
    }

    fn read_body(
        &mut self,
        body: &mut dyn Read,
        part_to: Option<u64>,
        tell: &mut impl FnMut(Event),
    ) -> Result<bool, Failed> {
        self.on_disk(self.part.file().seek(SeekFrom::Start(self.have)))?;
        let asked = self.range.to.map(|to| to - self.range.from);
        let end = self.all().or(asked);
        let mut buffer = vec![0; BUFFER];
        let mut ended = false;
        while end != Some(self.have) {
            let length = match body.read(&mut buffer) {
                Ok(0) => {
                    ended = true;
                    break;
                }
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failed::ForNow(of_reading(&error))),
            };
            // of a whole file, the rest is not wanted; more than the size is nonsense
            let left = end.map_or(u64::MAX, |end| end - self.have);
            let wanted = length.min(usize::try_from(left).unwrap_or(length));
            self.on_disk(self.part.file().write_all(&buffer[..wanted]))?;
            self.count(&buffer[..wanted]);
            self.ends_somewhere(end).map_err(Failed::ForGood)?;
            tell(Event::Arrived {
                bytes: wanted as u64,
            });
        }
        let at = self.range.from + self.have;
        let early = || Err(Failed::ForNow("the connection ended early".to_owned()));
        match (end, part_to) {
            (Some(end), _) if self.have >= end => Ok(true),
            (Some(_), _) if self.note.size.is_some() => early(),
            (_, Some(to)) if at < to => early(),
            // a part of a file of unknown size, which may go on
            (_, Some(_)) => Ok(false),
            (_, None) => {
                if ended {
                    self.note.size.get_or_insert(at);
                }
                Ok(true)
            }
        }
    }

    /// Writes down what the part is of, before its first byte.
    fn write_note(&self) -> Result<(), FetchError> {
        let path = self.part.beside(NOTE);
        let mut file = Files::default().create(ssdlab_words::shown_path(&path), &path)?;
        let text = serde_json::json!(self.note).to_string();
        let written = file.write_all(text.as_bytes());
        written.map_err(|error| OutputError::Failed { path, error })?;
        file.finish()?;
        Ok(())
    }

    /// Ends a fetch that failed: a part without a byte is of no use.
    fn leave(self, error: FetchError) -> FetchError {
        if self.have == 0 {
            remove(self.part);
        }
        error
    }

    fn finish(self, asked: Bytes) -> Result<(PartFile, Fetched), FetchError> {
        let size = match self.source.member {
            Some((_, size)) => Some(size),
            None => self.note.size,
        };
        let is_whole = asked.from == 0 && Some(self.have) == size;
        let wanted = self.range.to.filter(|_| self.source.member.is_some());
        if let Some(wanted) = wanted.filter(|to| self.range.from + self.have < *to) {
            let missing = wanted - self.range.from - self.have;
            let why = format!(
                "the archive ends {missing} bytes before its member {} does",
                self.source.name
            );
            let address = self.source.address.clone();
            remove(self.part);
            return Err(FetchError::nonsense(&address, why));
        }
        let sha256 = ssdlab_words::hexadecimal(&self.sha256.clone().finalize());
        let md5 = ssdlab_words::hexadecimal(&self.md5.clone().finalize());
        let known = &self.source.known;
        let pairs = [
            (
                "its size",
                known.bytes.map(|bytes| bytes.to_string()),
                self.have.to_string(),
            ),
            ("its SHA-256", known.sha256.clone(), sha256.clone()),
            ("its MD5", known.md5.clone(), md5),
        ];
        for (what, expected, found) in pairs {
            let Some(expected) = expected.filter(|_| is_whole) else {
                continue;
            };
            if expected != found {
                remove(self.part);
                return Err(FetchError::Different {
                    address: shown_address(&self.source.address),
                    what,
                    found,
                    expected,
                });
            }
        }
        let compared = match known {
            _ if !is_whole => None,
            known if known.sha256.is_some() => Some("SHA-256"),
            known if known.md5.is_some() => Some("MD5"),
            _ => None,
        };
        let (address, date) = self.last.unwrap_or((self.source.address.clone(), None));
        let fetched = Fetched {
            bytes: self.have,
            sha256,
            is_whole,
            compared,
            address,
            date,
        };
        Ok((self.part, fetched))
    }
}

const BUFFER: usize = 1 << 16;
