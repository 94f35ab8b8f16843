//! The files of `ssdlab compare`, as rows of results.

use std::sync::Arc;

use serde_json::Value;
use ssdlab_config::Resolver;
use ssdlab_device::Catalogue;
use ssdlab_results::{Cell, Schema, Table, Type};
use ssdlab_words::parse_bytes;

use ssdlab_sim::flatten;

/// What `compare` names otherwise than results do: its name, the column.
const NAMES: [(&str, &str); 47] = [
    ("policy", "buffer_policy"),
    ("ftl", "ftl_kind"),
    ("size", "buffer_size"),
    ("replays", "loops"),
    ("throughput_mb_s", "throughput"),
    ("erase_count.max", "erases_max"),
    ("erase_count.stddev", "erases_stddev"),
    ("endurance.tb_until_worn.mean", "life"),
    ("endurance.tb_until_worn.worst", "tbw_worst"),
    ("endurance.years.mean", "years"),
    ("endurance.years.worst", "years_worst"),
    ("endurance.drive_writes_per_day.mean", "dwpd"),
    ("endurance.drive_writes_per_day.worst", "dwpd_worst"),
    ("endurance.cycles_used.mean", "cycles"),
    ("endurance.cycles_used.worst", "cycles_worst"),
    ("endurance.flash_bytes.host", "bytes_host"),
    ("endurance.flash_bytes.padding", "bytes_padding"),
    ("endurance.flash_bytes.read_modify_write", "bytes_rmw"),
    ("endurance.flash_bytes.merge", "bytes_merge"),
    ("endurance.flash_bytes.cleaning", "bytes_cleaning"),
    ("controller.ram_bytes.total", "device_ram"),
    ("controller.ram_bytes.mapping", "ram_mapping"),
    ("controller.ram_bytes.log_blocks", "ram_log_blocks"),
    ("controller.ram_bytes.cleaning", "ram_cleaning"),
    ("controller.ram_bytes.updates", "ram_updates"),
    ("controller.ram_bytes.index", "ram_index"),
    ("controller.ram_bytes.data", "ram_data"),
    ("controller.mount_ns", "mount"),
    ("controller.dump_ns", "dump"),
    ("latency_ns.W.p50", "p50"),
    ("latency_ns.W.p99", "p99"),
    ("latency_ns.W.p99_9", "p99_9"),
    ("latency_ns.W.p99_99", "p99_99"),
    ("latency_ns.W.max", "max"),
    ("latency_ns.W.mean", "mean"),
    ("latency_ns.R.p99", "p99_read"),
    ("latency_ns.R.mean", "mean_read"),
    ("latency_ns.F.p99", "p99_flush"),
    ("latency_ns.F.mean", "mean_flush"),
    ("utilisation.bus", "bus_busy"),
    ("energy.total", "energy"),
    ("energy.host", "energy_host"),
    ("energy.padding", "energy_padding"),
    ("energy.merge", "energy_merge"),
    ("energy.cleaning", "energy_cleaning"),
    ("energy.tables", "energy_tables"),
    ("energy.ageing", "energy_ageing"),
];

/// Whether columns are those of `compare --csv`.
pub(crate) fn is_compared<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut missing = vec!["label", "kind", "policy"];
    names.for_each(|name| missing.retain(|needed| *needed != name));
    missing.is_empty()
}

/// The rows of policies, with columns of results; and the number of bounds, which are left out. What results do not have
/// is left out too.
pub(crate) fn rows(table: &Table, schema: &Schema) -> (Table, usize) {
    let is_bound = |cell: &Cell| cell.text() == Some("bound");
    let bounds: Vec<bool> = match table.column("kind") {
        Some(cells) => cells.iter().map(is_bound).collect(),
        None => vec![false; table.rows()],
    };
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut kinds = Vec::new();
    for (place, (name, _)) in table.columns().enumerate() {
        let Some((name, kind)) = column(name, schema) else {
            continue;
        };
        // the first one counts: the policy of a row before the key of its configuration
        if !names.iter().any(|(known, _)| *known == name) {
            names.push((name, place));
            kinds.push(kind);
        }
    }
    let mut made = Table::new(names.iter().map(|(name, _)| (name.as_str(), None)));
    for row in (0..table.rows()).filter(|row| !bounds[*row]) {
        let each = names.iter().zip(&kinds);
        made.add(each.map(|((name, place), kind)| {
            let cell = &table.cells(*place)[row];
            match (name.as_str(), cell) {
                // CSV has them on one line
                ("warnings", Cell::Text(text)) => text.replace("\\n", "\n").into(),
                _ => of_kind(cell, *kind),
            }
        }));
    }
    let bounds = bounds.iter().filter(|bound| **bound).count();
    (made, bounds)
}

