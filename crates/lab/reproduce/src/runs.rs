//! The runs of all kinds of study: each on a thread of its own while memory is left, and each only once.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ssdlab_config::Config;
use ssdlab_output::{NewFile, OutputError, make_folder};
use ssdlab_sim::{Cell, Lab, Measurement, SimError, StopFlag, Threads, Trace, identity};
use ssdlab_words::hexadecimal;

use crate::error::ReproduceError;
use crate::study::{Progress, Settings};

/// A run of a study.
pub(crate) trait Run: Sync {
    /// What it measures: all that judges and pages need of it.
    type Value: Serialize + DeserializeOwned + Send;

    /// The device.
    fn config(&self) -> &Config;

    /// What it serves: the requests, in words that make them or as a hash.
    fn requests(&self) -> Result<String, SimError>;

    /// How it serves them and what it measures, in words.
    fn how(&self) -> String;

    /// Measures, unless the flag is set.
    fn run(&self, lab: &Lab, stop: &StopFlag) -> Result<Self::Value, SimError>;
}

/// A run of a comparison, on its trace.
pub(crate) struct OnTrace<'a> {
    pub cell: &'a Cell,
    pub trace: &'a Trace,
}

impl Run for OnTrace<'_> {
    type Value = Measurement;

    fn config(&self) -> &Config {
        self.cell.config()
    }

    fn requests(&self) -> Result<String, SimError> {
        Ok(self.trace.identity()?.to_owned())
    }

    fn how(&self) -> String {
        self.cell.replay()
    }

    fn run(&self, _: &Lab, _: &StopFlag) -> Result<Measurement, SimError> {
        self.cell.measure(self.trace)
    }
}

impl Settings {
    /// What all runs measure, in their order.
    pub(crate) fn values<R: Run>(
        &self,
        lab: &Lab,
        runs: &[R],
        progress: Progress,
    ) -> Result<Vec<R::Value>, ReproduceError> {
        if let Some(folder) = &self.results {
            let failed = |error| OutputError::failed(folder, error);
            make_folder(folder).map_err(failed)?;
        }
        let value = |run: &R| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(SimError::Stopped.into());
            }
            let Some(folder) = &self.results else {
                return Ok(run.run(lab, &self.stop)?);
            };
            let of = Of {
                version: self.version.clone(),
                device: hexadecimal(&identity(run.config())),
                requests: run.requests()?,
                how: run.how(),
            };
            let path = folder.join(of.name());
            if let Some(value) = of.read(&path)? {
                return Ok(value);
            }
            let value = run.run(lab, &self.stop)?;
            of.write(&path, &value)?;
            Ok(value)
        };
        let threads = Threads::start(self.jobs, runs.len(), None)?;
        let bytes = |run: &R| lab.systems().memory(run.config());
        threads.each(runs, bytes, value, progress)
    }
}

/// All that the value of a run depends on.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Of {
    /// That of ssdlab.
    version: String,
    /// The identity of the configuration.
    device: String,
    requests: String,
    how: String,
}

/// A value that was kept, as text, and what it is of.
#[derive(Serialize, Deserialize)]
struct Kept {
    of: Of,
    /// The SHA-256 of the value.
    sha256: String,
    value: String,
}

impl Of {
    /// The name of the file of the value.
    fn name(&self) -> String {
        let all = serde_json::to_vec(self).expect("plain data");
        format!("run-{}.json", hexadecimal(&Sha256::digest(all)[..16]))
    }

    /// The value that was kept, if there is one.
    fn read<V: DeserializeOwned>(&self, path: &Path) -> Result<Option<V>, ReproduceError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.refused(path, &error.to_string())),
        };
        let kept: Kept =
            serde_json::from_str(&text).map_err(|error| self.refused(path, &error.to_string()))?;
        if kept.of != *self {
            return Err(self.refused(path, "it is of another run than its name says"));
        }
        if kept.sha256 != sum(&kept.value) {
            return Err(self.refused(path, "its value is not the one that was written"));
        }
        let value = serde_json::from_str::<V>(&kept.value);
        let value = value.map_err(|error| self.refused(path, &error.to_string()))?;
        Ok(Some(value))
    }

    fn refused(&self, path: &Path, why: &str) -> ReproduceError {
        ReproduceError::Kept {
            path: path.to_owned(),
            why: why.to_owned(),
        }
    }

    /// Keeps a value. Another run of the same may have done so in the meantime.
    fn write(self, path: &Path, value: &impl Serialize) -> Result<(), ReproduceError> {
        let value = serde_json::to_string(value).expect("plain data");
        let kept = Kept {
            of: self,
            sha256: sum(&value),
            value,
        };
        let text = serde_json::to_string_pretty(&kept).expect("plain data") + "\n";
        let written = NewFile::create(path).and_then(|file| {
            file.file().write_all(text.as_bytes())?;
            file.finish()
        });
        match written {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(OutputError::failed(path, error).into())
            }
            _ => Ok(()),
        }
    }
}

