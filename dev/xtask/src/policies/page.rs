//! A page of Markdown for an entry, and the index of all.

use ssdlab_config::{Key, default_of, keys, legal};
use ssdlab_device::Catalogue;
use ssdlab_device::registry::Entry;
use ssdlab_policy::{Setting, Settings, With};
use ssdlab_words::{NOTHING, markdown_table, thousands};

use super::family::{Family, SHOWN, competes};
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
        source,
        about,
        ..
    } = &family.entries()[entry];
    let source = if source.is_empty() {
        String::new()
    } else {
        format!(" Source: {source}.")
    };
    let catalogue = Catalogue::built_in();
    let ftl = catalogue.ftl(name).filter(|_| family.key == "ftl.kind");
    let mapping = ftl.and_then(|ftl| ftl.mapping);
    let mapping = mapping.map_or(String::new(), |of| format!(" Mapping: {}.", of.name()));
    let file = about.file;
    let [first, second, third] = about.lines;
    format!(
        "<!-- written by `cargo xtask pages`; change {file} instead -->\n\n# {name}\n\nA {}, `{} = \"{name}\"`: \
         {rule}.{mapping}{source} Code: [`{file}`]({ROOT}/{file}).\n\n## Rule\n\n1. {first}\n2. {second}\n3. {third}\n\n\
         **Cost.** {}\n\n## When it wins, and when it loses\n\n**It wins.** {}\n\n**It loses.** {}\n\n{}{}",
        family.what,
        family.key,
        about.cost,
        about.wins,
        about.loses,
        measured(family, results, entry),
        parameters(family, &family.entries()[entry])
    )
}

/// The results on the traces of this repository.
fn measured(family: &Family, results: &[Results], entry: usize) -> String {
    let name = family.entries()[entry].name;
    let [best, _] = extremes(&results[0], family, entry);
    let (shown, axis) = (family.ticks[family.shown], family.axis);
    let mut text = format!(
        "## Measured\n\n{}\n\nMB/s over the {axis}, on {}. The left chart shows the [trace]({ROOT}/traces/README.md) with \
         the largest lead of {name} over the median of the others. The right chart shows, of the other traces, the one on which {name} is furthest behind \
         the best of the others.\n\nOne trace for each kind of work, {axis}: {shown}; for volumes of \
         2 GiB the device has twice the capacity. {}. Places are by MB/s; results less than 0.1 % apart \
         share a place.\n\n",
        picture(&results[0], family, entry),
        family.devices[0].words,
        how(family)
    );
    for (device, results) in family.devices.iter().zip(results) {
        text += &format!("On {} ({}):\n\n", device.words, results.device);
        text += &table(family, results, entry);
        text += "\n";
    }
    let device = &family.devices[0];
    let settings = family.settings(device, &family.entries()[entry], shown);
    let place = results[0].traces.iter().position(|name| name == best);
    let larger = place.and_then(|place| results[0].larger[place].clone());
    let settings = settings.into_iter().chain(larger);
    let set: String = settings.map(|set| format!(" --set {set}")).collect();
    text + &format!(
        "This command replays one of the traces on the first device:\n\n```sh\nssdlab run traces/{best}.csv.zst{set} --loops \
         {}\n```\n\n",
        family.replay
    )
}

/// The picture in the page, with the names of the two traces that it shows.
pub fn picture(results: &Results, family: &Family, entry: usize) -> String {
    let [best, worst] = extremes(results, family, entry);
    let entry = &family.entries()[entry];
    format!(
        "![MB/s of {} and of the others over the {}, on {best} and on {worst}]({}.svg)",
        entry.name,
        family.axis,
        stem(entry)
    )
}

fn extremes<'a>(results: &'a Results, family: &Family, entry: usize) -> [&'a str; 2] {
    let traces = results.extremes(family, entry);
    traces.map(|trace| results.traces[trace].as_str())
}

/// All traces on one device; beside each figure, its difference from the baseline.
pub fn table(family: &Family, results: &Results, entry: usize) -> String {
    let mut entries = family.entries().iter();
    let baseline = entries.position(|entry| entry.name == family.baseline);
    let baseline = baseline.expect("an entry of the registry");
    let against = format!("against {}", family.baseline);
    let header = format!(
        "trace | MB/s | {against} | place | write amplification | {against} | erases | {against}"
    );
    let row = |(trace, name): (usize, &String)| {
        let result = results.shown(family, trace, entry);
        let base = results.shown(family, trace, baseline);
        let place = if competes(&family.entries()[entry]) {
            let standing = results.standing(family, trace, entry, 0);
            standing.place.to_string()
        } else {
            "bound".into()
        };
        let [speed, waf, erases] = [0, 1, 2].map(|at| more(result.0[at], base.0[at]));
        [
            name.clone(),
            format!("{:.3}", result.0[0]),
            speed,
            place,
            format!("{:.3}", result.0[1]),
            waf,
            thousands(result.0[2] as u64),
            erases,
        ]
    };
    markdown_table("lr", &header, results.traces.iter().enumerate().map(row))
}

