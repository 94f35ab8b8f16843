//! What would help: no advice is given that was not tried.

use crate::common::{Lab, in_repository};

const W9: &str = "traces/w9-ext3-postmark.csv.zst";

/// A comparison of the trace of README; its lines, and its JSON.
fn of_readme(lab: &Lab, more: &str) -> (String, serde_json::Value) {
    let trace = in_repository(W9);
    let arguments = format!("--buffer cbb,fab --size 16MiB --no-bounds --json all.json {more}");
    let text = lab.ok(&format!(
        "compare --set ftl.kind=bast {arguments} {}",
        trace.display()
    ));
    (text, lab.read_json("all.json"))
}

// Planted bugs: a buffer without padding is advised because padding is the largest cause, though it writes more; advice
// without figures, or with those of another run; none of what was tried in vain; the same for `--no-advice`.
#[test]
fn the_report_of_readme_advises_only_what_helps() {
    let lab = Lab::new();
    let (text, json) = of_readme(&lab, "--html advised.html");
    let lines = |label: &str| -> Vec<&str> {
        let lines = text.lines().filter(|line| line.starts_with(label));
        lines.collect()
    };
    let helping = lines("would help: ");
    assert!(!helping.is_empty(), "{text}");
    let in_vain = lines("would not help: ").concat();
    let no_padding = "no padding (buffer.padding=off): write amplification 4.05 instead of 3.40";
    assert!(in_vain.contains(no_padding), "{in_vain}");
    assert!(
        helping.iter().all(|line| !line.contains("padding=false")),
        "{helping:?}"
    );
    let advice = &json["would_help"];
    let without = &advice["figures"];
    assert_eq!(
        (&advice["label"], &advice["size"]),
        (&"cbb".into(), &(16 << 20).into())
    );
    let tried = advice["tried"].as_array().expect("changes");
    let number = |of: &serde_json::Value, figure: &str| of[figure].as_f64().expect("a figure");
    for tried in tried.iter().filter(|tried| tried["helps"] == true) {
        let with = &tried["figures"];
        assert!(
            number(with, "waf") < 0.99 * number(without, "waf"),
            "{tried}"
        );
        assert!(
            number(with, "life") > 0.99 * number(without, "life"),
            "{tried}"
        );
    }
    // the best help, run by itself
    let set = tried[0]["set"].as_array().expect("settings");
    let set: Vec<String> = set
        .iter()
        .map(|set| format!("--set {}", set.as_str().unwrap()))
        .collect();
    let trace = in_repository(W9);
    let settings = format!(
        "--set buffer.policy=cbb --set buffer.size=16MiB {}",
        set.join(" ")
    );
    let run = lab.json(&format!("run --json {settings} {}", trace.display()));
    assert_eq!(
        run["derived"]["waf"], tried[0]["figures"]["waf"],
        "{settings}"
    );
    assert_eq!(
        run["endurance"]["tb_until_worn"]["mean"],
        tried[0]["figures"]["life"]
    );
    let page = lab.read("advised.html");
    assert!(
        page.contains("Each change of cbb 16 MiB was tried on this trace, in "),
        "no advice"
    );
    let (text, json) = of_readme(&lab, "--no-html --no-advice");
    assert!(
        !text.contains("would help") && !text.contains("would not help"),
        "{text}"
    );
    assert!(json.get("would_help").is_none());
}

// Planted bug: advice from a table for a single run, which tries nothing.
#[test]
fn a_single_run_advises_nothing() {
    let lab = Lab::new();
    let trace = in_repository(W9);
    let run = format!("--limit 20k {}", trace.display());
    assert!(!lab.ok(&format!("run {run}")).contains("help"));
    let json = lab.json(&format!("run --json {run}"));
    assert!(json["endurance"].get("would_help").is_none() && json.get("would_help").is_none());
}
