//! What a class of Python says about its policy, as an entry of the registry.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{LazyLock, Mutex, PoisonError};

use pyo3::prelude::*;
use ssdlab_policy::{About, Entry, Key, Kind, Names, Setting, Settings, Source};

/// A policy as Python describes it, checked there.
#[derive(FromPyObject)]
pub struct Declared {
    /// `buffer`, `cleaning` or `placement`.
    pub family: String,
    pub class: Py<PyAny>,
    pub class_name: String,
    pub name: String,
    pub rule: String,
    /// Its own keys.
    pub own: Vec<Own>,
    pub evicts_blocks: bool,
    pub caches_reads: bool,
    pub pads: bool,
    pub pads_blanks: bool,
    /// The regions of a placement that has no key of this name.
    pub regions: u32,
}

/// A key of a policy's own.
#[derive(FromPyObject)]
pub struct Own {
    /// The name that the policy gives it.
    pub name: String,
    path: String,
    default: Value,
    low: Value,
    high: Value,
    choices: Vec<String>,
    doc: String,
}

/// The value of a key.
#[derive(Clone, Debug, FromPyObject, IntoPyObject, IntoPyObjectRef)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

/// What stays for the life of the program, by its type and text: the registry keeps names for ever.
type Kept = HashMap<(TypeId, String), Box<dyn Any + Send>>;

/// The value that was made first for this text.
fn kept<T: Copy + Send + 'static>(text: String, make: impl FnOnce() -> T) -> T {
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let of = (TypeId::of::<T>(), text);
    let value = kept.entry(of).or_insert_with(|| Box::new(make()));
    *value.downcast_ref().expect("it is kept by its type")
}

/// Text that stays, once for each distinct one.
fn lasting(text: &str) -> &'static str {
    kept::<&'static str>(text.to_owned(), || text.to_owned().leak())
}

/// A list that stays, once for each distinct one.
fn lasting_list<T: Clone + Debug + Send + Sync>(list: &[T]) -> &'static [T] {
    kept::<&'static [T]>(format!("{list:?}"), || list.to_vec().leak())
}

impl Own {
    fn key(&self) -> Key {
        let (kind, default) = match (&self.default, &self.low, &self.high) {
            (Value::Bool(on), ..) => (Kind::Bool, Setting::Bool(*on)),
            (Value::Int(number), &Value::Int(min), &Value::Int(max)) => {
                (Kind::Int { min, max }, Setting::Int(*number))
            }
            (Value::Float(number), &Value::Float(min), &Value::Float(max)) => {
                (Kind::Float { min, max }, Setting::Float(*number))
            }
            (Value::Text(text), ..) => {
                let names: Vec<_> = self.choices.iter().map(|name| lasting(name)).collect();
                let names = Names::Fixed(lasting_list(&names));
                (Kind::Choice(names), Setting::Text(lasting(text)))
            }
            _ => unreachable!("Python gives a range of the type of the default"),
        };
        Key::new(lasting(&self.path), kind, Some(default), lasting(&self.doc))
    }

    /// Its value in a configuration.
    pub fn of(&self, settings: &dyn Settings) -> Value {
        match settings.value(&self.path) {
            Some(Setting::Bool(on)) => Value::Bool(on),
            Some(Setting::Int(number)) => Value::Int(number),
            Some(Setting::Float(number)) => Value::Float(number),
            Some(Setting::Text(text)) => Value::Text(text.to_owned()),
            Some(Setting::List(_)) | None => self.default.clone(),
        }
    }
}

impl Declared {
    /// The entry of the registry, with these keys beside its own.
    pub fn entry(&self, others: &[Key]) -> Entry {
        let own = self.own.iter().map(Own::key);
        let keys: Vec<Key> = others.iter().copied().chain(own).collect();
        let rule = lasting(&self.rule);
        Entry {
            name: lasting(&self.name),
            rule,
            source: Source::none("a policy written in Python"),
            keys: lasting_list(&keys),
            about: About {
                file: "",
                lines: [rule, "", ""],
                cost: "",
                wins: "",
                loses: "",
            },
        }
    }

    /// The regions of a placement.
    pub fn regions_with(&self, settings: &dyn Settings) -> u32 {
        let key = self.own.iter().find(|own| own.name == "regions");
        match key.map(|key| key.of(settings)) {
            Some(Value::Int(regions)) => regions as u32,
            _ => self.regions,
        }
    }
}
