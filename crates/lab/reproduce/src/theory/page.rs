//! The page of theory, as Markdown, and its numbers.

use ssdlab_words::{capital, markdown_table, signed, thousands};

use super::cell::{Cell, Compared};
use super::checked::Theory;
use crate::study::Report;

/// The headings of every table.
const HEADER: [&str; 7] = [
    "cleaning",
    "S_f",
    "block",
    "theory",
    "simulator",
    "deviation",
    "verdict",
];

/// The page, the cells as CSV, and the table for a terminal.
pub(super) fn report(theory: &Theory, results: &[Compared]) -> Report {
    let files = [
        ("README.md", page(theory, results)),
        ("cells.csv", csv(theory, results)),
    ];
    Report {
        files: files.map(|(name, text)| (name.to_owned(), text)).into(),
        header: &HEADER,
        words: 1,
        rows: results.iter().map(|result| row(theory, result)).collect(),
        sentence: sentence(theory, results),
    }
}

fn row(theory: &Theory, result: &Compared) -> Vec<String> {
    let cell = result.cell;
    let agrees = result.agrees(theory.description.theory.within_percent);
    vec![
        cell.case.name(),
        cell.spare.to_string(),
        format!("{} pages", cell.pages_per_block),
        format!("{:.4}", cell.known),
        format!("{:.4}", result.found),
        signed(100.0 * result.deviation(), 2) + " %",
        if agrees { "agrees" } else { "differs" }.into(),
    ]
}

/// The number of cells that agree, and the largest deviation.
fn sentence(theory: &Theory, results: &[Compared]) -> String {
    let within = theory.description.theory.within_percent;
    let beyond = results.iter().filter(|result| !result.agrees(within));
    let how_many = match beyond.count() {
        0 => format!("{} cells, all within {within} % of theory", results.len()),
        some => format!(
            "{some} of {} cells differ from theory by more than {within} %",
            results.len()
        ),
    };
    let off = |result: &&Compared| result.deviation().abs();
    let most = results
        .iter()
        .max_by(|a, b| off(a).total_cmp(&off(b)))
        .map(|result| {
            let Cell {
                case,
                spare,
                pages_per_block,
                ..
            } = result.cell;
            format!(
                "the largest deviation is {}, of {} at S_f = {spare} with blocks of {pages_per_block} pages",
                signed(100.0 * result.deviation(), 2) + " %",
                case.name()
            )
        });
    format!("{how_many}; {}.", most.unwrap_or_default())
}

/// All cells, six decimals of each figure.
fn csv(theory: &Theory, results: &[Compared]) -> String {
    let mut text = "table,spare,pages_per_block,cleaning,theory,simulator\n".to_owned();
    for result in results {
        let cell = result.cell;
        text += &format!(
            "{},{},{},{},{:.6},{:.6}\n",
            theory.description.table[cell.table]
                .formula
                .get_ref()
                .name(),
            cell.spare,
            cell.pages_per_block,
            cell.case.name(),
            cell.known,
            result.found
        );
    }
    text
}

fn page(theory: &Theory, results: &[Compared]) -> String {
    let mut page = head(theory, results);
    for (index, table) in theory.description.table.iter().enumerate() {
        page += &format!("\n## {}\n", table.title);
        if let Some(about) = &table.about {
            page += &format!("\n{about}\n");
        }
        let of_table = || results.iter().filter(|result| result.cell.table == index);
        let rows = of_table().map(|result| row(theory, result));
        page += &format!(
            "\n{}",
            markdown_table("lrrrrrl", &HEADER.map(capital).join(" | "), rows)
        );
        let written = |result: &&Compared| result.cell.written();
        let quickest = of_table().min_by(|a, b| written(a).total_cmp(&written(b)));
        page.extend(quickest.map(commands));
    }
    page + &how(theory)
}

fn head(theory: &Theory, results: &[Compared]) -> String {
    let (name, header) = (&theory.name, &theory.description.theory);
    format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{} give the write amplification of \
         cleaning in closed form; the crate `theory` names the source of each formula. The tables compare each figure with \
         that of the simulator. `ssdlab reproduce {name}` writes this page.\n\n**{}**\n\nA positive deviation means that \
         the simulator writes more than theory says. [`cells.csv`](cells.csv) has the same figures with more digits.\n",
        Theory::DESCRIPTION,
        header.title,
        header.source,
        sentence(theory, results)
    )
}

/// The commands that reproduce a row of a table.
fn commands(result: &Compared) -> String {
    let cell = result.cell;
    let (column, theory) = cell.case.command(cell.spare, cell.pages_per_block);
    let set: Vec<String> = cell.settings.iter().map(|s| format!("--set {s}")).collect();
    let run = format!("ssdlab run - --json {}", set.join(" "));
    let Cell { words, warm_up, .. } = cell;
    format!(
        "\nThese commands reproduce the row that takes the least time: {}, {}, {} pages. The first one prints the theory in \
         column `{column}`. The simulated figure comes from the other two: take the growth of `flash_programs` and \
         `flash_copies` from the second command to the third, and divide it by the growth of `host_write_pages`.\n\n```sh\n{theory}\nssdlab trace generate \
         {words} | {run} --limit {warm_up}\nssdlab trace generate {words} | {run}\n```\n",
        cell.case.name(),
        cell.spare,
        cell.pages_per_block
    )
}

/// The devices, the requests and the seeds.
fn how(theory: &Theory) -> String {
    let header = &theory.description.theory;
    let (blocks, warm_up, measured) = (header.blocks, header.warm_up, header.measured);
    let mut text = format!(
        "\n## How it is run\n\n\
         - **Blocks**: theory knows only physical blocks that hold data or wait to be cleaned. Every cell has {} of them. \
         A whole number of these, the share 1 − S_f, is logical, so S_f is exact. The device needs more blocks, which \
         theory does not know: those that cleaning keeps free (`ftl.gc_low`), and half a block for each frontier, which is \
         half empty on average; the sum is rounded up. `ftl.spare_blocks` is the number of all blocks that are not \
         logical.\n\
         - **Requests**: each covers one page. Each logical page gets {warm_up} requests on average before counting \
         starts, and {measured} that count. Discards are requests too.\n\
         - **Seeds**: {} for the requests of each cell, `ftl.seed` for the draws of d-choices. The same seeds give the \
         same page on every machine.\n",
        thousands(u64::from(blocks.get())),
        header.seed
    );
    for note in &header.notes {
        text += &format!("- {note}\n");
    }
    text
}
