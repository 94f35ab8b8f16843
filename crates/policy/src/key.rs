//! Configuration keys. Each is declared in the file of the system that reads it: name, kind, range, default, meaning.
//!
//! ```
//! use ssdlab_policy::{Number, Switch};
//!
//! const WINDOW: Number = Number::new("buffer.window", [0.0, 1.0], 0.25, "share searched for clean pages");
//! const PADDING: Switch = Switch::new("buffer.padding", true, "write whole blocks");
//! // without a configuration, a key has its default
//! assert_eq!((WINDOW.of(&()), PADDING.of(&())), (0.25, true));
//! ```

use crate::settings::{Setting, Settings};

/// The largest size in bytes. It has more pages than page numbers can count.
pub const MAX_BYTES: i64 = 1 << 52;

/// A configuration key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Full path, such as `flash.page_size`.
    pub path: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// The default; none if the key has no value by default, or a default that depends on other keys.
    pub default: Option<Setting<'static>>,
    /// When it has an effect, beside the choice of a system that reads it.
    pub when: Option<When>,
    /// Meaning and unit in one line.
    pub doc: &'static str,
}

/// A condition under which a key has an effect.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// The key on whose value it depends, or words: what a warning says that it has no effect with.
    pub with: With,
    /// Whether it has an effect.
    pub holds: fn(&dyn Settings) -> bool,
}

/// Why a key has no effect.
#[derive(Clone, Copy, Debug)]
pub enum With {
    /// The value of another key. If that key has no effect itself, its reason counts.
    Value(&'static str),
    /// Something else, in words.
    Words(&'static str),
}

/// The type and range of a key's values.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// An integer from `min` to `max`.
    Int {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// A finite number from `min` to `max`.
    Float {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
    },
    /// Bytes, as an integer or as text with a unit.
    Size {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// Each size must be a multiple of this.
        step: i64,
        /// Whether `auto` is also allowed.
        auto: bool,
    },
    /// One of several names.
    Choice(Names),
    /// Ascending numbers from `min` to `max`.
    List {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
    },
}

/// The names of a [`Kind::Choice`].
#[derive(Clone, Copy, Debug)]
pub enum Names {
    /// Fixed names.
    Fixed(&'static [&'static str]),
    /// The presets.
    Presets,
    /// The registered systems of a family.
    Systems(Family),
    /// The registered policies that a read buffer can have.
    ReadBuffers,
}

/// A family of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Buffer policies (`buffer.policy`).
    Buffer,
    /// Flash translation layers (`ftl.kind`).
    Ftl,
    /// Placements of page mapping (`ftl.placement`).
    Placement,
    /// Cleaning policies of page mapping (`ftl.cleaning`).
    Cleaning,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 4] = [
        Family::Buffer,
        Family::Ftl,
        Family::Placement,
        Family::Cleaning,
    ];

    /// The key that chooses a system of this family.
    pub const fn selector(self) -> &'static str {
        match self {
            Family::Buffer => "buffer.policy",
            Family::Ftl => "ftl.kind",
            Family::Placement => "ftl.placement",
            Family::Cleaning => "ftl.cleaning",
        }
    }
}

impl Key {
    /// A key.
    pub const fn new(
        path: &'static str,
        kind: Kind,
        default: Option<Setting<'static>>,
        doc: &'static str,
    ) -> Self {
        Self {
            path,
            kind,
            default,
            when: None,
            doc,
        }
    }

    /// It has an effect only with some values of another key.
    pub const fn if_value(self, of: &'static str, holds: fn(&dyn Settings) -> bool) -> Self {
        let with = With::Value(of);
        Self {
            when: Some(When { with, holds }),
            ..self
        }
    }

    /// It has an effect only if this holds; else a warning says that it has none with `otherwise`.
    pub const fn if_there(self, otherwise: &'static str, holds: fn(&dyn Settings) -> bool) -> Self {
        let with = With::Words(otherwise);
        Self {
            when: Some(When { with, holds }),
            ..self
        }
    }

    /// Its value, or its default.
    fn value<'a>(&self, settings: &'a dyn Settings) -> Option<Setting<'a>> {
        settings.value(self.path).or(self.default)
    }

    fn misfits(&self) -> ! {
        panic!("{} has a value of another type", self.path)
    }
}

/// A key with a value of `true` or `false`.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its declaration.
    pub key: Key,
}

impl Switch {
    /// A key with a default.
    pub const fn new(path: &'static str, default: bool, doc: &'static str) -> Self {
        let key = Key::new(path, Kind::Bool, Some(Setting::Bool(default)), doc);
        Self { key }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value of this type.
    pub fn of(&self, settings: &dyn Settings) -> bool {
        match self.key.value(settings) {
            Some(Setting::Bool(on)) => on,
            _ => self.key.misfits(),
        }
    }
}

/// A key with whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Its declaration.
    pub key: Key,
}

