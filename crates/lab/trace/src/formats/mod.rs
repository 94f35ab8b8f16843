//! The table of trace formats. A format of lines with separated fields is its row here; the others have files of their own.

pub mod blkparse;
pub mod blktrace;
mod camelab;
pub mod csv;
mod dm_log_writes;
mod fio;
mod lcs;
mod microsoft;
mod numbers;
mod objects;
mod oracle_general;
pub mod parquet;
pub mod plain;
mod vscsi;

use crate::entry::{Entry, Reads};
use crate::layout::{Between, Field, Is, Layout, Look, More, ShownBy, Text};
use crate::rows::{Any, Compiled, decoder};
use crate::text::{SECTOR, whole_number};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

/// All formats, in the order in which detection tries them.
pub(crate) const ENTRIES: &[Entry] = &[
    plain::ENTRY,
    blkparse::ENTRY,
    Entry {
        about: "CSV of Timestamp (100 ns ticks since 1601), Hostname, DiskNumber, Type, Offset and Size (bytes), ResponseTime",
        source: "MSR Cambridge traces, FAST 2008",
        example: "128166372003061629,usr,0,Read,7014609920,24576,41286",
        volumes: Some(VolumeNames {
            parse: host_and_disk,
            show: |bytes| String::from_utf8_lossy(bytes).replace(',', "."),
        }),
        ..Entry::new("msr", compiled::<Msr>(MSR))
    },
    microsoft::ENTRY,
    parquet::ENTRY,
    blktrace::ENTRY,
    lcs::ENTRY,
    dm_log_writes::ENTRY,
    vscsi::ENTRY,
    oracle_general::ENTRY,
    Entry {
        about: "ASU, LBA (blocks of 512 bytes), Size (bytes), Opcode (R or W), Timestamp (s), with commas between them",
        source: "Storage Performance Council; UMass traces",
        example: "0,20480,3584,w,0.000000",
        volumes: Some(VolumeNames::AS_WRITTEN),
        ..Entry::new("spc", compiled::<Spc>(SPC))
    },
    Entry {
        about: "CSV of device_id, opcode (R or W), offset and length (bytes), timestamp (us)",
        source: "Alibaba block traces, 2020",
        example: "3,W,8192000,16384,1577808000000500",
        volumes: Some(VolumeNames::AS_WRITTEN),
        ..Entry::new("alibaba", compiled::<Alibaba>(ALIBABA))
    },
    Entry {
        about: "CSV of Timestamp (s), Offset and Size (sectors of 512 bytes), IOType (0 read, 1 write), VolumeID",
        source: "Tencent CBS traces, 2018",
        example: "1538400000,2048000,128,0,7",
        options: &["--sector", "--size-unit"],
        volumes: Some(VolumeNames::AS_WRITTEN),
        ..Entry::new("tencent", compiled::<Tencent>(TENCENT))
    },
    Entry {
        about: "CSV of Timestamp and Response (s), IOType (R, W or empty), LUN, Offset and Size (bytes)",
        source: "Fujitsu traces, SYSTOR 2017",
        example: "Timestamp,Response,IOType,LUN,Offset,Size",
        volumes: Some(VolumeNames::AS_WRITTEN),
        ..Entry::new(
            "systor17",
            rows(&Layout {
                fields: &[
                    Field("Timestamp", Is::Time(TimeUnit::Second, Look::Number)),
                    Field("Response", Is::Unused(Text::Seconds)),
                    Field("IOType", Is::Op),
                    Field("LUN", Is::Volume(Text::Number)),
                    Field("Offset", Is::Offset(1)),
                    Field("Size", Is::Size(1)),
                ],
                // the answer was lost
                no_op: Some(""),
                shown_by: ShownBy::FirstLine(&[0, 2, 3, 4, 5]),
                ..Layout::CSV
            }),
        )
    },
    fio::ENTRY,
    Entry {
        about: "time (ms), devno, blkno and bcount (blocks of 512 bytes), flags (hexadecimal, bit 0 is set for a read), with blanks between them",
        source: "DiskSim",
        example: "0.000000 0 20480 7 1",
        options: &["--time-unit"],
        volumes: Some(VolumeNames::AS_WRITTEN),
        by_line: false,
        ..Entry::new(
            "disksim",
            rows(&Layout {
                fields: &[
                    Field("time", Is::Time(TimeUnit::Millisecond, Look::Number)),
                    Field("devno", Is::Volume(Text::Number)),
                    Field("blkno", Is::Offset(SECTOR)),
                    Field("bcount", Is::Size(SECTOR)),
                    Field("flags", Is::ReadFlag),
                ],
                between: Between::Blanks,
                shown_by: ShownBy::Rule(numbers::in_milliseconds),
                ..Layout::CSV
            }),
        )
    },
    // MQSim and SSDsim; the workload of MQSim may say another unit of times
    Entry {
        about: "time (ns), device, lba and sectors (of 512 bytes), type (0 write, 1 read), with blanks between them",
        source: "MQSim; SSDsim",
        example: "4851300 1 524288 16 0",
        options: &["--time-unit"],
        volumes: Some(VolumeNames::AS_WRITTEN),
        by_line: false,
        ..Entry::new(
            "mqsim",
            rows(&Layout {
                fields: &[
                    Field("time", Is::Time(TimeUnit::Nanosecond, Look::Number)),
                    Field("device", Is::Volume(Text::Number)),
                    Field("lba", Is::Offset(SECTOR)),
                    Field("sectors", Is::Size(SECTOR)),
                    Field("type", Is::Op),
                ],
                between: Between::Blanks,
                ops: &[("0", Op::Write), ("1", Op::Read)],
                shown_by: ShownBy::Rule(numbers::in_nanoseconds),
                ..Layout::CSV
            }),
        )
    },
    Entry {
        about: "index, time (s, or a clock), duration, disk, request (Read or Write), sector and length (sectors of 512 bytes), with tabs between them",
        source: "DiskMon of Sysinternals",
        example: "0\t0.000000\t0.00006866\t0\tWrite\t27295103\t8",
        volumes: Some(VolumeNames::AS_WRITTEN),
        ..Entry::new(
            "diskmon",
            rows(&Layout {
                fields: &[
                    Field("index", Is::Unused(Text::Number)),
                    Field("time", Is::Clock),
                    Field("duration", Is::Unused(Text::Seconds)),
                    Field("disk", Is::Volume(Text::Number)),
                    Field("request", Is::Op),
                    Field("sector", Is::Offset(SECTOR)),
                    Field("length", Is::Size(SECTOR)),
                ],
                between: Between::PaddedTabs,
                more: More::EmptyFields,
                hash_header: Some(6),
                ops: &[("Read", Op::Read), ("Write", Op::Write)],
                shown_by: ShownBy::FirstLine(&[4]),
                ..Layout::CSV
            }),
        )
    },
    // files that are put together repeat the header; reads that the cache of a server serves do not reach the device
    Entry {
        about: "CSV of filename, file_offset and request_io_size_bytes (bytes), op_type (READ or WRITE), start_time (s) and others",
        source: "Thesios traces of Google, ASPLOS 2024",
        example: "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,\
                  cache_hit,request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,\
                  simulated_disk_start_time,simulated_latency",
        options: &["--slot"],
        ..Entry::new(
            "thesios",
            rows(&Layout {
                fields: &[
                    Field("filename", Is::Inside(Text::Name("file"))),
                    Field("file_offset", Is::Offset(1)),
                    Field("application", Is::Unused(Text::Any)),
                    Field("c_time", Is::Unused(Text::Any)),
                    Field("io_zone", Is::Unused(Text::Any)),
                    Field("redundancy_type", Is::Unused(Text::Any)),
                    Field("op_type", Is::Op),
                    Field("service_class", Is::Unused(Text::Any)),
                    Field("from_flash_cache", Is::Unused(Text::Any)),
                    Field("cache_hit", Is::CacheHit),
                    Field("request_io_size_bytes", Is::Size(1)),
                    Field("disk_io_size_bytes", Is::Unused(Text::Any)),
                    Field("response_io_size_bytes", Is::Unused(Text::Any)),
                    Field("start_time", Is::Time(TimeUnit::Second, Look::Number)),
                    Field("disk_time", Is::Unused(Text::Any)),
                    Field("simulated_disk_start_time", Is::Unused(Text::Any)),
                    Field("simulated_latency", Is::Unused(Text::Any)),
                ],
                ops: &[("READ", Op::Read), ("WRITE", Op::Write)],
                slot: Some(("files", 64 << 20)),
                shown_by: ShownBy::FirstLine(&[1, 6]),
                ..Layout::CSV
            }),
        )
    },
    Entry {
        about: "block_id, io_offset and io_size (bytes), op_time (s), op_name (1 to 6), with blanks between them",
        source: "Tectonic traces of Meta, Baleen, FAST 2024",
        example: "7 524288 131072 1572000001.25 4 9 9 9",
        options: &["--slot"],
        by_line: false,
        ..Entry::new(
            "baleen",
            rows(&Layout {
                fields: &[
                    Field("block_id", Is::Inside(Text::Number)),
                    Field("io_offset", Is::Offset(1)),
                    Field("io_size", Is::Size(1)),
                    Field("op_time", Is::Time(TimeUnit::Second, Look::Since1970)),
                    Field("op_name", Is::Op),
                ],
                between: Between::Blanks,
                more: More::Fields,
                hash_header: Some(0),
                // gets are 1, 2 and 5, puts are 3, 4 and 6
                ops: &[
                    ("1", Op::Read),
                    ("2", Op::Read),
                    ("3", Op::Write),
                    ("4", Op::Write),
                    ("5", Op::Read),
                    ("6", Op::Write),
                ],
                no_op: Some("100"),
                // the largest block of Tectonic
                slot: Some(("blocks", 8 << 20)),
                shown_by: ShownBy::Rule(numbers::baleen),
                ..Layout::CSV
            }),
        )
    },
    Entry {
        about: "time (s), type (0 read, 1 write, 3 discard), lba (blocks of 4096 bytes), size (bytes), perhaps stream, with blanks between them",
        source: "MiDAS, FAST 2024",
        example: "0.250000000 1 0 4096",
        options: &["--time-unit"],
        columns: &["stream"],
        by_line: false,
        ..Entry::new("midas", rows(MIDAS))
    },
    camelab::ENTRY,
    Entry {
        about: "time (ns), pid, process, lba and size (sectors of 512 bytes), op (R or W), major, minor, hash, with blanks between them",
        source: "FIU traces: IODedup, FAST 2010; SRCMap, FAST 2010",
        example: "0 77 writer 4096000 8 W 6 0 00112233445566778899aabbccddeeff",
        volumes: Some(VolumeNames {
            parse: major_and_minor,
            show: |bytes| String::from_utf8_lossy(bytes).replace(' ', ","),
        }),
        ..Entry::new(
            "fiu",
            rows(&Layout {
                fields: &[
                    Field("time", Is::Nanoseconds),
                    Field("pid", Is::Unused(Text::Number)),
                    Field("process", Is::Unused(Text::Words)),
                    Field("lba", Is::Offset(SECTOR)),
                    Field("size", Is::Size(SECTOR)),
                    Field("op", Is::Op),
                    Field("major", Is::Volume(Text::Number)),
                    Field("minor", Is::Volume(Text::Number)),
                    Field("hash", Is::Unused(Text::Md5)),
                ],
                between: Between::Blanks,
                shown_by: ShownBy::Rule(numbers::fiu),
                ..Layout::CSV
            }),
        )
    },
    csv::ENTRY,
];

