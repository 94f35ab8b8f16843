use ssdlab_sweep::{Slurm, chosen, most_of_array};

use super::{PLAN, Place};

// planted bugs: a run in two shards; the last runs of a trace in none; a worker whose share overlaps the next
#[test]
fn every_run_is_in_one_shard_and_every_shard_of_one_worker() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for shard in &sweep.shards {
        runs.extend(shard.runs.iter().map(|run| (shard.trace, *run)));
    }
    runs.sort_unstable();
    let expected: Vec<_> = (0..5)
        .flat_map(|trace| (0..5).map(move |run| (trace, run)))
        .collect();
    assert_eq!(runs, expected);
    for all in 1..9 {
        let shares = (1..=all).flat_map(|number| chosen(&sweep.shards, number, all));
        assert_eq!(
            shares.collect::<Vec<_>>(),
            (0..sweep.shards.len()).collect::<Vec<_>>()
        );
    }
}

// planted bugs: a name that does not depend on the version, on the trace or on a value
#[test]
fn names_of_parts_are_made_of_their_content() {
    let place = Place::new();
    let names = |plan: &str, version: &str| -> Vec<String> {
        let lab = ssdlab_sim::Lab::new();
        let planned = ssdlab_sweep::Planned::of("x", plan.into(), place.path(), &lab, version);
        let sweep = planned.unwrap().sweep(None, 1, || ()).unwrap();
        sweep.shards.into_iter().map(|shard| shard.name).collect()
    };
    let first = names(PLAN, "1");
    assert_eq!(first, names(&format!("# a comment\n{PLAN}"), "1"));
    let differ = |other: Vec<String>| assert!(first.iter().all(|name| !other.contains(name)));
    differ(names(PLAN, "2"));
    differ(names(&PLAN.replace("\"fab\"", "\"fifo\""), "1"));
    differ(names(&format!("repeat = 2\n{PLAN}"), "1"));
    std::fs::write(
        place.path().join("a.csv"),
        "time_ns,op,offset_bytes,size_bytes\n0,W,0,1\n",
    )
    .unwrap();
    let other = names(PLAN, "1");
    assert_eq!(other.iter().filter(|name| !first.contains(name)).count(), 1);
}

// planted bugs: an array with an index above the most; tasks that no array has
#[test]
fn arrays_have_all_tasks_and_no_index_above_the_most() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let slurm = Slurm {
        program: vec!["ssdlab".into()],
        plan: "/a plan/sweep.toml".into(),
        folder: "/out".into(),
        tasks: 0,
        most: 2,
        cpus: 1,
        options: vec!["--partition=short".into()],
        margin: 4.0,
    };
    let script = slurm.script(&sweep, &sweep.explain().unwrap()).unwrap();
    let broken = Slurm {
        folder: "/sweeps/a\nTASK\ntouch b".into(),
        ..slurm.clone()
    };
    let why = broken
        .script(&sweep, &sweep.explain().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        why.contains(r"/sweeps/a\nTASK\ntouch b: a script for Slurm takes no control characters"),
        "{why}"
    );
    let submitted: Vec<&str> = script
        .lines()
        .filter(|line| line.starts_with("submit "))
        .collect();
    assert_eq!(submitted, ["submit 0 1", "submit 2 1", "submit 4 0"]);
    assert!(
        script.contains("'/a plan/sweep.toml' --out /out --jobs 1 --shard \"$task\"/5"),
        "{script}"
    );
    assert!(script.contains("\n#SBATCH --partition=short\n"));
    let shown = "Configuration data as of now\nMaxArraySize            = 1001\nMaxJobCount = 10\n";
    assert_eq!(most_of_array(shown), Some(1001));
    assert_eq!(most_of_array("nothing"), None);
}

// planted bugs: an estimate that ignores where writes go; one that ignores clocks, replays or ageing
#[test]
fn what_takes_longer_costs_more() {
    let place = Place::new();
    for (name, step) in [("near", 1_u64), ("far", 7_919)] {
        let lines =
            (0..20_000_u64).map(|at| format!("{at},W,{},4096\n", at * step % 16_384 * 4096));
        let text = "time_ns,op,offset_bytes,size_bytes\n".to_owned() + &lines.collect::<String>();
        std::fs::write(place.path().join(format!("{name}.csv")), text).unwrap();
    }
    let cost = |trace: &str, settings: &str| -> f64 {
        let plan = format!(
            "traces = [\"{trace}.csv\"]\n{settings}\n[axes]\nftl.kind = [\"bast\"]\nbuffer.policy = [\"none\"]\n"
        );
        let sweep = place.sweep(&plan);
        sweep.shards.iter().map(|shard| shard.cost).sum()
    };
    let near = cost("near", "");
    assert!(cost("far", "") > 1.5 * near);
    assert!(cost("near", "repeat = 10") > 5.0 * near);
    assert!(cost("near", "device.timing.model = \"parallel\"") > 1.2 * near);
    assert!(cost("near", "device.precondition = \"random:1\"") > 1.5 * near);
}
