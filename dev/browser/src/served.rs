//! Pages from a server on this machine, visited in real time: their scripts start workers and say when they are done.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{Browser, OPTIONS, Scheme, with_path};

/// A file by its path without the first `/`: its type and its bytes.
pub type Files = BTreeMap<String, (&'static str, Vec<u8>)>;

/// What a page said when it was done.
#[derive(Default)]
struct Said {
    text: Mutex<Option<String>>,
    changed: Condvar,
}

impl Said {
    fn say(&self, text: String) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        self.changed.notify_all();
    }

    fn wait(&self, limit: Duration) -> Option<String> {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let nothing = |text: &mut Option<String>| text.is_none();
        let (text, _) = self
            .changed
            .wait_timeout_while(text, limit, nothing)
            .unwrap_or_else(PoisonError::into_inner);
        text.clone()
    }
}

/// A server for one visit. The page posts what it has found to `/done`; whoever gets `/hold` waits for that, such as an
/// image, for which the picture of the page waits.
pub struct Server {
    port: u16,
    said: Arc<Said>,
}

impl Server {
    /// Serves these files until the program ends.
    ///
    /// # Errors
    /// No port is free.
    pub fn start(files: Files) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let said = Arc::new(Said::default());
        let (files, heard) = (Arc::new(files), Arc::clone(&said));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (files, said) = (Arc::clone(&files), Arc::clone(&heard));
                // a browser that goes away is no error
                thread::spawn(move || drop(answer(&stream, &files, &said)));
            }
        });
        Ok(Self { port, said })
    }

    /// The address of a file.
    pub fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

/// The longest time that a page may take.
const LIMIT: Duration = Duration::from_secs(300);

fn answer(mut stream: &TcpStream, files: &Files, said: &Said) -> Result<()> {
    let mut input = BufReader::new(stream);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let path = path.trim_start_matches('/');
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut length = 0;
    loop {
        let mut header = String::new();
        if input.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let found = match path {
        "done" => {
            let mut text = vec![0; length];
            input.read_exact(&mut text)?;
            said.say(String::from_utf8_lossy(&text).into_owned());
            Some(&("text/plain", Vec::new()))
        }
        "hold" => {
            said.wait(LIMIT);
            None
        }
        path => files.get(path),
    };
    let (status, (kind, bytes)) = match found {
        Some(file) => ("200 OK", file),
        None => ("404 Not Found", &("text/plain", Vec::new())),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n\r\n",
        bytes.len()
    )?;
    stream.write_all(bytes)
}

impl Browser {
    /// Opens an address, and returns what its page posts to `/done` of the server.
    ///
    /// # Errors
    /// The browser does not start, or the page says nothing within five minutes.
    pub fn hear(
        &self,
        server: &Server,
        address: &str,
        scheme: Scheme,
        size: (u32, u32),
        picture: Option<&Path>,
    ) -> Result<String> {
        let folder = tempfile::TempDir::new()?;
        let image = folder.path().join("page.png");
        let logged = folder.path().join("stderr");
        let mut command = Command::new(&self.program);
        let timers = "--virtual-time-budget";
        let resolver = "--host-resolver-rules";
        let usual = |option: &&&str| !option.starts_with(timers) && !option.starts_with(resolver);
        command
            .args(OPTIONS.iter().filter(usual))
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg(with_path(
                "--user-data-dir=",
                &folder.path().join("profile"),
            ))
            .arg(scheme.option())
            .arg(format!("--window-size={},{}", size.0, size.1));
        match picture {
            Some(_) => command.arg(with_path("--screenshot=", &image)),
            // without an output, the browser would wait for a debugger
            None => command.arg("--remote-debugging-port=0"),
        };
        let mut child = command
            .arg(address)
            .envs([
                ("TMPDIR", folder.path()),
                ("XDG_CONFIG_HOME", folder.path()),
            ])
            .stdout(std::process::Stdio::null())
            .stderr(std::fs::File::create(&logged)?)
            .spawn()?;
        let said = server.said.wait(LIMIT);
        if said.is_some() && picture.is_some() {
            crate::wait(child, Duration::from_secs(60))?;
        } else {
            child.kill()?;
            child.wait()?;
        }
        if let Some(to) = picture {
            std::fs::copy(image, to)?;
        }
        said.ok_or_else(|| {
            let log = std::fs::read_to_string(&logged).unwrap_or_default();
            Error::other(format!("{address}: the page said nothing:\n{log}"))
        })
    }
}
