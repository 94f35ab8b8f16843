//! `trace catalogue` and `trace fetch`: the program against a real server on loopback.
//!
//! Planted bugs that these catch: half a file under its final name; a licence that is not asked for; a wrong exit code.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Ended, Lab, binary, ended, in_repository, listening, skipped, until};
use crate::server::{File, Server};

fn csv(lines: usize) -> String {
    let lines = (0..lines).map(|number| format!("{number},W,{},4096\n", number * 4096));
    format!(
        "time_ns,op,offset_bytes,size_bytes\n{}",
        lines.collect::<String>()
    )
}

/// A fetch without the proxy of this machine.
fn fetch(lab: &Lab, args: &str) -> Ended {
    let mut command = lab.command(&format!("trace fetch {args}"));
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    ended(&mut command)
}

/// A catalogue of one set on a server.
fn with_catalogue(server: &Server) -> Lab {
    let lab = Lab::new();
    let text = format!(
        r#"
[[set]]
name = "ours"
title = "Our file server"
format = "plain"
address = "{0}"
size = "small"
years = "2026"
licence = "only for us"
redistribution = "no"
accept = true
citation = "@misc{{ours}}"
traps = ["none"]
sources = ["ourselves"]
[set.get]
kind = "files"
location = "{0}/{{volume}}.csv"
volumes = ["srv_0..2"]
[[set.known]]
volume = "srv_0"
sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"#,
        server.at("")
    );
    lab.write("ours.toml", text);
    lab
}

#[test]
fn the_catalogue_tells_all() {
    let lab = Lab::new();
    let all = lab.ok("trace catalogue");
    let json = lab.json("trace catalogue --json");
    let sets = json["set"].as_array().unwrap();
    for set in sets {
        let name = set["name"].as_str().unwrap();
        assert!(all.contains(name), "{name}: {all}");
        let one = lab.ok(&["trace", "catalogue", name]);
        for key in [
            "licence",
            "redistribution",
            "size",
            "address",
            "citation",
            "title",
        ] {
            let text = set[key].as_str().unwrap().trim();
            assert!(one.contains(text), "{name}, {key}: {one}");
        }
        for trap in set["traps"].as_array().unwrap() {
            assert!(one.contains(trap.as_str().unwrap()), "{name}: {one}");
        }
        assert_eq!(lab.json(&["trace", "catalogue", "--json", name]), *set);
    }
    lab.refused_in_a_line(
        "trace catalogue msr",
        &["\"msr\" is no set of the catalogue"],
    );
    lab.refused_in_a_line(
        "trace catalogue --catalogue no.toml",
        &["--catalogue no.toml: No such file"],
    );
    lab.write("bad.toml", "[[set]]\nname = 1\n");
    lab.refused(
        "trace catalogue --catalogue bad.toml",
        &["--catalogue bad.toml: ", "line 2"],
    );
}

// to renew it: cargo run -- trace catalogue --markdown > docs/catalogue.md
#[test]
fn the_document_is_that_of_the_catalogue() {
    let page = Lab::new().ok("trace catalogue --markdown");
    let document = std::fs::read_to_string(in_repository("docs/catalogue.md")).unwrap();
    assert!(
        page == document,
        "docs/catalogue.md is not current: `trace catalogue --markdown` prints it"
    );
}

#[test]
fn an_address_is_fetched_and_can_be_read() {
    let server = Server::start(File::new(csv(100)));
    let lab = Lab::new();
    let ended = fetch(&lab, &server.at("/a/b.csv?x=1"));
    assert_eq!(ended.stderr, "");
    assert_eq!(ended.code, Some(0));
    assert_eq!(lab.files(), ["b.csv", "b.csv.provenance.txt"]);
    let note = lab.read("b.csv.provenance.txt");
    assert!(
        note.contains("licence         not in ssdlab's catalogue"),
        "{note}"
    );
    assert!(
        note.contains("fetched         Thu, 01 Jan 2026 00:00:00 GMT"),
        "{note}"
    );
    let info = lab.json("trace info --json b.csv");
    assert!(
        ended.stdout.contains(info["sha256"].as_str().unwrap()),
        "{}",
        ended.stdout
    );
    // nothing is replaced, and nothing asked for
    let before = server.asked().len();
    let ended = fetch(&lab, &server.at("/a/b.csv"));
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("b.csv: is there already"),
        "{}",
        ended.stderr
    );
    assert_eq!(server.asked().len(), before);
}

