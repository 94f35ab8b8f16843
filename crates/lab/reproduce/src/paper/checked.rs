//! A checked description of a paper.

use ssdlab_config::Resolver;
use ssdlab_sim::Counters;
use ssdlab_sim::{Lab, key};
use toml::Spanned;

use super::description::{Description, Figure, Source, System, Variant};
use super::served;
use super::statement::{Cause, Number, Over, PLACE, Pair, Relation, Statement, Sweep, Test};
use super::terms::Size;
use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::{File, may_name_a_file};

/// A description with its text.
#[derive(Debug)]
pub struct Paper {
    /// The name of its folder.
    pub name: String,
    /// The description.
    pub description: Description,
    pub(super) file: File,
    /// What it may name.
    pub(super) lab: Lab,
}

impl Paper {
    /// The name of every description.
    pub const DESCRIPTION: &str = "paper.toml";

    /// Reads a description, which may name the systems of the laboratory, and checks everything that needs no trace.
    ///
    /// # Errors
    /// The first error in it.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let mut description: Description = file.parse()?;
        let header = &mut description.paper;
        let at = match &header.cite {
            Some(cite) => cite.span().start,
            None => file.text.find("[paper]").unwrap_or_default(),
        };
        let completed = header.complete();
        completed.map_err(|why| file.refuse_at(at, &why))?;
        let figures = lab.figures();
        for metric in description.metrics() {
            let found = metric.resolve(&figures);
            found.map_err(|(name, why)| file.refuse(name, why))?;
        }
        for figure in &mut description.figure {
            if let Some(name_of) = &figure.served {
                figure.seconds = served::read(&descriptions.file(name, name_of.get_ref())?)?;
            }
        }
        let paper = Self {
            name: name.into(),
            description,
            file,
            lab: lab.clone(),
        };
        paper.check()?;
        Ok(paper)
    }

    /// An error at a value.
    pub(super) fn refuse<T>(&self, value: &Spanned<T>, why: impl Into<String>) -> ReproduceError {
        self.file.refuse(value, why)
    }

    /// The device with the settings of a variant.
    pub(super) fn resolver(&self, set: &[Spanned<String>]) -> Result<Resolver, ReproduceError> {
        let preset = &self.description.paper.preset;
        self.file.resolver(&self.lab, preset, set)
    }

    /// Refuses systems with an invalid configuration or equal names.
    fn check_systems(&self, systems: &[System]) -> Result<(), ReproduceError> {
        for system in systems {
            self.resolver(&system.set)?;
        }
        let names = systems.iter().map(|system| &system.name);
        self.file.distinct(names.map(|name| (name.get_ref(), name)))
    }

    fn check(&self) -> Result<(), ReproduceError> {
        let Description {
            paper,
            variant,
            trace,
            figure,
            example,
            main,
        } = &self.description;
        let mut statements = figure.iter().flat_map(|figure| &figure.statement);
        if let Some(main) = main
            && !statements.any(|statement| statement.main)
        {
            let why = "is a main result, but no statement has main = true";
            return Err(self.refuse(&main.here, why));
        }
        for example in example {
            for system in &example.system {
                self.resolver(&example.set_of(system))?;
            }
        }
        for variant in variant {
            self.resolver(&variant.set)?;
            self.check_trace_of(variant)?;
        }
        self.check_file_names()?;
        let resolver = self.resolver(&[])?;
        let of_figures = figure.iter().filter_map(|figure| figure.buffers.as_ref());
        for policy in [&paper.buffers].into_iter().chain(of_figures).flatten() {
            let setting = format!("{}={}", key::POLICY, policy.get_ref());
            self.file.accepts(&resolver, policy, Some(&setting))?;
        }
        for figure in figure {
            self.resolver(&figure.set)?;
            for (key, values) in &figure.vary {
                for value in values {
                    let setting = format!("{key}={}", value.get_ref());
                    self.file.accepts(&resolver, value, Some(&setting))?;
                }
            }
            let sizes = figure.sizes(paper);
            if let (Some(key), Some(size)) = (&figure.size_key, sizes.first()) {
                let setting = format!("{}={}", key.get_ref(), size.0);
                self.file.accepts(&resolver, key, Some(&setting))?;
            }
            self.check_systems(&figure.system)?;
            self.check_figure(figure)?;
        }
        // two figures would write the same files
        self.file
            .distinct(figure.iter().map(|figure| (figure.anchor(), &figure.id)))?;
        let used = |name: &String| {
            let of_figures = figure.iter().flat_map(|figure| &figure.traces);
            let of_variants = variant.iter().filter_map(|variant| variant.trace.as_ref());
            let statements = || figure.iter().flat_map(|figure| &figure.statement);
            let of_causes = statements()
                .flat_map(|s| &s.because)
                .flat_map(|c| &c.traces);
            let of_sweeps = statements().flat_map(|s| &s.sweep).flat_map(|s| &s.traces);
            let mut all = of_figures
                .chain(of_variants)
                .chain(of_causes)
                .chain(of_sweeps);
            all.any(|t| t.get_ref() == name)
        };
        match trace.iter().find(|(name, _)| !used(name)) {
            Some((_, source)) => Err(self.refuse(source.origin.text(), "is used by no figure")),
            None => Ok(()),
        }
    }

    /// Refuses an unknown trace of a variant, and one on which a statement about several traces means nothing.
    fn check_trace_of(&self, variant: &Variant) -> Result<(), ReproduceError> {
        let Some(name) = &variant.trace else {
            return Ok(());
        };
        self.known_trace(name)?;
        let statements = self.description.figure.iter().flat_map(|f| &f.statement);
        let mut tests = statements.filter_map(|statement| statement.test.as_ref());
        match tests.find(|test| test.over.needs_all_traces()) {
            Some(test) => {
                let why = "compares traces, but a variant has only one";
                Err(self.refuse(&test.is, why))
            }
            None => Ok(()),
        }
    }

    /// Refuses a name that no trace has.
    fn known_trace(&self, name: &Spanned<String>) -> Result<&Source, ReproduceError> {
        let traces = &self.description.trace;
        traces.get(name.get_ref()).ok_or_else(|| {
            let names: Vec<&str> = traces.keys().map(String::as_str).collect();
            self.refuse(name, format!("no such trace; one of: {}", names.join(", ")))
        })
    }

    /// Refuses a name that would lead outside the paper's folder.
    fn check_file_names(&self) -> Result<(), ReproduceError> {
        let why = "becomes part of a file's name; must be of letters, digits, - and ., without ..";
        let Description { trace, figure, .. } = &self.description;
        for Figure { id, .. } in figure {
            if !may_name_a_file(id.get_ref()) {
                return Err(self.refuse(id, why));
            }
        }
        for (name, source) in trace {
            if !may_name_a_file(name) {
                let why = format!("the trace's name {name:?} {why}");
                return Err(self.refuse(source.origin.text(), why));
            }
        }
        Ok(())
    }

    fn check_figure(&self, figure: &Figure) -> Result<(), ReproduceError> {
        figure
            .traces
            .iter()
            .try_for_each(|name| self.known_trace(name).map(drop))?;
        if figure.traces.is_empty() != figure.missing.is_some() {
            let why = "needs either traces, or missing: the reason why it cannot be run";
            return Err(self.refuse(&figure.id, why));
        }
        let contenders = figure.buffers(&self.description.paper).len() + figure.system.len();
        if figure.picture {
            return self.check_picture(figure);
        }
        if contenders == 0 && figure.missing.is_none() {
            return Err(self.refuse(&figure.id, "needs buffers or systems to compare"));
        }
        if let Some(file) = &figure.served
            && figure.sizes(&self.description.paper).len() != 1
        {
            return Err(self.refuse(file, "needs a figure with one size"));
        }
        let mut statements = figure.statement.iter();
        statements.try_for_each(|statement| self.check_statement(figure, statement))
    }

    /// Refuses what a picture of traces does not have.
    fn check_picture(&self, figure: &Figure) -> Result<(), ReproduceError> {
        let refuse = |why: &str| Err(self.refuse(&figure.id, why));
        if figure.traces.is_empty() {
            return refuse("is a picture, but has no traces");
        }
        let contends = figure.buffers.is_some() || !figure.system.is_empty();
        let changes = !figure.set.is_empty() || !figure.vary.is_empty();
        if contends || changes || !figure.statement.is_empty() {
            return refuse(
                "is a picture, which runs nothing; leave out its buffers, systems, set, vary and statements",
            );
        }
        Ok(())
    }

    fn check_statement(
        &self,
        figure: &Figure,
        statement: &Statement,
    ) -> Result<(), ReproduceError> {
        let refuse = |why: &str| Err(self.refuse(&statement.says, why));
        let missing = figure.traces.is_empty() || statement.missing.is_some();
        let test = match (&statement.test, missing) {
            (Some(test), false) => test,
            (None, true) if statement.because.is_empty() && statement.sweep.is_none() => {
                return Ok(());
            }
            (None, false) => return refuse("the statement has no test"),
            (_, true) => return refuse("has a test or a cause, but cannot be tested"),
        };
        self.check_test(figure, test)?;
        let said = statement.said();
        let mut numbers = said.numbers.iter().chain(&said.mean);
        if !numbers.all(|number| has_sign(test, *number)) {
            return Err(self.refuse(&test.is, "the paper's number has another sign"));
        }
        let (papers, pairs) = (statement.papers.len(), test.pairs.len());
        let fits = papers == pairs || test.has_traces(papers);
        if papers > 0 && (!fits || statement.paper.is_some()) {
            let why = format!(
                "has {pairs} pairs, but the paper {} numbers",
                said.numbers.len()
            );
            return Err(self.refuse(&test.is, why));
        }
        if test.relation() == Relation::Times && (said.numbers.is_empty() || test.is_share()) {
            let why = "is a ratio; needs the paper's number, without `base` and `over = \"value\"`";
            return Err(self.refuse(&test.is, why));
        }
        let each = matches!(test.over, Over::Each | Over::Value);
        if statement.mean.is_some() && (!each || !test.values.is_empty()) {
            return Err(self.refuse(
                &test.is,
                "is judged by the paper's mean; leave out `values`, and `over` but for \"value\"",
            ));
        }
        for cause in &statement.because {
            self.check_cause(test, cause)?;
        }
        let mut sweeps = statement.sweep.iter();
        sweeps.try_for_each(|sweep| self.check_sweep(figure, test, sweep))
    }

    fn check_cause(&self, test: &Test, cause: &Cause) -> Result<(), ReproduceError> {
        self.resolver(&cause.set)?;
        self.check_other_traces(test, &cause.traces)?;
        let changes = [
            cause.set.is_empty(),
            cause.keep.is_empty(),
            cause.traces.is_empty(),
        ];
        let changes = changes.iter().filter(|nothing| !**nothing).count();
        if changes != 1 {
            let why =
                format!("its run changes {changes} things; needs one of set, keep and traces");
            return Err(self.refuse(&cause.says, why));
        }
        if let Some(open) = &cause.open
            && cause.set.len() != 1
        {
            let why = "says what the paper leaves open, so its run sets one key";
            return Err(self.refuse(open, why));
        }
        Ok(())
    }

    fn check_sweep(
        &self,
        figure: &Figure,
        test: &Test,
        sweep: &Sweep,
    ) -> Result<(), ReproduceError> {
        let resolver = self.resolver(&sweep.set)?;
        self.check_other_traces(test, &sweep.traces)?;
        let Some(first) = sweep.values.first() else {
            return Err(self.refuse(&test.is, "its sweep has no values"));
        };
        match (&sweep.key, &sweep.generate) {
            (Some(key), None) => sweep.values.iter().try_for_each(|value| {
                let setting = format!("{}={}", key.get_ref(), value.get_ref());
                self.file.accepts(&resolver, value, Some(&setting))?;
                if key.get_ref() == figure.size_key() {
                    Size::try_from(value.get_ref().clone())
                        .map(drop)
                        .map_err(|why| self.refuse(value, why))
                } else {
                    Ok(())
                }
            }),
            (None, Some(words)) if !words.get_ref().contains(PLACE) => {
                Err(self.refuse(words, "has no {}, where the values take their place"))
            }
            (None, Some(words)) if !sweep.traces.is_empty() => {
                Err(self.refuse(words, "makes the traces; leave out `traces`"))
            }
            (None, Some(_)) => Ok(()),
            _ => Err(self.refuse(first, "the sweep needs one of key and generate")),
        }
    }

    /// Refuses traces of a cause or a sweep that are unknown, or on which the test means nothing.
    fn check_other_traces(
        &self,
        test: &Test,
        traces: &[Spanned<String>],
    ) -> Result<(), ReproduceError> {
        for name in traces {
            self.known_trace(name)?;
            if test.over.needs_all_traces() {
                return Err(self.refuse(name, "the test compares the traces of the figure"));
            }
        }
        Ok(())
    }

    fn check_test(&self, figure: &Figure, test: &Test) -> Result<(), ReproduceError> {
        let sizes = figure.sizes(&self.description.paper);
        let count = match test.sizes.len() {
            0 => sizes.len().max(1),
            some => some,
        };
        self.check_pairs(test, count)?;
        if let Some(counter) = &test.needs {
            self.check_counter(counter)?;
        }
        if test.over == Over::Sizes && count < 2 {
            return Err(self.refuse(&test.is, "the test needs two sizes at least"));
        }
        let mut named = test.sizes.iter().chain(&test.against_size);
        if let Some(size) = named.find(|size| !sizes.contains(size.get_ref())) {
            return Err(self.refuse(size, "is not among the sizes of the figure"));
        }
        if test.each_trace && test.over != Over::Each {
            return Err(self.refuse(&test.is, "with each_trace, leave out `over`"));
        }
        self.check_traces(figure, test)
    }

    /// Refuses pairs and values that do not fit each other, with this number of sizes.
    fn check_pairs(&self, test: &Test, sizes: usize) -> Result<(), ReproduceError> {
        let refuse = |why: &str| Err(self.refuse(&test.is, why));
        let Some(Pair { row, .. }) = test.pairs.first() else {
            return refuse("the test has no pairs of rows");
        };
        let alone = test.pairs.iter().find(|pair| pair.against.is_none());
        let own_values = test.pairs.iter().all(|pair| pair.against.is_none());
        match (test.values.len(), test.over) {
            (0, Over::Value) if !own_values || !test.metric.is_percent() => {
                refuse("with over = \"value\", a pair has one row, and the metric is in percent")
            }
            (0, Over::Value) => Ok(()),
            (0, _) => {
                let otherwise = test.base.is_some() || test.against_size.is_some();
                if let (Some(Pair { row, .. }), true) = (alone, otherwise) {
                    let why = "is compared with the best of the others; leave out `base` and `against_size`";
                    return Err(self.refuse(row, why));
                }
                Ok(())
            }
            (given, _) if given != sizes * test.pairs.len() => {
                let needed = sizes * test.pairs.len();
                let why = format!("needs {needed} bounds of the paper, has {given}");
                Err(self.refuse(row, why))
            }
            (_, over)
                if !own_values || over != Over::Each || test.relation() != Relation::NoMore =>
            {
                refuse("with bounds of the paper, a pair has one row, and the test is \"no more\"")
            }
            _ => Ok(()),
        }
    }

    /// Refuses a name that no counter has.
    fn check_counter(&self, counter: &Spanned<String>) -> Result<(), ReproduceError> {
        let names = Counters::default().entries().map(|(name, _)| name);
        if names.contains(&counter.get_ref().as_str()) {
            return Ok(());
        }
        let why = format!("no such counter; one of: {}", names.join(", "));
        Err(self.refuse(counter, why))
    }

    /// Refuses traces on which the test means nothing.
    fn check_traces(&self, figure: &Figure, test: &Test) -> Result<(), ReproduceError> {
        let mut traces = test.traces.iter();
        if let Some(trace) = traces.find(|trace| !figure.traces.contains(trace)) {
            return Err(self.refuse(trace, "is not a trace of this figure"));
        }
        let refuse = |why: &str| Err(self.refuse(&test.is, why));
        match (test.over, test.traces.len(), figure.traces.len()) {
            (Over::Traces, given, _) if given > 0 => {
                refuse("is about all traces; leave out `traces`")
            }
            (Over::Traces, _, 1) => refuse("needs a figure with several traces"),
            (Over::OtherTraces, given, all) if given == 0 || given == all => {
                refuse("needs `traces`, and others in the figure")
            }
            _ => Ok(()),
        }
    }
}

/// Whether a number of the paper can stand for what a test says.
fn has_sign(test: &Test, Number { least, most }: Number) -> bool {
    match test.relation() {
        Relation::NoMore => test.over == Over::Value && least >= 0.0,
        Relation::More | Relation::Most | Relation::Times => least >= 0.0,
        Relation::Less | Relation::Least => most <= 0.0 && least >= -100.0,
        Relation::NoLess => false,
        Relation::Similar => true,
    }
}
