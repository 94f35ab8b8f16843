//! Random requests that suit the size of a device.

use proptest::prelude::*;
use ssdlab_host::{Op, Request};

use super::shape::{Flash, PAGE_SIZE};

/// The pages that a request covers.
#[derive(Clone, Copy, Debug)]
enum Cover {
    /// A few whole pages.
    Pages,
    /// Any range of bytes.
    Bytes,
    /// The first pages of a block.
    Prefix,
    /// Whole blocks in order.
    Blocks,
    /// Nothing: must be refused, unless it is a flush.
    Nothing,
}

/// A request, before the size of the device is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    op: Op,
    cover: Cover,
    at: u64,
    length: u64,
    /// Nanoseconds since the previous request; may be negative.
    step_ns: i64,
    stream: u16,
    /// Do not cut the request at the end of the device: if it reaches further, it must be refused.
    uncut: bool,
}

pub(super) fn wish() -> impl Strategy<Value = Wish> {
    let op = prop_oneof![
        6 => Just(Op::Write),
        2 => Just(Op::Read),
        1 => Just(Op::Discard),
        1 => Just(Op::Flush),
    ];
    let cover = prop_oneof![
        50 => Just(Cover::Pages),
        20 => Just(Cover::Bytes),
        15 => Just(Cover::Prefix),
        14 => Just(Cover::Blocks),
        1 => Just(Cover::Nothing),
    ];
    // some regions are hot
    let at = prop_oneof![0_u64..8, any::<u32>().prop_map(u64::from)];
    let step = prop_oneof![4 => 0_i64..1000, 1 => -2000_i64..0];
    let length = (any::<u16>(), prop_oneof![4 => 0_u16..3, 1 => 3_u16..9]);
    (op, cover, at, length, step, prop::bool::weighted(0.05)).prop_map(
        |(op, cover, at, (length, stream), step_ns, uncut)| Wish {
            op,
            cover,
            at,
            length: u64::from(length),
            stream,
            step_ns,
            uncut,
        },
    )
}

pub(super) fn requests_for(flash: &Flash, wrap: bool, wishes: Vec<Wish>) -> Vec<Request> {
    let mut time_ns = 0_u64;
    let mut request = |wish: Wish| {
        time_ns = time_ns.saturating_add_signed(wish.step_ns);
        let (offset, size) = range_for(flash, wrap, &wish);
        let request = Request::new(time_ns, wish.op, offset, size).expect("a small device");
        request.in_stream(wish.stream)
    };
    wishes.into_iter().map(&mut request).collect()
}

fn range_for(flash: &Flash, wrap: bool, wish: &Wish) -> (u64, u64) {
    let Wish { at, length, .. } = *wish;
    let block = flash.block_bytes();
    let reach = if wrap { 3 } else { 1 } * flash.capacity();
    let (offset, size) = match wish.cover {
        Cover::Pages => (at * PAGE_SIZE, (1 + length % 4) * PAGE_SIZE),
        Cover::Bytes => (at * 100, 1 + length % (5 * PAGE_SIZE)),
        Cover::Prefix => (at * block, (1 + length % flash.pages_per_block) * PAGE_SIZE),
        Cover::Blocks => (at * block, (1 + length % 2) * block),
        Cover::Nothing => (at, 0),
    };
    let offset = offset % reach;
    let room = if wrap {
        flash.capacity()
    } else {
        flash.capacity() - offset
    };
    let size = if wish.uncut { size } else { size.min(room) };
    (offset, size)
}
