//! Drives a headless Chromium for tests of the report: it loads a local page, waits until the page settles, and returns
//! the page and the logs.
//!
//! The browser is controlled by command-line options only. Each visit has its own profile and a time limit.
//!
//! For tests and pictures only: no part of the program uses it. Depends on no other crate of ssdlab. Looks for the
//! browser on `PATH`, starts it, and writes temporary files. The browser reaches no network but a [`Server`] of this machine.

mod served;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub use served::{Files, Server};

/// The first one opens no window, so a visit takes a third of the time.
const PROGRAMS: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "google-chrome",
    "chromium-browser",
];

/// Options of every visit. No host name resolves, so neither the page nor the browser reaches the network.
const OPTIONS: [&str; 15] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--log-level=0",
    // the page's timers run without waiting; the visit ends after this much virtual time
    "--virtual-time-budget=10000",
];

/// The usual width of the window in pixels.
pub const WIDTH: u32 = 1280;

const LIMIT: Duration = Duration::from_secs(60);

/// The colour scheme that the user prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Scheme {
    fn option(self) -> String {
        let dark_is_0 = u8::from(self == Scheme::Light);
        format!("--blink-settings=preferredColorScheme={dark_is_0}")
    }
}

/// An installed browser.
#[derive(Clone, Debug)]
pub struct Browser {
    program: PathBuf,
}

/// The record of a visit.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The document at the end, as HTML.
    pub dom: String,
    /// The messages of the console: all levels, uncaught errors, blocked resources.
    pub console: Vec<String>,
    /// The network requests of the page; where it only looked up a name, the lookup; and the links at its end that ask
    /// for either, which not every browser follows.
    pub requests: Vec<String>,
}

impl Browser {
    /// The first browser on the path, or an error that says how to get one.
    pub fn find() -> Result<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let mut programs = PROGRAMS
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        let program = programs.find(|program| program.is_file());
        program.map(|program| Self { program }).ok_or_else(|| {
            let names = PROGRAMS.join(", ");
            Error::other(format!(
                "no browser on the path ({names}); on Debian: apt-get install {}",
                PROGRAMS[0]
            ))
        })
    }

    /// Opens a page and waits until its timers have run.
    pub fn visit(&self, page: &Path, scheme: Scheme) -> Result<Visit> {
        let folder = TempDir::new()?;
        let log = folder.path().join("net-log.json");
        let options = [OsStr::new("--dump-dom"), &with_path("--log-net-log=", &log)];
        let size = (WIDTH, 1000);
        let (dom, told) = self.open(page, scheme, size, &options, folder.path())?;
        if dom.trim().is_empty() {
            return Err(Error::other(format!("no document:\n{told}")));
        }
        let mut requests = requests(&serde_json::from_slice(&fs::read(&log)?)?)?;
        requests.extend(links(&dom));
        Ok(Visit {
            dom,
            console: console(&told),
            requests,
        })
    }

    /// Writes the top of a page as a PNG of a width and a height in pixels.
    pub fn screenshot(
        &self,
        page: &Path,
        scheme: Scheme,
        size: (u32, u32),
        to: &Path,
    ) -> Result<()> {
        let folder = TempDir::new()?;
        let image = folder.path().join("page.png");
        let options = [&*with_path("--screenshot=", &image)];
        let (_, told) = self.open(page, scheme, size, &options, folder.path())?;
        if !image.is_file() {
            return Err(Error::other(format!("no image:\n{told}")));
        }
        fs::copy(image, to).map(drop)
    }

    /// Runs the browser in a new folder and returns its output and its log.
    fn open(
        &self,
        page: &Path,
        scheme: Scheme,
        (width, height): (u32, u32),
        options: &[&OsStr],
        folder: &Path,
    ) -> Result<(String, String)> {
        let (printed, logged) = (folder.join("stdout"), folder.join("stderr"));
        let child = Command::new(&self.program)
            .args(OPTIONS)
            .arg(with_path("--user-data-dir=", &folder.join("profile")))
            .arg(scheme.option())
            .arg(format!("--window-size={width},{height}"))
            .args(options)
            .arg(with_path("file://", &page.canonicalize()?))
            // otherwise the browser leaves files in these folders
            .envs([("TMPDIR", folder), ("XDG_CONFIG_HOME", folder)])
            .stdout(File::create(&printed)?)
            .stderr(File::create(&logged)?)
            .spawn()?;
        let ended = wait(child, LIMIT);
        let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let logged = text(&logged)?;
        match ended {
            Ok(status) if status.success() => Ok((text(&printed)?, logged)),
            Ok(status) => Err(Error::other(format!("{status}:\n{logged}"))),
            Err(error) => Err(Error::other(format!("{error}:\n{logged}"))),
        }
    }
}

fn with_path(start: &str, path: &Path) -> OsString {
    let mut option = OsString::from(start);
    option.push(path);
    option
}

/// Waits for the end of the browser and kills it after the time limit.
fn wait(mut child: Child, limit: Duration) -> Result<ExitStatus> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()?;
    Err(Error::other(format!("no end within {limit:?}")))
}

/// The first line of each console message.
fn console(log: &str) -> Vec<String> {
    log.lines()
        .filter_map(|line| line.split_once(":CONSOLE"))
        .map(|(_, message)| message.to_owned())
        .collect()
}

/// The requests of a page in a file. The browser's own requests have no origin and do not start from a file.
fn requests(log: &Value) -> Result<Vec<String>> {
    let events = log["events"].as_array();
    let events = events.ok_or_else(|| Error::other("the network log has no events"))?;
    let text = |params: &Value, key: &str| params[key].as_str().map(str::to_owned);
    let of_the_page = |params: &&Value| {
        let keys = ["network_isolation_key", "network_anonymization_key"];
        let mut places = keys.iter().filter_map(|key| text(params, key));
        text(params, "initiator").is_some_and(|origin| origin != "not an origin")
            || places.any(|place| place.starts_with("file:"))
    };
    let name = |params: &Value| text(params, "url").or_else(|| text(params, "host"));
    Ok(events
        .iter()
        .map(|event| &event["params"])
        .filter(of_the_page)
        .map(|params| name(params).unwrap_or_else(|| params.to_string()))
        .collect())
}

/// The links to other resources, as the browser writes them.
fn links(dom: &str) -> impl Iterator<Item = String> + '_ {
    let links = dom.split("<link ").skip(1);
    links.map(|link| link.split('>').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: no time limit for a browser that hangs.
    #[test]
    fn a_program_that_hangs_is_ended() {
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        let error = wait(child, Duration::from_millis(100)).unwrap_err();
        assert!(error.to_string().contains("no end within 100ms"));
    }
}
