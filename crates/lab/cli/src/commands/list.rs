//! `ssdlab list`.

use ssdlab_config::presets;
use ssdlab_device::Family;
use ssdlab_device::registry::Entry;
use ssdlab_ftl::Mapping;
use ssdlab_sim::Lab;
use ssdlab_trace::Format;
use ssdlab_words::NOTHING;

use crate::failure::Failure;
use crate::output;
use crate::screen::{Screen, Table};

pub fn list(lab: &Lab) -> Result<(), Failure> {
    let catalogue = lab.systems().catalogue();
    let systems = |family| {
        let entries = catalogue.entries(family).into_iter();
        let rows = entries.map(|entry| {
            let source = entry.source.to_string();
            [entry.name.into(), entry.rule.into(), source]
        });
        rows.collect::<Vec<_>>()
    };
    let ftls: Vec<_> = (catalogue.ftls().iter())
        .map(|ftl| {
            let Entry {
                name, rule, source, ..
            } = ftl.entry;
            [
                name.to_owned(),
                ftl.mapping.map_or(NOTHING, Mapping::name).to_owned(),
                rule.to_owned(),
                source.to_string(),
            ]
        })
        .collect();
    let presets: Vec<_> = presets()
        .iter()
        .map(|p| {
            [
                p.name.into(),
                p.about.into(),
                p.source.in_full().to_string(),
            ]
        })
        .collect();
    let figures = lab.figures();
    let figures = figures
        .iter()
        .map(|figure| [figure.key, figure.title, figure.unit.symbol()].map(str::to_owned));
    let figures: Vec<_> = figures.collect();
    let formats = Format::ALL
        .map(|format| [format.name(), format.about(), format.source()].map(str::to_owned));
    let mut text = vec![
        section("Buffer policies (buffer.policy)", &systems(Family::Buffer)),
        table(
            "Flash translation layers (ftl.kind)",
            &["name", "mapping", "what it does", "source"],
            &ftls,
        ),
        section(
            "Cleaning policies of page mapping (ftl.cleaning)",
            &systems(Family::Cleaning),
        ),
        section(
            "Placements of page mapping (ftl.placement)",
            &systems(Family::Placement),
        ),
        section("Presets (--preset)", &presets),
        table(
            "Figures (--by, --columns)",
            &["name", "what it says", "unit"],
            &figures,
        ),
        section("Trace formats (--format)", &formats),
    ];
    text.push(studies(lab)?);
    output::print(&text.join("\n"))
}

const STUDIES: &str = "Studies (ssdlab reproduce)";

#[cfg(feature = "full")]
fn studies(lab: &Lab) -> Result<String, Failure> {
    use ssdlab_reproduce::{Descriptions, Study};
    let built_in = Descriptions::BuiltIn;
    let studies: Vec<Box<dyn Study>> = built_in
        .names()
        .iter()
        .map(|name| built_in.read(name, lab))
        .collect::<Result<_, _>>()?;
    let rows: Vec<_> = studies
        .iter()
        .map(|study| {
            let about = match study.result() {
                Some(result) => format!("{}. {result}", study.title()),
                None => study.title().to_owned(),
            };
            [study.name().to_owned(), about, study.source().to_owned()]
        })
        .collect();
    Ok(section(STUDIES, &rows))
}

#[cfg(not(feature = "full"))]
fn studies(_: &Lab) -> Result<String, Failure> {
    Ok(format!(
        "{STUDIES}\n not in this build; {}\n",
        ssdlab_words::FULL_PROGRAM
    ))
}

fn section(title: &str, rows: &[[String; 3]]) -> String {
    table(title, &["name", "what it does", "source"], rows)
}

/// A table of texts under its title.
fn table<const N: usize>(title: &str, header: &[&str; N], rows: &[[String; N]]) -> String {
    let mut table = Table::new(header, N);
    for row in rows {
        table.add(row.each_ref().map(String::as_str));
    }
    let table = table.fit(&Screen::stdout());
    format!("{title}\n{table}\n")
}
