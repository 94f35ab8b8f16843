//! Which keys have an effect for the chosen systems.

use crate::kind::Kind;
use crate::layer::Layer;
use crate::schema::{KEYS, Key, Reader, index};

/// Why the chosen systems never read a key, to follow "has no effect with"; none if they do.
pub(crate) fn idle_with(layer: &Layer, key: &Key) -> Option<String> {
    let unlisted = |selector: &str| {
        let chosen = layer.text(selector);
        let listed = readers(key).contains(&chosen);
        (!listed).then(|| format!("{selector} {chosen:?}"))
    };
    match key.reader {
        Reader::All => None,
        Reader::Policy => unlisted("buffer.policy"),
        Reader::Ftl => unlisted("ftl.kind"),
        // a key that is idle itself decides nothing
        Reader::Cleaning => idle_path(layer, "ftl.cleaning").or_else(|| unlisted("ftl.cleaning")),
        Reader::Placement => {
            idle_path(layer, "ftl.placement").or_else(|| unlisted("ftl.placement"))
        }
        Reader::Unless(other, value) => idle_path(layer, other).or_else(|| {
            let given = layer.get(other).map(|given| given.value.to_toml());
            (given.as_deref() == Some(value)).then(|| format!("{other} {value}"))
        }),
        Reader::Chips => {
            let chips = layer.int("flash.channels") * layer.int("flash.chips_per_channel");
            (chips == 1).then(|| "one chip".into())
        }
        Reader::Buffers => {
            let none = |path| layer.text(path) == "none";
            (none("buffer.policy") && none("read_buffer.policy")).then(|| "no buffer".into())
        }
    }
}

fn idle_path(layer: &Layer, path: &str) -> Option<String> {
    index(path).and_then(|slot| idle_with(layer, &KEYS[slot]))
}

/// Whether the chosen systems read the key of this path.
pub(crate) fn reads(layer: &Layer, path: &str) -> bool {
    idle_path(layer, path).is_none()
}

/// One sentence for each key that the user gave in vain.
pub(crate) fn warnings(layer: &Layer) -> Vec<String> {
    let explicit = layer.iter().filter(|(_, given)| given.origin.is_explicit());
    explicit
        .filter_map(|(key, _)| Some((key.path, idle_with(layer, key)?)))
        .map(|(path, with)| format!("{path} has no effect with {with}"))
        .collect()
}

/// Whether any system that can be chosen reads the key.
pub(crate) fn read_by_any(key: &Key) -> bool {
    match key.reader {
        Reader::All => true,
        Reader::Policy | Reader::Ftl | Reader::Cleaning | Reader::Placement => {
            !readers(key).is_empty()
        }
        Reader::Unless(other, value) => match index(other).map(|slot| KEYS[slot].kind) {
            Some(Kind::Choice(names)) => names
                .built()
                .iter()
                .any(|name| format!("{name:?}") != value),
            _ => true,
        },
        Reader::Chips | Reader::Buffers => true,
    }
}

/// The registered systems that list the key.
pub(crate) fn readers(key: &Key) -> Vec<&'static str> {
    let entries = key.reader.registry().iter();
    entries
        .filter(|entry| entry.keys.contains(&key.path))
        .map(|entry| entry.name)
        .collect()
}
