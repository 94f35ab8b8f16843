//! The rows of a comparison: rows of results, and what a comparison has beside them.

use serde_json::{Map, Value as Json, json};
use ssdlab_sim::{Comparison, Row, RowKind};
use ssdlab_words::shown_lines;

use crate::cell::Cell;
use crate::run::{Origin, Run};
use crate::schema::Schema;
use crate::table::Table;

/// What the rows of a comparison have beside the columns of results.
pub(crate) struct Beside {
    /// Its name; in tables, members of an object follow it behind a dot.
    pub name: &'static str,
    /// Its value; `None`: the row has none.
    of: fn(&Row) -> Option<Json>,
    /// Tables have it, too; distributions and series are in JSON only.
    is_in_tables: bool,
}

const fn in_tables(name: &'static str, of: fn(&Row) -> Option<Json>) -> Beside {
    Beside {
        name,
        of,
        is_in_tables: true,
    }
}

const fn in_json(name: &'static str, of: fn(&Row) -> Option<Json>) -> Beside {
    Beside {
        is_in_tables: false,
        ..in_tables(name, of)
    }
}

/// All of it, the first [`FIRST`] before the columns of results. What `run --json` has too has the same name and shape there.
pub(crate) const BESIDE: [Beside; 20] = [
    in_tables("label", |row| Some(json!(row.label))),
    in_tables("kind", |row| Some(json!(row.kind))),
    in_tables("size", |row| Some(json!(row.size))),
    in_tables("best", |row| Some(json!(row.best))),
    in_tables("level", |row| Some(json!(row.level))),
    in_tables("bounds", |row| {
        row.bounds.as_ref().map(|bounds| json!(bounds))
    }),
    in_tables("relative", |row| Some(json!(row.relative))),
    in_tables("erase_count", |row| {
        Some(json!(row.outcome.derived.erase_count))
    }),
    in_tables("time_ns", |row| Some(json!(row.outcome.derived.time_ns))),
    in_tables("chips_ns", |row| {
        row.outcome.derived.chips_ns.as_ref().map(|ns| json!(ns))
    }),
    in_tables("merge_time_ns", |row| {
        Some(json!(row.outcome.derived.merge_time_ns))
    }),
    in_tables("latency_ns", |row| {
        row.outcome.latency_ns.as_ref().map(|ns| json!(ns))
    }),
    in_tables("utilisation", |row| {
        row.outcome.utilisation.as_ref().map(|of| json!(of))
    }),
    in_tables("endurance", |row| {
        let all = &row.outcome.endurance;
        Some(json!({
            "largest_cause": all.largest_cause,
            "rated_used": all.rated_used,
            "rated_years": all.rated_years,
            "missing_because": all.missing_because,
        }))
    }),
    in_tables("steady_state", |row| Some(json!(row.outcome.steady_state))),
    in_json("each_loop", |row| {
        row.outcome.loops.as_ref().map(|loops| json!(loops))
    }),
    in_json("compacted", |row| {
        row.outcome.compact.as_ref().map(|of| json!(of))
    }),
    in_json("erase_histogram", |row| Some(json!(row.erase_histogram))),
    in_json("latency_histogram", |row| {
        row.clocked.as_ref().map(|of| json!(of.latency_histogram))
    }),
    in_json("over_time", |row| {
        row.clocked.as_ref().map(|of| json!(of.over_time))
    }),
];

/// What stands before the columns of results.
const FIRST: usize = 5;

/// In each row of a table of an interrupted comparison, the runs that it lacks.
const MISSING_RUNS: &str = "missing_runs";

/// Whether a comparison has this beside the columns of results.
fn is_beside(name: &str) -> bool {
    let outer = name.split('.').next().unwrap_or(name);
    name == MISSING_RUNS || BESIDE.iter().any(|one| one.name == outer)
}

/// The rows of a comparison for other programs.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// Where its runs come from.
    pub origin: &'a Origin,
    /// The columns of results of its systems.
    pub schema: &'a Schema,
}