const fn rows(layout: &'static Layout) -> Reads {
    compiled::<Any>(layout)
}

/// Rows whose decoder is compiled for their layout, because their traces are long.
const fn compiled<C: Compiled>(layout: &'static Layout) -> Reads {
    Reads::Rows {
        layout,
        decoder: decoder::<C>,
    }
}

const MSR: &Layout = &Layout {
    fields: &[
        Field("Timestamp", Is::FileTime),
        Field("Hostname", Is::Volume(Text::Name("host"))),
        Field("DiskNumber", Is::Volume(Text::Number)),
        Field("Type", Is::Op),
        Field("Offset", Is::Offset(1)),
        Field("Size", Is::Size(1)),
        Field("ResponseTime", Is::Unused(Text::Float)),
    ],
    ops: &[("Read", Op::Read), ("Write", Op::Write)],
    shown_by: ShownBy::FirstLine(&[0, 3]),
    ..Layout::CSV
};

const SPC: &Layout = &Layout {
    fields: &[
        Field("ASU", Is::Volume(Text::Number)),
        Field("LBA", Is::Offset(SECTOR)),
        Field("Size", Is::Size(1)),
        Field("Opcode", Is::Op),
        Field("Timestamp", Is::Time(TimeUnit::Second, Look::Number)),
    ],
    between: Between::PaddedCommas,
    more: More::Fields,
    ..Layout::CSV
};

