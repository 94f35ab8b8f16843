//! A checked description of a paper.

use ssdlab_config::Resolver;
use toml::Spanned;

use super::description::{
    Claim, Description, Figure, Origin, Relation, Source, System, Test, Variant,
};
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
    file: File,
}

impl Paper {
    /// The name of every description.
    pub const DESCRIPTION: &str = "paper.toml";

    /// Reads a description and checks everything that needs no trace.
    ///
    /// # Errors
    /// The first error in it.
    pub fn read(descriptions: &Descriptions, name: &str) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let paper = Self {
            name: name.into(),
            description: file.parse()?,
            file,
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
        let mut resolver = Resolver::new();
        let preset = &self.description.paper.preset;
        resolver.preset(preset.get_ref());
        self.accepts(&resolver, preset, None)?;
        for setting in set {
            self.accepts(&resolver, setting, Some(setting.get_ref()))?;
            resolver
                .set(setting.get_ref())
                .map_err(|error| self.refuse(setting, error.to_string()))?;
        }
        Ok(resolver)
    }

    /// Refuses systems with an invalid configuration or equal names.
    fn check_systems(&self, systems: &[System]) -> Result<(), ReproduceError> {
        for (i, system) in systems.iter().enumerate() {
            self.resolver(&system.set)?;
            if systems[..i].iter().any(|other| other.name == system.name) {
                return Err(self.refuse(&system.name, "appears twice"));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ReproduceError> {
        let Description {
            paper,
            variant,
            trace,
            figure,
        } = &self.description;
        for variant in variant {
            self.resolver(&variant.set)?;
            self.check_trace_of(variant)?;
        }
        self.check_file_names()?;
        let resolver = self.resolver(&[])?;
        let own = figure.iter().filter_map(|figure| figure.buffers.as_ref());
        for policy in [&paper.buffers].into_iter().chain(own).flatten() {
            let setting = format!("buffer.policy={}", policy.get_ref());
            self.accepts(&resolver, policy, Some(&setting))?;
        }
        for figure in figure {
            for (key, values) in &figure.vary {
                for value in values {
                    let setting = format!("{key}={}", value.get_ref());
                    self.accepts(&resolver, value, Some(&setting))?;
                }
            }
            let sizes = figure.sizes(paper);
            if let (Some(key), Some(size)) = (&figure.size_key, sizes.first()) {
                let setting = format!("{}={}", key.get_ref(), size.0);
                self.accepts(&resolver, key, Some(&setting))?;
            }
            self.check_systems(&figure.system)?;
            self.check_figure(figure)?;
        }
        // two figures would write the same files
        let same = |f: &Figure, other: &Figure| f.anchor() == other.anchor();
        let twice = |(i, f): &(usize, &Figure)| figure[..*i].iter().any(|other| same(f, other));
        if let Some((_, figure)) = figure.iter().enumerate().find(twice) {
            return Err(self.refuse(&figure.id, "appears twice"));
        }
        let used = |name: &String| {
            let of_figures = figure.iter().flat_map(|figure| &figure.traces);
            let of_variants = variant.iter().filter_map(|variant| variant.trace.as_ref());
            of_figures.chain(of_variants).any(|t| t.get_ref() == name)
        };
        match trace.iter().find(|(name, _)| !used(name)) {
            Some((_, source)) => Err(self.refuse(source.origin.text(), "is used by no figure")),
            None => Ok(()),
        }
    }

    /// Refuses an unknown trace of a variant, and one on which a claim about several traces means nothing.
    fn check_trace_of(&self, variant: &Variant) -> Result<(), ReproduceError> {
        let Some(name) = &variant.trace else {
            return Ok(());
        };
        self.known_trace(name)?;
        let claims = self.description.figure.iter().flat_map(|f| &f.claim);
        let mut tests = claims.filter_map(|claim| claim.test.as_ref());
        let compares = |test: &Test| {
            use Relation::{GrowsWithTrace, LargestOfTraces};
            matches!(test.relation.get_ref(), GrowsWithTrace | LargestOfTraces)
        };
        match tests.find(|test| compares(test)) {
            Some(test) => {
                let why = "compares traces, but a variant has only one";
                Err(self.refuse(&test.relation, why))
            }
            None => Ok(()),
        }
    }

    /// Refuses a name that no trace has.
    fn known_trace(&self, name: &Spanned<String>) -> Result<&Source, ReproduceError> {
        let known = &self.description.trace;
        known.get(name.get_ref()).ok_or_else(|| {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
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

    /// Refuses a value that the configuration refuses.
    fn accepts(
        &self,
        resolver: &Resolver,
        value: &Spanned<String>,
        setting: Option<&str>,
    ) -> Result<(), ReproduceError> {
        let mut resolver = resolver.clone();
        let set = setting.map_or(Ok(()), |setting| resolver.set(setting).map(drop));
        let resolved = set.and_then(|()| resolver.resolve().map(drop));
        resolved.map_err(|error| self.file.refuse_setting(value, &error))
    }

    fn check_figure(&self, figure: &Figure) -> Result<(), ReproduceError> {
        for name in &figure.traces {
            if let Origin::Mixed(_) = self.known_trace(name)?.origin {
                let why = "is mixed, which no command can repeat; only a variant may name it";
                return Err(self.refuse(name, why));
            }
        }
        if figure.traces.is_empty() != figure.missing.is_some() {
            let why = "needs either traces, or missing: the reason why it cannot be run";
            return Err(self.refuse(&figure.id, why));
        }
        let contenders = figure.buffers(&self.description.paper).len() + figure.system.len();
        if contenders == 0 && figure.missing.is_none() {
            return Err(self.refuse(&figure.id, "needs buffers or systems to compare"));
        }
        for claim in &figure.claim {
            self.check_claim(figure, claim)?;
        }
        Ok(())
    }

    fn check_claim(&self, figure: &Figure, claim: &Claim) -> Result<(), ReproduceError> {
        let test = match (&claim.test, figure.traces.is_empty()) {
            (Some(test), false) => test,
            (None, true) => return Ok(()),
            (None, false) => return Err(self.refuse(&claim.says, "the claim has no test")),
            (Some(_), true) => {
                let why = "the claim has a test, but its figure cannot be run";
                return Err(self.refuse(&claim.says, why));
            }
        };
        self.check_test(figure, test)
    }

    fn check_test(&self, figure: &Figure, test: &Test) -> Result<(), ReproduceError> {
        let relation = *test.relation.get_ref();
        let refuse = |why: &str| Err(self.refuse(&test.relation, why));
        let (wanted, given) = (relation != Relation::LargestOfRows, test.against.is_some());
        match (wanted, given) {
            (true, false) => return refuse("the test lacks `against`, a row"),
            (false, true) => return refuse("takes all other rows; leave out `against`"),
            _ => {}
        }
        if test.base.is_some() && !wanted {
            return refuse("takes the best of the others; leave out `base`");
        }
        let sizes = figure.sizes(&self.description.paper);
        if test.sizes.is_empty() && !sizes.is_empty() {
            return refuse("the test needs sizes");
        }
        if relation == Relation::GrowsWithSize && test.sizes.len() < 2 {
            return refuse("the test needs two sizes at least");
        }
        if !wanted && let Some(size) = &test.against_size {
            return Err(self.refuse(size, "takes all other rows; leave out `against_size`"));
        }
        if let Some(size) = test
            .sizes
            .iter()
            .chain(&test.against_size)
            .find(|size| !sizes.contains(size.get_ref()))
        {
            return Err(self.refuse(size, "is not among the sizes of the figure"));
        }
        match (&test.trace, &figure.traces[..]) {
            (Some(trace), traces) if !traces.contains(trace) => {
                Err(self.refuse(trace, "is not a trace of this figure"))
            }
            (None, [_, _, ..]) if wants_one(relation) => {
                refuse("the figure has several traces; the test needs one")
            }
            (Some(_), _) if relation == Relation::GrowsWithTrace => {
                refuse("is about all traces; leave out `trace`")
            }
            _ => Ok(()),
        }
    }
}

/// Whether a relation needs exactly one trace.
fn wants_one(relation: Relation) -> bool {
    relation == Relation::GrowsWithSize || relation == Relation::LargestOfTraces
}