impl Compared<'_> {
    fn cells(&self, row: &Row) -> Vec<Cell> {
        let run = Run {
            origin: self.origin,
            outcome: &row.outcome,
        };
        run.cells(self.schema)
    }

    /// The competitors as rows of results alone.
    pub fn results(&self) -> Table {
        let mut table = self.schema.table();
        for row in self.comparison.rows.iter().filter(|row| competes(row)) {
            table.add(self.cells(row));
        }
        table
    }

    /// The table that `ssdlab compare --csv` writes: `label`, `kind`, `size`, `best` and `level`, the columns of results, and
    /// behind them all else that a comparison has, names of nested ones joined by dots; an interrupted one ends with
    /// `missing_runs`. Characters that would act on a terminal are escaped.
    pub fn table(&self) -> Table {
        let missing = self.comparison.missing_runs as u64;
        let rows = self.comparison.rows.iter().map(|row| {
            let (first, then) = BESIDE.split_at(FIRST);
            let mut fields = flat(first, row);
            let columns = self.schema.columns().iter().zip(self.cells(row));
            fields.extend(columns.map(|(column, cell)| (column.name.clone(), cell)));
            fields.extend(flat(then, row));
            for (_, cell) in &mut fields {
                if let Cell::Text(text) = cell {
                    *text = shown_lines(text);
                }
            }
            fields.extend((missing > 0).then(|| (MISSING_RUNS.to_owned(), missing.into())));
            fields
        });
        let rows: Vec<_> = rows.collect();
        // bounds have more than policies, for example
        let mut names: Vec<&str> = Vec::new();
        for row in &rows {
            let mut after = 0;
            for (name, _) in row {
                match names.iter().position(|known| known == name) {
                    Some(at) => after = at + 1,
                    None => {
                        names.insert(after, name);
                        after += 1;
                    }
                }
            }
        }
        let mut table = Table::new(names.iter().map(|name| (*name, None)));
        for row in &rows {
            let of = |name: &&str| row.iter().find(|(known, _)| known == name);
            table.add(
                names
                    .iter()
                    .map(|name| of(name).map_or(Cell::Null, |(_, cell)| cell.clone())),
            );
        }
        table
    }

    /// The `rows` of the object that `ssdlab compare --json` writes: as those of the table, nested.
    pub fn json(&self) -> Vec<Json> {
        let rows = self.comparison.rows.iter().map(|row| {
            let member = |one: &Beside| Some((one.name.to_owned(), (one.of)(row)?));
            let (first, then) = BESIDE.split_at(FIRST);
            let mut members: Map<String, Json> = first.iter().filter_map(member).collect();
            members.extend(self.schema.json(&self.cells(row)));
            members.extend(then.iter().filter_map(member));
            members.into()
        });
        rows.collect()
    }
}

fn competes(row: &Row) -> bool {
    row.kind == RowKind::Policy
}

/// What tables have of this, the names of nested ones joined by dots. Lists are texts.
fn flat(of: &[Beside], row: &Row) -> Vec<(String, Cell)> {
    fn add(path: String, value: &Json, into: &mut Vec<(String, Cell)>) {
        let Json::Object(members) = value else {
            into.push((path, Cell::of_json(value)));
            return;
        };
        for (name, value) in members {
            add(format!("{path}.{name}"), value, into);
        }
    }
    let mut fields = Vec::new();
    for one in of.iter().filter(|one| one.is_in_tables) {
        if let Some(value) = (one.of)(row) {
            add(one.name.to_owned(), &value, &mut fields);
        }
    }
    fields
}

/// Rows of results of a table or an object that ssdlab wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Competitors {
    /// The rows.
    pub table: Table,
    /// The rows of bounds, which do not compete and were left out.
    pub bounds: usize,
}

/// Why nothing was read.
const EARLIER: &str =
    "is of an earlier version of ssdlab, whose columns had other names (policy, throughput_mb_s)";

/// Whether columns are those of a comparison; or why these cannot be read.
///
/// # Errors
/// An earlier version wrote them.
pub fn is_compared<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Result<bool, String> {
    let has = |name: &str| names.clone().any(|own| own == name);
    if !has("label") || !has("kind") {
        return Ok(false);
    }
    match has("policy") && !has("run_id") {
        true => Err(format!(
            "{EARLIER}; make it again with ssdlab compare --csv"
        )),
        false => Ok(true),
    }
}

/// The rows of results of a comparison's table.
pub fn competitors(table: &Table) -> Competitors {
    let kinds = table.column("kind").unwrap_or_default();
    let competes = |row: usize| kinds.get(row).map(Cell::to_json) != Some(json!(RowKind::Bound));
    let rows = table.part(|name| !is_beside(name), competes);
    Competitors {
        bounds: table.rows() - rows.rows(),
        table: rows,
    }
}

/// The rows of results in what `ssdlab compare --json` or `ssdlab run --json` wrote.
///
/// # Errors
/// It is none of these, or of an earlier version.
pub fn competitors_of_json(value: &Json, schema: &Schema) -> Result<Competitors, String> {
    let what =
        "JSON without rows of a comparison; must be of ssdlab compare --json or ssdlab run --json";
    let (rows, how) = match (value.get("rows"), value.get("counters")) {
        (Some(Json::Array(rows)), _) => (rows.iter().collect(), "compare"),
        (_, Some(Json::Object(_))) => (vec![value.get("row").unwrap_or(value)], "run"),
        _ => return Err(what.into()),
    };
    let (mut table, mut bounds) = (schema.table(), 0);
    for row in rows {
        if row.get("run_id").is_none() {
            let is_earlier = row.get("policy").is_some() || row.get("counters").is_some();
            let earlier = format!("{EARLIER}; make it again with ssdlab {how} --json");
            return Err(if is_earlier { earlier } else { what.into() });
        }
        if row["kind"] == json!(RowKind::Bound) {
            bounds += 1;
            continue;
        }
        let columns = schema.columns().iter();
        table.add(columns.map(|column| Cell::of_json(&row[column.name.as_str()])));
    }
    Ok(Competitors { table, bounds })
}
