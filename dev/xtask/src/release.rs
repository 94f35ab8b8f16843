//! `cargo xtask release`: what users download, in `target/packages`.
//!
//! An archive for each target (for Windows too, where `tar -xf` opens it) has the program with all commands, its manual pages,
//! completions and licences. Beside the archives are the Python wheel, the crates as they are published, the container, and
//! `SHA256SUMS`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::{container, header, ssdlab, supply, tree};

/// What is built without a name: it runs on every Linux of this processor.
const STATIC: &str = "x86_64-unknown-linux-musl";
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];
/// Beside the program in each archive.
const TEXTS: [&str; 5] = [
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "NOTICE",
    "README.md",
];
const PACKAGES: [&str; 3] = ["--wheel", "--crates", "--container"];

/// Makes the packages that `words` name: `--wheel`, `--crates`, `--container` and targets; without any, those of this machine.
pub fn make(root: &Path, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let words = match words {
        [] => &[STATIC, "--wheel", "--crates"],
        words => words,
    };
    if let Some(wrong) = words
        .iter()
        .find(|word| word.starts_with('-') && !PACKAGES.contains(word))
    {
        let allowed = PACKAGES.join(", ");
        return Err(format!("{wrong}: must be {allowed} or a target of rustc").into());
    }
    supply::check(root)?;
    let packages = tree::target(root).join("packages");
    fs::create_dir_all(&packages)?;
    for word in words {
        match *word {
            "--wheel" => wheel(root, &packages)?,
            "--crates" => crates(root)?,
            "--container" => println!("{}", container::make(root)?),
            target => {
                let program = built(root, target)?;
                println!("{}", tried(root, target, &program)?);
                archive(root, target, &program, &packages)?;
            }
        }
    }
    let sums = sums(&packages)?;
    print!("{sums}");
    Ok(fs::write(packages.join("SHA256SUMS"), sums)?)
}

/// Whether the header and the licences are current, which no package may be without.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    header::check(root)?;
    supply::check(root)
}

pub(crate) fn done(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {status}").into()),
    }
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .current_dir(root)
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    cargo
}

/// Builds the program for a target.
fn built(root: &Path, target: &str) -> Result<PathBuf, Box<dyn Error>> {
    if target == "aarch64-unknown-linux-gnu" && std::env::consts::ARCH != "aarch64" {
        // the linker of Debian's cross compiler; its C compiler is found by its name
        let linker = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER";
        done(
            cargo(root)
                .args(build(target))
                .env(linker, "aarch64-linux-gnu-gcc"),
        )?;
    } else {
        done(cargo(root).args(build(target)))?;
    }
    let folder = tree::target(root).join(target).join("release");
    Ok(folder.join(program_of(target)))
}

fn program_of(target: &str) -> &'static str {
    match target.contains("windows") {
        true => "ssdlab.exe",
        false => "ssdlab",
    }
}

/// Compares what a program says of a run with what that of this machine says; in words. What runs foreign programs may be missing here.
fn tried(root: &Path, target: &str, program: &Path) -> Result<String, Box<dyn Error>> {
    const RUN: &str =
        "run traces/w9-ext3-postmark.csv.zst --preset nvme-tlc --scale-to 1GiB --json";
    let runner: &[&str] = match target {
        STATIC => &[],
        "aarch64-unknown-linux-gnu" => &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        "x86_64-pc-windows-gnu" => &["wine"],
        _ => return Ok(format!("{target}: nothing runs it here; it is built")),
    };
    let mut line: Vec<&std::ffi::OsStr> = runner.iter().map(std::ffi::OsStr::new).collect();
    line.push(program.as_os_str());
    let said = Command::new(line[0])
        .args(&line[1..])
        .args(RUN.split(' '))
        .current_dir(root)
        .output();
    let said = match said {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !runner.is_empty() => {
            return Ok(format!(
                "{target}: built, not run: {} is not installed",
                runner[0]
            ));
        }
        said => said?,
    };
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr);
        return Err(format!("{target}: {RUN}: {}: {why}", said.status).into());
    }
    // how long it took differs
    let counters = |text: &str| -> Result<serde_json::Value, Box<dyn Error>> {
        let whole: serde_json::Value = serde_json::from_str(text)?;
        Ok(whole["counters"].clone())
    };
    let own = counters(&ssdlab::run_in(root, root, RUN)?)?;
    let foreign = counters(&String::from_utf8(said.stdout)?)?;
    match own.is_object() && own == foreign {
        true => Ok(format!(
            "{target}: runs, and counts what that of this machine counts"
        )),
        false => Err(format!("{target}: {RUN}: counts {foreign} instead of {own}").into()),
    }
}

