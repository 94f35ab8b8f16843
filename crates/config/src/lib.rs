//! stub
#![allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialWrites {
    Whole,
    Rmw,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    Full,
    Empty,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    Bypass,
    Cache,
}
#[derive(Clone, Debug)]
pub struct Flash {
    pub capacity: u64,
    pub page_size: u32,
    pub pages_per_block: u32,
    pub planes: u32,
    pub copy_back: bool,
}
#[derive(Clone, Debug)]
pub struct Timing {
    pub read_ns: u64,
    pub program_ns: u64,
    pub erase_ns: u64,
    pub transfer_ns: u64,
    pub buffer_ns: u64,
}
#[derive(Clone, Debug)]
pub struct Ftl {
    pub kind: &'static str,
    pub log_blocks: u32,
    pub spare_blocks: u32,
    pub partial_merge: bool,
}
#[derive(Clone, Debug)]
pub struct Buffer {
    pub policy: &'static str,
    pub size: u64,
    pub reads: Reads,
    pub protected: bool,
    pub flush_age_ns: u64,
    pub count_headers: bool,
    pub padding: bool,
    pub compensation: bool,
    pub window: f64,
}
#[derive(Clone, Debug)]
pub struct Config {
    pub partial_writes: PartialWrites,
    pub precondition: Precondition,
    pub drain: bool,
    pub flash: Flash,
    pub timing: Timing,
    pub ftl: Ftl,
    pub buffer: Buffer,
}
impl Config {
    pub fn logical_blocks(&self) -> u32 {
        (self.flash.capacity
            / (u64::from(self.flash.page_size) * u64::from(self.flash.pages_per_block)))
            as u32
    }
    pub fn physical_blocks(&self) -> u32 {
        if self.ftl.kind == "ideal" {
            0
        } else {
            self.logical_blocks() + self.ftl.log_blocks + self.ftl.spare_blocks
        }
    }
    pub fn buffer_pages(&self) -> u64 {
        self.buffer.size / u64::from(self.flash.page_size)
    }
}
