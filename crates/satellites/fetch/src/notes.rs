//! The note beside a fetched file: where it is from, and its terms.

use ssdlab_catalogue::Set;

use crate::fetch::Fetched;
use crate::source::{Bytes, Source, shown_address};

/// The text of the note beside a file: origin, range, hash, licence, citation.
pub fn provenance(set: Option<&Set>, source: &Source, bytes: Bytes, fetched: &Fetched) -> String {
    let mut facts = vec![("address", shown_address(&source.address))];
    if fetched.address != source.address {
        facts.push(("redirected to", shown_address(&fetched.address)));
    }
    if let Some((from, size)) = source.member {
        let place = format!(
            "{}, bytes {from}..{} of the archive",
            source.name,
            from + size
        );
        facts.push(("member", place));
    }
    if !fetched.is_whole {
        let to = bytes.from + fetched.bytes;
        facts.push((
            "range",
            format!("only bytes {}..{to} of the file", bytes.from),
        ));
    }
    if let Some(date) = &fetched.date {
        facts.push(("fetched", date.clone()));
    }
    facts.push(("bytes", fetched.bytes.to_string()));
    let compared = match fetched.compared {
        Some("SHA-256") => " (as in ssdlab's catalogue)",
        _ => "",
    };
    facts.push(("SHA-256", format!("{}{compared}", fetched.sha256)));
    match set {
        Some(set) => {
            facts.push(("set", format!("{}: {}", set.name, set.title)));
            facts.push(("page", set.address.clone()));
            facts.push(("format", set.format.clone()));
            facts.push(("licence", set.licence.clone()));
            facts.extend(set.licence_address.clone().map(|at| ("licence at", at)));
            facts.push(("redistribution", set.redistribution.clone()));
        }
        None => facts.push((
            "licence",
            "not in ssdlab's catalogue: ask who publishes the file".to_owned(),
        )),
    }
    let lines = facts
        .iter()
        .map(|(label, value)| format!("{label:<16}{value}\n"));
    let mut text: String = lines.collect();
    if let Some(set) = set {
        text += &format!("\n{}\n", set.citation.trim());
    }
    text
}
