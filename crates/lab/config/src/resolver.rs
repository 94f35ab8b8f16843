//! Merges the layers, and fills in the defaults that depend on other keys.

use crate::check;
use crate::config::{Config, chosen_placement};
use crate::error::{ConfigError, Origin};
use crate::kind::Refusal;
use crate::layer::{Given, Layer, ram_share};
use crate::presets::presets;
use crate::scale::scale;
use crate::schema::{PRESET, Schema};
use crate::value::Value;
use ssdlab_device::Catalogue;
use ssdlab_device::keys::{buffer, flash};
use ssdlab_ftl::page::{GC_LOW, MAP_CACHE, PLACEMENT};
use ssdlab_ftl::{OVER_PROVISIONING, SPARE_BLOCKS};
use ssdlab_policy::placement::{REGIONS, default_regions};
use std::fmt;
use std::sync::Arc;

/// Collects the layers of a configuration. It is cheap to clone and modify.
#[derive(Clone)]
pub struct Resolver {
    schema: Arc<Schema>,
    preset: Option<Given>,
    file: Layer,
    sets: Layer,
    fits: bool,
    units_yield: bool,
    takes_shares: bool,
    /// `--scale-to`: bytes, and how they were given.
    scaled: Option<(u64, Arc<str>)>,
    has_file: bool,
    is_whole: bool,
}

/// Whether a key says which device a configuration is of: `preset`, and those of the flash, the FTL and the time.
pub fn is_of_device(path: &str) -> bool {
    let tables = ["flash.", "ftl.", "timing."];
    path == PRESET.key.path || tables.iter().any(|table| path.starts_with(table))
}

/// Whether a key says which flash a configuration is of: `preset`, and those of the flash.
pub fn is_of_flash(path: &str) -> bool {
    path == PRESET.key.path || path.starts_with("flash.")
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver")
            .field("preset", &self.preset)
            .field("file", &self.file)
            .field("sets", &self.sets)
            .finish_non_exhaustive()
    }
}

impl Default for Resolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolver {
    /// A resolver with only the defaults, for the built-in systems.
    pub fn new() -> Self {
        Self::of(Catalogue::built_in())
    }

    /// A resolver with only the defaults, for these systems.
    pub fn of(catalogue: Arc<Catalogue>) -> Self {
        let schema = Schema::of(&catalogue);
        Resolver {
            preset: None,
            file: Layer::new(schema.clone()),
            sets: Layer::new(schema.clone()),
            fits: false,
            units_yield: false,
            takes_shares: false,
            scaled: None,
            has_file: false,
            is_whole: false,
            schema,
        }
    }

