//! The trace formats, one file each.

pub mod alibaba;
pub mod baleen;
pub mod blkparse;
pub mod camelab;
pub mod csv;
pub mod diskmon;
pub mod disksim;
pub mod fio;
pub mod fiu;
pub mod midas;
pub mod mqsim;
pub mod msr;
pub mod plain;
pub mod spc;
pub mod systor17;
pub mod tencent;
pub mod thesios;