impl Count {
    /// A key with a default.
    pub const fn new(path: &'static str, range: [i64; 2], default: i64, doc: &'static str) -> Self {
        let key = Key::new(
            path,
            Kind::Int {
                min: range[0],
                max: range[1],
            },
            Some(Setting::Int(default)),
            doc,
        );
        Self { key }
    }

    /// A key whose default depends on other keys.
    pub const fn open(path: &'static str, range: [i64; 2], doc: &'static str) -> Self {
        let key = Key::new(
            path,
            Kind::Int {
                min: range[0],
                max: range[1],
            },
            None,
            doc,
        );
        Self { key }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value of this type.
    pub fn of(&self, settings: &dyn Settings) -> u64 {
        match self.key.value(settings) {
            Some(Setting::Int(number)) => number.unsigned_abs(),
            _ => self.key.misfits(),
        }
    }
}

/// A key with numbers.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its declaration.
    pub key: Key,
}

impl Number {
    /// A key with a default.
    pub const fn new(path: &'static str, range: [f64; 2], default: f64, doc: &'static str) -> Self {
        let key = Key::new(
            path,
            Kind::Float {
                min: range[0],
                max: range[1],
            },
            Some(Setting::Float(default)),
            doc,
        );
        Self { key }
    }

    /// A key without a default.
    pub const fn open(path: &'static str, range: [f64; 2], doc: &'static str) -> Self {
        let key = Key::new(
            path,
            Kind::Float {
                min: range[0],
                max: range[1],
            },
            None,
            doc,
        );
        Self { key }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value of this type.
    pub fn of(&self, settings: &dyn Settings) -> f64 {
        match self.key.value(settings) {
            Some(Setting::Float(number)) => number,
            _ => self.key.misfits(),
        }
    }
}

/// A key with bytes, up to more than there can be pages.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Its declaration.
    pub key: Key,
}

impl Size {
    /// A key with a default.
    pub const fn new(path: &'static str, default: i64, doc: &'static str) -> Self {
        let key = Key::new(
            path,
            Kind::Size {
                min: 0,
                max: MAX_BYTES,
                step: 1,
                auto: false,
            },
            Some(Setting::Int(default)),
            doc,
        );
        Self { key }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value of this type.
    pub fn of(&self, settings: &dyn Settings) -> u64 {
        match self.key.value(settings) {
            Some(Setting::Int(bytes)) => bytes.unsigned_abs(),
            _ => self.key.misfits(),
        }
    }
}

/// A key with ascending numbers.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// Its declaration.
    pub key: Key,
}

impl Numbers {
    /// A key with a default.
    pub const fn new(
        path: &'static str,
        range: [f64; 2],
        default: &'static [f64],
        doc: &'static str,
    ) -> Self {
        let key = Key::new(
            path,
            Kind::List {
                min: range[0],
                max: range[1],
            },
            Some(Setting::List(default)),
            doc,
        );
        Self { key }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value of this type.
    pub fn of<'a>(&self, settings: &'a dyn Settings) -> &'a [f64] {
        match self.key.value(settings) {
            Some(Setting::List(numbers)) => numbers,
            _ => self.key.misfits(),
        }
    }
}

/// A key with one of several names, each of which stands for a value. The first one is the default.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T: 'static> {
    /// Its declaration.
    pub key: Key,
    values: &'static [T],
}

impl<T: Copy> Choice<T> {
    /// A key with these names, and their values in the same order.
    ///
    /// # Panics
    /// Without a name, or if there are not as many values as names.
    pub const fn new(
        path: &'static str,
        names: &'static [&'static str],
        values: &'static [T],
        doc: &'static str,
    ) -> Self {
        assert!(names.len() == values.len());
        let kind = Kind::Choice(Names::Fixed(names));
        Self {
            key: Key::new(path, kind, Some(Setting::Text(names[0])), doc),
            values,
        }
    }

    /// The same without a default: it depends on other keys.
    pub const fn open(self) -> Self {
        Self {
            key: Key {
                default: None,
                ..self.key
            },
            ..self
        }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value, or one that is no name of the key.
    pub fn of(&self, settings: &dyn Settings) -> T {
        let (Some(Setting::Text(name)), Kind::Choice(Names::Fixed(names))) =
            (self.key.value(settings), self.key.kind)
        else {
            self.key.misfits()
        };
        let place = names.iter().position(|known| *known == name);
        self.values[place.unwrap_or_else(|| self.key.misfits())]
    }
}
