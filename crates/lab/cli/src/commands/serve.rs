//! `ssdlab serve`: runs nbdkit with the plugin `ssdlab`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use rustix::fs::Mode;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, umask, waitid};
use ssdlab_drive::DriveSystems;
use ssdlab_words::{shown_path, shown_text};
use tempfile::TempDir;

use crate::failure::Failure;
use crate::message;
use crate::output::Files;
use crate::signals::{Passed, Receiver};

#[derive(clap::Args)]
pub struct Args {
    /// The image of the virtual SSD; `ssdlab drive create` makes one
    #[arg(value_name = "IMAGE")]
    image: PathBuf,
    /// Listen on this Unix socket
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    socket: Option<PathBuf>,
    /// Listen on this address and port [default: 127.0.0.1:10809; with --run, a Unix socket of its own]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Run a shell command with the drive's address in $uri, then end with its exit code
    #[arg(long, value_name = "COMMAND")]
    run: Option<String>,
    /// Answer at the speed of the simulated drive (timing.model = "parallel")
    #[arg(long)]
    realtime: bool,
    /// Do not wait for the disk when a client flushes: faster, but a crash of the system may destroy the image
    #[arg(long)]
    no_sync: bool,
    /// Requests that nbdkit handles at a time on each connection [default: 1; with --realtime, 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Write all requests, in the order they take effect, as a trace
    #[arg(long, value_name = "TRACE")]
    record: Option<PathBuf>,
    /// Show live what the drive does at http://ADDRESS:PORT, with /status.json and /metrics for Prometheus
    #[arg(long, value_name = "ADDRESS:PORT")]
    status: Option<SocketAddr>,
    /// Another host name under which the status page may be requested; may be repeated
    #[arg(long, value_name = "NAME", requires = "status")]
    status_name: Vec<String>,
    /// After SIGINT or SIGTERM, wait this many seconds for clients to disconnect, then close the image [default: 5]
    #[arg(long, value_name = "SECONDS")]
    grace: Option<u16>,
    /// Write all counters as JSON when the server ends
    #[arg(long, value_name = "FILE")]
    counters: Option<PathBuf>,
    /// The plugin [default: beside this program, or in nbdkit's folder]
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
}

pub fn serve(args: &Args, systems: &DriveSystems) -> Result<(), Failure> {
    let design = systems.design_of(&args.image);
    let design = design.map_err(|error| super::drive::failed(&args.image, &error))?;
    let page_size = design.page_size();
    if args.realtime
        && let Err(error) = design.timed()
    {
        let image = shown_path(&args.image);
        return Err(Failure::Input(format!("--realtime {image}: {error}")));
    }
    let place = Place::of(args)?;
    let nbdkit = nbdkit()?;
    let plugin = match &args.plugin {
        Some(plugin) => std::path::absolute(plugin).map_err(|error| machine(plugin, &error))?,
        None => plugin(&nbdkit, systems)?,
    };
    check_outputs(args, &plugin, &nbdkit)?;
    let mut command = Command::new(&nbdkit);
    command.args(["--foreground", "--filter=blocksize-policy"]);
    place.listen(&mut command);
    // a request that waits holds a thread; else one for each connection keeps the drive busy, and more hinder each other
    let threads = args.threads.unwrap_or(if args.realtime { 64 } else { 1 });
    command.arg(format!("--threads={threads}"));
    command.arg(plugin);
    add_parameters(&mut command, args, page_size)?;
    match &args.run {
        Some(run) => while_running(command, &place, run),
        None => {
            // the process becomes nbdkit, so that signals reach it
            let error = command.exec();
            Err(machine(&nbdkit, &error))
        }
    }
}

/// Adds the parameters of the plugin and of the filter.
fn add_parameters(command: &mut Command, args: &Args, page_size: u64) -> Result<(), Failure> {
    let files = [
        ("image", Some(&args.image)),
        ("record", args.record.as_ref()),
        ("counters", args.counters.as_ref()),
    ];
    for (key, path) in files {
        if let Some(path) = path {
            command.arg(parameter(key, path)?);
        }
    }
    if let Some(address) = args.status {
        if !address.ip().is_loopback() {
            message::warn(&[format!(
                "--status {address}: whoever reaches this address can see what the drive does"
            )]);
        }
        command.arg(format!("status={address}"));
    }
    let names = args.status_name.iter();
    command.args(names.map(|name| format!("status-name={name}")));
    if let Some(seconds) = args.grace {
        command.arg(format!("grace={seconds}"));
    }
    if args.realtime {
        command.arg("realtime=true");
    }
    if args.no_sync {
        command.arg("sync=false");
    }
    command.arg(format!("umask={:03o}", current_umask()));
    // the filter has nothing to do at the end
    command.arg("exit=true");
    // what the protocol allows
    let preferred = page_size.next_power_of_two().clamp(512, LARGEST_REQUEST);
    command.args([
        "blocksize-minimum=512".to_owned(),
        format!("blocksize-preferred={preferred}"),
        format!("blocksize-maximum={LARGEST_REQUEST}"),
    ]);
    Ok(())
}