const ALIBABA: &Layout = &Layout {
    fields: &[
        Field("device_id", Is::Volume(Text::Number)),
        Field("opcode", Is::Op),
        Field("offset", Is::Offset(1)),
        Field("length", Is::Size(1)),
        Field("timestamp", Is::Time(TimeUnit::Microsecond, Look::Whole)),
    ],
    ..Layout::CSV
};

const TENCENT: &Layout = &Layout {
    fields: &[
        Field(
            "Timestamp",
            Is::Time(TimeUnit::Second, Look::WholeSince1970),
        ),
        Field("Offset", Is::Offset(SECTOR)),
        Field("Size", Is::Size(SECTOR)),
        Field("IOType", Is::Op),
        Field("VolumeID", Is::Volume(Text::Number)),
    ],
    ops: &[("0", Op::Read), ("1", Op::Write)],
    copies_in_bytes: true,
    ..Layout::CSV
};

const MIDAS: &Layout = &Layout {
    fields: &[
        Field("time", Is::Time(TimeUnit::Second, Look::Fraction)),
        Field("type", Is::Op),
        Field("lba", Is::Offset(4096)),
        Field("size", Is::Size(1)),
        Field("stream", Is::Stream),
    ],
    between: Between::Blanks,
    optional: 1,
    ops: &[("0", Op::Read), ("1", Op::Write), ("3", Op::Discard)],
    no_op: Some("2"),
    shown_by: ShownBy::Rule(numbers::midas),
    ..Layout::CSV
};

