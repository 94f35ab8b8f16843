//! What became of a statement, in numbers and in words.

use ssdlab_words::{NOTHING, bytes};

use super::score::Score;

/// So many points are shown one by one.
const FEW: usize = 3;

/// What became of a statement.
#[derive(Clone, Debug)]
pub struct Judged {
    /// One for each pair of rows, in their order; never empty.
    pub opponents: Vec<Opponent>,
    /// The points of the figure that a test with chosen traces or sizes leaves out.
    pub elsewhere: Vec<Point>,
    /// Whether each point is a growth or a lead, in percentage points.
    pub(super) in_points: bool,
}

/// A pair of rows, and what became of the statement for it.
#[derive(Clone, Debug)]
pub struct Opponent {
    /// What tells the pair from the others: the second row; or the first one, where all pairs have the same second row; or
    /// both. Empty, if there is one pair and its traces are judged.
    pub name: String,
    /// The trace, if each has a verdict.
    pub trace: Option<String>,
    /// The compared differences.
    pub points: Vec<Point>,
    /// The best score that two thirds of the points reach, if it agrees; otherwise that of the median. `None`: no run did
    /// what the statement is about.
    pub score: Option<Score>,
    /// The mean of the differences, if it decides.
    pub mean: Option<f64>,
    /// How far each difference, or the mean, is from what the paper says: below 0 if it falls short, above 0 if it goes past.
    pub(super) gaps: Vec<f64>,
}

/// A difference between two rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The short name of the trace; empty for the mean of all.
    pub trace: String,
    /// Bytes.
    pub size: u64,
    /// The row.
    pub row: String,
    /// The other row; empty for the paper's own value.
    pub against: String,
    /// The size of the other row in bytes.
    pub against_size: u64,
    /// The relative difference: 0.1 if the row has a tenth more; `None`: the run did not do what the statement is about.
    pub difference: Option<f64>,
    /// The row's own value and that of the paper.
    pub values: Option<[f64; 2]>,
    /// The score of the difference.
    pub score: Option<Score>,
}

impl Point {
    fn agrees(&self) -> bool {
        self.score.is_some_and(Score::agrees)
    }
}

/// The mean of the differences; `None` without any.
pub fn mean<'a>(points: impl IntoIterator<Item = &'a Point>) -> Option<f64> {
    let differences = points.into_iter().filter_map(|point| point.difference);
    let differences: Vec<f64> = differences.collect();
    let number = differences.len() as f64;
    (number > 0.0).then(|| differences.iter().sum::<f64>() / number)
}

