//! `ssdlab replay` against images, servers, files and a device of the kernel.
//!
//! Planted bugs that these tests catch: a drive that counts otherwise than a run; data of a file that are lost without
//! permission; a target that is no target; a server that lies.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::Value;

use crate::common::{Lab, binary, json, keys, skipped};
use crate::serve;

/// Requests of a few sectors, which touch parts of pages, with reads, flushes and discards.
fn trace() -> String {
    let mut random = fastrand::Rng::with_seed(3);
    let mut lines = String::from("time_ns,op,offset_bytes,size_bytes\n");
    for request in 0..2000 {
        let first = random.u64(..2040);
        let (offset, size) = (first * 512, random.u64(1..8) * 512);
        let line = match random.u32(..40) {
            0 => "F,0,0".to_owned(),
            1..4 => format!("D,{offset},{size}"),
            4..10 => format!("R,{offset},{size}"),
            _ => format!("W,{offset},{size}"),
        };
        lines.push_str(&format!("{},{line}\n", request * 1000));
    }
    lines
}

const DRIVES: [&[&str]; 3] = [
    &[],
    &["buffer.policy=bplru", "ftl.kind=bast", "ftl.log_blocks=4"],
    &["buffer.policy=none", "ftl.pace=paced"],
];

#[test]
fn a_drive_does_what_a_run_simulates() {
    for settings in DRIVES {
        let lab = serve::lab(settings);
        lab.write("t.csv", trace());
        let mut simulated = lab.json(&serve::with(
            "run --json --config small.toml --set drain=true t.csv",
            settings,
        ));
        let mut replayed = lab.json("replay --json --verify --no-sync t.csv d.img");
        // the flush at the end is the drain of a run; times are those of the wall clock
        for counters in [&mut simulated, &mut replayed] {
            let counters = counters["counters"].as_object_mut().expect("counters");
            counters.remove("elapsed_ns");
            counters.remove("host_discard_bytes");
        }
        let [simulated, replayed] = [&simulated["counters"], &replayed["counters"]];
        let differ: Vec<&str> = keys(simulated)
            .into_iter()
            .filter(|&key| simulated[key] != replayed[key])
            .collect();
        assert!(
            differ.is_empty(),
            "{settings:?}: {differ:?}: {simulated} {replayed}"
        );
    }
}

#[track_caller]
fn is_verified(report: &Value) {
    for bytes in ["read_bytes", "end_bytes"] {
        assert!(
            report["verified"][bytes].as_u64() > Some(100_000),
            "{report}"
        );
    }
}

#[test]
fn servers_keep_the_data() {
    let lab = serve::lab(&[]);
    lab.write("t.csv", trace());
    let replay = |more: &str| {
        format!(
            "{} replay --json --verify {more} t.csv \"$uri\"",
            binary().display()
        )
    };
    for more in ["", "--queue-depth 32", "--timed --speedup 2"] {
        let script = replay(more);
        let served = serve::serve(&lab, &["--no-sync", "--run", &script])
            .output()
            .expect("it runs");
        assert!(
            served.status.success(),
            "{}",
            String::from_utf8_lossy(&served.stderr)
        );
        let report = json(&String::from_utf8_lossy(&served.stdout));
        is_verified(&report);
        assert_eq!(report["target"]["kind"], "nbd");
        assert_eq!(report["trace"]["requests"], 2000);
    }
    // no server of this project; one of before 2016 knows no sizes of requests
    for server in [
        "memory 1M",
        "--mask-handshake=0 memory 1M",
        "--filter=blocksize-policy memory 1M blocksize-minimum=512",
    ] {
        let script = format!("nbdkit -U - {server} --run '{}'", replay("--queue-depth 8"));
        is_verified(&json(&lab.shell(&script).success()));
    }
    let named = format!(
        "nbdkit -U - memory 1M --run '{} replay t.csv $unixsocket --wrap --limit 5'",
        binary().display()
    );
    assert!(lab.shell(&named).success().contains("nbd of 1 MiB"));
}

