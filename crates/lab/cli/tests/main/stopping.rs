//! The end of a server whose clients stay.
//!
//! Planted bugs that these catch: a client that holds the server for ever; an image that is left open; a request in hand
//! that is cut; a trace or counters without their end; an exit code that is not that of the close, or of the command.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Lab, ended, until};
use crate::nbd::{Nbd, READ, WRITE};
use crate::serve::{
    CAPACITY, PAGE, Server, is_whole, lab, nbdkit, serve, until_gone, while_served,
};

const CLOCKS: [&str; 2] = ["timing.model=parallel", "timing.program_us=2000"];

/// Whether a range of the image is full of a value.
#[track_caller]
fn holds(lab: &Lab, offset: usize, length: usize, value: u8) {
    let read = format!("qemu-io -r -f raw $uri -c 'read -q -P {value} {offset} {length}'");
    assert_eq!(while_served(lab, &[], &read), "");
}

/// Ends a server, and looks whether that takes as long as the clients are given.
#[track_caller]
fn ends_after(mut server: Server, grace: u64) -> String {
    let start = Instant::now();
    server.signal(Signal::TERM);
    // a second one changes nothing
    server.signal(Signal::TERM);
    let ended = server.ends_within(Duration::from_secs(grace + 60));
    let took = start.elapsed();
    let (code, message) = server.wait();
    assert!(
        ended && took >= Duration::from_secs(grace),
        "{took:?}: {message}"
    );
    assert_eq!(code, 0, "{message}");
    message
}

#[test]
fn clients_that_stay_are_left() {
    let runs: [&[&str]; 3] = [
        &["--grace", "1"],
        &["--grace", "1", "--realtime", "--no-sync"],
        &["--grace", "0", "--threads", "8"],
    ];
    for (round, options) in (1..).zip(runs) {
        let lab = lab(&CLOCKS);
        let files = ["--record", "t.csv", "--counters", "c.json"];
        let server = Server::start(&lab, &[options, &files].concat());
        // one that never says a word, one that is idle, one that does not take what it asked for
        let silent = UnixStream::connect(lab.path("s")).expect("a server");
        let mut idle = Nbd::connect(&lab);
        let mut full = Nbd::connect(&lab);
        idle.write(0, CAPACITY / 2, round);
        for _ in 0..4 {
            full.send(READ, 0, CAPACITY);
        }
        // it is being answered
        full.reply().expect("a reply");
        let grace = options[1].parse().expect("a number");
        let message = ends_after(server, grace);
        let expected = format!("clients were still connected {grace} s after the signal");
        assert!(message.contains(&expected), "{message}");
        drop((silent, idle, full));
        is_whole(&lab);
        holds(&lab, 0, CAPACITY / 2, round);
        // all files have their end
        assert!(lab.read("t.csv").ends_with(",F,0,0\n"));
        let counters = lab.read_json("c.json");
        assert_eq!(counters["host_write_bytes"], CAPACITY / 2);
    }
}

#[test]
fn requests_after_the_signal_are_refused() {
    let lab = lab(&[]);
    let mut server = Server::start(&lab, &["--grace", "60"]);
    let mut client = Nbd::connect(&lab);
    server.signal(Signal::TERM);
    // until the signal has arrived; nbdkit may close the connection then
    let mut taken = 0;
    until("requests are served", || {
        let value = taken % 250 + 1;
        let request = [Nbd::request(WRITE, 0, PAGE), vec![value; PAGE]].concat();
        let sent = client.stream().write_all(&request);
        let is_taken = matches!(sent.and_then(|()| client.reply()), Ok((0, _)));
        taken = if is_taken { value } else { taken };
        !is_taken
    });
    // and nbdkit needs no limit, as the client knows
    assert!(server.ends_within(Duration::from_secs(20)));
    let (code, message) = server.wait();
    assert_eq!(code, 0, "{message}");
    assert!(!message.contains("still connected"), "{message}");
    is_whole(&lab);
    holds(&lab, 0, PAGE, taken);
}

#[test]
fn the_end_of_a_command_ends_what_it_leaves_connected() {
    let lab = lab(&[]);
    let script = "touch ready; until [ -e go ]; do sleep 0.01; done; exit 7";
    let options = ["--socket", "s", "--grace", "1", "--run", script];
    std::thread::scope(|scope| {
        let served = scope.spawn(|| ended(&mut serve(&lab, &options)));
        until("the command does not start", || lab.path("ready").exists());
        let mut client = Nbd::connect(&lab);
        client.write(0, PAGE, 3);
        let start = Instant::now();
        lab.write("go", "");
        let served = served.join().expect("it ends");
        assert_eq!(served.code, Some(7), "{}", served.stderr);
        assert!(start.elapsed() < Duration::from_secs(10));
    });
    is_whole(&lab);
    holds(&lab, 0, PAGE, 3);
}

// nbdkit alone, in the background, with the time that is the default
#[test]
fn nbdkit_alone_ends_too() {
    let lab = lab(&[]);
    let started = nbdkit(&lab, "--pidfile pid --unix s", &["d.img"]);
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let number = || fs::read_to_string(lab.path("pid")).unwrap_or_default();
    until("no daemon", || !number().is_empty());
    let pid = number().trim().parse().ok().and_then(Pid::from_raw);
    let pid = pid.expect("a number");
    let mut client = Nbd::connect(&lab);
    client.write(0, PAGE, 4);
    // it does not take what it asked for, so the server is not about to look whether it ends
    for _ in 0..4 {
        client.send(READ, 0, CAPACITY);
    }
    client.reply().expect("a reply");
    let start = Instant::now();
    kill_process(pid, Signal::TERM).expect("it runs");
    until_gone(pid);
    assert!(start.elapsed() >= Duration::from_secs(5));
    is_whole(&lab);
    holds(&lab, 0, PAGE, 4);
}
