//! What the program is made of: the bill of materials, the licences of the libraries in it, and whether `deny.toml` holds.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// The file with the licences of all libraries in the program and the Python package.
pub const NOTICES: &str = "NOTICES.txt";
/// What users get.
const SHIPPED: [&str; 3] = ["ssdlab", "ssdlab-plugin", "ssdlab-python"];
/// The system that is built for.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A library in the program.
#[derive(Debug)]
struct Package {
    id: String,
    name: String,
    version: String,
    /// An SPDX expression; `/` of old manifests is `OR`.
    license: String,
    /// The registry, or nothing for a crate of this repository.
    source: Option<String>,
    folder: String,
    /// The ids of the libraries that it uses.
    uses: Vec<String>,
}

/// The libraries that are linked into what users get, by name and version: neither those of tests and of builds, nor macros.
fn linked(root: &Path, target: &str, shipped: &[&str]) -> Result<Vec<Package>, Box<dyn Error>> {
    let metadata = metadata(root, target)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of_id: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let is_macro = |id: &str| {
        let targets = list(&of_id[id]["targets"]);
        targets
            .iter()
            .any(|target| target["kind"][0] == "proc-macro")
    };
    let uses: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let is_linked = |used: &&Value| {
                list(&used["dep_kinds"])
                    .iter()
                    .any(|kind| kind["kind"].is_null())
            };
            let used = list(&node["deps"]);
            let used = used.iter().filter(is_linked).map(|used| text(&used["pkg"]));
            (text(&node["id"]), used.filter(|id| !is_macro(id)).collect())
        })
        .collect();
    let is_shipped = |package: &Value| shipped.iter().any(|name| package["name"] == *name);
    let mut left: Vec<String> = of_id
        .iter()
        .filter(|(_, package)| is_shipped(package))
        .map(|(id, _)| id.clone())
        .collect();
    let mut ids = BTreeSet::new();
    while let Some(id) = left.pop() {
        if ids.insert(id.clone()) {
            left.extend(uses[&id].iter().cloned());
        }
    }
    let package = |id: &String| {
        let package = &of_id[id];
        let manifest = text(&package["manifest_path"]);
        let folder = Path::new(&manifest).parent().unwrap_or(Path::new(""));
        Package {
            id: id.clone(),
            name: text(&package["name"]),
            version: text(&package["version"]),
            license: text(&package["license"]).replace('/', " OR "),
            source: package["source"].as_str().map(str::to_owned),
            folder: folder.display().to_string(),
            uses: uses[id].clone(),
        }
    };
    let mut packages: Vec<Package> = ids.iter().map(package).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

fn metadata(root: &Path, target: &str) -> Result<Value, Box<dyn Error>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    let printed = cargo
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--offline",
            "--filter-platform",
            target,
        ])
        .current_dir(root)
        .output()?;
    if !printed.status.success() {
        return Err(String::from_utf8_lossy(&printed.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&printed.stdout)?)
}

/// The crates of this repository that are not published (`publish = false`).
pub fn private(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let metadata = metadata(root, TARGET)?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let own = |package: &&Value| package["source"].is_null() && package["publish"] == json!([]);
    let names = packages.iter().filter(own);
    Ok(names
        .filter_map(|package| package["name"].as_str().map(str::to_owned))
        .collect())
}

/// Prints the bill of materials: CycloneDX 1.5.
pub fn sbom(root: &Path) -> Result<(), Box<dyn Error>> {
    println!("{:#}", bill(root)?);
    Ok(())
}

fn bill(root: &Path) -> Result<Value, Box<dyn Error>> {
    let packages = linked(root, TARGET, &SHIPPED)?;
    let lock: toml::Table = toml::from_str(&fs::read_to_string(root.join("Cargo.lock"))?)?;
    let locked = lock["package"].as_array().cloned().unwrap_or_default();
    let checksum = |package: &Package| {
        let same = |one: &&toml::Value| {
            one["name"].as_str() == Some(&package.name)
                && one["version"].as_str() == Some(&package.version)
        };
        let found = locked.iter().find(same)?.get("checksum")?.as_str()?;
        Some(json!([{"alg": "SHA-256", "content": found}]))
    };
    let reference = |package: &Package| format!("pkg:cargo/{}@{}", package.name, package.version);
    let references: BTreeMap<&str, String> = packages
        .iter()
        .map(|package| (package.id.as_str(), reference(package)))
        .collect();
    let component = |package: &Package| {
        let mut component = json!({
            "type": "library",
            "bom-ref": reference(package),
            "name": package.name,
            "version": package.version,
            "purl": reference(package),
            "licenses": [{"expression": package.license}],
        });
        if let Some(hashes) = checksum(package) {
            component["hashes"] = hashes;
        }
        component
    };
    let dependency = |package: &Package| {
        let uses = package
            .uses
            .iter()
            .filter_map(|id| references.get(id.as_str()));
        json!({"ref": reference(package), "dependsOn": uses.collect::<Vec<_>>()})
    };
    let (programs, libraries): (Vec<&Package>, Vec<&Package>) = packages
        .iter()
        .partition(|package| package.name == SHIPPED[0]);
    let mut program = component(programs[0]);
    program["type"] = "application".into();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": libraries.into_iter().map(component).collect::<Vec<_>>(),
        "dependencies": packages.iter().map(dependency).collect::<Vec<_>>(),
    }))
}