#[test]
fn files_keep_their_data_without_permission() {
    let lab = Lab::new();
    lab.write("t.csv", trace());
    lab.write("raw", vec![7; 1 << 20]);
    lab.refused_in_a_line(
        "replay t.csv raw",
        &["raw is a plain file, whose data a replay overwrites; --destroy allows that"],
    );
    assert!(
        fs::read(lab.path("raw"))
            .expect("a file")
            .iter()
            .all(|&byte| byte == 7)
    );
    is_verified(
        &lab.json("replay t.csv raw --destroy --verify --queue-depth 4 --json --latencies l.csv"),
    );
    assert!(
        fs::read(lab.path("raw"))
            .expect("a file")
            .iter()
            .any(|&byte| byte != 7)
    );
    assert_eq!(lab.read("l.csv").lines().count(), 2001);
    lab.write("empty", "");
    lab.refused_in_a_line("replay t.csv empty --destroy", &["empty is empty"]);
    lab.refused_in_a_line("replay t.csv raw --destroy --latencies raw", &["raw"]);
    lab.refused_in_a_line(
        "replay t.csv /dev/null",
        &["/dev/null: a trace can be replayed against a block device"],
    );
}

#[test]
fn what_is_no_server_is_told() {
    let lab = Lab::new();
    lab.write("t.csv", trace());
    let told = |target: &str| {
        let end = lab.run(&["replay", "t.csv", target]);
        assert_eq!(end.code, Some(1), "{}", end.stderr);
        end.stderr
    };
    assert!(told("nowhere").contains("error: nowhere: cannot be opened: No such file"));
    assert!(told("nbd+unix://").contains("the address names no socket"));
    assert!(told("nbd://:1/x").contains("the address names no host"));
    assert!(told("nbd://localhost:x").contains("the port is not a number up to 65535"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("nbd://{}", listener.local_addr().expect("an address"));
    let speaks = [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "the server does not speak NBD: it sent another greeting"),
        (b"NBDMAGIC", "cannot be reached"),
        // an export of 4096 bytes, and a reply to no request
        (
            b"NBDMAGICIHAVEOPT\0\x02\0\0\0\0\0\0\x10\0\0\x01\x67\x44\x66\x98\0\0\0\0\0\0\0\0\0\0\0\x09",
            "it sent a reply to no request",
        ),
    ];
    let server = thread::spawn(move || {
        for (words, _) in speaks {
            let (mut client, _) = listener.accept().expect("a client");
            client.write_all(words).expect("it is taken");
            let _ = client.shutdown(std::net::Shutdown::Write);
            let _ = client.read_to_end(&mut Vec::new());
        }
    });
    for (_, message) in speaks {
        let end = lab.run(&["replay", "t.csv", &address, "--wrap", "--limit", "20"]);
        assert!(
            end.code == Some(1) && end.stderr.contains(message),
            "{}",
            end.stderr
        );
    }
    server.join().expect("no panic");
}

#[test]
fn a_device_of_the_kernel_keeps_the_data() {
    let lab = Lab::new();
    lab.write("t.csv", trace());
    lab.write("raw", vec![7; 1 << 20]);
    let made = lab.shell("losetup --find --show raw");
    if made.code != Some(0) {
        return skipped("a replay against a loop device", made.stderr.trim());
    }
    let device = made.stdout.trim();
    let refused = lab.run(&["replay", "t.csv", device]);
    let done = lab.run(&[
        "replay",
        "t.csv",
        device,
        "--destroy",
        "--verify",
        "--queue-depth",
        "4",
        "--json",
    ]);
    lab.shell(&format!("losetup --detach {device}")).success();
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!(
        "{device} is a block device, whose data a replay overwrites"
    )));
    let report = json(&done.success());
    is_verified(&report);
    assert_eq!(report["target"]["kind"], "device");
}
