//! `cargo xtask web --test`: the page in a browser, beside the command line.

use std::error::Error;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use ssdlab_browser::{Browser, Files, Scheme, Server};
use ssdlab_web::{OF_TRACE, Page};

use crate::{ssdlab, web};

/// The script that runs in a copy of the page.
const SCRIPT: &str = "web/tests/page.js";
/// First paint, milliseconds.
const MOST_PAINT: f64 = 1000.0;
/// A million requests on 1 GiB, milliseconds.
const MOST_MILLION: f64 = 3000.0;

type Tested = Result<(), Box<dyn Error>>;

/// Makes the page and tests it.
pub fn run(root: &Path) -> Tested {
    web::make(root)?;
    let tests = Tests {
        root,
        browser: Browser::find()?,
    };
    tests.configurations()?;
    tests.speed()?;
    tests.files()?;
    tests.alone()?;
    tests.pictures()
}

struct Tests<'a> {
    root: &'a Path,
    browser: Browser,
}

fn must(holds: bool, what: &str, found: &Value) -> Tested {
    if !holds {
        return Err(format!("{what}: {found}").into());
    }
    println!("{what}: well");
    Ok(())
}

/// The version of a page that a test opens.
#[derive(Clone, Copy, PartialEq)]
enum From {
    Server,
    Disk,
}