    /// The systems that the configuration can name.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.schema.catalogue
    }

    /// The path of the key that has this path or alias; none if no key has.
    pub fn path_of(&self, name: &str) -> Option<&'static str> {
        self.schema.key(name).map(|key| key.path)
    }

    /// `--preset`: stronger than `preset` in the file, weaker than `--set preset=…`. [`resolve`](Self::resolve) refuses
    /// an unknown name.
    pub fn preset(&mut self, name: &str) -> &mut Self {
        let (value, found) = (Value::Text(name.into()), format!("{name:?}"));
        self.preset = Some(Given {
            value,
            name: PRESET.key.path,
            found,
            origin: Origin::PresetOption,
            has_unit: false,
            percent: false,
        });
        self
    }

    /// Adds a configuration file: its name, for messages, and its bytes. A second file goes over the first one.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<&mut Self, ConfigError> {
        self.has_file = true;
        self.file
            .overlay(&Layer::of_file(name, bytes, &self.schema)?);
        Ok(self)
    }

    /// The file has every key that has an effect, as an image keeps them: its preset gives none, since it may be another one by
    /// now.
    pub fn whole_file(&mut self) -> &mut Self {
        self.is_whole = true;
        self
    }

    /// `--set`: `path=value`. The value is read as TOML, or as a string if it is not TOML.
    pub fn set(&mut self, assignment: &str) -> Result<&mut Self, ConfigError> {
        self.sets.assign(assignment)?;
        Ok(self)
    }

    /// The path and the value of an assignment in the syntax of `--set`, without using it.
    ///
    /// # Errors
    /// No such key, or a value of the wrong type; its range is not checked.
    pub fn read(&self, assignment: &str) -> Result<(&'static str, Value), ConfigError> {
        let mut layer = Layer::new(self.schema.clone());
        layer.assign(assignment)?;
        let (key, given) = layer.iter().next().expect("one assignment gives one key");
        Ok((key.path, given.value.clone()))
    }

    /// `--scale-to`: makes the drive about as large as `size` bytes, so that it behaves like the one that preset and file
    /// describe. Keys of `--set` are those of the small drive, except `flash.capacity` and `flash.rated_tbw`. `given` is for messages.
    pub fn scale_to(&mut self, size: u64, given: &str) -> &mut Self {
        self.scaled = Some((size, given.into()));
        self
    }

    /// Takes back [`scale_to`](Self::scale_to).
    pub fn unscaled(&mut self) -> &mut Self {
        self.scaled = None;
        self
    }

    /// Whether the drive is scaled.
    pub fn is_scaled(&self) -> bool {
        self.scaled.is_some()
    }

    /// Whether a preset, a file, or a [key](is_of_device) says which device it is.
    pub fn names_device(&self) -> bool {
        let mut keys = self.sets.iter().map(|(key, _)| key.path);
        self.preset.is_some() || self.has_file || keys.any(is_of_device)
    }

    /// Whether a preset, a file, or a key of the flash says which flash it is.
    pub fn names_flash(&self) -> bool {
        let mut keys = self.sets.iter().map(|(key, _)| key.path);
        self.preset.is_some() || self.has_file || keys.any(is_of_flash)
    }

    /// If no layer gives `flash.capacity`, makes it `"auto"`, with its default as the minimum; not if the drive is scaled.
    pub fn fit_capacity(&mut self, fits: bool) -> &mut Self {
        self.fits = fits;
        self
    }

    /// For one of several systems over a drive that a file describes: if this one cannot have chips that program several pages at
    /// once, they program page by page. Those of a preset always do.
    pub fn yield_units(&mut self, yields: bool) -> &mut Self {
        self.units_yield = yields;
        self
    }

    /// For a comparison at equal RAM: `ftl.map_cache` may be a share of it, such as `"25%"`. [`Config::map_share`] has it then, and
    /// the cache has its default size until the share is known in bytes.
    pub fn take_shares(&mut self, takes: bool) -> &mut Self {
        self.takes_shares = takes;
        self
    }

    /// The share of RAM for the cache of a map, in the place of which its default is put.
    fn map_share(&self, merged: &mut Layer) -> Result<Option<f64>, ConfigError> {
        let Some(given) = merged.get(MAP_CACHE.key.path) else {
            return Ok(None);
        };
        let Value::Text(text) = &given.value else {
            return Ok(None);
        };
        let share = ram_share(text).filter(|_| self.takes_shares);
        let share = share.ok_or_else(|| {
            let why = "must be a size, such as \"1MiB\"; a share of all RAM is for compare --ram-total and recommend";
            given.refuse(Refusal(why.into()))
        })?;
        let value = MAP_CACHE.key.default.map(Value::from);
        let value = value.expect("a fixed default");
        let given = given.clone();
        merged.put(MAP_CACHE.key.path, Some(Given { value, ..given }));
        Ok(Some(share))
    }

    /// Merges the layers and checks the result.
    pub fn resolve(&self) -> Result<Config, ConfigError> {
        let mut merged = Layer::defaults(self.schema.clone());
        merged.units_yield = self.units_yield;
        if self.fits && self.scaled.is_none() {
            merged.put_default(flash::CAPACITY.key.path, Value::Text("auto".into()));
        }
        let chosen = [
            self.sets.get(PRESET.key.path),
            self.preset.as_ref(),
            self.file.get(PRESET.key.path),
        ];
        let chosen = chosen.into_iter().flatten().next();
        if let Some(given) = chosen
            && !self.is_whole
        {
            merged.overlay(&preset_layer(given, &self.schema)?);
        }
        merged.overlay(&self.file);
        merged.overlay(&self.sets);
        merged.put(PRESET.key.path, chosen.cloned());
        let map_share = self.map_share(&mut merged)?;
        settle_spare(&mut merged)?;
        check::keys(&merged)?;
        fill(&mut merged);
        let Some((size, given)) = &self.scaled else {
            let mut config = Config::new(merged)?;
            config.map_share = map_share;
            return Ok(config);
        };
        let (large, note) = scale(&mut merged, *size, given)?;
        let mut config = Config::new(merged)?;
        (config.large, config.map_share) = (Some(large), map_share);
        config.warnings.insert(0, note);
        Ok(config)
    }
}

fn preset_layer(given: &Given, schema: &Arc<Schema>) -> Result<Layer, ConfigError> {
    check::key(&PRESET.key, given, &schema.catalogue)?;
    let mut named = presets()
        .iter()
        .filter(|p| Value::Text(p.name.into()) == given.value);
    match named.next() {
        Some(preset) => Layer::of_preset(preset, schema),
        None => Ok(Layer::new(schema.clone())),
    }
}

