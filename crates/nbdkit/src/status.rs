//! The status page: HTTP with a page for people, JSON, and the text format of Prometheus.

use std::fmt::{Display, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use ssdlab_drive::Status;
use tiny_http::{Header, Request, Response, Server};

use crate::settings;

const PAGE: &str = include_str!("status.html");
/// Where the page has the status as it was when the page was asked for.
const HERE: &str = "\"STATUS\"";

/// A server of status pages.
pub enum StatusPage {
    /// Its threads do not run yet.
    Bound(TcpListener),
    /// It answers.
    Running(Arc<Server>, JoinHandle<()>),
}

impl StatusPage {
    /// Listens.
    ///
    /// # Errors
    /// The address cannot be used: the message for the user.
    pub fn bind(address: SocketAddr) -> Result<Self, String> {
        let listener = TcpListener::bind(address);
        let listener = listener.map_err(|error| format!("status={address}: {error}"))?;
        let bound = listener.local_addr().unwrap_or(address);
        settings::tell(&format!("status at http://{bound}"));
        Ok(Self::Bound(listener))
    }

    /// Begins to answer, with what `status` returns; it returns nothing once the drive is closed.
    ///
    /// # Errors
    /// No thread can be started: the message for the user.
    pub fn start(
        self,
        status: impl Fn() -> Option<Status> + Send + 'static,
    ) -> Result<Self, String> {
        let Self::Bound(listener) = self else {
            return Ok(self);
        };
        let failed = |error: &dyn Display| format!("the status page: {error}");
        let server = Server::from_listener(listener, None).map_err(|error| failed(&error))?;
        let server = Arc::new(server);
        let own = Arc::clone(&server);
        let serve = move || {
            for request in own.incoming_requests() {
                // a client that has gone is no error
                let _ = answer(request, status());
            }
        };
        let thread = thread::Builder::new().name("status".into()).spawn(serve);
        Ok(Self::Running(
            server,
            thread.map_err(|error| failed(&error))?,
        ))
    }

    /// Ends after the answer in hand.
    pub fn end(self) {
        if let Self::Running(server, thread) = self {
            server.unblock();
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, status: Option<Status>) -> std::io::Result<()> {
    let Some(status) = status else {
        return request.respond(Response::empty(503));
    };
    let (kind, text) = match request.url() {
        "/" => {
            let status = shown(&status).to_string().replace('<', "\\u003c");
            ("text/html; charset=utf-8", PAGE.replace(HERE, &status))
        }
        "/status.json" => ("application/json", shown(&status).to_string()),
        "/metrics" => ("text/plain; version=0.0.4", metrics(&status)),
        _ => return request.respond(Response::empty(404)),
    };
    let mut response = Response::from_string(text);
    for (name, value) in [("Content-Type", kind), ("Cache-Control", "no-store")] {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    request.respond(response)
}

/// The most cells of the map of erases.
const CELLS: usize = 1024;

/// The status with the erases of at most [`CELLS`] groups of adjacent blocks: the most of each.
fn shown(status: &Status) -> Value {
    let mut value = json!(status);
    let erases = &status.erases;
    let group = erases.len().div_ceil(CELLS).max(1);
    let most = |group: &[u32]| group.iter().copied().max();
    let cells: Vec<Option<u32>> = erases.chunks(group).map(most).collect();
    value["erases"] = json!({
        "blocks": erases.len(),
        "total": total(erases),
        "least": erases.iter().min(),
        "most": erases.iter().max(),
        "blocks_of_a_cell": group,
        "cells": cells,
    });
    value["bytes_to_flash"]["total"] = status.bytes_to_flash.total().into();
    value
}

fn total(erases: &[u32]) -> u64 {
    erases.iter().map(|&count| u64::from(count)).sum()
}

fn metrics(status: &Status) -> String {
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, samples: &[(&str, f64)]| {
        // into a string
        let _ = writeln!(text, "# TYPE ssdlab_{name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(text, "ssdlab_{name}{labels} {value}");
        }
    };
    for (name, value) in status.counters.entries() {
        add(&format!("{name}_total"), "counter", &[("", value as f64)]);
    }
    let bytes = &status.bytes_to_flash;
    let causes = [
        ("{cause=\"host\"}", bytes.host as f64),
        ("{cause=\"padding\"}", bytes.padding as f64),
        (
            "{cause=\"read_modify_write\"}",
            bytes.read_modify_write as f64,
        ),
        ("{cause=\"merge\"}", bytes.merge as f64),
        ("{cause=\"cleaning\"}", bytes.cleaning as f64),
    ];
    add("flash_bytes_total", "counter", &causes);
    if let Some(waf) = status.write_amplification {
        add("write_amplification", "gauge", &[("", waf)]);
    }
    let buffer = &status.buffer;
    let pages = [
        ("{state=\"capacity\"}", f64::from(buffer.pages)),
        ("{state=\"held\"}", f64::from(buffer.held)),
        ("{state=\"dirty\"}", f64::from(buffer.dirty)),
    ];
    add("buffer_pages", "gauge", &pages);
    let most = status.erases.iter().max().copied().unwrap_or_default();
    add("block_erases_max", "gauge", &[("", most.into())]);
    let life = total(&status.erases) as f64;
    add("block_erases_total", "counter", &[("", life)]);
    add(
        "read_only",
        "gauge",
        &[("", f64::from(u8::from(status.read_only.is_some())))],
    );
    if let Some(by_op) = &status.latency_ns {
        let ops = [
            ("read", &by_op.reads),
            ("write", &by_op.writes),
            ("flush", &by_op.flushes),
            ("discard", &by_op.discards),
        ];
        let mut samples = Vec::new();
        for (op, latency) in ops {
            for (quantile, ns) in [
                ("0.5", latency.p50),
                ("0.9", latency.p90),
                ("0.99", latency.p99),
                ("0.999", latency.p99_9),
                ("1", latency.max),
            ] {
                if let Some(ns) = ns {
                    let labels = format!("{{op=\"{op}\",quantile=\"{quantile}\"}}");
                    samples.push((labels, ns as f64 / 1e9));
                }
            }
        }
        let samples: Vec<(&str, f64)> = samples.iter().map(|(l, v)| (l.as_str(), *v)).collect();
        add("latency_seconds", "gauge", &samples);
    }
    text
}
