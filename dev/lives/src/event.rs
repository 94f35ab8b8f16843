//! What happens in a life.

use fastrand::Rng;
use ssdlab_disks::{Mix, Request};

use crate::theme::Theme;

/// One thing that happens. Each is complete in itself, so that any of the others can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The host sends a request. What it writes follows from the number, and what it reads is compared.
    Request(u32, Request),
    /// Everything is read and compared.
    ReadAll,
    /// The drive compares its tables with the flash.
    Check,
    /// The drive is closed.
    Close,
    /// The power of the device fails.
    LosePower,
    /// The process ends.
    Kill,
    /// The process ends in this call of the disk that changes it.
    KillAfter(u64),
    /// The system stops.
    Crash(u64),
    /// The system stops in this call of the disk.
    CrashAfter(u64, u64),
    /// The disk has no room for new blocks from this write on.
    Full(u64),
    /// It has room again.
    Room,
    /// One write of the disk fails.
    FailWrite(u64),
    /// One read of the disk fails.
    FailRead(u64),
    /// One sync of the disk fails.
    FailSync(u64),
    /// The file is damaged while no process has it open.
    Damage(Damage),
    /// Someone looks at the image while no process has it open, and changes nothing.
    Look,
}

/// Damage to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub part: ImagePart,
    /// Chooses the place in this part.
    pub place: u64,
    pub how: DamageKind,
}

/// A part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImagePart {
    Anywhere,
    Header,
    /// One of the marks.
    Mark,
    /// All slots of marks from one of them to the last: the newest mark and its confirmation may be among them.
    Marks,
    Configuration,
    /// Entries of erase blocks.
    Blocks,
    /// Spare areas of pages.
    Spares,
    /// Records of discards.
    Records,
    /// The mirror of RAM.
    Mirror,
    /// The data of pages.
    Data,
    /// From the beginning of the file to a place.
    Head,
    /// From a place to the end of the file, as if it had been cut and made long again.
    Tail,
}

/// What damage does to the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// One bit is wrong.
    Flip,
    /// This many bytes are zeros.
    Zero(usize),
    /// This many bytes are those of another place.
    Misplace(usize),
}

/// How often each kind of event happens in a life.
struct Character {
    requests: Mix,
    ends: u32,
    kills: u32,
    disk: u32,
    full: u32,
    damage: u32,
    calls: u64,
}

/// The events of a random life of a drive of this capacity.
pub fn some(random: &mut Rng, theme: Theme, capacity: usize) -> Vec<Event> {
    let count = match random.u8(..8) {
        0 => random.usize(200..700),
        1..4 => random.usize(80..250),
        _ if theme == Theme::Ram || theme == Theme::Wear => random.usize(80..250),
        _ => random.usize(10..100),
    };
    let character = Character::some(random, theme, capacity);
    let mut events = Vec::with_capacity(count);
    for request in 1..=count as u32 {
        character.add(&mut events, random, request);
    }
    events
}

impl Character {
    fn some(random: &mut Rng, theme: Theme, capacity: usize) -> Self {
        let some = |random: &mut Rng, rates: &[u32]| rates[random.usize(..rates.len())];
        let (capacity, hot) = (capacity as u64, random.u64(..capacity as u64));
        let mut any = Self {
            requests: Mix {
                writes: some(random, &[40, 100, 200]),
                reads: some(random, &[5, 20, 60]),
                trims: 0,
                flushes: some(random, &[0, 2, 10, 30]),
                capacity,
                hot: hot..capacity.min(hot + capacity / 6 + 1),
                usual: 3000,
                longest: 0,
                aligned: &[1, 512, 512, 1024, 4096],
            },
            ends: some(random, &[0, 1, 4, 12]),
            kills: some(random, &[0, 0, 3, 10]),
            disk: some(random, &[0, 0, 0, 2]),
            full: some(random, &[0, 0, 1, 3]),
            damage: some(random, &[0, 0, 4, 10]),
            calls: 0,
        };
        any.requests.longest = [1500, 6000, 20_000, capacity][random.usize(..4)];
        any.calls = [4, 20, 100, 400][random.usize(..4)];
        match theme {
            Theme::Ram => any.requests.longest = 20_000,
            Theme::Wear => any.requests.writes = 200,
            _ => {}
        }
        any.requests.trims = any.requests.writes / 10;
        let (none, few) = (0, some(random, &[1, 2, 4]));
        match theme {
            Theme::Any => any,
            Theme::Calm => Self {
                kills: none,
                disk: none,
                full: none,
                damage: none,
                ..any
            },
            Theme::Ram => Self {
                disk: none,
                full: few,
                damage: none,
                ..any
            },
            Theme::Wear => Self {
                disk: none,
                full: none,
                damage: none,
                ..any
            },
            Theme::Damage => Self {
                ends: 4 * few,
                damage: 10,
                full: none,
                disk: none,
                ..any
            },
            Theme::Disk => Self {
                full: few,
                disk: few,
                damage: none,
                ..any
            },
            Theme::Crashes => Self {
                ends: 3 * few,
                kills: 3 * few,
                ..any
            },
        }
    }

