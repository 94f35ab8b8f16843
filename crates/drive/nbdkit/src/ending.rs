//! The end of the server: the image is closed exactly once, whatever the clients do.
//!
//! nbdkit ends when its clients have gone, and calls the plugin then. A client that is idle, or that does not take its
//! replies, would hold it forever. So a thread here waits for the signal as well.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::locked;
use crate::realtime::REPLIES;
use crate::service::Service;
use crate::settings;
use crate::shared::SharedDrive;

/// The signals at which nbdkit ends.
const SIGNALS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Held while the drive is being closed.
static CLOSING: Mutex<()> = Mutex::new(());

/// Closes the drive, and tells the user what is wrong. Returns the exit code of the process; none if it was closed
/// before.
fn close(drive: &SharedDrive) -> Option<i32> {
    let service = drive.take()?;
    if let Some(sentence) = REPLIES.sentence() {
        settings::tell(&sentence);
    }
    let closed = Service::close(service);
    let wrong = closed.err().unwrap_or_default();
    wrong.iter().for_each(|message| settings::tell(message));
    Some(i32::from(!wrong.is_empty()))
}

/// Closes the drive when nbdkit has ended its connections. Returns the exit code.
pub fn close_at_last(drive: &SharedDrive) -> i32 {
    let _closing = locked(&CLOSING);
    close(drive).unwrap_or_default()
}

/// After a signal to end, gives nbdkit this long. Then closes the drive and ends the process, whoever is connected.
///
/// # Errors
/// No thread can be started, or the system refuses to report signals: the message for the user.
pub fn limit(drive: &'static SharedDrive, grace: Duration) -> Result<(), String> {
    let failed = |error| format!("signals cannot be waited for: {error}");
    // the handlers of nbdkit are called after these
    let mut signals = Signals::new(SIGNALS).map_err(failed)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            thread::sleep(grace);
            end(drive, grace);
        }
    };
    let thread = thread::Builder::new().name("signals".into()).spawn(wait);
    thread.map(drop).map_err(failed)
}

/// Ends the process, unless nbdkit is about to.
fn end(drive: &SharedDrive, grace: Duration) {
    let _closing = locked(&CLOSING);
    let Some(code) = close(drive) else {
        return;
    };
    let seconds = grace.as_secs();
    settings::tell(&format!(
        "clients were still connected {seconds} s after the signal; the server ends without them"
    ));
    // SAFETY: nothing is called. Threads of nbdkit still run: what others have registered for the end could take from
    // them what they use.
    unsafe { libc::_exit(code) }
}