#[test]
fn a_range_has_a_name_that_tells_it() {
    let server = Server::start(File::new(csv(200)));
    let lab = Lab::new();
    let text = csv(200);
    for (args, name, expected) in [
        ("--limit 100", "a.csv.0-100", 0..100),
        ("--bytes 10..20", "a.csv.10-20", 10..20),
        ("--bytes 1000..", "a.csv.1000-", 1000..text.len()),
        ("--bytes 1KiB..2KiB -o x", "x", 1024..2048),
    ] {
        let ended = fetch(&lab, &format!("{args} {}", server.at("/a.csv")));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(lab.read(name), text[expected.clone()]);
        let note = lab.read(&format!("{name}.provenance.txt"));
        let range = format!(
            "only bytes {}..{} of the file",
            expected.start, expected.end
        );
        assert!(note.contains(&range), "{note}");
        assert!(
            ended.stdout.contains("a part of the file"),
            "{}",
            ended.stdout
        );
    }
    for (args, why) in [
        ("--bytes 20..10 http://a/b", "two sizes, the smaller first"),
        ("--bytes 20 http://a/b", "two sizes, the smaller first"),
        ("--limit 0 http://a/b", "at least 1 byte"),
        ("--limit 1 --bytes 1..2 http://a/b", "cannot be used with"),
        ("-o - http://a/b", "--output -: must be a file"),
        ("ftp://a/b", "must begin with http:// or https://"),
        ("alibaba --volume 7", "alibaba is one file"),
        ("umass-spc", "choose one volume of umass-spc"),
        (
            "tencent-cbs",
            "tencent-cbs needs registration, so ssdlab cannot fetch it",
        ),
        (
            "msr-cambridge --volume hm_0",
            "its licence must be accepted, with --accept-licence: SNIA",
        ),
    ] {
        let before = lab.files();
        let ended = fetch(&lab, args);
        assert_eq!(ended.code, Some(2), "{args}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{args}: {}", ended.stderr);
        assert_eq!(lab.files(), before, "{args}");
    }
}

#[test]
fn a_licence_is_asked_for_and_written_beside_the_file() {
    let server = Server::start(File::new("abc"));
    let lab = with_catalogue(&server);
    let ended = fetch(&lab, "ours --catalogue ours.toml --volume srv_0");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("--accept-licence: only for us"),
        "{}",
        ended.stderr
    );
    assert!(server.asked().is_empty());
    let accepted = "ours --catalogue ours.toml --accept-licence --volume";
    let ended = fetch(&lab, &format!("{accepted} srv_0"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for part in [
        "as in the catalogue",
        "licence         only for us",
        "redistribution  no",
        "format          plain",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    let note = lab.read("srv_0.csv.provenance.txt");
    for part in [
        "licence         only for us",
        "(as in ssdlab's catalogue)",
        "set             ours: Our file server",
        "@misc{ours}",
    ] {
        assert!(note.contains(part), "{part}: {note}");
    }
    // another file than the catalogue knows leaves nothing
    server.file().bytes = b"abd".to_vec();
    std::fs::remove_file(lab.path("srv_0.csv")).unwrap();
    std::fs::remove_file(lab.path("srv_0.csv.provenance.txt")).unwrap();
    let ended = fetch(&lab, &format!("{accepted} srv_0"));
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("its SHA-256 is a52d159f"),
        "{}",
        ended.stderr
    );
    assert_eq!(lab.files(), ["ours.toml"]);
    // and one of which it knows nothing is not compared
    let ended = fetch(&lab, &format!("{accepted} srv_1"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        !ended.stdout.contains("as in the catalogue"),
        "{}",
        ended.stdout
    );
}

#[test]
fn failures_leave_no_file() {
    let server = Server::start(File {
        statuses: vec![404],
        ..File::new("abc")
    });
    let lab = Lab::new();
    let ended = fetch(&lab, &server.at("/a.csv"));
    assert_eq!(ended.code, Some(2));
    assert!(
        ended
            .stderr
            .contains("the server answers 404, it is not there"),
        "{}",
        ended.stderr
    );
    assert!(lab.files().is_empty());
    // a disk that cannot be written
    let before = server.asked().len();
    for path in ["no/a.csv", "/proc/a.csv"] {
        let ended = fetch(&lab, &format!("-o {path} {}", server.at("/a.csv")));
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended.stderr.contains(&format!("{path}: cannot be written")),
            "{}",
            ended.stderr
        );
    }
    let ended = fetch(&lab, &format!("-o . {}", server.at("/a.csv")));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_eq!(server.asked().len(), before);
    assert!(lab.files().is_empty());
}

#[test]
fn an_interrupted_fetch_goes_on() {
    let text = csv(100_000);
    let pace = Duration::from_millis(100);
    let server = Server::start(File {
        pace,
        ..File::new(text.clone())
    });
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::KILL, 0)] {
        let lab = Lab::new();
        server.file().pace = pace;
        let address = server.at("/a.csv");
        let mut command = listening();
        command
            .args(["trace", "fetch", &address])
            .current_dir(lab.path("."));
        command.env_remove("http_proxy").env_remove("HTTP_PROXY");
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let part = lab.path("a.csv.part");
        until("nothing arrives", || {
            part.metadata().is_ok_and(|part| part.len() > 0)
        });
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = child.wait().unwrap();
        assert_eq!(ended.code().unwrap_or(0), code);
        assert_eq!(lab.files(), ["a.csv.part", "a.csv.part.json"]);
        let length = part.metadata().unwrap().len();
        assert!(text.as_bytes().starts_with(&std::fs::read(&part).unwrap()));
        server.file().pace = Duration::ZERO;
        let ended = fetch(&lab, &address);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stderr.contains("a.csv.part has "), "{}", ended.stderr);
        assert!(lab.read("a.csv") == text);
        assert_eq!(*server.ranges().last().unwrap(), format!("bytes={length}-"));
        assert_eq!(lab.files(), ["a.csv", "a.csv.provenance.txt"]);
    }
}

