//! `cargo xtask site`: all documents as pages with search, and the page with the simulator inside, in `target/site`.
//!
//! mdBook makes the pages. It gets a folder with the documents in the places that they have here, so their links stay as they
//! are, and with every file that they link. The order of the contents is that of the links on the first page,
//! `dev/site/index.md`; what it does not name follows by folder.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::links::{self, Document};
use crate::{tools, tree, web};

/// The version of mdBook that is installed.
const MDBOOK: &str = "0.5.4";
/// The first page.
const FIRST: &str = "dev/site/index.md";
/// What stands on the first page for the link to the page with the simulator, which is not in the repository.
const PAGE: &str = "<!-- the page -->";
const PAGE_LINK: &str =
    "[**Try it in your browser**](web/index.html): nothing to install, and nothing leaves it.";
/// Documents of the repository that are no part of the site: instructions for those who work on it in a folder of its own.
const LEFT_OUT: [&str; 4] = ["dev", "crates", "python", "examples"];

/// Makes the site, and fails if a link in it is dead.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let target = tree::target(root);
    let (book, site) = (target.join("site-source"), target.join("site"));
    let mdbook = tools::installed(
        &target,
        "mdbook",
        MDBOOK,
        &["--no-default-features", "--features", "search"],
    )?;
    for folder in [&book, &site] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    let pages = stage(root, &book)?;
    let built = Command::new(mdbook)
        .args(["build", "--dest-dir"])
        .arg(&site)
        .arg(&book)
        .env("RUST_LOG", "warn")
        .status()?;
    if !built.success() {
        return Err("mdbook failed".into());
    }
    web::make(root)?;
    copy_all(&web::folder(root), &site.join("web"))?;
    let (files, links) = check(&site)?;
    println!(
        "{}: {pages} pages, {files} files, {links} links, none dead",
        site.join("index.html").display()
    );
    Ok(())
}

/// The documents of the site by their places in this repository, where the first page lies in the root.
fn documents(root: &Path) -> Result<BTreeMap<PathBuf, String>, Box<dyn Error>> {
    let is_page = |name: &PathBuf| !LEFT_OUT.iter().any(|folder| name.starts_with(folder));
    let names = tree::documents(root)?.into_iter().filter(is_page);
    let first = fs::read_to_string(root.join(FIRST))?.replace(PAGE, PAGE_LINK);
    let mut texts = BTreeMap::from([(INDEX.into(), first)]);
    for name in names {
        let text = fs::read_to_string(root.join(&name))?;
        texts.insert(name, text);
    }
    Ok(texts)
}

/// The place of a document in the site: the index of its folder has the name that servers look for.
fn placed(document: &Path) -> PathBuf {
    if document.as_os_str() == README {
        return START.into();
    }
    match document.ends_with(README) {
        true => document.with_file_name(INDEX),
        false => document.to_owned(),
    }
}

const README: &str = "README.md";
const INDEX: &str = "index.md";
/// README of the root, since the first page is another one.
const START: &str = "start.md";

/// Fills the folder of the book. Returns the number of pages.
fn stage(root: &Path, book: &Path) -> Result<usize, Box<dyn Error>> {
    let source = book.join("src");
    let texts = documents(root)?;
    let mut pages = BTreeMap::new();
    for (name, text) in &texts {
        let document = Document::read(text);
        let mut text = text.clone();
        for link in &document.links {
            let Some((linked, anchor)) = links::target(name, link) else {
                continue;
            };
            let from = root.join(&linked);
            if from.is_dir() {
                let list = listing(&from, &source.join(&linked))?;
                write(&source.join(&linked).join("index.html"), list.as_bytes())?;
                text = text.replace(&format!("]({link})"), &format!("]({link}/index.html)"));
            } else if texts.contains_key(&linked) {
                let file = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
                let (old, new) = (file(&linked), file(&placed(&linked)));
                let other = match anchor {
                    "" => link.strip_suffix(&old).map(|start| format!("{start}{new}")),
                    _ => Some(link.replace(&format!("{old}#"), &format!("{new}#"))),
                };
                text = text.replace(
                    &format!("]({link})"),
                    &format!("]({})", other.as_ref().unwrap_or(link)),
                );
            } else if from.is_file() {
                write(&source.join(&linked), &fs::read(from)?)?;
            }
        }
        write(&source.join(placed(name)), text.as_bytes())?;
        pages.insert(name.clone(), document);
    }
    write(&source.join("SUMMARY.md"), summary(&pages).as_bytes())?;
    write(&book.join("book.toml"), BOOK.as_bytes())?;
    Ok(texts.len())
}

/// The settings of mdBook.
const BOOK: &str = r#"[book]
title = "ssdlab"
language = "en"

[output.html]
smart-punctuation = false
default-theme = "light"
preferred-dark-theme = "navy"
no-section-label = true
fold = { enable = true }
print = { enable = false }

[output.html.search]
limit-results = 20
use-boolean-and = true
"#;

/// A page with the files of a folder, which are copied beside it.
fn listing(folder: &Path, to: &Path) -> Result<String, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().display().to_string();
        if path.is_file() {
            write(&to.join(&name), &fs::read(&path)?)?;
            names.push((name.clone(), name));
        } else if path.join(README).is_file() {
            names.push((format!("{name}/index.html"), name));
        }
    }
    names.sort();
    let items = names
        .iter()
        .map(|(link, name)| format!("<li><a href=\"{link}\">{name}</a>\n"));
    Ok(format!(
        "<!doctype html><meta charset=\"utf-8\"><title>{name}</title><h1>{name}</h1>\n<ul>\n{items}</ul>\n",
        name = folder.file_name().unwrap_or_default().display(),
        items = items.collect::<String>()
    ))
}