impl Judged {
    /// The compared differences.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.opponents.iter().flat_map(|pair| &pair.points)
    }

    /// The verdict: the worst one over all opponents. `None`: no run did what the statement is about.
    pub fn score(&self) -> Option<Score> {
        let scores = self.opponents.iter().filter_map(|pair| pair.score);
        scores.min()
    }

    /// Whether the statement agrees with the runs.
    pub fn agrees(&self) -> bool {
        self.score().is_some_and(Score::agrees)
    }

    /// How far the differences are from what the paper says, on average: with their signs, and without.
    pub fn gaps(&self) -> [f64; 2] {
        let gaps = self.opponents.iter().flat_map(|pair| &pair.gaps);
        let gaps: Vec<f64> = gaps.copied().collect();
        let number = gaps.len().max(1) as f64;
        let signed: f64 = gaps.iter().sum();
        let unsigned: f64 = gaps.iter().map(|gap| gap.abs()).sum();
        [signed / number, unsigned / number]
    }

    /// The numbers of the result: the means that decide, or the differences, for each verdict.
    pub fn numbers(&self) -> Vec<String> {
        let groups = self.by_verdict();
        let number = |pair: &Opponent| match pair.mean {
            Some(mean) => change(mean, "%"),
            None => self.differences(&pair.points),
        };
        groups.iter().map(number).collect()
    }

    /// The result and the verdict in a line each: those that decide, where opponents or traces differ.
    pub fn in_brief(&self) -> [String; 2] {
        let groups = self.by_verdict();
        let exercised = groups.iter().filter(|pair| pair.score.is_some());
        let Some(worst) = exercised.min_by_key(|pair| pair.score).or(groups.first()) else {
            return Default::default();
        };
        let mut pairs = self.opponents.iter();
        let ours = match worst.mean {
            Some(mean) => format!("mean {}", change(mean, "%")),
            // one number of each opponent
            None if self.opponents.len() <= FEW && pairs.all(|pair| pair.points.len() == 1) => {
                let points: Vec<Point> = self.points().cloned().collect();
                self.differences(&points)
            }
            None => self.differences(&worst.points),
        };
        let verdict = words(worst);
        match worst.name.as_str() {
            "" => [ours, verdict],
            name => [ours, format!("{verdict}: {name}")],
        }
    }

    /// The point that says most about the verdict: the first one of the worst score.
    pub fn telling(&self) -> Option<&Point> {
        let exercised = self.points().filter(|point| point.score.is_some());
        exercised.min_by_key(|point| point.score)
    }

    /// The opponents by their verdicts, those of one verdict as one; without a name, if the verdicts of all are the same.
    fn by_verdict(&self) -> Vec<Opponent> {
        let mut groups: Vec<Opponent> = Vec::new();
        for pair in &self.opponents {
            match groups.iter_mut().find(|group| group.score == pair.score) {
                Some(group) => {
                    group.points.extend(pair.points.iter().cloned());
                    group.mean = None;
                }
                None => groups.push(pair.clone()),
            }
        }
        match &mut groups[..] {
            [all] => all.name.clear(),
            some => some
                .iter_mut()
                .for_each(|group| group.name = self.names(group.score)),
        }
        groups
    }

    /// The opponents with a verdict; those on a trace that has no others as the trace.
    fn names(&self, score: Option<Score>) -> String {
        let mut names: Vec<String> = Vec::new();
        for pair in self.opponents.iter().filter(|pair| pair.score == score) {
            let mut of_trace = self.opponents.iter().filter(|at| at.trace == pair.trace);
            let name = match &pair.trace {
                None => pair.name.clone(),
                Some(trace) if of_trace.all(|at| at.score == score) => format!("on {trace}"),
                Some(trace) => format!("{} on {trace}", pair.name),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    /// A line for each verdict, with the names of its opponents.
    fn lines(&self, words: impl Fn(&Opponent) -> String) -> String {
        let line = |pair: &Opponent| match (pair.name.as_str(), words(pair)) {
            ("", words) => words,
            (name, words) => format!("{name}: {words}"),
        };
        let lines: Vec<String> = self.by_verdict().iter().map(line).collect();
        lines.join("\n")
    }

    /// The result in words: `+12 %`, or those of a few points in their order; of more points, the median, the least and
    /// the most.
    pub fn ours(&self) -> String {
        let mut text = self.lines(|pair| {
            let mean = pair
                .mean
                .map(|mean| format!("; mean {}", change(mean, "%")));
            self.differences(&pair.points) + &mean.unwrap_or_default()
        });
        let elsewhere = self.differences(&self.elsewhere);
        if !elsewhere.is_empty() {
            text += &format!("\nelsewhere {elsewhere}");
        }
        text
    }

    /// How many points agree, of those that were exercised, and which.
    pub fn counts(&self) -> String {
        let mut text = self.lines(|pair| counted(&pair.points));
        let (agree, all) = counts(self.elsewhere.iter());
        if all > 0 {
            text += &format!("\nelsewhere {agree} of {all}");
        }
        text
    }

    /// The verdicts in words.
    pub fn verdict(&self) -> String {
        self.lines(words)
    }

    fn differences(&self, points: &[Point]) -> String {
        let exercised = points.iter().filter(|point| point.difference.is_some());
        let beside = exercised.clone().filter_map(|point| point.values);
        let beside: Vec<String> = beside
            .map(|[own, paper]| format!("{own:.1} (paper {paper})"))
            .collect();
        if !beside.is_empty() {
            return beside.join(", ");
        }
        let values: Vec<f64> = exercised.filter_map(|point| point.difference).collect();
        if values.is_empty() && !points.is_empty() {
            return NOTHING.to_owned();
        }
        let unit = if self.in_points { "points" } else { "%" };
        let said = |value: f64| change(value, unit);
        if values.len() <= FEW {
            let values: Vec<String> = values.into_iter().map(said).collect();
            return values.join(", ");
        }
        let median = median(points).and_then(|point| point.difference);
        let least = values.iter().copied().min_by(f64::total_cmp);
        let most = values.iter().copied().max_by(f64::total_cmp);
        let [median, least, most] = [median, least, most].map(|value| said(value.unwrap_or(0.0)));
        format!("{median} ({least} to {most})")
    }
}

/// The verdict on an opponent in words.
fn words(pair: &Opponent) -> String {
    let words = match pair.score {
        Some(Score::NoDifference) if median(&pair.points).is_some_and(Point::agrees) => "in part",
        score => score.map_or("not exercised", Score::words),
    };
    match counts(pair.points.iter()) {
        // the mean hides where it holds
        (agree, all) if pair.mean.is_some() && agree < all => {
            format!("{words}, on {agree} of {all}")
        }
        _ => words.to_owned(),
    }
}

/// The point with the median of the differences.
fn median(points: &[Point]) -> Option<&Point> {
    let difference = |point: &Point| point.difference.unwrap_or(f64::NAN);
    let exercised = points.iter().filter(|point| point.difference.is_some());
    let mut exercised: Vec<&Point> = exercised.collect();
    exercised.sort_by(|a, b| difference(a).total_cmp(&difference(b)));
    exercised.get(exercised.len().checked_sub(1)? / 2).copied()
}

/// The points that agree, and those that were exercised.
fn counts<'a>(points: impl Iterator<Item = &'a Point> + Clone) -> (usize, usize) {
    let exercised = points.clone().filter(|point| point.score.is_some());
    let agree = points.filter(|point| point.agrees());
    (agree.count(), exercised.count())
}

/// `2 of 3: on pc, with 1 MiB to 4 MiB; not exercised on mobile`.
fn counted(points: &[Point]) -> String {
    let (agree, all) = counts(points.iter());
    let mut text = format!("{agree} of {all}");
    let places = places(points);
    if (1..all).contains(&agree) && !places.is_empty() {
        text += &format!(": {places}");
    }
    let idle = |trace: &&str| {
        let mut on_trace = points.iter().filter(|point| point.trace == **trace);
        on_trace.all(|point| point.score.is_none())
    };
    let idle: Vec<&str> = traces(points).into_iter().filter(idle).collect();
    if all > 0 && !idle.is_empty() {
        text += &format!("; not exercised on {}", idle.join(", "));
    }
    text
}

/// The traces of these points, sorted.
fn traces(points: &[Point]) -> Vec<&str> {
    let mut traces: Vec<&str> = points.iter().map(|point| point.trace.as_str()).collect();
    traces.sort_unstable();
    traces.dedup();
    traces
}

/// Where all points agree: `on w1, w2; on w3 with 1 MiB to 4 MiB`; empty if nowhere.
fn places(points: &[Point]) -> String {
    let mut sizes: Vec<u64> = points.iter().map(|point| point.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let names = traces(points);
    let of_trace = |trace: &&str| {
        let agree = |size: &u64| {
            let there = points.iter();
            let there = there.filter(|point| point.trace == **trace && point.size == *size);
            let mut exercised = there.filter(|point| point.score.is_some()).peekable();
            exercised.peek().is_some() && exercised.all(Point::agrees)
        };
        sizes.iter().map(agree).collect::<Vec<bool>>()
    };
    let agree: Vec<Vec<bool>> = names.iter().map(of_trace).collect();
    let with = |agree: &[bool]| {
        if agree.iter().all(|agrees| *agrees) {
            String::new()
        } else {
            format!("with {}", ranges(&sizes, agree))
        }
    };
    let somewhere = agree.iter().flatten().any(|agrees| *agrees);
    if somewhere && agree.iter().all(|other| *other == agree[0]) {
        return with(&agree[0]);
    }
    let mut places: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, agree) in names.iter().zip(&agree) {
        let with = with(agree);
        match places.iter_mut().find(|(place, _)| *place == with) {
            Some((_, names)) => names.push(name),
            None if agree.iter().any(|agrees| *agrees) => places.push((with, vec![name])),
            None => {}
        }
    }
    let places = places.into_iter();
    let places = places.map(|(with, names)| format!("on {} {with}", names.join(", ")));
    let places: Vec<String> = places.map(|place| place.trim_end().to_owned()).collect();
    places.join("; ")
}

/// The sizes that agree: `1 MiB to 4 MiB, 16 MiB`.
fn ranges(sizes: &[u64], agree: &[bool]) -> String {
    let places: Vec<usize> = (0..sizes.len()).filter(|&i| agree[i]).collect();
    let runs = places.chunk_by(|a, b| a + 1 == *b);
    let said = |run: &[usize]| match run {
        [one] => bytes(sizes[*one]),
        [first, .., last] => format!("{} to {}", bytes(sizes[*first]), bytes(sizes[*last])),
        [] => String::new(),
    };
    runs.map(said).collect::<Vec<_>>().join(", ")
}

/// The lines of a result as one, for tables of a terminal and for sentences.
pub(super) fn in_a_line(lines: &str) -> String {
    lines.replace('\n', "; ")
}

/// A difference in hundredths with its sign; `–` if it is undefined.
pub(super) fn change(share: f64, unit: &str) -> String {
    // without commas, which separate the differences
    ssdlab_words::difference(share, unit)
        .map_or_else(|| format!("0.0 {unit}"), |text| text.replace(',', ""))
}
