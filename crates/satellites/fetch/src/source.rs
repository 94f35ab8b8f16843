//! What to fetch.

use ssdlab_catalogue::{Get, Known, Set, is_address};

use crate::archive;
use crate::client::Client;
use crate::error::FetchError;

/// A part of a file: bytes from `from` up to, but not including, `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The first byte.
    pub from: u64,
    /// The byte behind the last one; `None`: up to the end.
    pub to: Option<u64>,
}

/// A file to fetch, or a part of it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its address: of the archive, if it is a member of one.
    pub address: String,
    /// A name for it on the disk.
    pub name: String,
    /// The member of an archive that it is: where it begins, and its size.
    pub member: Option<(u64, u64)>,
    /// What is known of it.
    pub known: Known,
}

impl Source {
    /// A file at an address. The member of a tar archive, if one is named, is searched there.
    ///
    /// # Errors
    /// It is no address, or the archive has no such member.
    pub fn at(
        client: &Client,
        address: &str,
        member: Option<&str>,
        looked: impl FnMut(u64),
    ) -> Result<Self, FetchError> {
        if !is_address(address) {
            let why = format!("{address:?}: must begin with http:// or https://");
            return Err(FetchError::Refused(why));
        }
        let Some(member) = member else {
            return Ok(Self {
                address: address.to_owned(),
                name: last_part(address),
                member: None,
                known: Known::default(),
            });
        };
        let archives = [address.to_owned()];
        Self::member(client, &archives, member, Known::default(), looked)
    }

    /// A volume of a set. `looked` is told how many headers of archives were read.
    ///
    /// # Errors
    /// The set has no such volume, or cannot be fetched by a program; or the archive cannot be read.
    pub fn of(
        client: &Client,
        set: &Set,
        volume: Option<&str>,
        looked: impl FnMut(u64),
    ) -> Result<Self, FetchError> {
        let known = || set.known(volume);
        let chosen = || set.choose(volume).map_err(FetchError::Refused);
        match &set.get {
            Get::Browser { needs, how } => Err(FetchError::Refused(format!(
                "{} needs {needs}, so ssdlab cannot fetch it. {how} Go to {}",
                set.name, set.address
            ))),
            Get::File { location } => match volume {
                None => Ok(Self {
                    address: location.clone(),
                    name: last_part(location),
                    member: None,
                    known: known(),
                }),
                Some(_) => Err(FetchError::Refused(format!(
                    "--volume: {} is one file, {location}; no part of it can be fetched alone but a range of bytes (--bytes, \
                     --limit)",
                    set.name
                ))),
            },
            Get::Files { location, .. } => {
                let address = location.replace("{volume}", chosen()?);
                Ok(Self {
                    name: last_part(&address),
                    address,
                    member: None,
                    known: known(),
                })
            }
            Get::Members {
                archives, member, ..
            } => {
                let member = member.replace("{volume}", chosen()?);
                Self::member(client, archives, &member, known(), looked)
            }
        }
    }

    fn member(
        client: &Client,
        archives: &[String],
        member: &str,
        known: Known,
        mut looked: impl FnMut(u64),
    ) -> Result<Self, FetchError> {
        for archive in archives {
            if let Some(found) = archive::find(client, archive, member, &mut looked)? {
                return Ok(Self {
                    address: archive.clone(),
                    name: last_part(member),
                    member: Some(found),
                    known,
                });
            }
        }
        Err(FetchError::Refused(format!(
            "{}: has no member {member:?}",
            archives.join(", ")
        )))
    }