impl Tests<'_> {
    /// Opens the page, has it do this, and returns what it found.
    fn ask(
        &self,
        from: From,
        mut given: Value,
        (scheme, width): (Scheme, u32),
        picture: Option<&str>,
    ) -> Result<Value, Box<dyn Error>> {
        let folder = web::folder(self.root);
        let mut files = Files::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            files.insert(name, ("application/octet-stream", fs::read(&path)?));
        }
        // the copy may say what it found; nothing else is different
        let server = Server::start(Files::new())?;
        given["done"] = server.address("done").into();
        let script = fs::read_to_string(self.root.join(SCRIPT))?;
        let held = match picture {
            Some(_) => format!("<img hidden alt=\"\" src=\"{}\">", server.address("hold")),
            None => String::new(),
        };
        let tail = format!(
            "{held}<script>const given = {};\n{script}</script></body>",
            json!(given).to_string().replace('<', "\\u003c")
        );
        let test = |page: &[u8]| {
            let page = String::from_utf8_lossy(page);
            let heard = server.address("");
            page.replace("img-src data:", &format!("img-src {heard} data:"))
                .replace("connect-src 'self'", &format!("connect-src {heard} 'self'"))
                .replace("</body>", &tail)
        };
        let name = match from {
            From::Server => "index.html",
            From::Disk => "ssdlab.html",
        };
        let page = test(&files[name].1);
        let height = if width < 500 { 2200 } else { 1500 };
        let target = self.root.join("target/tmp");
        fs::create_dir_all(&target)?;
        let picture = picture.map(|name| target.join(name));
        let hear = |address: &str| {
            self.browser.hear(
                &server,
                address,
                scheme,
                (width, height),
                picture.as_deref(),
            )
        };
        let found = match from {
            From::Server => {
                files.insert(
                    "test.html".into(),
                    ("text/html; charset=utf-8", page.into_bytes()),
                );
                let pages = Server::start(files)?;
                hear(&pages.address("test.html"))?
            }
            From::Disk => {
                let folder = tempfile::TempDir::new()?;
                let file = folder.path().join("ssdlab.html");
                fs::write(&file, page)?;
                hear(&format!("file://{}", file.display()))?
            }
        };
        let found: Value = serde_json::from_str(&found)?;
        match found["failed"].as_str() {
            Some(why) => Err(format!("{name}: {why}").into()),
            None => Ok(found),
        }
    }

    /// Twenty configurations count what the command line counts.
    fn configurations(&self) -> Tested {
        let all = fs::read_to_string(self.root.join("web/tests/configurations.json"))?;
        let all: Vec<Value> = serde_json::from_str(&all)?;
        let given = json!({ "tests": ["configurations"], "configurations": all });
        let found = self.ask(From::Server, given, (Scheme::Light, 1280), None)?;
        let mut page = Page::default();
        for (number, question) in all.iter().enumerate() {
            let folder = tempfile::TempDir::new()?;
            if let Some(name) = question["file"].as_str() {
                fs::copy(
                    self.root.join("traces").join(name),
                    folder.path().join(name),
                )?;
            }
            let mut said = question.clone();
            said["call"] = "said".into();
            let said: Value = serde_json::from_str(&page.call(
                &said.to_string(),
                Vec::new(),
                &(std::sync::Arc::new(|_| ()) as _),
            ))?;
            let command = said["answer"]["command"].as_str().ok_or("no command")?;
            for line in command.lines() {
                let words = line.trim_start_matches("ssdlab ").replace('\'', "");
                let more = if words.starts_with("compare") {
                    " --no-html --json by-command.json"
                } else {
                    ""
                };
                ssdlab::run_in(self.root, folder.path(), &(words + more))?;
            }
            let by_command = fs::read_to_string(folder.path().join("by-command.json"))?;
            let by_command: Value = serde_json::from_str(&by_command)?;
            let counters = |rows: &Value| -> Value {
                let rows = rows
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
                    .into_iter()
                    .map(|mut row| {
                        if let Some(row) = row.as_object_mut() {
                            for key in OF_TRACE {
                                row.remove(key);
                            }
                        }
                        row
                    });
                rows.collect()
            };
            let saved = found["configurations"][number].as_str();
            let saved: Value = serde_json::from_str(saved.ok_or("no file")?)?;
            let (ours, theirs) = (counters(&saved["rows"]), counters(&by_command["rows"]));
            if ours != theirs || ours.as_array().is_none_or(Vec::is_empty) {
                return Err(format!("configuration {number}, {question}: the page has\n{ours}\nthe command line\n{theirs}").into());
            }
        }
        println!("{} configurations: as the command line", all.len());
        Ok(())
    }

    /// How long the first paint and a million requests take.
    fn speed(&self) -> Tested {
        let given = json!({ "tests": ["speed"] });
        let found = self.ask(From::Server, given, (Scheme::Light, 1280), None)?;
        let number = |name: &str| found["speed"][name].as_f64().unwrap_or(f64::INFINITY);
        let (paint, million) = (number("paint"), number("million"));
        println!("first paint: {paint:.0} ms; a million requests on 1 GiB: {million:.0} ms");
        must(paint < MOST_PAINT, "first paint", &found)?;
        must(million < MOST_MILLION, "a million requests", &found)?;
        let given = json!({ "tests": ["stranger"] });
        let found = self.ask(From::Server, given, (Scheme::Light, 1280), None)?;
        let took = |name: &str| found["stranger"][name].as_f64().unwrap_or(f64::INFINITY);
        println!(
            "a drive's life: {:.0} ms from the start of the page, {:.0} ms from the button",
            took("start"),
            took("button")
        );
        let says = found["stranger"]["says"].as_str().unwrap_or_default();
        must(
            says.contains("150 GB a day"),
            "the way of a stranger",
            &found,
        )
    }

    /// Own files, links, cancel, the steps, and drives.
    fn files(&self) -> Tested {
        let text = "time_ns,op,offset_bytes,size_bytes\n".to_owned()
            + &(0..2000)
                .map(|at| format!("{},W,{},4096\n", at * 1000, at * 7 % 1000 * 4096))
                .collect::<String>();
        let encoded = |bytes: &[u8]| BASE64_STANDARD.encode(bytes);
        let zst = fs::read(self.root.join("traces/w5-fat16-media-flush.csv.zst"))?;
        let fio = fs::read(self.root.join("traces/samples/fio-iolog-v3.log"))?;
        let cut = &zst[..zst.len() / 2];
        let files = json!({
            "own.csv": encoded(text.as_bytes()),
            "own.csv.gz": encoded(&web::packed(text.as_bytes())?),
            "media.csv.zst": encoded(&zst),
            "fio.log": encoded(&fio),
            "wrong.csv": encoded(b"time_ns,op,offset_bytes,size_bytes\n0,W,0,4096\n1,W,x,4096\n"),
            "cut.csv.zst": encoded(cut),
            "empty.csv": "",
            "noise.bin": encoded(&[0, 159, 146, 150, 3, 7, 0, 1]),
        });
        let log = "Model Number: Samsung SSD 970 EVO Plus 1TB\nPercentage Used: 9%\nData Units Written: 95,000,000 [48.6 TB]\n";
        let given = json!({ "tests": ["dropped", "links", "cancel", "see", "life"], "files": files, "log": log });
        let found = self.ask(From::Server, given, (Scheme::Light, 1280), None)?;
        let dropped = &found["dropped"];
        let says = |name: &str, text: &str| {
            let said = dropped[name].as_str().unwrap_or_default();
            must(said.contains(text), name, dropped)
        };
        for name in ["own.csv", "own.csv.gz", "media.csv.zst", "fio.log"] {
            says(name, " MB/s")?;
        }
        must(
            dropped["own.csv"]
                .as_str()
                .map(|said| said.replace("own.csv", "own.csv.gz"))
                == dropped["own.csv.gz"].as_str().map(str::to_owned),
            "gzip is as plain text",
            dropped,
        )?;
        says("wrong.csv", "wrong.csv, line 3")?;
        says("cut.csv.zst", "cut off")?;
        says("empty.csv", "empty")?;
        says("noise.bin", "noise.bin")?;
        let links = &found["links"];
        must(links[0] == links[1], "a link gives the same", links)?;
        let cancel = &found["cancel"];
        let soon = cancel["took"].as_f64().is_some_and(|took| took < 1000.0);
        must(
            soon && cancel["says"]
                .as_str()
                .is_some_and(|says| says.contains("Cancelled")),
            "cancel",
            cancel,
        )?;
        must(
            cancel["after"]
                .as_str()
                .is_some_and(|says| !says.is_empty()),
            "a run after it",
            cancel,
        )?;
        let see = &found["see"];
        must(
            see["says"] == 12 && see["same"] == true && see["changed"] == true,
            "Table 1",
            see,
        )?;
        must(
            see["moved"][0] == json!([0, 1])
                && see["moved"][2] == json!([2, 1])
                && see["moved"][4][1] == 0,
            "keys",
            see,
        )?;
        must(
            found["life"]
                .as_str()
                .is_some_and(|text| text.contains("970 EVO Plus")),
            "a drive",
            &found["life"],
        )
    }

    /// The file that is opened from a disk does the same.
    fn alone(&self) -> Tested {
        let given = json!({ "tests": ["links", "see"] });
        let found = self.ask(From::Disk, given, (Scheme::Dark, 1280), None)?;
        must(
            found["links"][0] == found["links"][1],
            "from a disk",
            &found,
        )?;
        must(found["see"]["says"] == 12, "steps from a disk", &found)
    }

    /// Pictures of all parts in both schemes, wide and at 400 pixels, where nothing may be wider than the window.
    fn pictures(&self) -> Tested {
        let given = json!({ "tests": ["narrow"] });
        let found = self.ask(From::Server, given, (Scheme::Light, 400), None)?;
        let fits = |part: &str| found["narrow"][part].as_i64().is_some_and(|over| over <= 0);
        must(
            ["try", "see", "life"].iter().all(|part| fits(part)),
            "400 pixels",
            &found,
        )?;
        for (name, address) in [
            (
                "try",
                "#try?source=sample&preset=bplru-2008&buffer=lru,cflru,fab,bplru,cbb&size=1MiB,4MiB,16MiB&advice=no&run=1",
            ),
            ("see", "#see?example=merges&at=21"),
            (
                "life",
                "#life?drive=860+EVO+1TB&written=40TB&since=2021-05-01",
            ),
        ] {
            for (scheme, width, kind) in [
                (Scheme::Light, 1280, "light"),
                (Scheme::Dark, 1280, "dark"),
                (Scheme::Light, 400, "400-light"),
                (Scheme::Dark, 400, "400-dark"),
            ] {
                let given = json!({ "tests": ["picture"], "address": address });
                self.ask(
                    From::Server,
                    given,
                    (scheme, width),
                    Some(&format!("web-{name}-{kind}.png")),
                )?;
            }
        }
        println!("pictures: target/tmp/web-*.png");
        Ok(())
    }
}
