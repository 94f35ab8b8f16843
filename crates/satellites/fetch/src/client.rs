//! Requests over HTTP.

use std::io::Read;
use std::time::Duration;

use ureq::ResponseExt;
use ureq::http::HeaderMap;
use ureq::tls::{RootCerts, TlsConfig};

use crate::error::{FetchError, of_network, of_reading};
use crate::source::shown_address;

/// How long a client bears a server that fails, or does not end.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The number of tries without progress.
    pub tries: u32,
    /// The time before the second try; it doubles with each further one, up to half a minute.
    pub wait: Duration,
    /// The longest silence of a server.
    pub silence: Duration,
    /// The most bytes of a file whose size neither the server nor the catalogue says.
    pub unsized_bytes: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 6,
            wait: Duration::from_millis(500),
            silence: Duration::from_secs(60),
            unsized_bytes: 64 << 30,
        }
    }
}

impl Patience {
    /// Waits before the next try.
    pub(crate) fn wait(&self, failures: u32) {
        const LONGEST: Duration = Duration::from_secs(30);
        let factor = 1_u32
            .checked_shl(failures.saturating_sub(1))
            .unwrap_or(u32::MAX);
        std::thread::sleep(self.wait.saturating_mul(factor).min(LONGEST));
    }
}

/// A client of HTTP and HTTPS. It uses the proxy of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`)
/// and the certificates of the system, or those of `SSL_CERT_FILE`.
pub struct Client {
    agent: ureq::Agent,
    pub(crate) patience: Patience,
}

/// The answer to a request.
pub(crate) struct Answer {
    pub status: u16,
    /// Where it is in the end, after redirects.
    pub address: String,
    /// What tells whether the file is still the same: a strong ETag, or the time of its last change.
    pub validator: Option<String>,
    /// The time of the answer, as the server gives it.
    pub date: Option<String>,
    /// The bytes that follow and the size of the file, if the answer is a part.
    pub range: Option<Range>,
    /// The bytes that follow, if the server says how many.
    pub length: Option<u64>,
    pub body: Box<dyn Read>,
}

/// A part of a file: bytes from `from` up to, but not including, `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub from: u64,
    pub to: u64,
    /// The size of the file, where known.
    pub of: Option<u64>,
}

impl Client {
    /// A client.
    pub fn new(patience: Patience) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .tls_config(tls.build())
            .timeout_connect(Some(patience.silence))
            .timeout_recv_response(Some(patience.silence))
            .timeout_per_read(Some(patience.silence))
            .user_agent(concat!("ssdlab/", env!("CARGO_PKG_VERSION")))
            // the bytes of the file itself, as they are stored
            .accept_encoding("identity");
        Self {
            agent: config.build().new_agent(),
            patience,
        }
    }

    /// Asks once for a file from a byte on, and up to one if `to` is given; if `same_as` is given, for the whole file
    /// unless it is still the same.
    pub(crate) fn ask(
        &self,
        address: &str,
        from: u64,
        to: Option<u64>,
        same_as: Option<&str>,
    ) -> Result<Answer, Failed> {
        let mut request = self.agent.get(address);
        if from > 0 || to.is_some() {
            let last = to.map(|to| (to - 1).to_string()).unwrap_or_default();
            request = request.header("Range", format!("bytes={from}-{last}"));
            if let Some(validator) = same_as {
                request = request.header("If-Range", validator);
            }
        }
        let response = request.call();
        let response = response.map_err(|error| Failed::of_network(address, &error))?;
        let address = response.get_uri().to_string();
        let (parts, body) = response.into_parts();
        let headers = &parts.headers;
        Ok(Answer {
            status: parts.status.as_u16(),
            address,
            validator: validator(headers),
            date: text(headers, "date"),
            range: text(headers, "content-range").and_then(|text| content_range(&text)),
            length: text(headers, "content-length").and_then(|text| text.parse().ok()),
            body: Box::new(body.into_reader()),
        })
    }

    /// A few bytes of a file: fewer if it ends before `to`.
    pub(crate) fn bytes(&self, address: &str, from: u64, to: u64) -> Result<Vec<u8>, FetchError> {
        let mut failures = 0;
        loop {
            let why = match self.try_bytes(address, from, to) {
                Ok(bytes) => return Ok(bytes),
                Err(Failed::ForGood(error)) => return Err(error),
                Err(Failed::ForNow(why)) => why,
            };
            failures += 1;
            if failures == self.patience.tries {
                return Err(FetchError::GaveUp {
                    address: shown_address(address),
                    why,
                    tries: failures,
                    kept: 0,
                });
            }
            self.patience.wait(failures);
        }
    }

    fn try_bytes(&self, address: &str, from: u64, to: u64) -> Result<Vec<u8>, Failed> {
        let answer = self.ask(address, from, Some(to), None)?;
        match answer.status {
            206 => {}
            416 => return Ok(Vec::new()),
            200 => {
                return Err(Failed::ForGood(FetchError::NoRanges {
                    address: shown_address(address),
                    hint: ": fetch it whole and unpack it".to_owned(),
                }));
            }
            status => return Err(Failed::of_status(address, status)),
        }
        let range = answer.range.filter(|range| range.from == from);
        let Some(range) = range.filter(|range| range.to <= to) else {
            let why = "the server answers with other bytes than those that were asked for";
            return Err(Failed::ForGood(FetchError::nonsense(address, why)));
        };
        let length = range.to - range.from;
        let mut bytes = Vec::new();
        let read = answer.body.take(length).read_to_end(&mut bytes);
        read.map_err(|error| Failed::ForNow(of_reading(&error)))?;
        if bytes.len() as u64 == length {
            Ok(bytes)
        } else {
            Err(Failed::ForNow("the connection ended early".to_owned()))
        }
    }
}

