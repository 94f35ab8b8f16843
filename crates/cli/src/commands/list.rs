//! `ssdlab list`.

use ssdlab_config::{PLANNED_PRESETS, presets};
use ssdlab_device::registry;
use ssdlab_trace::Format;

use crate::failure::Failure;
use crate::output;

pub fn list() -> Result<(), Failure> {
    let systems = |entries: &[registry::Entry]| {
        entries
            .iter()
            .map(|e| [e.name, e.rule, e.paper])
            .collect::<Vec<_>>()
    };
    let presets = presets()
        .iter()
        .map(|p| [p.name, p.about, p.paper])
        .collect::<Vec<_>>();
    let formats = Format::ALL.map(|format| [format.name(), format.about(), format.source()]);
    let text = [
        section(
            "Buffer policies (buffer.policy)",
            &systems(registry::BUFFERS),
            registry::PLANNED_BUFFERS,
        ),
        section(
            "Flash translation layers (ftl.kind)",
            &systems(registry::FTLS),
            registry::PLANNED_FTLS,
        ),
        section("Presets (--preset)", &presets, PLANNED_PRESETS),
        section("Trace formats (--format)", &formats, &[]),
    ];
    output::print(&text.join("\n"))
}

fn section(title: &str, rows: &[[&str; 3]], planned: &[&str]) -> String {
    let mut table = output::table(&["name", "what it does", "source"], 3);
    for row in rows {
        table.add_row(*row);
    }
    let planned = match planned {
        [] => String::new(),
        names => format!("not built yet: {}\n", names.join(", ")),
    };
    format!("{title}\n{table}\n{planned}")
}