    /// The bytes of the address that are a range of the file.
    ///
    /// # Errors
    /// The range is empty, or begins behind the end of the member.
    pub(crate) fn range(&self, bytes: Bytes) -> Result<Bytes, FetchError> {
        let refused = |why: String| Err(FetchError::Refused(format!("--bytes: {why}")));
        if bytes.to.is_some_and(|to| to <= bytes.from) {
            return refused("the end must be behind the beginning".to_owned());
        }
        let Some((begin, size)) = self.member else {
            return Ok(bytes);
        };
        if bytes.from >= size {
            return refused(format!("{} has {size} bytes", self.name));
        }
        let to = bytes.to.map_or(size, |to| to.min(size));
        Ok(Bytes {
            from: begin + bytes.from,
            to: Some(begin + to),
        })
    }
}

/// An address without what is secret in it: the password, and the query of one that is signed.
pub fn shown_address(address: &str) -> String {
    /// Parts of the names of parameters that are for one user.
    const SECRET: [&str; 11] = [
        "sig",
        "token",
        "key",
        "secret",
        "credential",
        "password",
        "passwd",
        "auth",
        "session",
        "expires",
        "policy",
    ];
    let (whole, fragment) = match address.split_once('#') {
        Some((whole, _)) => (whole, true),
        None => (address, false),
    };
    let (place, query) = whole.split_once('?').unwrap_or((whole, ""));
    let mut shown = match place.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            match host.rsplit_once('@') {
                Some((user, host)) if user.contains(':') => {
                    let user = user.split(':').next().unwrap_or_default();
                    format!("{scheme}://{user}:***@{host}{path}")
                }
                // a user alone may be a token
                Some((_, host)) => format!("{scheme}://***@{host}{path}"),
                None => place.to_owned(),
            }
        }
        None => place.to_owned(),
    };
    let is_secret = |pair: &str| {
        let name = pair
            .split('=')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        SECRET.iter().any(|secret| name.contains(secret))
    };
    match query.split('&').any(is_secret) {
        _ if query.is_empty() => {}
        true => shown += "?***",
        false => shown += &format!("?{query}"),
    }
    // what is behind a hash is never sent
    if fragment {
        shown += "#***";
    }
    shown
}

/// The last part of an address or path, as a name of a file.
fn last_part(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    // the host alone is no name
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => path,
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    let fits = |c: &char| c.is_ascii_graphic() && !matches!(c, '/' | '\\');
    let name: String = name.chars().filter(fits).collect();
    if name.trim_matches('.').is_empty() || name.starts_with(['.', '-']) {
        return "trace".to_owned();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{last_part, shown_address};

    // planted bugs: a password, a user who is a token, or a signature that is shown; an address without any that changes
    #[test]
    fn secrets_are_not_shown() {
        for (address, shown) in [
            (
                "http://alice:s3cret@a/t.csv?X-Amz-Signature=S&x=1",
                "http://alice:***@a/t.csv?***",
            ),
            ("https://ghp_1234@a/t.csv", "https://***@a/t.csv"),
            (
                "https://a:p@w@h:80/t?sv=1&SIG=2#access_token=3",
                "https://a:***@h:80/t?***#***",
            ),
            ("https://alice:s3cret@a", "https://alice:***@a"),
            (
                "https://a/b@c:d/t.csv?id=7&part=2",
                "https://a/b@c:d/t.csv?id=7&part=2",
            ),
        ] {
            assert_eq!(shown_address(address), shown);
        }
    }

    // planted bugs: a hidden file; a name that a command takes for an option; a question in the name
    #[test]
    fn names_on_disk_are_harmless() {
        for (address, name) in [
            ("http://a/b/w01.csv.gz", "w01.csv.gz"),
            ("http://a/b/w01.csv?key=/x/y", "w01.csv"),
            ("http://a.org", "trace"),
            ("http://a/", "trace"),
            ("http://a/..", "trace"),
            ("http://a/.bashrc", "trace"),
            ("http://a/-rf", "trace"),
            ("http://a/x\u{202e}y", "xy"),
            ("MSR/hm_0.csv.gz", "hm_0.csv.gz"),
        ] {
            assert_eq!(last_part(address), name, "{address}");
        }
    }
}
