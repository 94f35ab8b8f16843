//! Decides which keys have an effect with the chosen systems.

use crate::key::{Key, Reader};
use crate::keys::KEYS;
use crate::kind::Kind;
use crate::layer::Layer;
use crate::schema::index;
use ssdlab_device::Catalogue;
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_policy::Settings;

/// The reason why a key has no effect, to be put after "has no effect with"; none if it has one.
pub(crate) fn idle_with(layer: &Layer, key: &Key) -> Option<String> {
    let unlisted = |selector: &str| {
        let chosen = layer.text(selector);
        let listed = readers(key, layer.catalogue()).contains(&chosen);
        let reason = || format!("{selector} {chosen:?}");
        // if the selecting key has no effect itself, its reason counts
        idle_path(layer, selector).or_else(|| (!listed).then(reason))
    };
    let given = |path: &str| layer.get(path).map(|given| given.value.to_toml());
    let has = |path: &str, value: &str| given(path).as_deref() == Some(value);
    match key.reader {
        Reader::All => None,
        Reader::Policy => unlisted("buffer.policy"),
        Reader::Ftl => unlisted("ftl.kind"),
        Reader::Cleaning => unlisted("ftl.cleaning"),
        Reader::Placement => unlisted("ftl.placement"),
        Reader::CleaningOrPlacement => {
            unlisted("ftl.placement").and_then(|_| unlisted("ftl.cleaning"))
        }
        Reader::FtlUnless(other, value) => {
            let reason = || format!("{other} {value}");
            unlisted("ftl.kind").or_else(|| has(other, value).then(reason))
        }
        Reader::Unless(other, value) => {
            let reason = || format!("{other} {value}");
            idle_path(layer, other).or_else(|| has(other, value).then(reason))
        }
        Reader::If(other, value) => {
            let reason = || format!("{other} {}", given(other).unwrap_or_default());
            idle_path(layer, other).or_else(|| (!has(other, value)).then(reason))
        }
        Reader::Chips => {
            let chips = layer.int("flash.channels") * layer.int("flash.chips_per_channel");
            (chips == 1).then(|| "one chip".into())
        }
        Reader::ProtectedRam => {
            let protected = reads(layer, "buffer.protected") && layer.on("buffer.protected");
            let any = protected || reads(layer, "ftl.ram");
            (!any).then(|| "no protected RAM".into())
        }
        Reader::Buffers => {
            let none = |path| layer.text(path) == NO_BUFFER;
            let any =
                !none("buffer.policy") || !none("read_buffer.policy") || reads(layer, "ftl.ram");
            (!any).then(|| "no buffer".into())
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

/// One sentence for each key that the user gave without effect.
pub(crate) fn warnings(layer: &Layer) -> Vec<String> {
    let explicit = layer.iter().filter(|(_, given)| given.origin.is_explicit());
    explicit
        .filter_map(|(key, _)| Some((key.path, idle_with(layer, key)?)))
        .map(|(path, with)| format!("{path} has no effect with {with}"))
        .collect()
}

/// Whether any system reads the key.
pub(crate) fn read_by_any(key: &Key, catalogue: &Catalogue) -> bool {
    match key.reader {
        Reader::All => true,
        Reader::Policy
        | Reader::Ftl
        | Reader::FtlUnless(..)
        | Reader::Cleaning
        | Reader::Placement
        | Reader::CleaningOrPlacement => !readers(key, catalogue).is_empty(),
        Reader::Unless(other, value) => match index(other).map(|slot| KEYS[slot].kind) {
            Some(Kind::Choice(names)) => names
                .built(catalogue)
                .iter()
                .any(|name| format!("{name:?}") != value),
            _ => true,
        },
        Reader::If(..) | Reader::Chips | Reader::Buffers | Reader::ProtectedRam => true,
    }
}

/// The registered systems that list the key.
pub(crate) fn readers(key: &Key, catalogue: &Catalogue) -> Vec<&'static str> {
    let entries = key.reader.entries(catalogue).into_iter();
    entries
        .filter(|entry| entry.keys.contains(&key.path))
        .map(|entry| entry.name)
        .collect()
}