/// Checks what the plugin would refuse, before anything is opened.
fn check_outputs(args: &Args, plugin: &Path, nbdkit: &Path) -> Result<(), Failure> {
    let mut files = Files::default();
    files.input("the image", &args.image)?;
    files.input("the plugin", args.plugin.as_deref().unwrap_or(plugin))?;
    files.input("the program", nbdkit)?;
    let outputs = [("--record", &args.record), ("--counters", &args.counters)];
    for (option, path) in outputs {
        if let Some(path) = path {
            files.check(option, path)?;
        }
    }
    Ok(())
}

/// What the user takes from the permissions of new files. nbdkit takes another umask.
fn current_umask() -> u32 {
    // it can only be read by setting it
    let umask_now = umask(Mode::RWXG | Mode::RWXO);
    umask(umask_now);
    umask_now.bits()
}

/// A folder that only this user can enter, whatever the umask is.
fn own_folder() -> io::Result<TempDir> {
    let only_mine = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().permissions(only_mine).tempdir()
}

/// The most bytes of a request, as in nbdkit's other plugins.
const LARGEST_REQUEST: u64 = 32 << 20;

fn machine(path: &Path, error: &io::Error) -> Failure {
    Failure::Machine(format!("{}: {error}", shown_path(path)))
}

/// `key=PATH` for the plugin.
fn parameter(key: &str, path: &Path) -> Result<OsString, Failure> {
    // the crate `nbdkit` takes no other ones
    if path.to_str().is_none() {
        let path = shown_path(path);
        return Err(Failure::Input(format!("{path}: the name must be UTF-8")));
    }
    let mut parameter = OsString::from(key);
    parameter.push("=");
    parameter.push(path);
    Ok(parameter)
}

/// The program `nbdkit`.
fn nbdkit() -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("nbdkit"))
        .find(|file| file.is_file());
    found.ok_or_else(|| {
        Failure::Input(
            "nbdkit is not installed; get it with `apt install nbdkit` on Debian and Ubuntu, `dnf install nbdkit` on \
             Fedora, or from https://gitlab.com/nbdkit/nbdkit"
                .to_owned(),
        )
    })
}

/// The name by which nbdkit finds the plugin.
const PLUGIN: &str = "nbdkit-ssdlab-plugin.so";
/// Its name in cargo's folder.
const BUILT: &str = "libnbdkit_ssdlab_plugin.so";

/// What the plugin may be called, and how to get it. A program with systems of its own has a plugin of its own, which is
/// named after it, as the library of its package is.
fn names(program: &Path, systems: &DriveSystems) -> (Vec<String>, &'static str) {
    if systems.are_built_in() {
        let names = [PLUGIN, BUILT].map(str::to_owned);
        let get = "`./install` in a clone of ssdlab installs it beside this program";
        return (names.to_vec(), get);
    }
    let program = program.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("lib{}.so", program.replace('-', "_"));
    let get = "`cargo build` makes it of a library with `ssdlab_nbdkit::plugin!`";
    (vec![name], get)
}

/// The plugin with these systems, beside this program or in nbdkit's folder.
fn plugin(nbdkit: &Path, systems: &DriveSystems) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().unwrap_or_default();
    let (names, get) = names(&program, systems);
    let beside = crate::start::kept().folder.clone();
    // where cargo leaves it when it builds the program alone
    let deps = beside.as_ref().map(|folder| folder.join("deps"));
    let deps = deps.filter(|folder| folder.is_dir());
    let config = Command::new(nbdkit).arg("--dump-config").output();
    let config = config.map_err(|error| machine(nbdkit, &error))?;
    let config = String::from_utf8_lossy(&config.stdout).into_owned();
    let nbdkits = config
        .lines()
        .find_map(|line| line.strip_prefix("plugindir="));
    let nbdkits = nbdkits.map(PathBuf::from);
    let folders: Vec<PathBuf> = deps.into_iter().chain(beside).chain(nbdkits).collect();
    let files = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    files
        .into_iter()
        .find(|file| file.is_file())
        .ok_or_else(|| {
            let folders: Vec<String> = folders.iter().map(|folder| shown_path(folder)).collect();
            let (name, folders) = (shown_text(&names[0]), folders.join(" or "));
            Failure::Input(format!(
                "{name} is not in {folders}; {get}, or name it with --plugin"
            ))
        })
}

/// Where clients find the drive.
enum Place {
    Address(SocketAddr),
    Socket {
        path: PathBuf,
        /// The socket's own, which goes with this value.
        _folder: Option<TempDir>,
    },
}

