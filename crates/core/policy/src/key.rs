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

use alloc::format;
use alloc::string::String;
use core::fmt::Display;
use core::marker::PhantomData;

use crate::settings::{Setting, Settings};

/// The largest size in bytes. It has more pages than page numbers can count.
pub const MAX_BYTES: i64 = 1 << 52;

/// A configuration key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Full path, such as `flash.page_size`.
    pub path: &'static str,
    /// A former path, which files and options may still use.
    pub alias: Option<&'static str>,
    /// Type and range.
    pub kind: Kind,
    /// The default; none if the key has no value by default, or a default that depends on other keys.
    pub default: Option<Setting<'static>>,
    /// When it has an effect, apart from the choice of a system that reads it.
    pub when: Option<When>,
    /// Meaning and unit in one line.
    pub doc: &'static str,
}

/// A condition under which a key has an effect.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// What it depends on, which a warning names if the key has no effect.
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
    /// A share from 0 to 1. A number above 1, up to 100, is taken for per cent.
    Share,
    /// Bytes, as an integer or as text with a unit.
    Size {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// Each size must be a multiple of this.
        step: i64,
        /// A word that is also allowed: `auto` or `all`.
        word: Option<&'static str>,
    },
    /// One of several names.
    Choice(Names),
    /// A text or a number of a given form. A list of texts counts as one text with commas.
    Pattern {
        /// Whether a text has the form.
        fits: fn(&str) -> bool,
        /// The form in words.
        words: &'static str,
    },
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
    /// Fixed names of a key that was a switch: `true` stands for the first one, `false` for the last one.
    Switched(&'static [&'static str]),
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
            alias: None,
            kind,
            default,
            when: None,
            doc,
        }
    }

    /// It was called so before; files and options may still call it so.
    pub const fn formerly(mut self, path: &'static str) -> Self {
        self.alias = Some(path);
        self
    }

    /// It has an effect only with some values of another key.
    pub const fn if_value(mut self, of: &'static str, holds: fn(&dyn Settings) -> bool) -> Self {
        let with = With::Value(of);
        self.when = Some(When { with, holds });
        self
    }

    /// It has an effect only if `holds` returns true; otherwise a warning says that it has none with `otherwise`.
    pub const fn if_there(
        mut self,
        otherwise: &'static str,
        holds: fn(&dyn Settings) -> bool,
    ) -> Self {
        let with = With::Words(otherwise);
        self.when = Some(When { with, holds });
        self
    }

    /// An assignment in the syntax of `--set`: `path=value`.
    pub fn to(&self, value: impl Display) -> String {
        format!("{}={value}", self.path)
    }

    /// Its value, or its default.
    fn value<'a>(&self, settings: &'a dyn Settings) -> Option<Setting<'a>> {
        settings.value(self.path).or(self.default)
    }

    fn misfits(&self) -> ! {
        panic!("{} has a value of another type", self.path)
    }
}

/// A key with values of a type: a [`Switch`], [`Count`], [`Number`], [`Numbers`] or [`Words`].
#[derive(Clone, Copy, Debug)]
pub struct Param<T: ?Sized> {
    /// Its declaration.
    pub key: Key,
    values: PhantomData<fn() -> *const T>,
}

/// A key with a value of `true` or `false`.
pub type Switch = Param<bool>;

/// A key with whole numbers, or bytes.
pub type Count = Param<u64>;

/// A key with numbers.
pub type Number = Param<f64>;

/// A key with ascending numbers.
pub type Numbers = Param<[f64]>;

/// A key with a text, or with the name of something that is registered.
pub type Words = Param<str>;

/// A key with bytes or a word (`auto`, `all`); its value is none for the word.
pub type AutoBytes = Param<Auto>;

/// Bytes or a word: the type of an [`AutoBytes`].
#[derive(Clone, Copy, Debug)]
pub enum Auto {}

/// A type of values.
pub trait Typed {
    /// A value.
    type Value<'a>;