/// The contents: what the first page names, in its order and under its headings, and behind it all else, by folder.
fn summary(pages: &BTreeMap<PathBuf, Document>) -> String {
    let entry = |name: &Path| {
        let title = pages[name].title.replace(['[', ']'], "");
        format!("- [{title}]({})\n", placed(name).display())
    };
    let mut text = format!("# Contents\n\n[ssdlab]({INDEX})\n[Start]({START})\n");
    let mut left: BTreeSet<&PathBuf> = pages.keys().collect();
    left.retain(|name| ![INDEX, README].contains(&name.display().to_string().as_str()));
    for (heading, links) in &pages[Path::new(INDEX)].sections {
        text += &format!("\n# {heading}\n\n");
        for link in links {
            let Some((name, _)) = links::target(Path::new(INDEX), link) else {
                continue;
            };
            if left.remove(&name) {
                text += &entry(&name);
            }
        }
    }
    let mut groups = BTreeMap::<PathBuf, Vec<&PathBuf>>::new();
    for name in left {
        let parts: Vec<_> = name.parent().into_iter().flatten().take(2).collect();
        let group = match parts[..] {
            [first, _] if first != "docs" => PathBuf::from(first),
            _ => parts.iter().collect(),
        };
        groups.entry(group).or_default().push(name);
    }
    text += "\n# All else\n\n";
    for (group, names) in &groups {
        let index = group.join(README);
        let has_index = pages.contains_key(&index) && group.components().count() > 0;
        // a folder is an entry with those of its pages below it
        if has_index {
            text += &entry(&index);
        } else if group.components().count() > 0 && names.len() > 1 {
            text += &format!("- [{}]()\n", group.display());
        }
        let is_below = has_index || group.components().count() > 0 && names.len() > 1;
        for name in names.iter().filter(|name| **name != &index) {
            text += if is_below { "    " } else { "" };
            text += &entry(name);
        }
    }
    text
}

/// Follows every link of every page. Returns the numbers of files and of links.
fn check(site: &Path) -> Result<(usize, usize), Box<dyn Error>> {
    let mut files = BTreeSet::new();
    list(site, Path::new(""), &mut files)?;
    let is_page = |name: &&PathBuf| {
        // a server shows this one in any folder
        name.extension().is_some_and(|end| end == "html") && name.as_os_str() != "404.html"
    };
    let mut pages = BTreeMap::new();
    for name in files.iter().filter(is_page) {
        pages.insert(name, fs::read_to_string(site.join(name))?);
    }
    let anchors: BTreeMap<&PathBuf, BTreeSet<String>> = pages
        .iter()
        .map(|(name, html)| {
            (
                *name,
                links::attributes(html, &["id", "name"])
                    .into_iter()
                    .collect(),
            )
        })
        .collect();
    let (mut links, mut dead) = (0, String::new());
    // the pages of the simulator make their own addresses
    for (name, html) in pages.iter().filter(|(name, _)| !name.starts_with("web")) {
        for link in links::attributes(html, &["href", "src"]) {
            let Some((file, anchor)) = links::target(name, &link) else {
                continue;
            };
            links += 1;
            let file = match site.join(&file).is_dir() {
                true => file.join("index.html"),
                false => file,
            };
            let has = |all: &BTreeSet<String>| anchor.is_empty() || all.contains(anchor);
            if !files.contains(&file) || !anchors.get(&file).is_none_or(has) {
                dead += &format!("{}: {link}\n", name.display());
            }
        }
    }
    match dead.is_empty() {
        true => Ok((files.len(), links)),
        false => Err(format!("dead links:\n{dead}").into()),
    }
}

/// All files below a folder.
fn list(root: &Path, folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => list(root, &name, files)?,
            false => _ = files.insert(name),
        }
    }
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = BTreeSet::new();
    list(from, Path::new(""), &mut files)?;
    for name in files {
        write(&to.join(&name), &fs::read(from.join(&name))?)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(path.parent().ok_or("a file in a folder")?)?;
    Ok(fs::write(path, bytes)?)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    // Planted bugs: a page that the contents lack; the index of a folder under its old name; a dead link that passes.
    #[test]
    fn every_page_is_in_the_contents_and_every_link_is_followed() {
        let folder = TempDir::new().unwrap();
        let book = folder.path();
        let pages = stage(tree::root(), book).unwrap();
        let contents = fs::read_to_string(book.join("src/SUMMARY.md")).unwrap();
        let entries = Document::read(&contents).links;
        let named: BTreeSet<&String> = entries.iter().filter(|link| !link.is_empty()).collect();
        assert_eq!(named.len(), pages, "{contents}");
        for entry in named {
            assert!(book.join("src").join(entry).is_file(), "{entry}");
        }
        let doors: Vec<&str> = contents
            .lines()
            .filter_map(|line| line.strip_prefix("# My "))
            .collect();
        assert_eq!(doors, ["drive", "research", "firmware"]);

        let site = folder.path().join("site");
        write(
            &site.join("a.html"),
            b"<a href=\"b/\"><a href=\"b/index.html#x\"><a href=\"#y\">",
        )
        .unwrap();
        write(&site.join("b/index.html"), b"<p id=\"x\">").unwrap();
        assert_eq!(
            check(&site).unwrap_err().to_string(),
            "dead links:\na.html: #y\n"
        );
        write(
            &site.join("a.html"),
            b"<a href=\"b/\"><a href=\"b/index.html#x\">",
        )
        .unwrap();
        assert_eq!(check(&site).unwrap(), (2, 2));
    }
}
