//! `cargo xtask packages`: packs every crate that can be published, and compiles and documents each from its package.
//!
//! The packages become one workspace in `target/packages`, so that they use each other and nothing of this tree. It has
//! the profiles of this workspace and the same target folder: what clippy has checked of other people's crates is not
//! checked again. The crates that are not published are members too, as they are here, so that all is documented in one
//! pass.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::tree;

/// The workspace members in the manifest of the root.
const MEMBERS: &str = r#"members = ["crates/*", "fuzz", "xtask"]"#;
/// The member of `cargo run` there.
const DEFAULT: &str = r#"default-members = ["crates/cli"]"#;

/// Packs, checks and documents all crates. A warning of rustdoc is an error.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into());
    let target = root.join(target);
    let members = members(root)?;
    let mut pack = cargo(root);
    pack.args(["package", "--workspace", "--allow-dirty", "--no-verify"]);
    for private in members.iter().filter(|member| !member.is_published) {
        pack.args(["--exclude", &private.name]);
    }
    done(&mut pack)?;

    let folder = target.join("packages");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut manifest = manifest(root, "*")?;
    let mut patches = "\n[patch.crates-io]\n".to_owned();
    for member in &members {
        let place = match member.is_published {
            true => unpack(&target, &folder, member)?,
            false => copy(root, &folder, member)?,
        };
        let old = format!("path = \"{}\"", member.path);
        let new = format!("path = \"{place}\"");
        if manifest.contains(&old) {
            replace(&mut manifest, &old, &new)?;
        }
        if member.is_published {
            patches += &format!("{} = {{ {new} }}\n", member.name);
        }
    }
    fs::write(folder.join("Cargo.toml"), manifest + &patches)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;

    let mut check = cargo(&folder);
    check.args(["check", "--workspace"]);
    let mut document = cargo(&folder);
    document.args(["doc", "--workspace", "--no-deps"]);
    document.env("RUSTDOCFLAGS", "-D warnings");
    for command in [&mut check, &mut document] {
        done(command.arg("--target-dir").arg(&target))?;
    }
    Ok(())
}

/// The manifest of this workspace, with other members.
pub fn manifest(root: &Path, members: &str) -> Result<String, Box<dyn Error>> {
    let mut manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    replace(&mut manifest, MEMBERS, &format!("members = [{members:?}]"))?;
    replace(&mut manifest, DEFAULT, "")?;
    Ok(manifest)
}

/// A crate of the workspace.
struct Member {
    name: String,
    version: String,
    /// Its folder below the root.
    path: String,
    is_published: bool,
}

fn members(root: &Path) -> Result<Vec<Member>, Box<dyn Error>> {
    let mut metadata = cargo(root);
    metadata.args(["metadata", "--format-version=1", "--no-deps"]);
    let printed = metadata.output()?;
    let metadata: Value = serde_json::from_slice(&printed.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or("no text");
    let member = |package: &Value| {
        let manifest = text(&package["manifest_path"])?;
        let folder = Path::new(&manifest).parent().ok_or("no folder")?;
        let path = folder.strip_prefix(root)?;
        Ok(Member {
            name: text(&package["name"])?,
            version: text(&package["version"])?,
            path: path.to_str().ok_or("no Unicode")?.to_owned(),
            // null: to any registry
            is_published: package["publish"].is_null(),
        })
    };
    packages.iter().map(member).collect()
}

/// Unpacks a package. Its files get the time of now, or cargo would take changed ones for old.
fn unpack(target: &Path, folder: &Path, member: &Member) -> Result<String, Box<dyn Error>> {
    let place = format!("{}-{}", member.name, member.version);
    let package = target.join("package").join(format!("{place}.crate"));
    let mut tar = Command::new("tar");
    done(tar.arg("-xzmf").arg(package).arg("-C").arg(folder))?;
    Ok(place)
}

/// Copies a crate that is not published.
fn copy(root: &Path, folder: &Path, member: &Member) -> Result<String, Box<dyn Error>> {
    let files = tree::files(root)?;
    let of_member = |file: &Path| Some(file.strip_prefix(&member.path).ok()?.to_owned());
    for file in &files {
        if let Some(inside) = of_member(file) {
            let to = folder.join(&member.name).join(inside);
            fs::create_dir_all(to.parent().expect("a folder"))?;
            fs::copy(root.join(file), to)?;
        }
    }
    Ok(member.name.clone())
}

/// A call of cargo in a folder.
pub fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(folder).args(["--quiet", "--offline"]);
    cargo
}

/// Runs a command, which must succeed.
pub fn done(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {status}").into()),
    }
}

fn replace(manifest: &mut String, old: &str, new: &str) -> Result<(), Box<dyn Error>> {
    if manifest.matches(old).count() != 1 {
        return Err(format!("Cargo.toml does not contain {old:?} once").into());
    }
    *manifest = manifest.replace(old, new);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::tree::root;

    // Planted bugs: an `exclude` of a file that a crate includes; an `include_str!` of a file beside the crate.
    #[test]
    fn every_file_that_a_crate_needs_is_in_its_package() {
        let needed = needed();
        assert!(needed.len() > 15, "{needed:?}");
        let members = members(root()).unwrap();
        for member in members.iter().filter(|member| member.is_published) {
            let mut list = cargo(root());
            list.args(["package", "--list", "--allow-dirty", "--package"]);
            let listed = list.arg(&member.name).output().unwrap();
            assert!(listed.status.success(), "{listed:?}");
            let listed = String::from_utf8(listed.stdout).unwrap();
            for file in needed.get(&member.path).into_iter().flatten() {
                let inside = file.strip_prefix(&format!("{}/", member.path));
                let is_there = inside.is_some_and(|file| listed.lines().any(|line| line == file));
                assert!(is_there, "{}: {file}", member.name);
            }
        }
    }

    /// The name of a file in a folder.
    fn inside(file: &Path, folder: &Path) -> String {
        let inside = file.strip_prefix(folder).unwrap_or(file);
        inside.to_str().unwrap().to_owned()
    }

    /// For each crate, by its folder, the files of this tree from which a library was compiled, as the compiler told.
    fn needed() -> BTreeMap<String, Vec<String>> {
        let program = std::env::current_exe().unwrap();
        let mut needed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in fs::read_dir(program.parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "d") {
                continue;
            }
            // `OUTPUT: FILE FILE …` for each output; no file of this tree has a blank in its name
            let told = fs::read_to_string(path).unwrap();
            let files = told.lines().filter_map(|line| {
                let (output, files) = line.split_once(": ")?;
                output.ends_with(".rmeta").then_some(files)
            });
            for files in files {
                // lints read the manifest of the workspace
                let files = files.split(' ').filter(|file| *file != "Cargo.toml");
                let files: Vec<&str> = files.collect();
                let folder = files
                    .iter()
                    .find_map(|file| file.strip_suffix("/src/lib.rs"));
                let Some(folder) = folder.filter(|folder| folder.starts_with("crates/")) else {
                    continue;
                };
                let of_crate = needed.entry(folder.to_owned()).or_default();
                // a file may have gone since, and a name may go through other folders
                let there = files
                    .iter()
                    .filter_map(|file| root().join(file).canonicalize().ok());
                of_crate.extend(there.map(|file| inside(&file, &root().canonicalize().unwrap())));
            }
        }
        needed
    }
}