// planted bugs: the proxy of the environment is not used; a certificate that nobody trusts is accepted
#[test]
fn a_proxy_is_asked() {
    let proxy = Server::start(File {
        statuses: vec![502; 20],
        ..File::new("")
    });
    let lab = Lab::new();
    let mut command = std::process::Command::new(binary());
    command.args(["trace", "fetch", "http://nowhere.invalid/a.csv"]);
    command.current_dir(lab.path(".")).stderr(Stdio::null());
    command
        .env("HTTP_PROXY", proxy.at(""))
        .env("http_proxy", proxy.at(""));
    let mut child = command.spawn().unwrap();
    until("nobody asks the proxy", || !proxy.asked().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        proxy.asked()[0].contains("nowhere.invalid"),
        "{:?}",
        proxy.asked()
    );
}

#[test]
fn certificates_come_from_the_system_or_a_file() {
    let lab = Lab::new();
    lab.write("a.csv", csv(10));
    let make = "req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 3 -subj /CN=localhost -addext \
                subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
    let openssl = |args: &str| {
        let mut openssl = std::process::Command::new("openssl");
        openssl
            .args(args.split_whitespace())
            .current_dir(lab.path("."));
        openssl
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        openssl
    };
    if !openssl(make).status().is_ok_and(|status| status.success()) {
        return skipped("fetching over HTTPS", "openssl is not installed");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let serve = format!("s_server -WWW -key k.pem -cert c.pem -accept 127.0.0.1:{port}");
    let mut server = openssl(&serve).spawn().unwrap();
    until("openssl does not serve", || {
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let fetch = |certificates: Option<&str>| {
        let address = format!("https://localhost:{port}/a.csv");
        let mut command = lab.command(&["trace", "fetch", &address, "-o", "b.csv"]);
        for name in [
            "https_proxy",
            "HTTPS_PROXY",
            "all_proxy",
            "ALL_PROXY",
            "SSL_CERT_FILE",
        ] {
            command.env_remove(name);
        }
        command.envs(certificates.map(|file| ("SSL_CERT_FILE", lab.path(file))));
        ended(&mut command)
    };
    let (refused, trusted) = (fetch(None), fetch(Some("c.pem")));
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("certificate"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("SSL_CERT_FILE"),
        "{}",
        refused.stderr
    );
    assert_eq!(trusted.code, Some(0), "{}", trusted.stderr);
    assert_eq!(lab.read("b.csv"), csv(10));
}