/// The difference from the baseline, in percent.
fn more(value: f64, base: f64) -> String {
    if base != 0.0 {
        // no negative zero
        format!("{:+.1} %", 100.0 * (value / base - 1.0) + 0.0)
    } else if value == 0.0 {
        "+0.0 %".into()
    } else {
        NOTHING.into()
    }
}

/// Which replay counts.
fn how(family: &Family) -> String {
    let replay = family.replay;
    format!("Each trace is replayed {replay} times on one device; the last replay counts")
}

/// The value of one key.
struct Only(&'static str, &'static str);

impl Settings for Only {
    fn value(&self, path: &str) -> Option<Setting<'_>> {
        (path == self.0).then_some(Setting::Text(self.1))
    }

    fn reads(&self, _: &str) -> bool {
        true
    }
}

/// The keys that an entry reads, without those that all systems read.
fn parameters(family: &Family, entry: &Entry) -> String {
    let all = keys(&Catalogue::built_in());
    let reads = |key: &&Key| match key.when.map(|when| (when.with, when.holds)) {
        // all other entries of the family read it too
        Some((With::Value(other), holds)) if other == family.key => {
            holds(&Only(family.key, entry.name))
        }
        _ => entry.reads(key.path),
    };
    let keys = all.iter().filter(reads);
    let row = |key: &Key| {
        let default = default_of(key).map_or(NOTHING.into(), |value| format!("`{value}`"));
        let legal = legal(&key.kind, &Catalogue::built_in());
        [
            format!("`{}`", key.path),
            key.doc.to_owned(),
            default,
            legal,
        ]
    };
    let rows: Vec<_> = keys.map(row).collect();
    let table = if rows.is_empty() {
        "None.\n".to_owned()
    } else {
        markdown_table("l", "key | meaning | default | allowed", rows)
    };
    format!("## Parameters\n\n{table}")
}

/// The index of all pages.
pub fn index(families: &[(&Family, Vec<Results>)]) -> String {
    let mut text = "<!-- written by `cargo xtask pages` -->\n\n# Policies and FTLs\n\nThere is a page for each policy and each FTL: its \
                    rule, source, cost and parameters, when it wins and when it loses, and its results on the \
                    [traces](../../traces/README.md) of this repository, one for each kind of work; for traces of volumes of 2 GiB, the \
                    devices have twice the capacity. The tables below count the traces on which an entry \
                    is first or last of its table, by MB/s, by write amplification and by erases. All other settings of the \
                    devices are the defaults (`ssdlab config show`).\n"
        .to_owned();
    for (family, results) in families {
        text += &format!(
            "\n## {}\n\n`{}`; {}: {}. {}.\n",
            family.title,
            family.key,
            family.axis,
            family.ticks[family.shown],
            how(family)
        );
        for (device, results) in family.devices.iter().zip(results) {
            text += &format!("\nOn {} ({}):\n\n", device.words, results.device);
            text += &standings(family, results);
        }
    }
    text
}

/// The number of traces on which each entry is first and last, on one device.
fn standings(family: &Family, results: &Results) -> String {
    let counted = SHOWN
        .iter()
        .map(|by| format!(" | {}: first | last", by.heading));
    let header = "name | rule".to_owned() + &counted.collect::<String>();
    let rows = family.entries().iter().enumerate().map(|(i, entry)| {
        let page = format!("[{}]({}/{}.md)", entry.name, family.folder, stem(entry));
        let counts = (0..SHOWN.len()).flat_map(|by| {
            if competes(entry) {
                results
                    .firsts_and_lasts(family, i, by)
                    .map(|count| count.to_string())
            } else {
                [NOTHING, NOTHING].map(str::to_owned)
            }
        });
        [page, entry.rule.to_owned()]
            .into_iter()
            .chain(counts)
            .collect::<Vec<_>>()
    });
    markdown_table("llr", &header, rows)
}
