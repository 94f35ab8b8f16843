use super::*;

/// Spare blocks as few as possible: free blocks plus two frontiers plus one, with one frontier for all plus one.
const DEVICES: [Small; 7] = [
    Small(4, 4, "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4"),
    Small(
        4,
        4,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
    ),
    Small(
        4,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=fifo ftl.gc_frontier=shared",
    ),
    Small(
        6,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=jffs2 ftl.gc_frontier=shared",
    ),
    Small(3, 8, "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4"),
    Small(2, 8, "ftl.kind=page ftl.gc_low=2 ftl.spare_blocks=7"),
    Small(8, 1, "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4"),
];

#[test]
fn page_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

#[test]
fn page_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        Small(
            2,
            3,
            "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
        ),
        1000,
    );
}

/// One cut after the other, so soon that cleaning is never finished for long: what a mount wastes must not add up.
#[test]
fn page_survives_rows_of_cuts() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut longest = 0;
    for round in 0..1500 {
        let device = DEVICES[round % DEVICES.len()];
        let config = device.config("buffer.policy=none");
        let lose = round % 2 == 0;
        let mut cut = |most| Cut {
            at: random.u64(1..=most),
            in_flight: WAYS[random.usize(0..3)],
            lose: lose.then(|| random.u64(..)),
        };
        let scenario = Scenario {
            config: &config,
            requests: &requests(&config, round as u64),
            durable: if lose {
                Durable::OnFlush
            } else {
                Durable::OnReturn
            },
            cuts: [cut(300)]
                .into_iter()
                .chain((0..30).map(|_| cut(12)))
                .collect(),
        };
        let seen = scenario
            .run()
            .unwrap_or_else(|what| panic!("{what}, seed {round}"));
        longest = longest.max(seen.cuts);
    }
    assert!(longest > 25, "only {longest} cuts came");
}

#[test]
fn page_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
