//! Requests of a host to a small drive, with crashes in the middle: what it answers, and what it holds afterwards.
//!
//! An input is a byte (odd: the disk is memory, where nothing is synced and pages are copied in place), the choices of
//! the drive, and steps.

use ssdlab_disks::{Crash, End, Host, LoggedDisk, Request, keeps_ram};
use ssdlab_drive::{Drive, DriveError};

use crate::design::{self, NewDrive};
use crate::host::request;
use crate::input::Input;

/// The most steps of an input.
const STEPS: usize = 100;

pub fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let is_memory = input.byte() & 1 == 1;
    let Some(made) = design::chosen(&mut input) else {
        return;
    };
    let mut life = Life::new(made, is_memory);
    for _ in 0..STEPS {
        if input.is_empty() {
            break;
        }
        life = life.step(&mut input);
    }
    life.close();
}

/// A host with an open drive.
struct Life {
    drive: Drive,
    setup: Setup,
}

/// What remains while the drive is closed.
struct Setup {
    made: NewDrive,
    is_memory: bool,
    disk: LoggedDisk,
    host: Host,
}

impl Life {
    fn new(made: NewDrive, is_memory: bool) -> Self {
        let disk = LoggedDisk::of(made.image.to_vec(), is_memory);
        let drive = made.open(&disk);
        let host = Host::new(&made.design);
        let setup = Setup {
            made,
            is_memory,
            disk,
            host,
        };
        Self { drive, setup }
    }

    fn step(mut self, input: &mut Input) -> Self {
        match input.byte() {
            0..240 => {
                let request = request(input, self.drive.capacity());
                self.send(request);
            }
            240..248 => return self.crash(input),
            248..252 => return self.close(),
            252..254 => return self.lose_power(),
            _ => self.look(),
        }
        self
    }

    fn send(&mut self, request: Request) {
        let is_beyond = self.setup.host.is_beyond(request);
        let sent = self.setup.host.request(&mut self.drive, request);
        if !is_beyond {
            self.setup.allow(sent, &format!("{request:?}"));
        }
    }

    /// Tables and counters agree.
    fn look(&mut self) {
        let buffer = self.drive.status().buffer;
        assert!(
            buffer.dirty <= buffer.held && buffer.held <= buffer.pages,
            "{buffer:?}"
        );
        let checked = self.drive.check();
        self.setup.allow(checked, "check");
    }

    /// The process or the system dies in the middle of a request, or right after it.
    fn crash(mut self, input: &mut Input) -> Self {
        let crash = match input.byte() % 4 {
            _ if self.setup.is_memory => Crash::Killed,
            0 => Crash::Killed,
            1 => Crash::NothingArrived,
            _ => Crash::SomeArrived(input.word().into()),
        };
        let until = usize::from(input.byte());
        let request = request(input, self.drive.capacity());
        let (mut begun, before) = (self.setup.host.clone(), self.setup.disk.calls());
        begun.begin(request);
        self.send(request);
        let after = self.setup.disk.calls();
        let calls = before + until % (after - before + 1);
        if calls < after {
            self.setup.host = begun;
        }
        drop(self.drive);
        let end = match crash {
            Crash::Killed => End::Killed,
            Crash::NothingArrived | Crash::SomeArrived(_) => End::Crashed,
        };
        self.setup.open_after(calls, crash, end)
    }

    fn close(self) -> Self {
        let Self { drive, setup } = self;
        let is_whole = setup.allow(drive.close(), "close");
        setup.open_again(is_whole)
    }

    fn lose_power(self) -> Self {
        let Self { drive, setup } = self;
        let is_whole = setup.allow(drive.lose_power().map(drop), "the power fails");
        let keeps_ram = keeps_ram(&setup.made.design);
        setup.open_again(is_whole && keeps_ram)
    }
}

impl Setup {
    /// Whether something was done. Only flash that fails may be the reason if not.
    fn allow(&self, done: Result<(), DriveError>, what: &str) -> bool {
        match done {
            Ok(()) => true,
            Err(_) if self.made.has_faults => false,
            Err(error) => panic!("{what}: {error}"),
        }
    }

    fn open_again(self, is_kept: bool) -> Life {
        let calls = self.disk.calls();
        let end = if is_kept { End::Kept } else { End::Killed };
        self.open_after(calls, Crash::Killed, end)
    }

    /// Opens what is left after these calls to the disk.
    fn open_after(self, calls: usize, crash: Crash, end: End) -> Life {
        let content = self.disk.log().after(calls, crash);
        let disk = LoggedDisk::of(content, self.is_memory);
        let drive = self.made.open(&disk);
        let setup = Self { disk, ..self };
        let mut life = Life { drive, setup };
        let verified = life.setup.host.verify_what_is_left(&mut life.drive, end);
        life.setup.allow(verified, "after an opening");
        life.look();
        life
    }
}
