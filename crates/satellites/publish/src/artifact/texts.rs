//! `run.sh` and `README.md`.

use ssdlab_words::{duration, shell_line, thousands};

use super::{ABSOLUTE, CITATIONS, Facts, PROVENANCE, README, REPORT, RESULTS, RUN, SUMS};

const SCRIPT: &str = r#"#!/bin/sh
# Runs the plan of this folder again, and compares the results with those in the folder.
# ssdlab is taken from $SSDLAB, or found in PATH. Ends with 0 only if all results are the same.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
ssdlab=${SSDLAB:-ssdlab}
if ! command -v "$ssdlab" >/dev/null; then
    echo "run.sh: $ssdlab: not found; set SSDLAB to the program" >&2
    exit 127
fi
plan=$here/PLAN
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$ssdlab" sweep run "$plan" --out "$work/parts"
"$ssdlab" sweep merge "$plan" --out "$work/parts" -o "$work/RESULTS" --expect "$here/RESULTS"
echo "run.sh: all results are the same"
"#;

impl Facts<'_> {
    /// The script that gets the results again.
    pub(super) fn script(&self) -> String {
        let plan = shell_line(&[self.layout.plan.display().to_string()]);
        // the name of the plan last: it may have any words
        SCRIPT.replace("RESULTS", RESULTS).replace("PLAN", &plan)
    }

    /// What is in the folder, and how to use it.
    pub(super) fn readme(&self) -> String {
        let plan = self.layout.plan.display();
        let version = self.of.sweep.version();
        let mut text = format!(
            "# Results of {} runs of ssdlab\n\n\
             {} configurations on {} traces, replayed by ssdlab {version}.\n\n\
             | file | content |\n| --- | --- |\n\
             | `{plan}` | the plan: the traces, the device, and what varies |\n",
            thousands(self.rows as u64),
            thousands(self.configurations as u64),
            thousands(self.copied.len() as u64),
        );
        if let Some(config) = &self.layout.config {
            text += &format!(
                "| `{}` | the device that the plan names |\n",
                config.display()
            );
        }
        for trace in self.copied.iter().filter(|trace| trace.included) {
            let file = trace.file.as_deref().unwrap_or("".as_ref()).display();
            let licence = trace.licence.as_deref().unwrap_or("not known");
            text += &format!("| `{file}` | a trace; licence: {licence} |\n");
        }
        text += &format!(
            "| `{RESULTS}` | a row for each run |\n\
             | `{REPORT}` | pictures and tables of them; it needs no network |\n\
             | `{CITATIONS}` | BibTeX of ssdlab, and of the policies, devices and traces that the results use |\n\
             | `{PROVENANCE}` | version, commands, hashes, licences |\n\
             | `{RUN}` | runs the plan again and compares the results |\n\
             | `{SUMS}` | hashes of all files: `sha256sum -c {SUMS}` |\n\
             | `{README}` | this file |\n\n"
        );
        text += &self.missing();
        if let Some(path) = self.device_elsewhere() {
            let path = path.display();
            text += &format!("`{RUN}` needs the file of the device at `{path}`: {ABSOLUTE}.\n\n");
        }
        text += &format!(
            "## Time\n\n{}\n\n## Again\n\n```sh\nsha256sum -c {SUMS}\n./{RUN}\n```\n\n\
             `{RUN}` takes ssdlab from `$SSDLAB`, or from `PATH`. It ends with 0 if every run has the same results, and names \
             the first differences otherwise. Results depend on the version of ssdlab, not on the machine.\n",
            self.time()
        );
        text
    }

    fn time(&self) -> String {
        let words = |seconds: f64| duration(seconds * 1e9);
        let estimated = words(self.estimated);
        match self.of.core_seconds {
            Some(measured) => format!(
                "The runs took {} of one core; the estimate is {estimated}.",
                words(measured)
            ),
            None => format!("All runs take about {estimated} of one core, by ssdlab's estimate."),
        }
    }

    /// The traces that the reader must get.
    fn missing(&self) -> String {
        let missing: Vec<_> = self
            .copied
            .iter()
            .filter(|trace| trace.why_not.is_some())
            .collect();
        if missing.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "## Traces that are not here\n\n`{RUN}` needs these files in their places.\n\n\
             | place | bytes | SHA-256 | set | why it is not here |\n| --- | ---: | --- | --- | --- |\n"
        );
        for trace in missing {
            let place = trace.file.as_deref().unwrap_or(trace.name.as_ref());
            text += &format!(
                "| `{}` | {} | {} | {} | {} |\n",
                place.display(),
                trace.bytes.map_or("-".into(), thousands),
                trace.sha256.as_deref().unwrap_or("-"),
                trace.set.as_deref().unwrap_or("-"),
                trace.why_not.as_deref().unwrap_or_default(),
            );
        }
        text + "\n"
    }
}
