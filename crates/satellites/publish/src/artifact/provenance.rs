//! `provenance.json`: what made the results, and of what.

use serde_json::json;

use super::{Facts, RESULTS, RUN, sha256};

impl Facts<'_> {
    /// The version, and the commit if the build knows it.
    fn version(&self) -> (&str, Option<&str>) {
        let version = self.of.sweep.version();
        match version.split_once(" (") {
            Some((version, commit)) => (version, Some(commit.trim_end_matches(')'))),
            None => (version, None),
        }
    }

    /// The commands of the results, from the folder of the artifact.
    pub(super) fn commands(&self) -> [String; 2] {
        let plan = ssdlab_words::shell_line(&[self.layout.plan.display().to_string()]);
        [
            format!("ssdlab sweep run {plan} --out parts"),
            format!("ssdlab sweep merge {plan} --out parts -o {RESULTS}"),
        ]
    }

    /// The file; no time and no machine is in it, so that the same results give the same file.
    pub(super) fn provenance(&self) -> String {
        let (version, commit) = self.version();
        let value = json!({
            "ssdlab": { "version": version, "commit": commit },
            "commands": self.commands(),
            "checked_by": RUN,
            "plan": {
                "file": self.layout.plan,
                "sha256": sha256(self.of.sweep.text().as_bytes()),
            },
            "config": self.layout.config,
            "configurations": self.configurations,
            "runs": self.rows,
            "core_seconds": { "estimated": rounded(self.estimated), "measured": self.of.core_seconds.map(rounded) },
            "results": { "file": RESULTS, "sha256": self.results_sha256 },
            "traces": self.copied,
            "without_citation": self.unknown,
        });
        let text = serde_json::to_string_pretty(&value).expect("plain values");
        text + "\n"
    }
}

/// To three digits behind the point.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
