//! A line of text for each point.

use super::grid::{Cell, NINE, OWN};

/// A heading and a line for each cell.
pub fn lines(cells: &[Cell]) -> String {
    let heading = "workload,ftl,flushes,replay,size,fastest of nine,s,cbb s,cbb / fastest,erases,cbb erases\n";
    let line = |cell: &Cell| {
        let (best, cbb) = (cell.best(), cell.runs[OWN]);
        let seconds = |ns: u64| ns as f64 / 1e9;
        format!(
            "{},{},{},{},{},{},{:.3},{:.3},{:.3},{},{}\n",
            cell.workload,
            cell.ftl.replace(", ", " "),
            cell.flushes(),
            cell.replay,
            cell.size,
            NINE[best],
            seconds(cell.runs[best].ns),
            seconds(cbb.ns),
            cell.ratio(OWN),
            cell.runs[best].erases,
            cbb.erases,
        )
    };
    heading.to_owned() + &cells.iter().map(line).collect::<String>()
}
