//! Which rows are of one trace: files may name it by other paths.

use std::collections::{HashMap, HashSet};

use crate::analysis::Analysis;

/// What a trace is: its SHA-256, and what of the file is read.
type Identity = (String, String);

impl Analysis {
    /// Gives a trace one name, the first one, wherever its file lay; and traces of one name that have different contents
    /// names of their own. A trace without a SHA-256 is its name.
    pub(crate) fn unite_traces(&mut self) {
        let [Some(trace), Some(sum)] = ["trace", "trace_sha256"].map(|name| self.frame.place(name))
        else {
            return;
        };
        let identities: Vec<Option<Identity>> = (0..self.rows())
            .map(|row| {
                let name = self.frame.word(trace, row)?;
                let sum = self.frame.word(sum, row)?;
                Some((sum.into_owned(), options(&name).to_owned()))
            })
            .collect();
        let requests = self.requests(&identities);
        let mut first: HashMap<(&Identity, Option<u64>), String> = HashMap::new();
        let mut taken: HashSet<String> = HashSet::new();
        let names: Vec<Option<String>> = (identities.iter().zip(requests).enumerate())
            .map(|(row, (identity, requests))| {
                let name = self.frame.word(trace, row)?.into_owned();
                let Some(identity) = identity else {
                    return Some(name);
                };
                let known = first.entry((identity, requests)).or_insert_with(|| {
                    let digits = identity.0.get(..8).unwrap_or(&identity.0);
                    let own = [
                        name.clone(),
                        format!("{name} ({digits})"),
                        format!("{name} ({digits}, {} requests)", requests.unwrap_or(0)),
                    ];
                    let own = own.into_iter().find(|own| !taken.contains(own));
                    let own = own.unwrap_or(name);
                    taken.insert(own.clone());
                    // another file may name it without its folder
                    taken.insert(own.rsplit('/').next().unwrap_or(&own).to_owned());
                    own
                });
                Some(known.clone())
            })
            .collect();
        self.frame.set_words(trace, &names);
    }

    /// The number of requests of each row, where traces of one identity differ in it, since other options were given.
    fn requests(&self, identities: &[Option<Identity>]) -> Vec<Option<u64>> {
        let place = self.frame.place("trace_requests");
        let number = |row| Some(self.frame.number(place?, row)?.to_bits());
        let mut counts: HashMap<&Identity, HashSet<u64>> = HashMap::new();
        for (row, identity) in identities.iter().enumerate() {
            if let (Some(identity), Some(number)) = (identity, number(row)) {
                counts.entry(identity).or_default().insert(number);
            }
        }
        let is_needed = |identity: &Identity| counts.get(identity).is_some_and(|all| all.len() > 1);
        let of = |(row, identity): (usize, &Option<Identity>)| {
            let is_needed = identity.as_ref().is_some_and(is_needed);
            number(row)
                .filter(|_| is_needed)
                .map(|bits| f64::from_bits(bits) as u64)
        };
        identities.iter().enumerate().map(of).collect()
    }
}

/// The options of reading in the name of a trace of a sweep: `--volume 1` of `w9.csv --volume 1`.
fn options(name: &str) -> &str {
    name.find(" --").map_or("", |at| &name[at..])
}