impl Place {
    fn of(args: &Args) -> Result<Self, Failure> {
        match (&args.socket, args.listen, &args.run) {
            (Some(socket), ..) => {
                free(socket)?;
                let failed = |error| Failure::Machine(format!("--socket: {error}"));
                let path = std::path::absolute(socket).map_err(failed)?;
                let _folder = None;
                Ok(Self::Socket { path, _folder })
            }
            (None, None, Some(_)) => {
                let failed = |error| Failure::Machine(format!("a folder for the socket: {error}"));
                let folder = own_folder().map_err(failed)?;
                let path = folder.path().join("socket");
                let _folder = Some(folder);
                Ok(Self::Socket { path, _folder })
            }
            (None, listen, _) => {
                let address = listen.unwrap_or(([127, 0, 0, 1], 10809).into());
                if address.port() == 0 {
                    return Err(Failure::Input(format!(
                        "--listen {address}: the port must be from 1 to 65535"
                    )));
                }
                if !address.ip().is_loopback() {
                    message::warn(&[format!(
                        "--listen {address}: whoever reaches this address can read and change the drive"
                    )]);
                }
                // nbdkit would find that out when the image is open
                match TcpListener::bind(address) {
                    // nbdkit takes the wildcard of IPv6 without that of IPv4
                    Err(_) if address.is_ipv6() && address.ip().is_unspecified() => {
                        Ok(Self::Address(address))
                    }
                    Ok(_) => Ok(Self::Address(address)),
                    Err(error) => Err(Failure::Machine(format!("--listen {address}: {error}"))),
                }
            }
        }
    }

    /// Tells nbdkit.
    fn listen(&self, nbdkit: &mut Command) {
        match self {
            Self::Address(address) => {
                nbdkit.arg(format!("--ipaddr={}", address.ip()));
                nbdkit.arg(format!("--port={}", address.port()));
            }
            Self::Socket { path, .. } => {
                nbdkit.arg("--unix").arg(path);
            }
        }
    }

    /// Tells a command, in variables that are named as those of `nbdkit --run`.
    fn tell(&self, command: &mut Command) {
        let uri = match self {
            Self::Address(address) => {
                command.env("port", address.port().to_string());
                format!("nbd://{address}")
            }
            Self::Socket { path, .. } => {
                command.env("unixsocket", path);
                format!("nbd+unix:///?socket={}", escaped(path))
            }
        };
        command.env("uri", uri).env("exportname", "");
    }
}

/// A path in a URI.
fn escaped(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let escaped = bytes.map(|&byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    escaped.collect()
}

/// Removes a socket that nobody listens to: nbdkit leaves its socket behind.
fn free(socket: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        let socket = shown_path(socket);
        Err(Failure::Input(format!("--socket {socket}: {why}")))
    };
    match fs::symlink_metadata(socket) {
        Ok(file) if !file.file_type().is_socket() => refused("exists, and is no socket"),
        Ok(_) => match UnixStream::connect(socket) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                fs::remove_file(socket).map_err(|error| machine(socket, &error))
            }
            _ => refused("another server listens there"),
        },
        Err(_) => Ok(()),
    }
}

/// Starts nbdkit and the command, and ends nbdkit after it.
fn while_running(mut nbdkit: Command, place: &Place, run: &str) -> Result<(), Failure> {
    let failed = |what: &str, error: &io::Error| Failure::Machine(format!("{what}: {error}"));
    let folder = own_folder().map_err(|error| failed("a temporary folder", &error))?;
    let ready = folder.path().join("pid");
    let signals = Passed::hold();
    // Ctrl-C is for the command; and if this program is killed, nbdkit ends
    nbdkit.process_group(0).stdin(Stdio::null());
    nbdkit.args(["--exit-with-parent", "--pidfile"]).arg(&ready);
    let mut server = nbdkit.spawn().map_err(|error| failed("nbdkit", &error))?;
    let served = wait_until_ready(&mut server, &ready, &signals).and_then(|()| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(run);
        place.tell(&mut command);
        let at_terminal = io::stdin().is_terminal();
        if !at_terminal {
            command.process_group(0);
        }
        let mut command = command.spawn().map_err(|error| failed("sh", &error))?;
        signals.to(if at_terminal {
            Receiver::OfTerminal(pid(&command))
        } else {
            Receiver::Group(pid(&command))
        });
        // it must still be there when no signal can go to it any more
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let interrupted = rustix::io::Errno::INTR;
        while waitid(WaitId::Pid(pid(&command)), ended).is_err_and(|e| e == interrupted) {}
        signals.back();
        command.wait().map_err(|error| failed("sh", &error))
    });
    // it may have ended
    let _ = kill_process(pid(&server), Signal::TERM);
    let closed = server.wait().map_err(|error| failed("nbdkit", &error))?;
    match (served?, closed) {
        (command, _) if !command.success() => Err(Failure::Command(code(command))),
        (_, closed) if !closed.success() => Err(unclean(closed)),
        _ => Ok(()),
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// An exit code as a shell has it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn unclean(closed: ExitStatus) -> Failure {
    Failure::Machine(format!("nbdkit did not end well: {closed}"))
}

/// Waits until nbdkit has written its number, when clients can connect.
fn wait_until_ready(server: &mut Child, ready: &Path, signals: &Passed) -> Result<(), Failure> {
    loop {
        if fs::metadata(ready).is_ok_and(|file| file.len() > 0) {
            return Ok(());
        }
        if let Some(signal) = signals.held() {
            return Err(Failure::Command((128 + signal) as u8));
        }
        match server.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(2)),
            Ok(Some(status)) => return Err(unclean(status)),
            Err(error) => return Err(Failure::Machine(format!("nbdkit: {error}"))),
        }
    }
}
