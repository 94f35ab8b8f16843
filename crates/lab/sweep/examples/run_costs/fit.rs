//! Prices that fit measured runs: the factors between estimates and times become small, all runs counting alike.

use std::fmt::Write;

use super::Measured;

const STEPS: i32 = 6000;
/// How far a factor counts as its square: beyond, it counts as itself, so that a few runs that nothing explains decide
/// little.
const NEAR: f64 = 0.2;
/// How strongly a price stays near where it began, which decides where the runs do not.
const PULL: f64 = 0.01;

/// A price: the table, the name in it, its place.
type Key = (&'static str, &'static str, usize);

fn terms(run: &Measured) -> impl Iterator<Item = (Key, f64)> {
    let of = |table: &'static str, name: &'static str, amounts: &[f64]| {
        let all = amounts.iter().enumerate();
        let all = all.map(|(at, amount)| ((table, name, at), *amount));
        all.filter(|(_, amount)| *amount > 0.0).collect::<Vec<_>>()
    };
    let ftl = of("FTLS", run.ftl, &run.terms.ftl);
    let buffer = of("BUFFERS", run.policy, &run.terms.buffer);
    let each = of("RUN", "", &run.terms.run);
    ftl.into_iter().chain(buffer).chain(each)
}

/// A price that is plausible, in ns.
fn first(key: Key) -> f64 {
    match key {
        ("RUN", _, 0) => 10_000.0,
        ("RUN", _, 1) => 0.5,
        ("FTLS", _, 3 | 5) => 1.0,
        ("FTLS", "ideal" | "page", 6 | 7) => 10.0,
        ("FTLS", _, 6 | 7) => 1.0,
        _ => 10.0,
    }
}

/// The tables of prices, as text of Rust.
pub fn fitted(runs: &[Measured]) -> String {
    let mut keys: Vec<Key> = runs.iter().flat_map(terms).map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.dedup();
    let place = |key: Key| keys.binary_search(&key).expect("known");
    let rows: Vec<(Vec<(usize, f64)>, f64)> = runs
        .iter()
        .map(|run| {
            let terms = terms(run).map(|(key, amount)| (place(key), amount));
            (terms.collect(), (run.seconds * 1e9).ln())
        })
        .collect();
    let logs = descend(&rows, keys.iter().map(|key| first(*key).ln()).collect());
    tables(&keys, &logs)
}

/// Logarithms of prices, by Adam.
fn descend(rows: &[(Vec<(usize, f64)>, f64)], start: Vec<f64>) -> Vec<f64> {
    let mut logs = start.clone();
    let (mut means, mut squares) = (vec![0.0; logs.len()], vec![0.0; logs.len()]);
    for step in 1..=STEPS {
        let mut slope: Vec<f64> = logs
            .iter()
            .zip(&start)
            .map(|(log, start)| PULL * (log - start))
            .collect();
        for (terms, time) in rows {
            let each = terms
                .iter()
                .map(|(at, amount)| (*at, amount * logs[*at].exp()));
            let each: Vec<(usize, f64)> = each.collect();
            let all: f64 = each.iter().map(|(_, cost)| cost).sum();
            let off = all.ln() - time;
            let pull = off / (off * off + NEAR * NEAR).sqrt() / all;
            each.iter().for_each(|(at, cost)| slope[*at] += pull * cost);
        }
        let rate = 0.05 * (1.0 - f64::from(step) / f64::from(STEPS + 1));
        for at in 0..logs.len() {
            means[at] = 0.9 * means[at] + 0.1 * slope[at];
            squares[at] = 0.999 * squares[at] + 0.001 * slope[at] * slope[at];
            let mean = means[at] / (1.0 - 0.9_f64.powi(step));
            let square: f64 = squares[at] / (1.0 - 0.999_f64.powi(step));
            logs[at] -= rate * mean / (square.sqrt() + 1e-9);
        }
    }
    logs
}

fn tables(keys: &[Key], logs: &[f64]) -> String {
    let mut text = String::new();
    let mut names: Vec<(&str, &str)> = keys.iter().map(|key| (key.0, key.1)).collect();
    names.dedup();
    for (table, name) in names {
        let places = match table {
            "FTLS" => 8,
            "BUFFERS" => 2,
            _ => 5,
        };
        let price = |at| {
            let known = keys.binary_search(&(table, name, at)).ok();
            known.map_or("0.0".to_owned(), |known| two_digits(logs[known].exp()))
        };
        let prices: Vec<String> = (0..places).map(price).collect();
        let _ = writeln!(text, "{table}: (\"{name}\", [{}]),", prices.join(", "));
    }
    text
}

fn two_digits(price: f64) -> String {
    let digits = 10_f64.powf(1.0 - price.log10().floor());
    format!("{:?}", (price * digits).round() / digits)
}