    /// The value of a setting of this type.
    fn read(setting: Setting<'_>) -> Option<Self::Value<'_>>;
}

macro_rules! typed {
    ($type:ty, $value:ty, $($setting:pat => $read:expr),+) => {
        impl Typed for $type {
            type Value<'a> = $value;

            fn read(setting: Setting<'_>) -> Option<Self::Value<'_>> {
                match setting {
                    $($setting => Some($read),)+
                    _ => None,
                }
            }
        }
    };
}

typed!(bool, bool, Setting::Bool(on) => on);
typed!(u64, u64, Setting::Int(number) => number.unsigned_abs());
typed!(f64, f64, Setting::Float(number) => number);
typed!([f64], &'a [f64], Setting::List(numbers) => numbers);
typed!(str, &'a str, Setting::Text(text) => text);
typed!(Auto, Option<u64>, Setting::Int(number) => Some(number.unsigned_abs()), Setting::Text(_) => None);

impl<T: Typed + ?Sized> Param<T> {
    const fn of_kind(
        path: &'static str,
        kind: Kind,
        default: Option<Setting<'static>>,
        doc: &'static str,
    ) -> Self {
        Self {
            key: Key::new(path, kind, default, doc),
            values: PhantomData,
        }
    }

    /// See [`Key::if_value`].
    pub const fn if_value(mut self, of: &'static str, holds: fn(&dyn Settings) -> bool) -> Self {
        self.key = self.key.if_value(of, holds);
        self
    }

    /// See [`Key::if_there`].
    pub const fn if_there(
        mut self,
        otherwise: &'static str,
        holds: fn(&dyn Settings) -> bool,
    ) -> Self {
        self.key = self.key.if_there(otherwise, holds);
        self
    }

    /// See [`Key::formerly`].
    pub const fn formerly(mut self, path: &'static str) -> Self {
        self.key = self.key.formerly(path);
        self
    }

    /// Its value, given or by default; none for an open key that is not given.
    pub fn get<'a>(&self, settings: &'a dyn Settings) -> Option<T::Value<'a>> {
        self.key.value(settings).and_then(T::read)
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value of this type.
    pub fn of<'a>(&self, settings: &'a dyn Settings) -> T::Value<'a> {
        let value = self.get(settings);
        value.unwrap_or_else(|| self.key.misfits())
    }
}

impl Words {
    /// A key with texts of a form, and a default of that form.
    pub const fn new(
        path: &'static str,
        (fits, words): (fn(&str) -> bool, &'static str),
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        let default = Some(Setting::Text(default));
        Self::of_kind(path, Kind::Pattern { fits, words }, default, doc)
    }

    /// A key with one of these names, and a default; `None` if it has no value by default.
    pub const fn name(
        path: &'static str,
        names: Names,
        default: Option<&'static str>,
        doc: &'static str,
    ) -> Self {
        let default = match default {
            Some(name) => Some(Setting::Text(name)),
            None => None,
        };
        Self::of_kind(path, Kind::Choice(names), default, doc)
    }

    /// The key that chooses a system of a family, and the system by default.
    pub const fn selector(family: Family, default: &'static str, doc: &'static str) -> Self {
        let names = Names::Systems(family);
        Self::name(family.selector(), names, Some(default), doc)
    }
}

impl Switch {
    /// A key with a default.
    pub const fn new(path: &'static str, default: bool, doc: &'static str) -> Self {
        Self::of_kind(path, Kind::Bool, Some(Setting::Bool(default)), doc)
    }
}

/// Bytes, up to more than there can be pages.
const BYTES: Kind = Kind::Size {
    min: 0,
    max: MAX_BYTES,
    step: 1,
    word: None,
};

impl AutoBytes {
    /// A key with at least so many bytes, or `auto`. A default of so many bytes.
    pub const fn new(path: &'static str, least: i64, default: i64, doc: &'static str) -> Self {
        let kind = Kind::Size {
            min: least,
            max: MAX_BYTES,
            step: 1,
            word: Some("auto"),
        };
        Self::of_kind(path, kind, Some(Setting::Int(default)), doc)
    }

    /// A key with bytes or this word, without a value by default.
    pub const fn open_or(path: &'static str, word: &'static str, doc: &'static str) -> Self {
        let kind = Kind::Size {
            min: 0,
            max: MAX_BYTES,
            step: 1,
            word: Some(word),
        };
        Self::of_kind(path, kind, None, doc)
    }
}

impl Count {
    /// A key with a default.
    pub const fn new(
        path: &'static str,
        [min, max]: [i64; 2],
        default: i64,
        doc: &'static str,
    ) -> Self {
        let default = Some(Setting::Int(default));
        Self::of_kind(path, Kind::Int { min, max }, default, doc)
    }

