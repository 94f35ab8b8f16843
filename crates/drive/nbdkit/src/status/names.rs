//! The names by which a browser may ask for the status page.
//!
//! A stranger's page can send a browser to a name of its own whose address is this machine (DNS rebinding). The
//! browser then lets that page read the answers, but sends the name in `Host`. Only names that a stranger cannot have are
//! answered.

use std::fs;
use std::net::{IpAddr, Ipv6Addr};

use hyper::header::HOST;
use hyper::http::uri::Authority;
use hyper::{Request, Version};

/// The names of this server, beside its addresses and `localhost`.
#[derive(Clone, Debug, Default)]
pub struct HostNames(Vec<String>);

/// Why a request is not answered.
#[derive(Debug, PartialEq, Eq)]
pub enum BadHost {
    /// No name that can be read, or none where there must be one.
    Malformed,
    /// A name that a stranger may have.
    Strange,
}

impl HostNames {
    /// The name of this machine, plain and in the local network, and further ones.
    pub fn with(further: &[String]) -> Self {
        let hostname = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let hostname = hostname.trim();
        let mut names = further.to_vec();
        if !hostname.is_empty() {
            let first = hostname.split('.').next().unwrap_or(hostname);
            names.extend([hostname.to_owned(), format!("{first}.local")]);
        }
        names.iter_mut().for_each(|name| *name = plain(name));
        Self(names)
    }

    /// Whether a request asks for a name of this server.
    pub fn look_at<B>(&self, request: &Request<B>) -> Result<(), BadHost> {
        let mut hosts = request.headers().get_all(HOST).iter();
        let host = hosts.next();
        if hosts.next().is_some() {
            return Err(BadHost::Malformed);
        }
        let host = host.map(|host| Authority::try_from(host.as_bytes()));
        let host = host.transpose().map_err(|_| BadHost::Malformed)?;
        // every browser names a host; clients of version 1.0 need not, and are no browsers
        if host.is_none() && request.version() != Version::HTTP_10 {
            return Err(BadHost::Malformed);
        }
        let asked = [host.as_ref(), request.uri().authority()];
        if !asked.into_iter().flatten().all(|asked| self.has(asked)) {
            return Err(BadHost::Strange);
        }
        Ok(())
    }

    fn has(&self, asked: &Authority) -> bool {
        let name = plain(asked.host());
        let literal = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
        let is_address = match literal {
            Some(literal) => literal.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<IpAddr>().is_ok(),
        };
        is_address || name == "localhost" || name.ends_with(".localhost") || self.0.contains(&name)
    }
}

/// The form in which names are compared.
fn plain(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.to_ascii_lowercase()
}
