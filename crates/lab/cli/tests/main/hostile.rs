//! The status page of a served drive under clients that mean harm: the drive serves on.
//!
//! Planted bugs that these catch: memory that a client orders; connections without a limit; a page that is gone after it
//! had no descriptor once; a name of a stranger.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, prlimit};

use crate::common::{Lab, peak_kib};
use crate::nbd::{Nbd, READ};
use crate::serve::{PAGE, Server, get, is_whole, lab};

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    let wait = Some(Duration::from_secs(20));
    stream.set_read_timeout(wait).expect("a time");
    stream
}

/// All that comes until the connection ends, which it must.
fn read(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => String::from_utf8(text).expect("text"),
    }
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).expect("a request");
    read(&mut stream)
}

/// The descriptors that a server has open.
fn descriptors(server: &Server) -> BTreeSet<u64> {
    let folder = format!("/proc/{}/fd", server.pid());
    let files = fs::read_dir(folder).expect("it runs");
    let names = files.map(|file| file.expect("it runs").file_name());
    names
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect()
}

/// The most memory that a server has had, in MiB.
fn peak(server: &Server) -> u64 {
    let process = server.pid().as_raw_pid();
    peak_kib(process.try_into().expect("a number")) / 1024
}

/// A client of a drive: writes a page anew, and looks whether that is there.
struct Host(Nbd, u8);

impl Host {
    fn connect(lab: &Lab) -> Self {
        Self(Nbd::connect(lab), 0)
    }

    #[track_caller]
    fn is_served(&mut self) {
        let Self(nbd, value) = self;
        *value = value.wrapping_add(1);
        nbd.write(PAGE as u64, PAGE, *value);
        nbd.send(READ, PAGE as u64, PAGE);
        assert_eq!(nbd.done(), PAGE as u64);
        assert_eq!(nbd.take(PAGE), [*value; PAGE]);
    }
}

/// Ends a server after its clients.
fn end(lab: &Lab, server: Server, host: Host) {
    drop(host);
    server.end();
    is_whole(lab);
}

#[test]
fn what_a_client_sends_takes_no_memory() {
    let lab = lab(&[]);
    let (server, address) = Server::with_status(&lab, &[]);
    let mut host = Host::connect(&lab);
    host.is_served();
    let before = peak(&server);
    let head = format!("GET / HTTP/1.1\r\nHost: {address}\r\n");
    for lines in [
        "Content-Length: 1000000000000000\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffff\r\n",
    ] {
        let answer = ask(&address, &format!("{head}{lines}"));
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        host.is_served();
    }
    // heads and bodies without an end: the server stops to listen, or ends the connection
    let body = "Content-Length: 1000000000000000\r\n\r\n";
    for begin in [format!("{head}A: "), format!("{head}{body}")] {
        let mut stream = connect(&address);
        stream.write_all(begin.as_bytes()).expect("a request");
        let wait = Some(Duration::from_secs(2));
        stream.set_write_timeout(wait).expect("a time");
        let part = vec![b'x'; 1 << 20];
        let parts = (0..64).take_while(|_| stream.write_all(&part).is_ok());
        let mib = parts.count();
        assert!(mib < 32, "{mib} MiB were taken");
        host.is_served();
        assert!(get(&address, "/metrics").contains("ssdlab_"));
    }
    let more = peak(&server) - before;
    assert!(more < 8, "{more} MiB more than {before} MiB");
    end(&lab, server, host);
}

#[test]
fn the_page_answers_beside_clients_that_hold_it() {
    let lab = lab(&[]);
    let (server, address) = Server::with_status(&lab, &[]);
    let mut host = Host::connect(&lab);
    let before = descriptors(&server).len();
    let mut clients: Vec<TcpStream> = Vec::new();
    let mut most = 0;
    for _ in 0..10 {
        clients.extend((0..20).map(|_| connect(&address)));
        for client in &mut clients {
            // it may have been left
            let _ = client.write_all(b"G");
        }
        most = most.max(descriptors(&server).len());
        let start = Instant::now();
        assert!(get(&address, "/status.json").contains("capacity"));
        assert!(start.elapsed() < Duration::from_secs(5));
        host.is_served();
    }
    assert!(
        most > before && most <= before + 20,
        "{most} after {before}"
    );
    end(&lab, server, host);
}

#[test]
fn the_page_is_back_when_there_are_descriptors() {
    let lab = lab(&[]);
    let (server, address) = Server::with_status(&lab, &[]);
    let mut host = Host::connect(&lab);
    host.is_served();
    let open = descriptors(&server);
    let limit = open.last().expect("one") + 6;
    let free = limit as usize - open.len();
    let limits = Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    prlimit(Some(server.pid()), Resource::Nofile, limits).expect("a limit");
    let idle: Vec<Nbd> = (0..free).map(|_| Nbd::connect(&lab)).collect();
    assert_eq!(descriptors(&server).len(), limit as usize);

    let mut client = connect(&address);
    let request = format!("GET /status.json HTTP/1.1\r\nHost: {address}\r\n\r\n");
    client.write_all(request.as_bytes()).expect("it is taken");
    let wait = Some(Duration::from_millis(400));
    client.set_read_timeout(wait).expect("a time");
    assert!(client.peek(&mut [0]).is_err(), "it had a descriptor");
    host.is_served();
    drop(idle);
    client
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a time");
    assert!(read(&mut client).contains("capacity"));
    assert!(get(&address, "/metrics").contains("ssdlab_"));
    host.is_served();
    end(&lab, server, host);
}

#[test]
fn only_names_of_the_server_are_answered() {
    let lab = lab(&[]);
    let options = ["--status-name", "ssd.example", "--status-name", "Other"];
    let (server, address) = Server::with_status(&lab, &options);
    let of = |host: &str| {
        let answer = ask(
            &address,
            &format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        );
        answer.split(' ').nth(1).expect("a code").to_owned()
    };
    let hostname = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    for name in [
        &address,
        "localhost:1",
        "ssd.example",
        "other:8080",
        hostname.trim(),
    ] {
        assert_eq!(of(name), "200", "{name}");
    }
    for name in ["evil.example", "ssd.example.evil", "x.ssd.example"] {
        assert_eq!(of(name), "403", "{name}");
    }
    server.end();
    lab.refused("serve d.img --status-name x", &["--status <ADDRESS:PORT>"]);
}
