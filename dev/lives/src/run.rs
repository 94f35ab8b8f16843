//! Many lives, one after the other or side by side.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::plan::{Broken, Plan, Seen};
use crate::shrink::shrink;

/// Lives, and what was seen in them.
#[derive(Debug, Default)]
pub struct Summary {
    /// The counts of all lives.
    pub seen: Seen,
    /// Of each promise that was broken, the first life that broke it, and how many did.
    pub broken: BTreeMap<&'static str, (Failure, u64)>,
}

/// A life that broke a promise.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its number.
    pub seed: u64,
    /// The promise.
    pub broken: Broken,
}

/// Which lives to try.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The first of the seeds.
    pub seed: u64,
    /// The most lives.
    pub lives: u64,
    /// When to stop.
    pub until: Option<Instant>,
    /// Threads side by side.
    pub threads: usize,
    /// Go on after a failure, to find one life for each promise.
    pub all: bool,
}

impl Search {
    /// Runs lives until a promise is broken, or as many as asked.
    pub fn run(&self) -> Summary {
        let summary = Mutex::new(Summary::default());
        let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| self.work(&summary, &next, &stop));
            }
        });
        summary.into_inner().expect("no thread panics")
    }

    fn work(&self, summary: &Mutex<Summary>, next: &AtomicU64, stop: &AtomicBool) {
        let mut seen = Seen::new();
        while !stop.load(Ordering::Relaxed) && self.until.is_none_or(|end| Instant::now() < end) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.lives {
                break;
            }
            let seed = self.seed.wrapping_add(number);
            let Err(broken) = lived(&Plan::of(seed), &mut seen) else {
                continue;
            };
            let mut summary = summary.lock().expect("no thread panics");
            let new = (Failure { seed, broken }, 0);
            let (_, count) = summary.broken.entry(new.0.broken.promise).or_insert(new);
            *count += 1;
            stop.store(!self.all, Ordering::Relaxed);
        }
        let mut summary = summary.lock().expect("no thread panics");
        add(&mut summary.seen, seen);
    }
}

/// A life that takes longer than this, thousands of times what it should, does not end.
const LONGEST: Duration = Duration::from_secs(120);

/// The promise that a life without end breaks. Its thread goes on.
pub const RETURNS: &str = "every call returns";

/// Lives a plan, in a thread of its own. One that panics or does not end breaks a promise as well.
///
/// # Errors
/// The first promise that is broken.
pub fn lived(plan: &Plan, seen: &mut Seen) -> Result<(), Broken> {
    note_panics();
    let (to, from) = mpsc::channel();
    let now = Arc::new(AtomicUsize::new(0));
    let (event, plan) = (Arc::clone(&now), plan.clone());
    thread::spawn(move || {
        let mut seen = Seen::new();
        let lived = watched(&plan, &mut seen, &event);
        // after the time limit nobody receives it
        let _ = to.send((lived, seen));
    });
    let Ok((lived, new)) = from.recv_timeout(LONGEST) else {
        return Err(Broken {
            promise: RETURNS,
            what: format!("not within {} seconds", LONGEST.as_secs()),
            event: now.load(Ordering::Relaxed),
        });
    };
    add(seen, new);
    lived
}

fn watched(plan: &Plan, seen: &mut Seen, now: &AtomicUsize) -> Result<(), Broken> {
    IN_LIFE.set(true);
    let lived = catch_unwind(AssertUnwindSafe(|| plan.live(seen, now)));
    lived.unwrap_or_else(|_| {
        Err(Broken {
            promise: "nothing panics",
            what: PANIC.take(),
            event: now.load(Ordering::Relaxed),
        })
    })
}

fn add(to: &mut Seen, counts: Seen) {
    for (what, count) in counts {
        *to.entry(what).or_default() += count;
    }
}

thread_local! {
    static IN_LIFE: Cell<bool> = const { Cell::new(false) };
    /// What the last panic of this thread said, and where.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic in a life is a failure like any other, and is reported later.
fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if IN_LIFE.get() {
                PANIC.set(panic.to_string());
            } else {
                others(panic);
            }
        }));
    });
}

impl Failure {
    /// The shortest life that breaks the same promise, as text.
    pub fn shrunk(&self) -> Shrunk {
        let (plan, broken) = shrink(&Plan::of(self.seed), &self.broken);
        Shrunk {
            seed: self.seed,
            plan,
            broken,
        }
    }
}

/// The commit of this code: with other code, a number may be that of another life.
fn code() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    let words = [
        "-C",
        folder,
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
    ];
    let said = Command::new("git").args(words).output();
    match said.ok().filter(|said| said.status.success()) {
        Some(said) => format!("commit {}", String::from_utf8_lossy(&said.stdout).trim()),
        None => format!("version {}", env!("CARGO_PKG_VERSION")),
    }
}

/// A life that was made as short as it can be.
pub struct Shrunk {
    /// The number of the life that it comes from.
    pub seed: u64,
    /// What is left of it.
    pub plan: Plan,
    /// The promise that it breaks.
    pub broken: Broken,
}

impl fmt::Display for Shrunk {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let Broken { promise, what, .. } = &self.broken;
        writeln!(to, "broken: {promise}")?;
        writeln!(to, "  {what}")?;
        writeln!(to, "  {}", self.plan.settings.join(" "))?;
        if self.plan.is_memory {
            writeln!(to, "  the file is memory")?;
        }
        for event in &self.plan.events {
            writeln!(to, "  {event:?}")?;
        }
        let seed = self.seed;
        write!(
            to,
            "again, with {}: cargo xtask lives --life {seed}",
            code()
        )
    }
}