fn sum(value: &str) -> String {
    hexadecimal(&Sha256::digest(value))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Counts how often it runs.
    struct Counted<'a>(Config, u64, &'a AtomicUsize);

    impl Run for Counted<'_> {
        type Value = Option<u64>;

        fn config(&self) -> &Config {
            &self.0
        }

        fn requests(&self) -> Result<String, SimError> {
            Ok(self.1.to_string())
        }

        fn how(&self) -> String {
            "once".into()
        }

        fn run(&self, _: &Lab, _: &StopFlag) -> Result<Option<u64>, SimError> {
            self.2.fetch_add(1, Ordering::Relaxed);
            // a value may look like none
            Ok((self.1 > 0).then_some(self.1))
        }
    }

    // planted bugs: a run that runs again; a value of another device, trace or version; a value that has changed; a value of
    // nothing that is taken for no value; runs that begin after the flag is set
    #[test]
    fn a_run_runs_once_and_its_value_proves_itself() {
        let (lab, times) = (Lab::new(), AtomicUsize::new(0));
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings {
            results: Some(folder.path().join("a/b")),
            version: "1".into(),
            ..Settings::default()
        };
        let device = |blocks: u32| {
            let mut resolver = lab.resolver();
            let set = format!("ftl.log_blocks={blocks}");
            resolver.set(&set).expect("a key");
            resolver.resolve().expect("a device")
        };
        let run = |settings: &Settings, blocks: u32| {
            let before = times.load(Ordering::Relaxed);
            let runs = [0, 7].map(|number| Counted(device(blocks), number, &times));
            let values = settings.values(&lab, &runs, &|_| ());
            (values, times.load(Ordering::Relaxed) - before)
        };
        let ran = |settings: &Settings, blocks: u32| {
            let (values, times) = run(settings, blocks);
            assert_eq!(values.expect("values"), [None, Some(7)]);
            times
        };
        assert_eq!((ran(&settings, 7), ran(&settings, 7)), (2, 0));
        assert_eq!((ran(&settings, 8), ran(&settings, 8)), (2, 0));
        let newer = Settings {
            version: "2".into(),
            ..settings.clone()
        };
        assert_eq!((ran(&newer, 7), ran(&newer, 7)), (2, 0));
        let files = || fs::read_dir(folder.path().join("a/b")).expect("the folder");
        let paths: Vec<PathBuf> = files().map(|file| file.expect("a file").path()).collect();
        assert_eq!(paths.len(), 6);
        let (text, other) = (&paths[0], &paths[1]);
        let text = fs::read_to_string(text).expect("a value");
        let other = fs::read_to_string(other).expect("a value");
        let changes = [
            (other, "of another run"),
            (
                text.replace("\"how\": \"once\"", "\"how\": \"twice\""),
                "of another run",
            ),
            (
                text.replace("\"value\": \"", "\"value\": \" "),
                "not the one that was written",
            ),
            (text[..text.len() / 2].to_owned(), "EOF"),
        ];
        for (changed, why) in changes {
            assert_ne!(changed, text);
            fs::write(&paths[0], changed).expect("a file");
            let all = [(&settings, 7), (&settings, 8), (&newer, 7)];
            let mut refused = all
                .iter()
                .filter_map(|(settings, blocks)| run(settings, *blocks).0.err());
            let error = refused.next().expect("a refusal");
            let message = error.to_string();
            let name = paths[0].display().to_string();
            assert!(
                message.starts_with(&name) && message.contains(why),
                "{message}"
            );
            assert!(error.is_bad_input() && refused.next().is_none());
        }
        fs::remove_file(&paths[0]).expect("a file");
        let again = ran(&settings, 7) + ran(&settings, 8) + ran(&newer, 7);
        assert_eq!(again, 1);
        settings.stop.store(true, Ordering::Relaxed);
        let (stopped, times) = run(&settings, 9);
        assert!(matches!(
            stopped,
            Err(ReproduceError::Sim(SimError::Stopped))
        ));
        assert_eq!(times, 0);
    }
}
