//! `cargo xtask web`: the page with the simulator inside, as a folder for a server and as one file for a disk.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use ssdlab_web::see::Picture;
use ssdlab_words::thousands;

use crate::{supply, tree};

/// What the page is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";
/// The module beside the page, and in it.
pub const MODULE: &str = "ssdlab.wasm.gz";
/// The traces of the page: the file, a title, and what it is.
const SAMPLES: [(&str, &str, &str); 2] = [
    (
        "w7-ext3-untar-linux.csv.zst",
        "Unpacking Linux on ext3",
        "tar unpacks the source of the kernel.",
    ),
    (
        "w5-fat16-media-flush.csv.zst",
        "Media player on FAT16",
        "Music and pictures are copied to a player, which flushes often.",
    ),
];
/// The most that the page may take, compressed, bytes.
const MOST: usize = 1_500_000;

/// The folder that the page is made in.
pub fn folder(root: &Path) -> PathBuf {
    tree::target(root).join("web")
}

/// Makes the page: `index.html` with what it loads, and `ssdlab.html`, which has all inside.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let module = packed(&compiled(root)?)?;
    let mut files = vec![(MODULE, module)];
    for (name, ..) in SAMPLES {
        files.push((name, fs::read(root.join("traces").join(name))?));
    }
    let notices = supply::notices(root, TARGET, &["ssdlab-web"])?;
    files.push((supply::NOTICES, notices.into_bytes()));
    let to = folder(root);
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    fs::create_dir_all(&to)?;
    for (name, bytes) in &files {
        fs::write(to.join(name), bytes)?;
    }
    let samples =
        SAMPLES.map(|(name, title, about)| json!({ "name": name, "title": title, "about": about }));
    let samples = format!(
        "<script id=\"samples\" type=\"application/json\">{}</script>",
        json!(samples)
    );
    let inside: String = files
        .iter()
        .map(|(name, bytes)| {
            let text = match *name {
                // a text is smaller as it is
                supply::NOTICES => String::from_utf8_lossy(bytes).replace("</", "< /"),
                _ => BASE64_STANDARD.encode(bytes),
            };
            format!("<script id=\"file-{name}\" type=\"text/plain\">{text}</script>\n")
        })
        .collect();
    let page = |data: &str| filled(root, &samples, data);
    let (apart, alone) = (page("")?, page(&inside)?);
    fs::write(to.join("index.html"), &apart)?;
    fs::write(to.join("ssdlab.html"), &alone)?;
    let mut beside = 0;
    for (_, bytes) in &files {
        // a server compresses what is not
        beside += packed(bytes)?.len().min(bytes.len());
    }
    let sizes = [
        (
            "index.html with all that it loads",
            packed(apart.as_bytes())?.len() + beside,
        ),
        ("ssdlab.html", packed(alone.as_bytes())?.len()),
    ];
    for (name, bytes) in sizes {
        println!("{}: {} bytes compressed", name, thousands(bytes as u64));
        if bytes > MOST {
            return Err(format!("{name}: must be at most {} bytes", thousands(MOST as u64)).into());
        }
    }
    Ok(())
}

/// The module: the crate `web`, compiled for pages.
fn compiled(root: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let run = |program: &str, arguments: &[&str]| -> Result<(), Box<dyn Error>> {
        let ended = Command::new(program)
            .args(arguments)
            .current_dir(root)
            .status();
        let ended = ended.map_err(|error| format!("{program}: {error}"))?;
        match ended.success() {
            true => Ok(()),
            false => Err(format!("{program} {}: {ended}", arguments.join(" ")).into()),
        }
    };
    run("rustup", &["--quiet", "target", "add", TARGET])?;
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let what = [
        "build",
        "--quiet",
        "--locked",
        "--profile",
        "web",
        "--target",
        TARGET,
        "--package",
        "ssdlab-web",
    ];
    run(&cargo, &what)?;
    let module = tree::target(root).join(TARGET).join("web/ssdlab_web.wasm");
    Ok(fs::read(&module).map_err(|error| format!("{}: {error}", module.display()))?)
}

/// Compressed with gzip.
pub fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

/// The page with its style and its scripts.
fn filled(root: &Path, samples: &str, data: &str) -> Result<String, Box<dyn Error>> {
    let read = |name: &str| fs::read_to_string(root.join("web/page").join(name));
    let mut page = String::new();
    let template = read("index.html")?;
    let mut parts = template.split("{{");
    page += parts.next().unwrap_or_default();
    for part in parts {
        let (place, rest) = part.split_once("}}").ok_or("index.html: {{ without }}")?;
        match place {
            "style" => page += &read("style.css")?,
            "worker" => page += &read("worker.js")?,
            "script" => page += &read("app.js")?,
            "samples" => page += samples,
            "data" => page += data,
            other => return Err(format!("index.html: no text for {other}").into()),
        }
        page += rest;
    }
    Ok(page)
}

/// Writes the drawings of merges and cleaning; a test compares them.
pub fn pictures(root: &Path) -> Result<(), Box<dyn Error>> {
    let folder = root.join("docs/merges");
    fs::create_dir_all(&folder)?;
    for (name, picture) in Picture::ALL {
        fs::write(folder.join(format!("{name}.svg")), picture.svg()?)?;
    }
    Ok(())
}
