//! `ssdlab sweep`.
//!
//! Planted bugs that these catch: a part that appears before it is complete; rows that depend on the workers; a task of
//! Slurm without its share; a table that mixes columns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Lab, binary, in_repository, listening, skipped, until};

/// Small traces, so that a part is written every few milliseconds.
const PLAN: &str = r#"
traces = [{ generate = "zipf --requests 1500 --capacity 4MiB", seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20] }]
[device]
flash.page_size = 4096
flash.capacity = "16MiB"
[axes]
buffer.policy = ["lru", "bplru"]
ftl.kind = ["bast", "page"]
"#;

/// The parts of a folder: names and bytes.
fn parts(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeMap::new();
    };
    let named = entries.map(|entry| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), entry.path())
    });
    let parts = named.filter(|(name, _)| name.starts_with("part-"));
    parts
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// A lab with the plan, and the parts that an undisturbed run makes.
fn lab() -> (Lab, BTreeMap<String, Vec<u8>>) {
    let lab = Lab::new();
    lab.write("plan.toml", PLAN);
    lab.ok("sweep run plan.toml --out whole --jobs 1");
    let whole = parts(&lab.path("whole"));
    assert_eq!(whole.len(), 20);
    (lab, whole)
}

fn spawn(lab: &Lab, args: &str) -> Child {
    let mut command = listening();
    command.args(args.split(' ')).current_dir(lab.path(""));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

#[test]
fn kills_at_any_moment_lose_and_double_nothing() {
    let (lab, whole) = lab();
    let args = "sweep run plan.toml --out killed --jobs 2";
    let folder = lab.path("killed");
    let names = || -> BTreeSet<_> {
        let entries = fs::read_dir(&folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    for round in 1.. {
        let before = names();
        let mut run = spawn(&lab, args);
        // as soon as one to four further files are there, complete or not; without a pause, since that passes quickly
        let reached = || names().difference(&before).count() > round % 4;
        while !reached() && run.try_wait().unwrap().is_none() {}
        run.kill().unwrap();
        run.wait().unwrap();
        let now = parts(&folder);
        // whatever has its name is whole
        assert!(now.iter().all(|(name, bytes)| whole[name] == *bytes));
        if now.len() == whole.len() {
            assert!(round > 4, "{round} kills");
            break;
        }
    }
    lab.ok(args);
    assert!(parts(&folder) == whole);
    let rows = lab.ok("sweep merge plan.toml --out killed -o -");
    assert_eq!(rows, lab.ok("sweep merge plan.toml --out whole -o -"));
    assert_eq!(rows.lines().count(), 81);
}

#[test]
fn any_number_of_workers_makes_the_same_parts() {
    let (lab, whole) = lab();
    for all in [1, 2, 4] {
        let plan = format!("sweep plan plan.toml --out shared-{all}");
        lab.ok(&plan);
        let workers: Vec<Child> = (1..=all)
            .map(|number| {
                spawn(
                    &lab,
                    &format!("sweep work plan.toml --out shared-{all} --shard {number}/{all}"),
                )
            })
            .collect();
        for mut worker in workers {
            assert!(worker.wait().unwrap().success());
        }
        assert!(parts(&lab.path(&format!("shared-{all}"))) == whole);
    }
    // two that do the same at the same time
    let twins: Vec<Child> = (0..2)
        .map(|_| spawn(&lab, "sweep run plan.toml --out twins --jobs 1"))
        .collect();
    for mut twin in twins {
        assert!(twin.wait().unwrap().success());
    }
    assert!(parts(&lab.path("twins")) == whole);
}

#[test]
fn signals_end_after_a_part_or_at_once() {
    let (lab, whole) = lab();
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let folder = lab.path(signal);
        let mut run = spawn(
            &lab,
            &format!("sweep run plan.toml --out {signal} --jobs 1"),
        );
        until("a first part", || !parts(&folder).is_empty());
        let kill = Command::new("kill")
            .args([format!("-{signal}"), run.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        let ended = run.wait().unwrap().code();
        let now = parts(&folder);
        // it may have been at its last part
        assert!(ended == Some(code) || now.len() == whole.len(), "{ended:?}");
        assert!(now.iter().all(|(name, bytes)| whole[name] == *bytes));
        let left = fs::read_dir(&folder).unwrap();
        let left = left.filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .ends_with(".unfinished")
        });
        assert_eq!(left.count(), 0);
        lab.ok(&format!("sweep run plan.toml --out {signal}"));
        assert!(parts(&folder) == whole);
    }
}

// planted bugs: a part that is not compared; a difference that ends with 0
#[test]
fn a_part_that_cannot_be_made_again_is_an_error() {
    let (lab, _) = lab();
    let same = lab.ok("sweep verify plan.toml --out whole --parts 99");
    assert_eq!(
        same,
        "20 of 20 parts, with 80 runs, are the same byte by byte\n"
    );
    assert!(
        lab.ok("sweep verify plan.toml --out whole")
            .starts_with("3 of 20 parts, with 12 runs")
    );
    // a part of another trace under its name
    let paths: Vec<_> = parts(&lab.path("whole")).into_keys().collect();
    let [one, other] = [&paths[0], &paths[1]].map(|name| lab.path("whole").join(name));
    fs::copy(one, other).unwrap();
    let ended = lab.run("sweep verify plan.toml --out whole --parts 20 --jobs 2");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    let says = format!("{}: has the rows of another part", paths[1]);
    assert!(ended.stderr.contains(&says), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("1 of 20 parts are not the same again"),
        "{}",
        ended.stderr
    );
    lab.refused(
        "sweep verify plan.toml --out none",
        &["none: has no planned sweep; plan it first"],
    );
}

#[test]
fn a_plan_is_explained_before_anything_runs() {
    let lab = Lab::new();
    lab.write("plan.toml", PLAN);
    let plan = lab.json("sweep plan plan.toml --json");
    assert_eq!(
        (&plan["runs"], &plan["shards"], &plan["configurations"]),
        (&80.into(), &20.into(), &4.into())
    );
    assert!(plan["core_seconds"].as_f64().unwrap() > 0.0);
    assert!(plan["memory_bytes"].as_u64().unwrap() > 1500 * 24);
    let text = lab.ok("sweep plan plan.toml");
    assert!(text.contains("runs           80\n"), "{text}");
    assert_eq!(lab.files(), ["plan.toml"]);
    lab.write("wrong.toml", PLAN.replace("\"page\"", "\"pages\""));
    lab.refused(
        "sweep plan wrong.toml",
        &[
            "buffer.policy = \"lru\", ftl.kind = \"pages\"",
            "must be one of",
            "[[without]]",
        ],
    );
    lab.refused("sweep run wrong.toml --out x", &["must be one of"]);
    lab.refused(
        "sweep status plan.toml",
        &["plan.parts: has no planned sweep; plan it first"],
    );
    lab.refused(
        "sweep work plan.toml --shard 3/2",
        &["must be two numbers, the first from 1 to the second"],
    );
    lab.refused(
        "sweep work plan.toml --shard 1/2",
        &["has no planned sweep"],
    );
    lab.refused(
        "sweep merge plan.toml -o x.txt",
        &["--output x.txt: must end in .parquet or .csv, or be -"],
    );
    lab.refused("sweep plan no.toml", &["no.toml: cannot be read"]);
}

#[test]
fn the_command_of_a_row_repeats_it() {
    let lab = Lab::new();
    let trace = in_repository("traces/w9-ext3-postmark-1000.csv.zst");
    fs::copy(trace, lab.path("w9.csv.zst")).unwrap();
    lab.write("plan.toml", r#"
        traces = [{ file = "w9*", drop-flushes = true, limit = 3000, licence = "CC0-1.0" }, { generate = "uniform --requests 900" }]
        preset = "bplru-2008"
        repeat = 2
        [axes]
        buffer.size = ["1MiB", "4MiB"]
    "#);
    lab.ok("sweep run plan.toml");
    lab.ok("sweep merge plan.toml -o all.csv");
    let mut reader = csv::Reader::from_path(lab.path("all.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|known| known == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let command = row[at("command")]
            .replace("ssdlab run", "ssdlab run --json")
            .replace("ssdlab", "\"$0\"");
        let again = lab.shell(&command).success();
        let again: serde_json::Value = serde_json::from_str(&again).unwrap();
        for counter in [
            "erases",
            "flash_programs",
            "buffer_write_hits",
            "elapsed_ns",
        ] {
            assert_eq!(
                again["counters"][counter].to_string(),
                row[at(counter)],
                "{command}"
            );
        }
        let waf: f64 = row[at("waf")].parse().unwrap();
        assert_eq!(again["derived"]["waf"].as_f64(), Some(waf));
        let licence = if command.contains("generate") {
            ""
        } else {
            "CC0-1.0"
        };
        assert_eq!(&row[at("trace_licence")], licence);
    }
    lab.refused(
        "sweep merge plan.toml -o plan.parts/all.parquet",
        &["would read each row twice"],
    );
}

/// Daemons of Slurm for one machine, ended when this is dropped.
struct Cluster {
    daemons: Vec<Child>,
    config: std::path::PathBuf,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

impl Cluster {
    fn start(lab: &Lab) -> Result<Self, String> {
        let root = Command::new("id")
            .arg("-u")
            .output()
            .map_err(|error| error.to_string())?;
        if root.stdout != b"0\n" {
            return Err("slurmd needs root".into());
        }
        for folder in ["state", "spool"] {
            fs::create_dir(lab.path(folder)).unwrap();
        }
        let at = lab.path("").display().to_string();
        let port = || {
            std::net::TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port()
        };
        let config = format!(
            "ClusterName=one\nSlurmctldHost=localhost\nAuthType=auth/none\nCredType=cred/none\nSlurmUser=root\nSlurmdUser=root\n\
             StateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool\nSlurmctldPidFile={at}/ctld.pid\nSlurmdPidFile={at}/d.pid\n\
             SlurmctldPort={}\nSlurmdPort={}\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSchedulerType=sched/builtin\nSchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nMaxArraySize=8\nMpiDefault=none\nSwitchType=switch/none\n\
             ReturnToService=2\nNodeName=localhost CPUs=2 RealMemory=4000 State=UNKNOWN\n\
             PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP\n",
            port(),
            port()
        );
        lab.write("slurm.conf", config);
        let config = lab.path("slurm.conf");
        let daemon = |name: &str, options: &[&str]| {
            let mut command = Command::new(name);
            command
                .arg("-D")
                .arg("-f")
                .arg(&config)
                .args(options)
                .env("SLURM_CONF", &config);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().map_err(|error| format!("{name}: {error}"))
        };
        let mut cluster = Self {
            daemons: vec![daemon("/usr/sbin/slurmctld", &[])?],
            config: config.clone(),
        };
        cluster
            .daemons
            .push(daemon("/usr/sbin/slurmd", &["-N", "localhost"])?);
        until("a node that is idle", || {
            cluster
                .run("sinfo", &["-h", "-o", "%t"])
                .starts_with("idle")
        });
        Ok(cluster)
    }

    fn run(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(program)
            .args(args)
            .env("SLURM_CONF", &self.config)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

#[test]
fn slurm_makes_the_same_parts() {
    let (lab, whole) = lab();
    let cluster = match Cluster::start(&lab) {
        Ok(cluster) => cluster,
        Err(why) => return skipped("a sweep on Slurm", &why),
    };
    let mut write = lab.command(&[
        "sweep",
        "slurm",
        "plan.toml",
        "--out",
        "slurm",
        "-o",
        "job.sh",
        "--tasks",
        "10",
        "--program",
        &binary().display().to_string(),
    ]);
    let output = write.env("SLURM_CONF", &cluster.config).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // MaxArraySize is 8
    let script = lab.read("job.sh");
    let submits: Vec<&str> = script
        .lines()
        .filter(|line| line.starts_with("submit "))
        .collect();
    assert_eq!(submits, ["submit 0 7", "submit 8 1"]);
    let mut submit = Command::new("sh");
    let submitted = submit
        .arg(lab.path("job.sh"))
        .env("SLURM_CONF", &cluster.config)
        .output()
        .unwrap();
    assert!(
        submitted.status.success(),
        "{}",
        String::from_utf8_lossy(&submitted.stderr)
    );
    assert_eq!(
        String::from_utf8_lossy(&submitted.stdout).lines().count(),
        2
    );
    // a task takes a second or two, however little it does
    let started = Instant::now();
    while parts(&lab.path("slurm")).len() < whole.len() {
        let log = cluster.run("squeue", &[]);
        assert!(started.elapsed() < Duration::from_secs(180), "{log}");
        sleep(Duration::from_millis(100));
    }
    assert!(parts(&lab.path("slurm")) == whole);
}

#[test]
fn a_failed_submission_ends_the_script() {
    let (lab, _) = lab();
    lab.ok(
        "sweep slurm plan.toml --out out -o job.sh --array 8 --sbatch=--partition=short --tasks 20",
    );
    for (sbatch, says) in [
        ("exit 3", "sbatch failed with exit code 3"),
        (":", "sbatch named no job"),
    ] {
        let stub = format!(
            "mkdir -p bin && printf '#!/bin/sh\\ncat > /dev/null\\n{sbatch}\\n' > bin/sbatch && chmod +x bin/sbatch && PATH=$PWD/bin:$PATH sh job.sh"
        );
        let ended = lab.shell(&stub);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
        assert!(
            ended
                .stderr
                .contains("the tasks from 1 on are not submitted"),
            "{}",
            ended.stderr
        );
    }
}