/// The column of results with the values of a column of `compare`.
fn column(name: &str, schema: &Schema) -> Option<(String, Type)> {
    let known = NAMES.iter().find(|(compared, _)| *compared == name);
    let name = known.map_or(
        name.strip_prefix("config.").unwrap_or(name),
        |(_, column)| column,
    );
    let column = schema.column(name)?;
    Some((column.name.clone(), column.kind))
}

/// A size may be written as `8MiB`.
fn of_kind(cell: &Cell, kind: Type) -> Cell {
    match (cell, kind) {
        (Cell::Text(text), Type::Int) => match parse_bytes(text) {
            Some(size) => size.into(),
            None => cell.clone(),
        },
        (Cell::Int(number), Type::Float) => Cell::Float(*number as f64),
        // varied keys are texts in JSON
        (Cell::Text(text), Type::Float) => share(text).map_or_else(|| cell.clone(), Cell::Float),
        (Cell::Text(text), Type::Bool) => Cell::parse(text),
        _ => cell.clone(),
    }
}

/// A number that may be written as `7%`.
fn share(text: &str) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percent) => percent
            .trim()
            .parse()
            .ok()
            .map(|number: f64| number / 100.0),
        None => text.parse().ok(),
    }
}

/// What `run --json` has, as the only row of a comparison.
fn of_run(run: &Value) -> Option<Value> {
    let policy = run["config"]["buffer"]["policy"].as_str()?;
    run["counters"].as_object()?;
    let mut row = run.as_object()?.clone();
    row.remove("trace");
    for (name, value) in [("label", policy), ("kind", "policy"), ("policy", policy)] {
        row.insert(name.into(), value.into());
    }
    Some(Value::Array(vec![row.into()]))
}

/// The table of `compare --json` or `run --json`, with the names of `compare --csv` and the keys of the configuration that the runs read.
pub(crate) fn of_json(value: &Value, catalogue: &Arc<Catalogue>) -> Option<Table> {
    let run = of_run(value);
    let rows = run.as_ref().unwrap_or(&value["rows"]).as_array()?;
    let of_trace = [
        ("trace", &value["trace"]["name"]),
        ("trace_sha256", &value["trace"]["sha256"]),
        ("trace_format", &value["trace"]["format"]),
        ("trace_requests", &value["trace"]["requests"]),
    ];
    let mut names: Vec<String> = Vec::new();
    let mut flat: Vec<Vec<(String, Cell)>> = Vec::new();
    for row in rows {
        let read = read_keys(&row["config"], catalogue);
        let is_read = |name: &str| match (&read, name.strip_prefix("config.")) {
            (Some(read), Some(key)) => read.contains(&key),
            _ => true,
        };
        let of_trace = of_trace.map(|(name, value)| (name.to_owned(), value));
        let values = flatten(row).into_iter().chain(of_trace);
        let cells = values.filter(|(name, _)| is_read(name));
        let cells: Vec<(String, Cell)> = cells
            .filter_map(|(name, value)| cell(&name, value).map(|cell| (name, cell)))
            .collect();
        for (name, _) in &cells {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        flat.push(cells);
    }
    is_compared(names.iter().map(String::as_str)).then_some(())?;
    let mut table = Table::new(names.iter().map(|name| (name.as_str(), None)));
    for row in flat {
        let mut cells = vec![Cell::Null; names.len()];
        for (name, cell) in row {
            let place = names.iter().position(|known| *known == name);
            cells[place.expect("all names are known")] = cell;
        }
        table.add(cells);
    }
    Some(table)
}

/// The keys that a run reads of its configuration, which has all keys; `None` if these systems do not know it.
fn read_keys(config: &Value, catalogue: &Arc<Catalogue>) -> Option<Vec<&'static str>> {
    let mut resolver = Resolver::of(Arc::clone(catalogue));
    for (key, value) in flatten(config) {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        resolver.set(&format!("{key}={text}")).ok()?;
    }
    let config = resolver.resolve().ok()?;
    Some(config.effective().map(|(key, _)| key.path).collect())
}

/// A value as a cell; `None` for lists, except those of keys.
fn cell(name: &str, value: &Value) -> Option<Cell> {
    Some(match value {
        Value::Array(items) if name == "warnings" => {
            let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            (!lines.is_empty()).then(|| lines.join("\n")).into()
        }
        Value::Array(_) if name.starts_with("config.") => value.to_string().into(),
        Value::Array(_) | Value::Object(_) => return None,
        Value::Null => Cell::Null,
        Value::Bool(on) => (*on).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cell::Int(whole),
            None => number.as_f64().into(),
        },
    })
}
