//! A page of Markdown for an entry, and the index of all.

use ssdlab_config::{KEYS, Key, Reader};
use ssdlab_device::registry::Entry;

use super::family::{Device, Family, competes};
use super::result::Results;

/// From the folder of a page to the root of the repository.
const ROOT: &str = "../../..";

/// The file name of an entry's page and picture, without the extension.
pub fn stem(entry: &Entry) -> String {
    entry.name.replace('+', "-plus")
}

/// The page of an entry; `results` on each of the family's devices.
pub fn page(family: &Family, results: &[Results], entry: usize) -> String {
    let Entry {
        name,
        rule,
        paper,
        about,
        ..
    } = &family.entries[entry];
    let source = match paper.is_empty() {
        true => String::new(),
        false => format!(" Source: {paper}."),
    };
    let file = about.file;
    let [first, second, third] = about.lines;
    format!(
        "<!-- written by `cargo xtask figures`; change {file} instead -->\n\n# {name}\n\nA {}, `{} = \"{name}\"`: \
         {rule}.{source} Code: [`{file}`]({ROOT}/{file}).\n\n## Rule\n\n1. {first}\n2. {second}\n3. {third}\n\n\
         **Cost.** {}\n\n## When it wins, and when it loses\n\n**It wins.** {}\n\n**It loses.** {}\n\n{}{}",
        family.what,
        family.key,
        about.cost,
        about.wins,
        about.loses,
        measured(family, results, entry),
        parameters(family, &family.entries[entry])
    )
}

/// What the traces of this repository say.
fn measured(family: &Family, results: &[Results], entry: usize) -> String {
    let name = family.entries[entry].name;
    let on_first = &results[0];
    let [best, worst] = on_first
        .extremes(family, entry)
        .map(|t| &on_first.traces[t]);
    let (shown, axis) = (family.ticks[family.shown], family.axis);
    let mut text = format!(
        "## Measured\n\n![MB/s of {name} and of the others over the {axis}, on {best} and on {worst}]({}.svg)\n\nMB/s over \
         the {axis}, on {}: on the left the [trace]({ROOT}/traces/README.md) on which {name} is furthest ahead of the \
         median of the others, on the right, of the rest, the one on which it is furthest behind the best of them.\n\n\
         All traces, {axis}: {shown}. Less than 0.1 % apart, two share a place.\n\n{}.\n\n",
        stem(&family.entries[entry]),
        family.devices[0].words,
        how(family)
    );
    text += &table(family, results, entry);
    let device = &family.devices[0];
    let settings = family.settings(device, &family.entries[entry], shown);
    let set: String = settings.iter().map(|set| format!(" --set {set}")).collect();
    text + &format!(
        "\n```sh\nssdlab run traces/{best}.csv.zst{set} --loops {}\n```\n\n",
        family.replay
    )
}

fn table(family: &Family, results: &[Results], entry: usize) -> String {
    let mut entries = family.entries.iter();
    let baseline = entries.position(|entry| entry.name == family.baseline);
    let baseline = baseline.expect("an entry of the registry");
    let (mut head, mut rule) = ("| trace |".to_owned(), "| --- |".to_owned());
    for device in family.devices {
        let (on, baseline) = (on(family, device), family.baseline);
        head += &format!(" {on}MB/s | against {baseline} | place |");
        rule += " ---: | ---: | ---: |";
    }
    let mut text = format!("{head}\n{rule}\n");
    for (trace, name) in results[0].traces.iter().enumerate() {
        text += &format!("| {name} |");
        for results in results {
            let value = results.value(family, trace, entry);
            let against = value / results.value(family, trace, baseline) - 1.0;
            let place = match competes(&family.entries[entry]) {
                true => results.standing(family, trace, entry).place.to_string(),
                false => "bound".into(),
            };
            text += &format!(" {value:.3} | {:+.1} % | {place} |", 100.0 * against + 0.0);
        }
        text += "\n";
    }
    text
}

/// What was replayed before.
fn how(family: &Family) -> String {
    let replay = family.replay;
    format!("Each trace is replayed {replay} times on one device; the last time counts")
}

/// What a column is about, where there are several devices.
fn on(family: &Family, device: &Device) -> String {
    match family.devices {
        [_] => String::new(),
        _ => format!("on {}: ", device.words),
    }
}

fn devices(family: &Family) -> String {
    let words: Vec<&str> = family.devices.iter().map(|device| device.words).collect();
    words.join(" and on ")
}

/// The keys that an entry reads, but for those that all systems read.
fn parameters(family: &Family, entry: &Entry) -> String {
    let reads = |key: &&Key| match key.reader {
        // what all others of its like read as well
        Reader::Unless(other, value) => other == family.key && value != format!("{:?}", entry.name),
        Reader::If(other, _) => entry.keys.contains(&other),
        _ => entry.keys.contains(&key.path),
    };
    let keys = KEYS.iter().filter(reads);
    let row = |key: &Key| {
        let legal = key.kind.legal().replace('|', "\\|");
        let default = key.default.map_or("–".into(), |value| format!("`{value}`"));
        format!("| `{}` | {} | {default} | {legal} |\n", key.path, key.doc)
    };
    let rows: String = keys.map(row).collect();
    match rows.is_empty() {
        true => "## Parameters\n\nNone.\n".into(),
        false => format!(
            "## Parameters\n\n| key | meaning | default | allowed |\n| --- | --- | --- | --- |\n{rows}"
        ),
    }
}

/// The index of all pages.
pub fn index(families: &[(&Family, Vec<Results>)]) -> String {
    let mut text = "<!-- written by `cargo xtask figures` -->\n\n# Policies and FTLs\n\nA page for each: its rule, its \
                    source, its parameters, what it costs, when it wins and when it loses, and what it does on the \
                    [traces](../../traces/README.md) of this repository. Counted here: on how many of them it is \
                    first, and last, among its like. All else is the default device (`ssdlab config show`): 1 GiB of \
                    MLC flash, full before the first replay begins.\n"
        .to_owned();
    for (family, results) in families {
        let (mut head, mut rule) = ("| name | rule |".to_owned(), "| --- | --- |".to_owned());
        for device in family.devices {
            head += &format!(" {}first | last |", on(family, device));
            rule += " ---: | ---: |";
        }
        text += &format!(
            "\n## {}\n\n`{}`, measured on {}; {}: {}. {}.\n\n{head}\n{rule}\n",
            family.title,
            family.key,
            devices(family),
            family.axis,
            family.ticks[family.shown],
            how(family)
        );
        for (i, entry) in family.entries.iter().enumerate() {
            let (page, name) = (stem(entry), entry.name);
            let counts = results.iter().map(|results| match competes(entry) {
                true => {
                    let [first, last] = results.firsts_and_lasts(family, i);
                    format!(" {first} | {last} |")
                }
                false => " – | – |".to_owned(),
            });
            let counts: String = counts.collect();
            text += &format!(
                "| [{name}]({}/{page}.md) | {} |{counts}\n",
                family.folder, entry.rule
            );
        }
    }
    text
}