/// Declares a type for each layout that is a constant of its decoder.
macro_rules! compiled {
    ($($name:ident $layout:ident)+) => {
        $(struct $name;

        impl Compiled for $name {
            const LAYOUT: Option<&'static Layout> = Some($layout);
        })+
    };
}

compiled!(Msr MSR Spc SPC Alibaba ALIBABA Tencent TENCENT);

/// The bytes of the volume `usr.0` as lines of MSR contain them.
fn host_and_disk(name: &str) -> Result<Vec<u8>, String> {
    match name.rsplit_once('.') {
        Some((host, disk)) if !host.is_empty() && whole_number("", disk.as_bytes()).is_ok() => {
            Ok(format!("{host},{disk}").into_bytes())
        }
        _ => Err("a volume of an msr trace is a host and the number of its disk, as usr.0".into()),
    }
}

/// The bytes of the volume `6,0` as lines of FIU contain them.
fn major_and_minor(name: &str) -> Result<Vec<u8>, String> {
    let number = |text: &str| whole_number("", text.as_bytes()).is_ok();
    match name.split_once(',') {
        Some((major, minor)) if number(major) && number(minor) => {
            Ok(format!("{major} {minor}").into_bytes())
        }
        _ => {
            Err("a volume of an fiu trace is the major and minor number of a device, as 6,0".into())
        }
    }
}