    /// A key whose default depends on other keys.
    pub const fn open(path: &'static str, [min, max]: [i64; 2], doc: &'static str) -> Self {
        Self::of_kind(path, Kind::Int { min, max }, None, doc)
    }

    /// A key with bytes, up to more than there can be pages.
    pub const fn bytes(path: &'static str, default: i64, doc: &'static str) -> Self {
        Self::of_kind(path, BYTES, Some(Setting::Int(default)), doc)
    }

    /// A key with a multiple of so many bytes.
    pub const fn bytes_in_steps(
        path: &'static str,
        [min, max]: [i64; 2],
        step: i64,
        default: i64,
        doc: &'static str,
    ) -> Self {
        let kind = Kind::Size {
            min,
            max,
            step,
            word: None,
        };
        Self::of_kind(path, kind, Some(Setting::Int(default)), doc)
    }

    /// A key with bytes whose default depends on other keys.
    pub const fn open_bytes(path: &'static str, doc: &'static str) -> Self {
        Self::of_kind(path, BYTES, None, doc)
    }
}

impl Number {
    /// A key with a default.
    pub const fn new(
        path: &'static str,
        [min, max]: [f64; 2],
        default: f64,
        doc: &'static str,
    ) -> Self {
        let default = Some(Setting::Float(default));
        Self::of_kind(path, Kind::Float { min, max }, default, doc)
    }

    /// A key without a value by default.
    pub const fn open(path: &'static str, [min, max]: [f64; 2], doc: &'static str) -> Self {
        Self::of_kind(path, Kind::Float { min, max }, None, doc)
    }

    /// A key with a share; `None` if it has no value by default.
    pub const fn share(path: &'static str, default: Option<f64>, doc: &'static str) -> Self {
        let default = match default {
            Some(share) => Some(Setting::Float(share)),
            None => None,
        };
        Self::of_kind(path, Kind::Share, default, doc)
    }
}

impl Numbers {
    /// A key with a default.
    pub const fn new(
        path: &'static str,
        [min, max]: [f64; 2],
        default: &'static [f64],
        doc: &'static str,
    ) -> Self {
        let default = Some(Setting::List(default));
        Self::of_kind(path, Kind::List { min, max }, default, doc)
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

    /// The same, but `true` stands for its first name and `false` for its last one, which is `off`. `default` is one of
    /// the names.
    pub const fn switched(mut self, default: &'static str) -> Self {
        if let Kind::Choice(Names::Fixed(names)) = self.key.kind {
            self.key.kind = Kind::Choice(Names::Switched(names));
        }
        self.key.default = Some(Setting::Text(default));
        self
    }

    /// See [`Key::if_value`].
    pub const fn if_value(mut self, of: &'static str, holds: fn(&dyn Settings) -> bool) -> Self {
        self.key = self.key.if_value(of, holds);
        self
    }

    /// See [`Key::if_there`].
    pub const fn if_there(
        mut self,
        otherwise: &'static str,
        holds: fn(&dyn Settings) -> bool,
    ) -> Self {
        self.key = self.key.if_there(otherwise, holds);
        self
    }

    /// The same without a default: it depends on other keys.
    pub const fn open(mut self) -> Self {
        self.key.default = None;
        self
    }

    /// The value of a name.
    pub fn named(&self, name: &str) -> Option<T> {
        let Kind::Choice(Names::Fixed(names) | Names::Switched(names)) = self.key.kind else {
            return None;
        };
        let place = names.iter().position(|known| *known == name)?;
        Some(self.values[place])
    }

    /// The first name of a value; empty if it is no value of the key.
    pub fn name(&self, value: T) -> &'static str
    where
        T: PartialEq,
    {
        let Kind::Choice(Names::Fixed(names) | Names::Switched(names)) = self.key.kind else {
            return "";
        };
        let mut pairs = names.iter().zip(self.values);
        let found = pairs.find(|(_, known)| **known == value);
        found.map_or("", |(name, _)| name)
    }

    /// Its value, given or by default; none for an open key that is not given.
    pub fn get(&self, settings: &dyn Settings) -> Option<T> {
        match self.key.value(settings)? {
            Setting::Text(name) => self.named(name),
            _ => None,
        }
    }

    /// Its value.
    ///
    /// # Panics
    /// If the settings have no value, or one that is no name of the key.
    pub fn of(&self, settings: &dyn Settings) -> T {
        let value = self.get(settings);
        value.unwrap_or_else(|| self.key.misfits())
    }
}
