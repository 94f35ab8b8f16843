//! The table of counters.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::log::Attribute;

/// What is known of a counter. An attribute is looked up by number and name; rows without one describe other logs.
#[derive(Debug, Deserialize)]
pub struct Rule {
    /// The tool that prints it.
    pub tool: String,
    /// Its name in words.
    pub name: String,
    /// What it counts, in words of this table: `host`, `media`, `pages`, `erases`, `used`, `left`, …
    pub counts: String,
    /// `ID:NAME`, divided by `|`; `*` is every name.
    pub attributes: String,
    /// Whether smartctl must know the drive: `yes`, `no` or empty.
    pub in_database: String,
    /// The models it holds for, with `*`; empty: all.
    pub models: String,
    /// What it means, for people.
    pub means: String,
    /// Bytes of a unit, if it counts bytes and the unit is sure.
    pub unit_bytes: String,
    /// Drives on which that was checked.
    pub drives: String,
    /// What shows it.
    pub evidence: String,
    /// What goes wrong with it.
    pub trap: String,
}

impl Rule {
    /// Bytes of a unit, if they are sure.
    pub(crate) fn unit(&self) -> Option<u64> {
        self.unit_bytes.parse().ok()
    }

    pub(crate) fn counts(&self, what: &str) -> bool {
        self.counts.split(' ').any(|word| word == what)
    }

    /// Whether it lists the name of an attribute, not only the number.
    pub(crate) fn is_named(&self, attribute: &Attribute) -> bool {
        self.is_of(attribute.id, &attribute.name, true)
    }

    fn is_of(&self, id: u8, name: &str, exact: bool) -> bool {
        let mut attributes = self.attributes.split('|').filter_map(|a| a.split_once(':'));
        attributes.any(|(number, known)| {
            number.parse() == Ok(id) && if exact { known == name } else { known == "*" }
        })
    }
}

/// All rows of the table.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let mut rows = csv::Reader::from_reader(include_bytes!("rules.csv").as_slice());
        let rows = rows.deserialize().collect::<Result<_, _>>();
        rows.expect("the table is well-formed")
    });
    &RULES
}

/// The rule of an attribute: that of the model first, then that of the name, then that of the number alone.
pub(crate) fn rule(id: u8, name: &str, known: Option<bool>, model: &str) -> Option<&'static Rule> {
    let fits = |rule: &&Rule| match rule.in_database.as_str() {
        "yes" => known == Some(true),
        "no" => known != Some(true),
        _ => true,
    };
    let of_model = |rule: &&Rule| !rule.models.is_empty() && matches(&rule.models, model);
    let all = || rules().iter().filter(fits);
    let general = || all().filter(|rule| rule.models.is_empty());
    let own = all().find(|rule| of_model(rule) && rule.is_of(id, name, false));
    own.or_else(|| general().find(|rule| rule.is_of(id, name, true)))
        .or_else(|| general().find(|rule| rule.is_of(id, name, false)))
}

/// Whether a text is of a pattern, in which `*` is any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// What an attribute with a unit in its name counts: whether flash, and bytes of a unit.
pub(crate) fn named(name: &str) -> Option<(bool, u64)> {
    let unit = [("32MiB", 32 << 20), ("GiB", 1 << 30), ("MiB", 1 << 20)];
    let (_, unit) = unit.into_iter().find(|(word, _)| name.contains(word))?;
    if !(name.contains("Writ") || name.contains("Prg") || name.contains("Prog")) {
        return None;
    }
    let media = name.contains("NAND") || name.contains("Flash");
    let host = ["Host_", "Total_Writes", "Lifetime_Writes"];
    (media || host.iter().any(|start| name.starts_with(start))).then_some((media, unit))
}
