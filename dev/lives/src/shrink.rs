//! Makes a life that breaks a promise as short as it can be.

use std::time::{Duration, Instant};

use crate::event::Event;
use crate::plan::{Broken, Plan, Seen};
use crate::run::{RETURNS, lived};

/// The longest that shrinking takes.
const LONGEST: Duration = Duration::from_secs(30);

/// A shorter life that breaks the same promise.
pub fn shrink(plan: &Plan, broken: &Broken) -> (Plan, Broken) {
    let mut shrinker = Shrinker {
        plan: plan.clone(),
        broken: broken.clone(),
        until: Instant::now() + LONGEST,
    };
    shrinker.plan.events.truncate(broken.event + 1);
    if broken.promise == RETURNS {
        // each try would leave a thread that does not end
        return (shrinker.plan, shrinker.broken);
    }
    while shrinker.has_time()
        && (shrinker.drop_events() | shrinker.drop_settings() | shrinker.simplify())
    {}
    (shrinker.plan, shrinker.broken)
}

struct Shrinker {
    plan: Plan,
    broken: Broken,
    until: Instant,
}

impl Shrinker {
    fn has_time(&self) -> bool {
        Instant::now() < self.until
    }

    /// Takes a plan if it breaks the same promise.
    fn take(&mut self, plan: Plan) -> bool {
        if !self.has_time() {
            return false;
        }
        match lived(&plan, &mut Seen::new()) {
            Err(broken) if broken.promise == self.broken.promise => {
                self.plan = plan;
                self.broken = broken;
                true
            }
            _ => false,
        }
    }

    /// Leaves events out, many at first.
    fn drop_events(&mut self) -> bool {
        let mut shorter = false;
        let mut length = self.plan.events.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < self.plan.events.len() {
                let mut plan = self.plan.clone();
                let end = (at + length).min(plan.events.len());
                plan.events.drain(at..end);
                if self.take(plan) {
                    shorter = true;
                } else {
                    at = end;
                }
            }
            if length == 1 {
                return shorter;
            }
            length = length.div_ceil(2);
        }
    }

    /// Leaves settings out. The defaults are those of a large drive, so that its shape stays.
    fn drop_settings(&mut self) -> bool {
        let mut shorter = false;
        let mut at = 0;
        while at < self.plan.settings.len() {
            let mut plan = self.plan.clone();
            let setting = plan.settings.remove(at);
            if !setting.starts_with("flash.") && self.take(plan) {
                shorter = true;
            } else {
                at += 1;
            }
        }
        if self.plan.is_memory {
            let plan = Plan {
                is_memory: false,
                ..self.plan.clone()
            };
            shorter |= self.take(plan);
        }
        shorter
    }

    /// Makes requests smaller and things happen sooner.
    fn simplify(&mut self) -> bool {
        let mut simpler = false;
        for at in 0..self.plan.events.len() {
            for event in simpler_than(&self.plan.events[at]) {
                let mut plan = self.plan.clone();
                plan.events[at] = event;
                if self.take(plan) {
                    simpler = true;
                    break;
                }
            }
        }
        simpler
    }
}

fn simpler_than(event: &Event) -> Vec<Event> {
    match *event {
        Event::Request(number, request) => {
            let (at, length) = request.range().unwrap_or_default();
            let same = |at, length| Event::Request(number, request.with_range(at, length));
            let shorter = [512, length / 2, length / 512 * 512].into_iter();
            let shorter = shorter.filter(|new| (1..length).contains(new));
            let aligned = at / 512 * 512;
            let earlier = (aligned < at).then(|| same(aligned, length));
            shorter
                .map(|length| same(at, length))
                .chain(earlier)
                .collect()
        }
        Event::KillAfter(calls) if calls > 0 => {
            vec![Event::KillAfter(calls / 2), Event::KillAfter(calls - 1)]
        }
        Event::CrashAfter(calls, seed) => {
            let mut all = vec![Event::KillAfter(calls)];
            if calls > 0 {
                all.push(Event::CrashAfter(calls / 2, seed));
                all.push(Event::CrashAfter(calls - 1, seed));
            }
            all
        }
        Event::Crash(_) => vec![Event::Kill],
        Event::Full(writes) if writes > 0 => vec![
            Event::Full(0),
            Event::Full(writes / 2),
            Event::Full(writes - 1),
        ],
        _ => Vec::new(),
    }
}
