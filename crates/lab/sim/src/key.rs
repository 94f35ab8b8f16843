//! The paths of the keys that experiments and their readers name.

use ssdlab_device::keys;
use ssdlab_ftl::page;
use ssdlab_policy::{buffer, cleaning, placement};

macro_rules! paths {
    ($($name:ident = $($key:ident)::+;)+) => {
        $(
            #[doc = concat!("That of `", stringify!($($key)::+), "`.")]
            pub const $name: &str = $($key)::+.key.path;
        )+
    };
}

paths! {
    PRECONDITION = keys::PRECONDITION;
    CAPACITY = keys::flash::CAPACITY;
    PAGE_SIZE = keys::flash::PAGE_SIZE;
    PAGES_PER_BLOCK = keys::flash::PAGES_PER_BLOCK;
    POLICY = keys::buffer::POLICY;
    PROTECTED = keys::buffer::PROTECTED;
    SIZE = buffer::SIZE;
    GRANULARITY = buffer::three_region::GRANULARITY;
    READ_POLICY = keys::read_buffer::POLICY;
    READ_SIZE = keys::read_buffer::SIZE;
    FTL = keys::ftl::KIND;
    BUFFER_AWARE = ssdlab_ftl::BUFFER_AWARE;
    LOG_BLOCKS = ssdlab_ftl::LOG_BLOCKS;
    OPEN_BLOCKS = ssdlab_ftl::block::OPEN_BLOCKS;
    SPARE_BLOCKS = ssdlab_ftl::SPARE_BLOCKS;
    OVER_PROVISIONING = ssdlab_ftl::OVER_PROVISIONING;
    CLEANING = page::CLEANING;
    GC_HIGH = page::GC_HIGH;
    D = cleaning::d_choices::D;
    RAM = placement::RAM;
    MAP = page::MAP;
    MAP_CACHE = page::MAP_CACHE;
    MAP_LIST = page::MAP_LIST;
    MAP_GAMMA = page::MAP_GAMMA;
}
