//! What a replay reports.

use serde::Serialize;
use ssdlab_device::Counters;
use ssdlab_host::Op;
use ssdlab_timing::LatencyByOp;

/// What was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Read requests.
    pub host_reads: u64,
    /// Write requests.
    pub host_writes: u64,
    /// Flush requests of the trace.
    pub host_flushes: u64,
    /// Discard requests, with those that the target does not take.
    pub host_discards: u64,
    /// Bytes read.
    pub host_read_bytes: u64,
    /// Bytes written.
    pub host_write_bytes: u64,
    /// Bytes discarded.
    pub host_discard_bytes: u64,
    /// From the first request to the end of the flush behind the last one, in nanoseconds of the wall clock.
    pub elapsed_ns: u64,
}

/// Requests that were sent later than the trace says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Late {
    /// Their number: those later by more than a millisecond.
    pub requests: u64,
    /// The latest, in nanoseconds behind its time.
    pub longest_ns: u64,
}

/// What was compared with what had been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Bytes of reads of the trace.
    pub read_bytes: u64,
    /// Bytes read behind the replay.
    pub end_bytes: u64,
}

/// The result of a replay.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Replayed {
    /// What was sent.
    #[serde(skip)]
    pub counters: Counts,
    /// What a simulated drive counted since it was opened, up to the flush at the end.
    #[serde(skip)]
    pub drive: Option<Counters>,
    /// The latencies of the requests.
    pub latency_ns: LatencyByOp,
    /// How long the flush at the end took.
    pub final_flush_ns: u64,
    /// At the times of the trace only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// With verification only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// Discards that were left out, as the target takes none.
    pub discards_left_out: u64,
}

/// A request that is complete. Times count from the begin of the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Its place in the trace, from 1.
    pub number: u64,
    /// Its kind.
    pub op: Op,
    /// When it was sent, in nanoseconds.
    pub issued_ns: u64,
    /// When it was complete, in nanoseconds.
    pub completed_ns: u64,
}
