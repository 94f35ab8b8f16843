//! A trace file that is replaced or written while a command reads it several times.
//!
//! Planted bugs that these catch: rows of two traces in one table; a replaced file with the same length and time taken
//! for the old one; the error of a torn line reported instead of the change of the file.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Once;

use ssdlab_config::Resolver;
use ssdlab_ftl::Events;
use ssdlab_sim::{
    CompareOptions, Lab as SimLab, Replay, RunOptions, SimError, Trace, compare, run,
};
use ssdlab_trace::{ReadOptions, TraceError};

use crate::common::{Lab, writes};

fn changed(error: &SimError) -> String {
    match error {
        SimError::Trace(TraceError::Changed { what, .. }) => what.clone(),
        other => panic!("{other}"),
    }
}

/// Rewrites a file and restores its time.
fn rewrite(path: &Path, text: &str) {
    let before = path.metadata().unwrap().modified().unwrap();
    fs::write(path, text).unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(before).unwrap();
}

#[test]
fn length_time_and_content_are_looked_at() {
    let lab = Lab::new();
    let path = lab.path("trace.csv");
    let text = writes(&[0, 4, 8, 4]);
    let limited = ReadOptions {
        limit: Some(3),
        ..ReadOptions::default()
    };
    for read in [ReadOptions::default(), limited] {
        fs::write(&path, &text).unwrap();
        let trace = Trace::load(&path, &read, 0).unwrap();
        let again = || trace.each(|_| {}).map_err(|error| changed(&error));
        assert_eq!(again(), Ok(()));
        rewrite(&path, &writes(&[0, 8, 8, 4]));
        assert_eq!(again(), Err("its content differs".into()));
        rewrite(&path, &writes(&[0, 4, 8, 4, 5]));
        let longer = path.metadata().unwrap().len();
        let message = format!("{} bytes became {longer}", text.len());
        assert_eq!(again(), Err(message));
        let torn = "x".repeat(text.len() - 1);
        rewrite(&path, &torn);
        let message = format!("{} bytes became {}", text.len(), torn.len());
        assert_eq!(again(), Err(message));
        rewrite(&path, &text);
        assert_eq!(again(), Ok(()));
        let file = File::options().append(true).open(&path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(again(), Err("it was written in the meantime".into()));
        fs::remove_file(&path).unwrap();
        assert!(again().is_err());
    }
}

#[test]
fn a_table_holds_one_trace() {
    let lab = Lab::new();
    lab.write("trace.csv", writes(&[0, 4, 8, 4]));
    let trace = Trace::load(&lab.path("trace.csv"), &ReadOptions::default(), 0).unwrap();
    let mut options = CompareOptions::new(&SimLab::new(), Resolver::new());
    options.buffers = vec!["lru".into(), "fifo".into()];
    options.jobs = 1;
    let replaced = Once::new();
    let result = compare(&trace, &options, |_| {
        replaced.call_once(|| lab.write("trace.csv", writes(&[0, 4, 8, 4, 9])));
    });
    changed(&result.map(drop).expect_err("no table"));
}

#[test]
fn loops_are_of_one_trace() {
    let lab = Lab::new();
    let path = lab.path("trace.csv");
    lab.write("trace.csv", writes(&[0, 4, 8, 4]));
    let mut resolver = Resolver::new();
    resolver.set("flash.capacity=1MiB").unwrap();
    resolver.set("buffer.policy=none").unwrap();
    resolver.set("flash.pages_per_block=4").unwrap();
    let (replaced, written) = (Once::new(), path.clone());
    let options = RunOptions {
        replay: Replay {
            loops: 20,
            ..Replay::default()
        },
        events: Events::to(move |_, _| {
            replaced.call_once(|| fs::write(&written, writes(&[0, 4, 8, 5, 9])).unwrap());
        }),
        ..RunOptions::new(&SimLab::new())
    };
    let config = resolver.resolve().unwrap();
    let result = run(config, &path, &ReadOptions::default(), options);
    changed(&result.map(drop).expect_err("no outcome"));
}
