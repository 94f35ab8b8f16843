//! The write buffer: the stage between the host and the FTL. It keeps residency, dirty marks and data; its policy keeps
//! an order.

mod ageing;
mod ages;
mod cleaned;
mod marks;
mod none;
mod read_buffer;
mod resident;
mod runs;
mod stage;
mod view;
mod write_buffer;

pub(crate) use none::NoBuffer;
pub(crate) use read_buffer::{ReadBuffer, ReadStage};
pub(crate) use stage::Stage;
pub(crate) use write_buffer::{Settings, WriteBuffer};
