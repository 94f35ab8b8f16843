//! The laboratory behind a web page: a question as JSON, an answer as JSON.
//!
//! The page runs this crate as WebAssembly in a worker (`abi`), so nothing leaves the machine. Each answer comes from the code of
//! the command line: [`compare`](ssdlab_sim::compare), [`answer`](ssdlab_life::answer), [`Steps`](ssdlab_sim::Steps). Other
//! programs call [`Page::call`], as the tests do.
//!
//! May depend on the crates below the command line. Reads and writes no file and asks no clock. There are no threads: the runs
//! of a comparison follow one another.

#[cfg(target_arch = "wasm32")]
mod abi;
mod catalogue;
mod compare;
mod life;
mod said;
pub mod see;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use ssdlab_sim::Lab;

use compare::{Compare, Compared};
use life::Life;
use see::{See, Walk};

/// The columns of results in which a comparison of the page differs from that of its command line: where the trace is from.
pub const OF_TRACE: [&str; 5] = ["command", "run_id", "trace", "trace_format", "trace_sha256"];

/// Receives what a call tells while it works, as JSON.
pub type Told = Arc<dyn Fn(Value) + Send + Sync>;

/// What the page asks.
#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case")]
enum Call {
    /// The systems, presets, keys and figures.
    Catalogue,
    /// Runs a comparison.
    Compare(Box<Compare>),
    /// A comparison as a command line and as Python, without running it.
    Said(Box<Compare>),
    /// What the last comparison can be saved as.
    Saved { as_file: compare::Format },
    /// How long a drive lives.
    Life(Box<Life>),
    /// Replays a workload step by step.
    See(Box<See>),
    /// The picture of a step.
    Draw { step: usize, width: f64 },
}

/// What a page remembers from call to call.
#[derive(Default)]
pub struct Page {
    lab: Lab,
    compared: Option<Compared>,
    walk: Option<Walk>,
}

impl Page {
    /// Answers a question: an object with `answer`, or with `error`, a message for the user. `file` are the bytes of the trace
    /// or of the logs that it names; `told` hears of the progress.
    pub fn call(&mut self, question: &str, file: Vec<u8>, told: &Told) -> String {
        let answer = serde_json::from_str(question)
            .map_err(|error| error.to_string())
            .and_then(|call| self.answer(call, file, told));
        match answer {
            Ok(answer) => json!({ "answer": answer }),
            Err(why) => json!({ "error": why }),
        }
        .to_string()
    }

    fn answer(&mut self, call: Call, file: Vec<u8>, told: &Told) -> Result<Value, String> {
        match call {
            Call::Catalogue => Ok(catalogue::all(&self.lab)),
            Call::Compare(asked) => {
                // one comparison at a time is in memory
                self.compared = None;
                let compared = asked.run(&self.lab, file, told)?;
                let answer = compared.answer();
                self.compared = Some(compared);
                Ok(answer)
            }
            Call::Said(asked) => Ok(asked.said()),
            Call::Saved { as_file } => match &self.compared {
                Some(compared) => compared.saved(as_file).map(Value::from),
                None => Err("nothing was compared yet".into()),
            },
            Call::Life(asked) => asked.answer(file),
            Call::See(asked) => {
                let walk = asked.walk(&self.lab, file)?;
                let answer = walk.answer();
                self.walk = Some(walk);
                Ok(answer)
            }
            Call::Draw { step, width } => {
                let walk = self.walk.as_ref().ok_or("nothing was replayed yet")?;
                walk.draw(step, width).map(Value::from)
            }
        }
    }
}
