//! The catalogue as a page in Markdown.

use ssdlab_words::{markdown_table, thousands};

use crate::set::{Catalogue, Get, Set, named};

const HEAD: &str = "\
# Public block traces

`ssdlab trace catalogue` names the public sets of block traces that ssdlab can read, with their terms and their traps;
`ssdlab trace catalogue NAME` tells all about one, and `--json` is for programs. `ssdlab trace fetch NAME` gets one volume.

```sh
ssdlab trace catalogue
ssdlab trace catalogue msr-cambridge
```

<!-- not run: needs the network -->
```sh
ssdlab trace fetch umass-spc --volume WebSearch1
ssdlab trace info WebSearch1.spc.bz2
ssdlab trace fetch alibaba --limit 300MB -o january.csv.zst
ssdlab trace fetch https://example.org/my.csv.gz
```

";

const FETCHING: &str = "
## Fetching

- The file has its name only when it is whole. Until then it is `FILE.part`, and `FILE.part.json` says of what. Ctrl-C, a
  broken connection or a crash leaves both, and the same command goes on from there, if the server says that the file is still
  the same (by `ETag` or `Last-Modified`). Otherwise it starts anew.
- `--bytes FROM..TO` and `--limit SIZE` fetch a range of the file. The range ends in the middle of a line or of a compressed
  block, so read it with `--limit N`.
- A volume that is a member of a tar archive is found by the headers of the archive, and only its bytes are fetched. `ssdlab
  trace fetch ADDRESS --volume MEMBER` does so in any tar archive that is not compressed. An archive that is compressed as a
  whole (`.tar.gz`, `.tgz`) and a zip archive must be fetched whole and unpacked.
- The SHA-256 is printed. It is compared with the catalogue where that has one, and so are size and MD5. A file that
  differs is removed.
- `FILE.provenance.txt` keeps address, date, hash, licence and citation beside the file. Where the terms must be accepted,
  `--accept-licence` says that you do.
- A set that needs a registration or a choice in a browser is not fetched: ssdlab says where to go, and ends with exit code
  2.
- Proxies come from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; certificates from the system, or from
  `SSL_CERT_FILE`.

## Your own catalogue

`--catalogue FILE` takes another catalogue, such as that of the mirror of an institute. It is TOML of this form:

<!-- file: own-catalogue.toml -->
```toml
[[set]]
name = \"ours\"
title = \"Our file server\"
format = \"msr\"
address = \"https://example.org/traces\"
size = \"2 GB\"
volumes = 3                    # optional
years = \"2026\"
licence = \"only within our group\"
licence_address = \"https://example.org/terms\"   # optional
redistribution = \"no\"
accept = true                  # optional: --accept-licence is needed
citation = \"@misc{ours, title = {Our file server}}\"
traps = [\"Disk 2 was replaced on the third day.\"]
sources = [\"ourselves\"]

[set.get]
kind = \"files\"                 # a file for each volume; {volume} stands for its name
location = \"https://example.org/traces/{volume}.csv.gz\"
volumes = [\"srv_0..2\"]         # srv_0, srv_1, srv_2

# kind = \"file\"                one file: location
# kind = \"members\"             members of tar archives: archives, member, volumes
# kind = \"browser\"             not by a program: needs, how

[[set.known]]                  # optional: what is compared
volume = \"srv_0\"
bytes = 12345678
```

```sh
ssdlab trace catalogue --catalogue own-catalogue.toml ours
```

## The sets

";

/// The page of a catalogue, `docs/catalogue.md`.
pub fn page(catalogue: &Catalogue) -> String {
    let rows = catalogue.sets().iter().map(|set| {
        let volumes = set.volumes.map_or("-".to_owned(), thousands);
        let name = format!("[`{}`](#{})", set.name, set.name);
        let format = format!("`{}`", set.format);
        [
            name,
            format,
            volumes,
            set.years.clone(),
            set.way().to_owned(),
            set.redistribution.clone(),
        ]
    });
    let table = markdown_table(
        "llrlll",
        "set | format | volumes | recorded | fetched by | may be given to others",
        rows,
    );
    let sets: String = catalogue.sets().iter().map(section).collect();
    format!("{HEAD}{table}{FETCHING}{}", sets.trim_start_matches('\n'))
}

fn section(set: &Set) -> String {
    let mut facts = vec![
        ("page", set.address.clone()),
        ("size", set.size.clone()),
        ("licence", licence(set)),
    ];
    facts.push(("fetched", got(set)));
    let mut text = format!("\n### {}\n\n{}.\n\n", set.name, set.title);
    for (label, value) in facts {
        text += &format!("- {label}: {value}\n");
    }
    for trap in &set.traps {
        text += &format!("- trap: {trap}\n");
    }
    text += &format!("- read in: {}\n", set.sources.join("; "));
    text += &format!("\n```text\n{}\n```\n", set.citation.trim());
    text
}

fn licence(set: &Set) -> String {
    match &set.licence_address {
        Some(address) => format!("{} ({address})", set.licence),
        None => set.licence.clone(),
    }
}

/// How a set is fetched, in a sentence.
pub fn got(set: &Set) -> String {
    match &set.get {
        Get::File { location } => format!("one file, {location}"),
        Get::Files {
            location,
            volumes,
            examples,
            about,
        } => {
            let named = named(volumes, examples, about.as_deref());
            format!("{location}; --volume: {named}")
        }
        Get::Members {
            archives,
            volumes,
            examples,
            about,
            ..
        } => {
            let named = named(volumes, examples, about.as_deref());
            format!("members of {}; --volume: {named}", archives.join(" and "))
        }
        Get::Browser { needs, how } => format!("not by ssdlab: it needs {needs}. {how}"),
    }
}