fn build(target: &str) -> [&str; 9] {
    [
        "build",
        "--locked",
        "--release",
        "--package",
        "ssdlab",
        "--features",
        "full",
        "--target",
        target,
    ]
}

/// Packs the program with all that belongs to it. The manual pages and completions are those of the program of this machine.
fn archive(
    root: &Path,
    target: &str,
    program: &Path,
    packages: &Path,
) -> Result<PathBuf, Box<dyn Error>> {
    let name = format!("ssdlab-{}-{target}", env!("CARGO_PKG_VERSION"));
    let work = tempfile::tempdir()?;
    let folder = work.path().join(&name);
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(program, folder.join(program_of(target)))?;
    for text in TEXTS {
        fs::copy(root.join(text), folder.join(text))?;
    }
    let notices = supply::notices(root, target, &["ssdlab"])?;
    fs::write(folder.join(supply::NOTICES), notices)?;
    ssdlab::run_in(root, &folder, "man man1")?;
    for shell in SHELLS {
        let text = ssdlab::run_in(root, &folder, &format!("completions {shell}"))?;
        fs::write(
            folder.join("completions").join(format!("ssdlab.{shell}")),
            text,
        )?;
    }
    let made = packages.join(format!("{name}.tar.gz"));
    // the same bytes for the same files
    done(
        Command::new("tar")
            .args([
                "--sort=name",
                "--owner=0",
                "--group=0",
                "--numeric-owner",
                "--mtime=@0",
            ])
            .args(["-c", "-I", "gzip -9n", "-f"])
            .arg(&made)
            .arg("-C")
            .arg(work.path())
            .arg(&name),
    )?;
    Ok(made)
}

/// The wheel with the command line in it, as maturin builds it.
fn wheel(root: &Path, packages: &Path) -> Result<(), Box<dyn Error>> {
    done(
        Command::new("python3")
            .args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"])
            .args([packages, root]),
    )
}

/// Packs all crates that are published, in their order: each finds those that it uses. A crate that only tests use must be there by its
/// path alone, or cargo finds a circle.
fn crates(root: &Path) -> Result<(), Box<dyn Error>> {
    let mut package = cargo(root);
    package.args([
        "package",
        "--quiet",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
    ]);
    for name in supply::private(root)? {
        package.args(["--exclude", &name]);
    }
    done(&mut package)
}

/// The sums of all packages, as `sha256sum --check` reads them.
fn sums(packages: &Path) -> Result<String, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(packages)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tar.gz") || name.ends_with(".whl") {
            names.push(name);
        }
    }
    names.sort();
    let mut text = String::new();
    for name in names {
        let digest = Sha256::digest(fs::read(packages.join(&name))?);
        text += &format!("{}  {name}\n", ssdlab_words::hexadecimal(&digest));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use yaml_rust2::YamlLoader;

    use super::*;

    // Planted bugs: a workflow that is no YAML, or that calls a task or builds a crate that does not exist.
    #[test]
    fn the_workflow_calls_what_there_is() {
        let text = fs::read_to_string(tree::root().join(".github/workflows/release.yml")).unwrap();
        let workflow = &YamlLoader::load_from_str(&text).unwrap()[0];
        let jobs = workflow["jobs"].as_hash().unwrap();
        let mut calls = Vec::new();
        for job in jobs.values() {
            for step in job["steps"].as_vec().unwrap() {
                assert!(step["uses"].as_str().is_some() != step["run"].as_str().is_some());
                calls.extend(step["run"].as_str());
            }
        }
        let calls = calls.join("\n");
        for call in [
            "cargo xtask release",
            "cargo xtask header --check",
            "cargo xtask site",
        ] {
            assert!(calls.contains(call), "{call}");
        }
        for line in calls.lines().filter(|line| line.contains("cargo xtask ")) {
            let task = line
                .split("cargo xtask ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next());
            let known = format!("cargo xtask {} ", task.unwrap_or_default());
            assert!(crate::USAGE.contains(&known), "{line}");
        }
    }

    // Planted bug: a sum of another file, or a line that sha256sum does not read.
    #[test]
    fn sums_are_those_of_the_packages() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.tar.gz"), "abc").unwrap();
        fs::write(folder.path().join("SHA256SUMS"), "").unwrap();
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sums(folder.path()).unwrap(), format!("{sum}  a.tar.gz\n"));
    }
}
