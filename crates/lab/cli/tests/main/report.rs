//! `ssdlab report`: results of sweeps and comparisons as a page, pictures and tables.

mod rules;

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::common::{Lab, in_repository, json};
use serde_json::Value;
use ssdlab_browser::{Browser, Scheme};

/// The results of the example: three traces, three policies, four sizes.
static SWEEP: LazyLock<Lab> = LazyLock::new(|| {
    let lab = Lab::new();
    let plan = in_repository("examples/sweep.toml");
    lab.ok(&["sweep", "run", plan.to_str().expect("a path")]);
    lab.ok(&[
        "sweep",
        "merge",
        plan.to_str().expect("a path"),
        "--output=all.csv",
    ]);
    lab
});

/// A path of the sweep's folder.
fn of_sweep(name: &str) -> String {
    let path: PathBuf = SWEEP.path(name);
    path.to_str().expect("a path").to_owned()
}

/// What a command writes to a file of its own.
fn made(name: &str, args: &[&str]) -> (String, String) {
    let lab = Lab::new();
    let parts = of_sweep("sweep.parts");
    let output = format!("--output={name}");
    let args = [&["report", &parts, &output], args].concat();
    (lab.ok(&args), lab.read(name))
}

/// Lines of CSV, split at commas.
fn lines(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

// planted bugs: `timing.buffer_us`, which no device without a buffer reads, in place of the policy that the plan varies; the
// number of regions in place of the placement
#[test]
fn the_axes_of_a_page_are_those_of_the_plan() {
    let lab = Lab::new();
    for (axes, told) in [
        (
            "buffer.policy = [\"none\", \"lru\"]",
            &["buffer.policy"][..],
        ),
        (
            "ftl.placement = [\"single\", \"dac-updates\"]\nftl.regions = [2, 4]",
            &["ftl.placement", "ftl.regions"][..],
        ),
    ] {
        let device =
            "[device]\nftl.kind = \"page\"\nflash.capacity = \"16MiB\"\nbuffer.policy = \"lru\"";
        let traces = "refused = \"leave-out\"\ntraces = [{ generate = \"zipf --requests 300 --capacity 4MiB\" }]";
        lab.write("plan.toml", format!("{traces}\n{device}\n[axes]\n{axes}\n"));
        lab.ok("sweep run plan.toml --out parts");
        lab.ok("report parts --output page.html");
        let page = lab.read("page.html");
        let (_, rest) = page.split_once("results over ").expect("axes");
        let (axes, _) = rest.split_once('<').expect("their end");
        // beside them there may be keys whose defaults follow from both
        for key in told {
            assert!(axes.contains(key), "{axes}");
        }
        assert!(!axes.contains("timing."), "{axes}");
        std::fs::remove_dir_all(lab.path("parts")).unwrap();
    }
}

// planted bugs: another size; medians over sizes; the values of another trace
#[test]
fn the_numbers_of_a_picture_are_those_of_the_rows() {
    let (_, picture) = made(
        "waf.csv",
        &[
            "--plot=waf",
            "--x=buffer.size",
            "--curves=buffer_policy",
            "--facet=trace",
        ],
    );
    let picture = lines(&picture);
    assert_eq!(
        picture[0],
        [
            "trace",
            "buffer.policy",
            "buffer.size",
            "Write amplification",
            "low",
            "high",
            "runs"
        ]
    );
    assert_eq!(picture.len(), 37);
    let all = SWEEP.read("all.csv");
    let mut reader = csv::Reader::from_reader(all.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let place = |name: &str| header.iter().position(|known| known == name).expect(name);
    let mut rows: Vec<[String; 4]> = Vec::new();
    for record in reader.records() {
        let record = record.expect("a row");
        rows.push(
            ["trace", "buffer_policy", "buffer_size", "waf"]
                .map(|name| record[place(name)].to_owned()),
        );
    }
    for line in &picture[1..] {
        let row = rows
            .iter()
            .find(|row| row[0].contains(line[0]) && row[1] == line[1] && row[2] == line[2]);
        assert_eq!(row.map(|row| row[3].as_str()), Some(line[3]), "{line:?}");
        assert_eq!(line[6], "1");
    }
}

// planted bugs: a file and the folder it was made of count twice; the CSV of compare has another name for a policy
#[test]
fn inputs_join_and_each_run_counts_once() {
    let lab = Lab::new();
    let (parts, all) = (of_sweep("sweep.parts"), of_sweep("all.csv"));
    let args = [
        "report",
        &parts,
        &all,
        "--plot=waf",
        "--facet=none",
        "--output=a.csv",
    ];
    assert_eq!(lab.ok(&args), "a.csv: of 36 rows\n");
    let trace = in_repository("traces/w9-ext3-postmark.csv.zst");
    let trace = trace.to_str().expect("a path");
    lab.ok(&[
        "compare",
        "--set=ftl.kind=bast",
        "--buffer=lru,fab",
        "--size=2M,4M",
        "--no-html",
        "--csv=c.csv",
        "--json=c.json",
        trace,
    ]);
    for file in ["c.csv", "c.json"] {
        assert_eq!(
            lab.ok(&["report", file, "--plot=life", "--output=b.csv"]),
            "b.csv: of 4 rows\n"
        );
        let life = lab.read("b.csv");
        assert!(
            life.starts_with(",buffer.policy,buffer.size,\"Life, TB\","),
            "{life}"
        );
        assert!(life.contains("\n,lru,2097152,0.2086537027020"), "{life}");
    }
    let both = lab.ok(&[
        "report",
        "c.csv",
        &parts,
        "--table=waf",
        "--rows=policy",
        "--columns=size",
        "--output=t.md",
    ]);
    assert_eq!(both, "t.md: of 40 rows\n");
}

// planted bugs: the worst in bold; a heading that LaTeX cannot read
#[test]
fn tables_mark_the_best() {
    let (_, table) = made(
        "t.tex",
        &[
            "--table=waf",
            "--rows=buffer.policy",
            "--columns=buffer.size",
            "--where=trace=w9-ext3-postmark",
        ],
    );
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.ends_with("\\\\"))
        .collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(rows[2].starts_with("fab & \\textbf{"), "{table}");
    assert!(rows[3].starts_with("lru & 8.70 & "), "{table}");
    let (_, table) = made(
        "t.md",
        &[
            "--table=throughput",
            "--rows=buffer.policy",
            "--columns=buffer.size",
            "--best=row",
            "--where=trace=w9-ext3-postmark",
        ],
    );
    let bplru = table
        .lines()
        .find(|line| line.starts_with("| bplru"))
        .expect("a row");
    assert_eq!(bplru.matches("**").count(), 2, "{table}");
    assert!(bplru.ends_with("** |"), "{table}");
}

// planted bugs: a PDF whose font the reader must have; a picture that differs from run to run
#[test]
fn each_kind_of_picture_has_each_format() {
    for kind in ["curves", "heat", "spread", "pareto"] {
        let figures = if kind == "pareto" {
            "--plot=device_ram,waf"
        } else {
            "--plot=waf"
        };
        for name in ["a.svg", "a.pgf", "a.csv"] {
            let kind = format!("--kind={kind}");
            let (_, text) = made(name, &[figures, &kind]);
            assert_eq!(text, made(name, &[figures, &kind]).1);
            match name {
                "a.svg" => assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n")),
                "a.pgf" => {
                    assert_eq!(
                        text.matches("\\nextgroupplot").count(),
                        if kind == "--kind=spread" { 4 } else { 3 }
                    );
                    assert_eq!(text.matches('{').count(), text.matches('}').count());
                }
                _ => assert!(text.lines().count() > 10, "{text}"),
            }
        }
    }
    let lab = Lab::new();
    lab.ok(&[
        "report",
        &of_sweep("sweep.parts"),
        "--plot=waf",
        "--output=a.pdf",
    ]);
    let pdf = std::fs::read(lab.path("a.pdf")).expect("a file");
    let has = |text: &str| pdf.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(pdf.starts_with(b"%PDF-") && has("/FontFile2") && has("/TrueType"));
}

// planted bugs: an error of a name without the names that come near; a file that is not complete
#[test]
fn errors_name_what_is_wrong() {
    let lab = Lab::new();
    let parts = of_sweep("sweep.parts");
    let parts = parts.as_str();
    let refused = |args: &[&str], fragments: &[&str]| {
        lab.refused(&[&["report"], args].concat(), fragments);
    };
    refused(&["nothing.parquet"], &["nothing.parquet", "cannot be read"]);
    refused(
        &[parts, "--plot=waff", "--output=a.svg"],
        &["waff: no column, key or figure", "waf"],
    );
    refused(
        &[parts, "--plot=waf", "--output=a.png"],
        &["a.png: must end in .svg, .pdf, .pgf or .csv"],
    );
    refused(
        &[parts, "--output=a.svg"],
        &["--output a.svg: must end in .html"],
    );
    refused(&[parts, "--plot=waf"], &["--plot: needs -o"]);
    refused(
        &[parts, "--plot=trace", "--output=a.svg"],
        &["trace: is no figure"],
    );
    refused(
        &[parts, "--plot=p99", "--output=a.svg"],
        &["p99: no row has a value"],
    );
    refused(
        &[parts, "--plot=waf", "--x=trace", "--output=a.svg"],
        &["trace: has words; must have numbers"],
    );
    refused(
        &[parts, "--plot=waf", "--kind=pareto", "--output=a.svg"],
        &["needs two figures"],
    );
    refused(
        &[parts, "--where=buffer.size=3MiB"],
        &["buffer.size=3MiB: no row has this value", "1 MiB, 2 MiB"],
    );
    refused(&[parts, "--where=buffer.size"], &["must be KEY=VALUE"]);
    std::fs::create_dir(lab.path("empty")).expect("a new folder");
    refused(&["empty"], &["empty: a folder without results"]);
    lab.write("a.json", "{\n\"rows\": [}");
    refused(
        &["a.json"],
        &["a.json: no readable JSON", "line 2 column 10"],
    );
    lab.write("b.csv", "a,b\n1,2\n");
    refused(&["b.csv"], &["b.csv: line 1: no column of results"]);
    lab.write("c.csv", "trace,waf\nw,2\nw\n");
    refused(&["c.csv"], &["c.csv: line 3: 1 fields, must be 2"]);
    assert_eq!(
        lab.files()
            .iter()
            .filter(|name| name.ends_with(".html") || name.ends_with(".svg"))
            .count(),
        0
    );
}

/// What a script returns at the end of the page.
fn ask(page: &str, script: &str) -> Value {
    let lab = Lab::new();
    let asked = format!(
        "{page}<script>const answer = document.createElement(\"script\"); answer.type = \"application/json\"; answer.id = \"answer\";\n\
         answer.textContent = JSON.stringify((() => {{ {script} }})()); document.body.append(answer);</script>"
    );
    lab.write("page.html", asked);
    let visit =
        Browser::find().and_then(|browser| browser.visit(&lab.path("page.html"), Scheme::Light));
    let visit = visit.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(visit.console, [""; 0]);
    assert_eq!(visit.requests, [""; 0]);
    let (_, text) = visit.dom.split_once("id=\"answer\">").expect("an answer");
    json(text.split_once("</script>").expect("its end").0)
}

// planted bugs: numbers sorted as texts; a filter that forgets the others; a page that asks the network; a row with the
// command of another one
#[test]
fn the_table_of_the_page_sorts_and_filters() {
    let (_, page) = made("results.html", &[]);
    let seen = ask(&page, "
        const table = document.getElementById('rows');
        const texts = () => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
        const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
        const place = (name) => heads.indexOf(name);
        const fields = table.tHead.rows[1].cells;
        const type = (name, text) => { const input = fields[place(name)].firstElementChild; input.value = text; input.dispatchEvent(new Event('input')); };
        const first = texts();
        table.tHead.rows[0].cells[place('Erases')].firstElementChild.click();
        const erases = texts().map((row) => row[place('Erases')]);
        type('Buffer policy', 'lru');
        const both = texts().length;
        type('Write amplification', '>8');
        const some = texts();
        type('trace'.replace('t', 'T'), 'ext3');
        return { heads, rows: first.length, erases, both, some, last: texts(), pictures: document.querySelectorAll('svg.picture').length,
                 told: document.getElementById('shown').textContent };");
    assert_eq!(seen["rows"], 36);
    assert_eq!(seen["both"], 24, "lru and bplru");
    let erases: Vec<f64> = seen["erases"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|text| {
            text.as_str()
                .expect("a text")
                .replace(',', "")
                .parse()
                .expect("a number")
        })
        .collect();
    assert!(erases.is_sorted(), "{erases:?}");
    let last = seen["last"].as_array().expect("a list");
    assert_eq!(
        (last.len(), &seen["told"]),
        (4, &Value::from("1–4 of 4 rows")),
        "{seen}"
    );
    for row in last {
        let text = row.to_string();
        assert!(
            text.contains("ext3") && text.contains("ssdlab run") && text.contains("buffer.policy"),
            "{text}"
        );
        let size = row[2].as_str().expect("a size").replace(' ', "");
        assert!(
            text.contains(&format!("buffer.size=\\\"{size}")) || text.contains(&size),
            "{text}"
        );
    }
    assert_eq!(
        seen["pictures"], 16,
        "curves, maps and spreads of four figures, and four fronts"
    );
}

// planted bugs: a winner where another one is better on a trace; markup that a trace's name brings in
#[test]
fn the_page_says_what_is_known_without_scripts() {
    let (_, page) = made("results.html", &["--by=waf"]);
    let markup = page.split("<script").next().expect("a page");
    for text in [
        "36 runs",
        "results over trace, buffer.policy and buffer.size",
        "1 MiB: no winner by write amplification: bplru is better than fab in 1 of 3 samples, level in 1 and worse in 1",
        "2 MiB: no winner by write amplification: fab is better than lru in 2 of 3 samples",
        "of 12 configurations are not dominated",
    ] {
        assert!(markup.contains(text), "{text}");
    }
    assert_eq!(markup.matches("<td class=\"command\">").count(), 36);
    let lab = Lab::new();
    lab.write(
        "a.csv",
        "trace,buffer_policy,buffer_size,waf\n<b>&x,a,1,1.5\n<b>&x,a,2,1.25\n",
    );
    lab.ok(&["report", "a.csv"]);
    assert!(!lab.read("results.html").contains("<b>&x"));
}

// planted bugs: a page that grows with the rows; rows beyond the limit that nothing tells of
#[test]
fn many_rows_fit_on_a_page() {
    let lab = Lab::new();
    let mut text = String::from(
        "trace,seed,buffer_policy,buffer_size,ftl_log_blocks,waf,throughput,erases,command\n",
    );
    for row in 0..30_000u32 {
        let (policy, size, blocks) = (
            ["lru", "fab", "bplru"][row as usize % 3],
            1 << (20 + row / 3 % 5),
            7 + row / 15 % 4,
        );
        let (trace, seed) = (row / 60 % 25, row / 1500);
        let waf = 1.0 + f64::from(row.wrapping_mul(2_654_435_761) % 9973) / 3000.0;
        text += &format!(
            "t{trace},{seed},{policy},{size},{blocks},{waf},{},{row},ssdlab run --set buffer.policy={policy} --set buffer.size={size} --set ftl.log_blocks={blocks} t{trace}\n",
            10.0 / waf
        );
    }
    lab.write("many.csv", text);
    lab.ok(&["report", "many.csv"]);
    let page = lab.read("results.html");
    assert!(page.len() < 5_000_000, "{}", page.len());
    assert!(page.contains("The table has the first 20,000 of 30,000 rows"));
    assert!(page.contains("no winner by write amplification"));
}

// planted bugs: rows in doubt that nothing tells of; a run that counts twice; a bound that competes
#[test]
fn what_is_doubtful_or_left_out_is_told() {
    let lab = Lab::new();
    let rows = [
        "a,1,1.5,,r1",
        "a,2,1.25,young,r2",
        "b,1,1.75,young,r3",
        "b,1,1.75,young,r3",
    ];
    lab.write(
        "a.csv",
        format!(
            "buffer_policy,buffer_size,waf,doubt,run_id\n{}\n",
            rows.join("\n")
        ),
    );
    lab.write(
        "b.csv",
        "label,kind,buffer_policy,buffer_size,waf\nlru,policy,lru,1,2.5\nideal FTL,bound,lru,1,1.0\n",
    );
    let ended = lab.run(&["report", "a.csv", "b.csv"]);
    assert!(
        ended.stderr.contains("2 of 4 rows are in doubt"),
        "{}",
        ended.stderr
    );
    let page = lab.read("results.html");
    for text in [
        "2 rows are in doubt: young.",
        "1 row is of runs that an earlier row has; each run counts once.",
        "1 bound of a comparison is left out, since bounds do not compete.",
        "<h1>4 runs</h1>",
    ] {
        assert!(page.contains(text), "{text}");
    }
}