/// A try that failed.
pub(crate) enum Failed {
    /// Another one may succeed.
    ForNow(String),
    /// No other one will.
    ForGood(FetchError),
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Self {
        Self::ForGood(error)
    }
}

impl Failed {
    fn of_network(address: &str, error: &ureq::Error) -> Self {
        let why = of_network(error);
        let lasts = match error {
            // a certificate that is not trusted comes as data that are wrong
            ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
            ureq::Error::Timeout(_)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::ConnectProxyFailed(_)
            | ureq::Error::Protocol(_) => false,
            _ => true,
        };
        if lasts {
            Self::ForGood(FetchError::nonsense(address, why))
        } else {
            Self::ForNow(why)
        }
    }

    pub fn of_status(address: &str, status: u16) -> Self {
        match status {
            408 | 429 | 500..=599 => Self::ForNow(format!("the server answers {status}")),
            _ => Self::ForGood(FetchError::Status {
                address: shown_address(address),
                status,
            }),
        }
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(value.trim().to_owned())
}

/// What `If-Range` takes: a weak ETag is none.
fn validator(headers: &HeaderMap) -> Option<String> {
    let strong = text(headers, "etag").filter(|etag| etag.starts_with('"'));
    strong.or_else(|| text(headers, "last-modified"))
}

/// Reads `bytes 0-499/1234` or `bytes 0-499/*`.
fn content_range(text: &str) -> Option<Range> {
    let (range, of) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (from, last) = (first.parse().ok()?, last.parse::<u64>().ok()?);
    let of = match of {
        "*" => None,
        of => Some(of.parse().ok()?),
    };
    let to = last.checked_add(1)?;
    let makes_sense = from < to && of.is_none_or(|of| to <= of);
    makes_sense.then_some(Range { from, to, of })
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a range with its last byte left out; one beyond the end of the file
    #[test]
    fn ranges_are_read_or_refused() {
        let range = |from, to, of| Some(Range { from, to, of });
        assert_eq!(content_range("bytes 0-499/1234"), range(0, 500, Some(1234)));
        assert_eq!(content_range("bytes 7-7/*"), range(7, 8, None));
        for wrong in [
            "",
            "bytes */1234",
            "bytes 5-4/9",
            "bytes 0-9/9",
            "bytes 0-18446744073709551615/*",
            "items 0-1/2",
            "bytes -1-4/9",
        ] {
            assert_eq!(content_range(wrong), None, "{wrong}");
        }
    }
}
