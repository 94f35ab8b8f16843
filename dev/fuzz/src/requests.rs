//! Requests of a host to a small drive, with crashes in the middle: what it answers, and what it holds afterwards.
//!
//! An input is a byte (odd: the disk is memory, where nothing is synced and pages are copied in place), the choices of
//! the drive, and steps.

use ssdlab_disks::{Crash, LoggedDisk};
use ssdlab_drive::{Drive, DriveError};

use crate::design::{self, NewDrive};
use crate::host::{Model, Request};
use crate::input::Input;

/// The most steps of an input.
const STEPS: usize = 100;

pub fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let is_memory = input.byte() & 1 == 1;
    let Some(made) = design::chosen(&mut input) else {
        return;
    };
    let mut host = Host::new(made, is_memory);
    for _ in 0..STEPS {
        if input.is_empty() {
            break;
        }
        host = host.step(&mut input);
    }
    host.close();
}

/// A host with an open drive.
struct Host {
    drive: Drive,
    setup: Setup,
}

/// What remains while the drive is closed.
struct Setup {
    made: NewDrive,
    is_memory: bool,
    disk: LoggedDisk,
    model: Model,
}

impl Host {
    fn new(made: NewDrive, is_memory: bool) -> Self {
        let disk = LoggedDisk::of(made.image.to_vec(), is_memory);
        let drive = made.open(&disk);
        let model = Model::new(&drive);
        let setup = Setup {
            made,
            is_memory,
            disk,
            model,
        };
        Self { drive, setup }
    }

    fn step(mut self, input: &mut Input) -> Self {
        match input.byte() {
            0..240 => {
                let request = Request::next(input, self.drive.capacity());
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
        let sent = self.setup.model.send(&mut self.drive, request);
        self.setup.allow(sent, &format!("{request:?}"));
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
        let request = Request::next(input, self.drive.capacity());
        let keeps_answers = self.setup.made.keeps_ram && crash == Crash::Killed;
        if keeps_answers {
            self.setup.model.settle();
        }
        let (mut begun, before) = (self.setup.model.clone(), self.setup.disk.calls());
        begun.begin(request);
        self.send(request);
        let after = self.setup.disk.calls();
        let calls = before + until % (after - before + 1);
        if calls < after {
            self.setup.model = begun;
        } else if keeps_answers {
            self.setup.model.settle();
        }
        drop(self.drive);
        self.setup.open_after(calls, crash, true)
    }

    fn close(self) -> Self {
        let Self { drive, setup } = self;
        let is_whole = setup.allow(drive.close(), "close");
        setup.open_again(!is_whole)
    }

    fn lose_power(self) -> Self {
        let Self { drive, setup } = self;
        let is_whole = setup.allow(drive.lose_power().map(drop), "the power fails");
        let keeps_ram = setup.made.keeps_ram;
        setup.open_again(!is_whole || !keeps_ram)
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

    fn open_again(self, crashed: bool) -> Host {
        let calls = self.disk.calls();
        self.open_after(calls, Crash::Killed, crashed)
    }

    /// Opens what is left after these calls to the disk.
    fn open_after(self, calls: usize, crash: Crash, crashed: bool) -> Host {
        let content = self.disk.log().after(calls, crash);
        let disk = LoggedDisk::of(content, self.is_memory);
        let drive = self.made.open(&disk);
        let setup = Self { disk, ..self };
        let mut host = Host { drive, setup };
        let verified = host.setup.model.verify(&mut host.drive, crashed);
        host.setup.allow(verified, "after an opening");
        host.look();
        host
    }
}