/// Writes the licences of the libraries in the program.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    fs::write(root.join(NOTICES), notices(root, TARGET, &SHIPPED)?)?;
    Ok(())
}

/// Whether they are current.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    let kept = fs::read_to_string(root.join(NOTICES))?;
    match kept == notices(root, TARGET, &SHIPPED)? {
        true => Ok(()),
        false => Err(format!("{NOTICES} is not current: cargo xtask notices").into()),
    }
}

/// The licences of the libraries that are linked into these crates for a target.
pub fn notices(root: &Path, target: &str, shipped: &[&str]) -> Result<String, Box<dyn Error>> {
    let packages = linked(root, target, shipped)?;
    let foreign: Vec<&Package> = packages
        .iter()
        .filter(|package| package.source.is_some())
        .collect();
    let mut text =
        "The libraries in ssdlab and their licences. Made by `cargo xtask notices`.\n\n".to_owned();
    // a text once, with all that have it
    let mut texts: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for package in &foreign {
        let named = format!("{} {}", package.name, package.version);
        text += &format!("{named}: {}\n", package.license);
        for path in licences(package)? {
            let licence = String::from_utf8_lossy(&fs::read(path)?).replace('\r', "");
            let same = licence.split_whitespace().collect::<Vec<_>>().join(" ");
            let kept = texts.entry(same).or_insert((licence, Vec::new()));
            if !kept.1.contains(&named) {
                kept.1.push(named.clone());
            }
        }
    }
    let mut texts: Vec<(String, Vec<String>)> = texts.into_values().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    for (licence, of) in texts {
        let lines: Vec<&str> = licence.trim_end().lines().map(str::trim_end).collect();
        text += &format!(
            "\n{}\n{}\n\n{}\n",
            "-".repeat(80),
            of.join(", "),
            lines.join("\n").trim_start_matches('\n')
        );
    }
    Ok(text)
}