    fn add(&self, events: &mut Vec<Event>, random: &mut Rng, request: u32) {
        let rates = [
            self.requests.rate(),
            self.ends,
            self.kills,
            self.disk,
            self.full,
            2,
        ];
        let mut drawn = random.u32(..rates.iter().sum::<u32>());
        if drawn < self.requests.rate() {
            let drawn = self.requests.drawn(drawn, random);
            events.push(Event::Request(request, drawn));
            return;
        }
        let kind = rates.iter().position(|rate| {
            let is_it = drawn < *rate;
            drawn = drawn.saturating_sub(*rate);
            is_it
        });
        match kind {
            Some(1) => self.end(events, random),
            Some(2) => events.push(if random.bool() {
                Event::KillAfter(random.u64(..self.calls))
            } else {
                Event::CrashAfter(random.u64(..self.calls), random.u64(..))
            }),
            Some(3) => events.push(match random.u8(..3) {
                0 => Event::FailWrite(random.u64(..self.calls)),
                1 => Event::FailRead(random.u64(..self.calls)),
                _ => Event::FailSync(random.u64(..self.calls / 4)),
            }),
            Some(4) => events.push(match random.u8(..3) {
                0 => Event::Room,
                _ => Event::Full(random.u64(..self.calls)),
            }),
            _ => events.push(match random.u8(..4) {
                0 => Event::Check,
                1 => Event::Request(request, Request::Drain),
                _ => Event::ReadAll,
            }),
        }
    }

    /// The drive ends in one of the ways, and something may happen to its file.
    fn end(&self, events: &mut Vec<Event>, random: &mut Rng) {
        events.push(match random.u8(..5) {
            0 => Event::Close,
            1 => Event::LosePower,
            2 | 3 => Event::Kill,
            _ => Event::Crash(random.u64(..)),
        });
        if random.u32(..12) < self.damage {
            events.push(Event::Damage(damage(random)));
        }
        if random.u8(..6) == 0 {
            events.push(Event::Look);
        }
        // the opening that follows
        if random.u32(..20) < self.kills {
            events.push(if random.bool() {
                Event::KillAfter(random.u64(..12))
            } else {
                Event::CrashAfter(random.u64(..12), random.u64(..))
            });
        }
    }
}

fn damage(random: &mut Rng) -> Damage {
    use ImagePart::*;
    let parts = [
        Anywhere,
        Header,
        Mark,
        Mark,
        Marks,
        Configuration,
        Blocks,
        Blocks,
        Spares,
        Spares,
        Records,
        Mirror,
        Mirror,
        Mirror,
        Data,
        Data,
        Head,
        Tail,
        Tail,
    ];
    Damage {
        part: parts[random.usize(..parts.len())],
        place: random.u64(..),
        how: match random.u8(..8) {
            0..4 => DamageKind::Flip,
            4..7 => DamageKind::Zero([8, 32, 64, 512, 512, 4096][random.usize(..6)]),
            _ => DamageKind::Misplace([32, 64, 512][random.usize(..3)]),
        },
    }
}
