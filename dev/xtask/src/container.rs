//! The container: `podman` builds it. Where no image can be pulled, the steps of its recipe run in a chroot of the same Debian.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::release::done;

const RECIPE: &str = "dev/container/Containerfile";
/// Makes a drive, serves it, and asks a client for its size: all that the container is for.
const TRIAL: &str = "ssdlab --version \
    && ssdlab drive create /tmp/ssd.img --preset nvme-tlc --scale-to 256MiB \
    && ssdlab serve /tmp/ssd.img --run 'nbdinfo --size $uri'";

/// Builds the image and tries it; says how.
pub fn make(root: &Path) -> Result<String, Box<dyn Error>> {
    let recipe = Recipe::read(root)?;
    if works(Command::new("podman").args(["pull", "--quiet", &recipe.base])) {
        let mut build = Command::new("podman");
        build.args(["build", "--quiet", "--tag", "ssdlab", "--file", RECIPE, "."]);
        done(build.current_dir(root))?;
        done(Command::new("podman").args([
            "run",
            "--rm",
            "--entrypoint",
            "sh",
            "ssdlab",
            "-c",
            TRIAL,
        ]))?;
        return Ok("container: the image ssdlab is built, and serves a drive".into());
    }
    recipe.run_in_chroot(root)?;
    Ok(format!(
        "container: podman pulls no image here; the steps of {RECIPE} ran in a chroot of {}, which serves a drive",
        recipe.base
    ))
}

fn works(command: &mut Command) -> bool {
    let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// The last stage of the recipe.
struct Recipe {
    base: String,
    /// Each instruction and what stands behind it, with the lines that it goes on in.
    steps: Vec<(String, String)>,
}

impl Recipe {
    fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(root.join(RECIPE))?.replace("\\\n", " ");
        let instructions = text.lines().filter(|line| !line.starts_with('#'));
        let mut steps: Vec<(String, String)> = instructions
            .filter_map(|line| line.split_once(' '))
            .map(|(name, rest)| (name.to_owned(), rest.trim().to_owned()))
            .collect();
        let last = steps.iter().rposition(|(name, _)| name == "FROM");
        let mut steps = steps.split_off(last.ok_or("no FROM")?);
        Ok(Self {
            base: steps.remove(0).1,
            steps,
        })
    }

    /// Debian's name of the base image: `trixie` of `docker.io/library/debian:trixie-slim`.
    fn suite(&self) -> Option<&str> {
        let (_, tag) = self.base.rsplit_once("debian:")?;
        tag.split('-').next()
    }

    fn run_in_chroot(&self, root: &Path) -> Result<(), Box<dyn Error>> {
        let work = tempfile::tempdir()?;
        let inside = work.path().join("root");
        let suite = self.suite().ok_or("the base image is not Debian")?;
        done(
            Command::new("debootstrap")
                .args(["--variant=minbase", suite])
                .arg(&inside)
                .stdout(Stdio::null()),
        )?;
        // what the first stage makes
        let made = work.path().join("made");
        done(
            Command::new("./install")
                .arg("--root")
                .arg(&made)
                .current_dir(root),
        )?;
        let mut path = String::from("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        for (name, rest) in &self.steps {
            match name.as_str() {
                "RUN" => shell(&inside, &path, rest)?,
                "COPY" => copy(root, &made, &inside, rest)?,
                "ENV" => path = rest.trim_start_matches("PATH=").replace("$PATH", &path),
                "WORKDIR" => fs::create_dir_all(within(&inside, rest))?,
                "ENTRYPOINT" => {}
                other => {
                    return Err(format!("{RECIPE}: {other}: no step that a chroot can do").into());
                }
            }
        }
        shell(&inside, &path, TRIAL)
    }
}

/// A path of the container.
fn within(inside: &Path, path: &str) -> PathBuf {
    inside.join(path.trim_start_matches('/'))
}

/// Runs a line in the chroot, where a program finds its own place by `/proc` as it does in a container.
fn shell(inside: &Path, path: &str, line: &str) -> Result<(), Box<dyn Error>> {
    const CHROOT: &str = r#"mount -t proc proc "$0/proc" && exec chroot "$0" sh -c "$1""#;
    let mut shell = Command::new("unshare");
    shell
        .args(["--mount", "sh", "-c", CHROOT])
        .arg(inside)
        .arg(line)
        .env_clear()
        .env("PATH", path)
        .env("DEBIAN_FRONTEND", "noninteractive");
    done(&mut shell)
}

/// `COPY FILE … FOLDER`, of the repository or of what the first stage made.
fn copy(root: &Path, made: &Path, inside: &Path, rest: &str) -> Result<(), Box<dyn Error>> {
    let words: Vec<&str> = rest
        .split_whitespace()
        .filter(|word| !word.starts_with("--from="))
        .collect();
    let (folder, files) = words.split_last().ok_or("COPY without a folder")?;
    let folder = within(inside, folder);
    fs::create_dir_all(&folder)?;
    for file in files {
        let from = match file.strip_prefix("/opt/ssdlab/") {
            Some(file) => made.join(file),
            None => root.join(file),
        };
        let name = from.file_name().ok_or("COPY of no file")?;
        fs::copy(&from, folder.join(name))
            .map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    // Planted bugs: a stage of the container that copies from one that is not there; a plugin where nbdkit does not look.
    #[test]
    fn the_container_installs_what_install_makes() {
        let text = fs::read_to_string(tree::root().join(RECIPE)).unwrap();
        let words: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let stages: Vec<&str> = words
            .iter()
            .filter(|line| line.first() == Some(&"FROM"))
            .filter_map(|line| line.get(3))
            .copied()
            .collect();
        for line in words.iter().filter(|line| line.first() == Some(&"COPY")) {
            if let Some(stage) = line[1].strip_prefix("--from=") {
                assert!(stages.contains(&stage), "{line:?}");
            }
        }
        let install = fs::read_to_string(tree::root().join("install")).unwrap();
        for file in ["ssdlab", "nbdkit-ssdlab-plugin.so"] {
            assert!(install.contains(&format!("$root/bin/{file}")), "{file}");
            assert!(text.contains(&format!("/opt/ssdlab/bin/{file}")), "{file}");
        }
    }

    // Planted bugs: the first stage taken for the last; an instruction that goes on in the next line cut there.
    #[test]
    fn the_steps_are_those_of_the_last_stage() {
        let recipe = Recipe::read(tree::root()).unwrap();
        assert_eq!(recipe.suite(), Some("trixie"));
        let names: Vec<&str> = recipe.steps.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["RUN", "COPY", "COPY", "ENV", "WORKDIR", "ENTRYPOINT"]
        );
        assert!(
            recipe.steps[0].1.ends_with("rm -rf /var/lib/apt/lists/*"),
            "{}",
            recipe.steps[0].1
        );
    }
}