/// The files with the licence of a package: of a choice with MIT, that alone, and every notice.
fn licences(package: &Package) -> Result<Vec<std::path::PathBuf>, Box<dyn Error>> {
    const STARTS: [&str; 5] = ["LICEN", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
    let mut all = Vec::new();
    for entry in fs::read_dir(&package.folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        if path.is_file() && STARTS.iter().any(|start| name.starts_with(start)) {
            all.push((name, path));
        }
    }
    all.sort();
    let choice: Vec<&str> = package.license.split(" OR ").collect();
    let is_mit = |name: &str| name.contains("MIT");
    if choice.contains(&"MIT") && all.iter().any(|(name, _)| is_mit(name)) {
        all.retain(|(name, _)| is_mit(name) || name.starts_with("NOTICE"));
    }
    Ok(all.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::root;

    fn deny() -> toml::Table {
        toml::from_str(&fs::read_to_string(root().join("deny.toml")).unwrap()).unwrap()
    }

    fn texts(value: &toml::Value) -> Vec<&str> {
        let list = value.as_array().expect("a list");
        list.iter()
            .map(|one| one.as_str().expect("a text"))
            .collect()
    }

    /// Whether an SPDX expression allows a use under these licences.
    fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
        // no parentheses hold an AND
        let expression = expression.replace(['(', ')'], "");
        let parts = expression.split(" AND ");
        parts
            .into_iter()
            .all(|part| part.split(" OR ").any(|one| allowed.contains(&one.trim())))
    }

    #[test]
    fn a_choice_needs_one_licence_and_a_sum_all() {
        let allowed = ["MIT", "ISC"];
        for (expression, is) in [
            ("MIT", true),
            ("GPL-3.0 OR MIT", true),
            ("(MIT OR Apache-2.0) AND ISC", true),
            ("MIT AND GPL-3.0", false),
            ("GPL-3.0", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed), is, "{expression}");
        }
    }

    // Planted bug: a crate that tests use in the version of the workspace, which cannot be packed if that crate needs this one.
    #[test]
    fn crates_of_tests_are_there_by_their_paths_alone() {
        let metadata = metadata(root(), TARGET).unwrap();
        let mut found = 0;
        for package in metadata["packages"].as_array().expect("packages") {
            let uses = package["dependencies"].as_array().expect("a list");
            for used in uses {
                if used["kind"] == "dev" && !used["path"].is_null() {
                    assert_eq!(used["req"], "*", "{}: {}", package["name"], used["name"]);
                    found += 1;
                }
            }
        }
        assert!(found > 20, "{found}");
    }

    // Planted bugs: a dependency with another licence, from another place, or a second time, that nobody has allowed; a
    // licence that is allowed and of no use.
    #[test]
    fn dependencies_are_as_deny_toml_allows() {
        let deny = deny();
        let allowed = texts(&deny["licenses"]["allow"]);
        let registries = texts(&deny["sources"]["allow-registry"]);
        let skipped = deny["bans"]["skip"].as_array().expect("a list");
        let mut skipped: BTreeSet<String> = skipped
            .iter()
            .map(|one| one["crate"].as_str().expect("a crate").to_owned())
            .collect();
        let metadata = metadata(root(), TARGET).unwrap();
        let (mut names, mut used) = (BTreeMap::<String, Vec<String>>::new(), String::new());
        for package in metadata["packages"].as_array().expect("packages") {
            let text = |key: &str| {
                package[key]
                    .as_str()
                    .unwrap_or_default()
                    .replace('/', " OR ")
            };
            let (name, licence) = (text("name"), text("license"));
            assert!(is_allowed(&licence, &allowed), "{name}: {licence:?}");
            used += &format!("{licence}\n");
            if let Some(source) = package["source"].as_str() {
                let registry = source.strip_prefix("registry+");
                assert!(
                    registry.is_some_and(|one| registries.contains(&one)),
                    "{name}: {source}"
                );
                names.entry(name).or_default().push(text("version"));
            }
        }
        for (name, versions) in names.iter().filter(|(_, versions)| versions.len() > 1) {
            // all but the newest
            let mut sorted = versions.clone();
            sorted.sort_by_key(|version| {
                let numbers = version.split(['.', '+', '-']);
                numbers
                    .map(|number| number.parse::<u64>().unwrap_or(0))
                    .collect::<Vec<_>>()
            });
            for version in &sorted[..sorted.len() - 1] {
                let one = format!("{name}@{version}");
                assert!(
                    skipped.remove(&one),
                    "{one} beside {versions:?}: skip it in deny.toml, or use one"
                );
            }
        }
        assert!(skipped.is_empty(), "of one version now: {skipped:?}");
        for licence in allowed {
            assert!(
                used.contains(licence),
                "no dependency has the licence {licence}"
            );
        }
    }

    // Planted bugs: a library without its licence; one that is new and not in the list.
    #[test]
    fn notices_are_those_of_the_program() {
        check(root()).unwrap();
    }

    #[test]
    fn the_bill_has_every_library_with_its_hash() {
        let (bill, packages) = (
            bill(root()).unwrap(),
            linked(root(), TARGET, &SHIPPED).unwrap(),
        );
        let components = bill["components"].as_array().unwrap();
        assert_eq!(components.len() + 1, packages.len());
        let foreign = packages
            .iter()
            .filter(|package| package.source.is_some())
            .count();
        assert!(foreign > 100);
        let hashed = components.iter().filter(|one| {
            one["hashes"][0]["content"]
                .as_str()
                .is_some_and(|hash| hash.len() == 64)
        });
        assert_eq!(hashed.count(), foreign);
        assert_eq!(bill["metadata"]["component"]["name"], "ssdlab");
        let names: Vec<&Value> = components
            .iter()
            .chain([&bill["metadata"]["component"]])
            .map(|one| &one["bom-ref"])
            .collect();
        for dependency in bill["dependencies"].as_array().unwrap() {
            for used in dependency["dependsOn"].as_array().unwrap() {
                assert!(names.contains(&used), "{used}");
            }
        }
    }
}