/// Keeps one of `spare_blocks` and `over_provisioning`. A key given by the user overrides the other key of the preset.
fn settle_spare(merged: &mut Layer) -> Result<(), ConfigError> {
    let (spare, fraction) = (SPARE_BLOCKS.key.path, OVER_PROVISIONING.key.path);
    match (merged.is_explicit(spare), merged.is_explicit(fraction)) {
        (true, true) => Err(check::both_spares(merged)),
        (true, false) => {
            merged.put(fraction, None);
            Ok(())
        }
        (false, true) => {
            merged.put(spare, None);
            Ok(())
        }
        (false, false) => Ok(()),
    }
}

/// Fills in the defaults that depend on other keys.
fn fill(merged: &mut Layer) {
    let policy = merged.catalogue().buffer(buffer::POLICY.of(merged));
    let nature = policy.and_then(|policy| policy.nature);
    let reads = if nature.is_some_and(|nature| nature.caches_reads) {
        "cache"
    } else {
        "bypass"
    };
    fill_one(merged, buffer::READS.key.path, Value::Text(reads.into()));
    let placement = merged.catalogue().placement(PLACEMENT.of(merged));
    if let Some(placement) = placement.map(|placement| *placement.entry()) {
        let regions = default_regions(&placement);
        fill_one(merged, REGIONS.key.path, Value::Int(regions.into()));
    }
    let gc_low = chosen_placement(merged).default_gc_low();
    fill_one(merged, GC_LOW.key.path, Value::Int(gc_low.into()));
}

fn fill_one(merged: &mut Layer, path: &'static str, default: Value) {
    if merged.get(path).is_none() {
        merged.put_default(path, default);
    }
}

#[cfg(test)]
mod tests {
    use ssdlab_policy::Source;

    use super::*;
    use crate::presets::Preset;

    // planted bug: a key that the preset got later
    #[test]
    fn a_whole_file_takes_nothing_of_its_preset() {
        let text = "preset = \"nvme-tlc\"\n[timing]\nmodel = \"parallel\"\nprogram_us = 700.0\n";
        let mut resolver = Resolver::new();
        resolver.file("configuration", text.as_bytes()).unwrap();
        let program_ns = |resolver: &Resolver| resolver.resolve().unwrap().timing.program_ns;
        assert_eq!(program_ns(&resolver), 14_583, "a page of 48");
        resolver.whole_file();
        assert_eq!(program_ns(&resolver), 700_000);
        let config = resolver.resolve().unwrap();
        assert_eq!(config.preset.as_deref(), Some("nvme-tlc"));
    }

    // planted bug: the other key of the preset stays in effect too
    #[test]
    fn an_explicit_spare_beats_the_other_of_a_preset() {
        let settled = |preset: &'static str, set: &str| {
            let built_in = Schema::of(&Catalogue::built_in());
            let mut merged = Layer::defaults(built_in.clone());
            let preset = Preset {
                name: "paper",
                about: "",
                source: Source::none(""),
                base: None,
                toml: preset,
            };
            merged.overlay(&Layer::of_preset(&preset, &built_in).unwrap());
            merged.assign(set).unwrap();
            settle_spare(&mut merged).unwrap();
            fill(&mut merged);
            let has = |path| merged.get(path).is_some();
            (has("ftl.spare_blocks"), has("ftl.over_provisioning"))
        };
        let (spare, fraction) = ("ftl.spare_blocks", "ftl.over_provisioning");
        assert_eq!(
            settled("ftl.over_provisioning = 0.1", &format!("{spare}=3")),
            (true, false)
        );
        assert_eq!(
            settled("ftl.spare_blocks = 3", &format!("{fraction}=0.1")),
            (false, true)
        );
        assert_eq!(
            settled("ftl.over_provisioning = 0.1", "drain=true"),
            (false, true)
        );
    }

    // planted bugs: the other spare of the base stays in effect too; the base over what stands on it
    #[test]
    fn a_preset_stands_over_its_base() {
        const BASE: Preset = Preset {
            name: "base",
            about: "",
            source: Source::none(""),
            base: None,
            toml: "queue_depth = 2\nftl.over_provisioning = 0.1\nftl.gc_low = 9",
        };
        let preset = Preset {
            name: "top",
            base: Some(&BASE),
            toml: "queue_depth = 3\nftl.spare_blocks = 3",
            ..BASE
        };
        let layer = Layer::of_preset(&preset, &Schema::of(&Catalogue::built_in())).unwrap();
        let given = |path| {
            layer
                .get(path)
                .map(|given| (given.found.as_str(), &given.origin))
        };
        assert_eq!(given("queue_depth"), Some(("3", &Origin::Preset("top"))));
        assert_eq!(
            given("ftl.spare_blocks"),
            Some(("3", &Origin::Preset("top")))
        );
        assert_eq!(given("ftl.over_provisioning"), None);
        assert_eq!(given("ftl.gc_low"), Some(("9", &Origin::Preset("base"))));
    }
}
