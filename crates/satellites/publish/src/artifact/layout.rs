//! Where the files that a plan names are in an artifact, so that the plan finds them as it is.

use std::path::{Component, Path, PathBuf};

use ssdlab_sweep::{Kind, Sweep};

/// The folder of plan, traces and configuration.
const INPUT: &str = "input";
/// The folders around a plan that names files above its own folder.
const AROUND: &str = "plan";

/// Paths in an artifact.
pub struct Layout {
    /// The plan.
    pub plan: PathBuf,
    /// The file of the device, if the plan names one by a path from its folder.
    pub config: Option<PathBuf>,
    /// The file of each trace; `None` of a workload, and of a file that the plan names by an absolute path, wherever it is.
    pub traces: Vec<Option<PathBuf>>,
}

impl Layout {
    pub fn of(sweep: &Sweep, plan: &Path) -> Self {
        let config = sweep.config_file().filter(|path| path.is_relative());
        let config = config.map(Path::to_owned);
        let traces = sweep.sources.iter().map(|source| match &source.kind {
            Kind::File { from_plan, .. } => from_plan.clone(),
            Kind::Generated(_) => None,
        });
        let traces: Vec<Option<PathBuf>> = traces.collect();
        let files = traces.iter().chain([&config]).flatten();
        let above = files.map(|path| levels_above(path)).max().unwrap_or(0);
        let mut folder = PathBuf::from(INPUT);
        folder.extend(std::iter::repeat_n(AROUND, above));
        let within = |path: &PathBuf| plain(&folder.join(path));
        Self {
            plan: folder.join(plan.file_name().unwrap_or("sweep.toml".as_ref())),
            config: config.as_ref().map(within),
            traces: traces
                .iter()
                .map(|path| path.as_ref().map(within))
                .collect(),
        }
    }
}

/// How far a path leads above the folder that it begins in.
fn levels_above(path: &Path) -> usize {
    let (mut depth, mut least) = (0_isize, 0);
    for part in path.components() {
        match part {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        least = least.min(depth);
    }
    least.unsigned_abs()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                made.pop();
            }
            Component::CurDir => {}
            part => made.push(part),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: a path that leads down and up again, and then above where it began
    #[test]
    fn paths_stay_in_the_folder() {
        let cases = [
            ("a/b", 0),
            ("../a", 1),
            ("a/../../b", 1),
            ("../../a/../../b", 3),
            ("./a", 0),
        ];
        for (path, above) in cases {
            assert_eq!(levels_above(Path::new(path)), above, "{path}");
        }
        assert_eq!(
            plain(Path::new("input/plan/../traces/./a")),
            Path::new("input/traces/a")
        );
    }
}
