//! The device of a configuration in words.

use ssdlab_device::Flash;
use ssdlab_device::keys::flash;
use ssdlab_words::{bytes, thousands};

use super::Config;
use crate::error::Origin;
use crate::presets::presets;
use crate::resolver::is_of_device;

impl Config {
    /// Which device it is: its preset, with its capacity if that is another one, or else its flash; its FTL; and whether its
    /// workload ages it.
    pub fn device(&self) -> String {
        let sold = Flash::sold(&self.layer).capacity;
        let capacity = self.layer.get(flash::CAPACITY.key.path);
        let origin = capacity.map(|given| &given.origin);
        let named = |name: &String| presets().iter().find(|preset| preset.name == name);
        let mut text = match self.preset.as_ref().and_then(named) {
            Some(preset) => format!("{} ({})", preset.name, preset.about),
            None => self.without_preset(),
        };
        match origin {
            Some(Origin::ScaleTo(_)) => text += &format!(", scaled to {}", bytes(sold)),
            Some(origin) if origin.is_explicit() && self.preset.is_some() && sold > 0 => {
                text += &format!(", with {}", bytes(sold));
            }
            _ => {}
        }
        text += &format!(", FTL {}", self.ftl);
        if self.precondition.workload().is_some() {
            text += ", aged by the trace";
        }
        text
    }

    /// The least and the most P/E cycles that are usual, if those of the preset are an assumption.
    pub fn usual_pe_cycles(&self) -> Option<[u64; 2]> {
        let path = flash::PE_CYCLES.key.path;
        let Origin::Preset(name) = self.layer.get(path)?.origin else {
            return None;
        };
        let mut named = presets().iter().filter(|preset| preset.name == name);
        named.next()?.usual(path)
    }

    fn without_preset(&self) -> String {
        let given = self.layer.iter().any(|(key, given)| {
            given.origin.is_explicit()
                && is_of_device(key.path)
                && key.path != flash::CAPACITY.key.path
        });
        let sold = Flash::sold(&self.layer);
        let capacity = match sold.capacity {
            0 => "as much flash as the trace needs".to_owned(),
            some => format!("{} of flash", bytes(some)),
        };
        let flash = format!(
            "{capacity} in blocks of {} pages of {}",
            thousands(sold.pages_per_block.into()),
            bytes(sold.page_size.into())
        );
        match given {
            true => format!("no preset: {flash}"),
            false => format!("the default, a device of 2008: {flash}"),
        }
    }
}
