//! Requests of NBD clients to the plugin of nbdkit, without nbdkit: what a client is answered, and what the drive holds
//! after the plugin has closed it.
//!
//! An input is a byte (odd: the disk is memory), the choices of the drive, and requests, as nbdkit hands them to the
//! plugin. It refuses ranges beyond the capacity itself, but the plugin does not rely on that.

use ssdlab_disks::{End, Host, LoggedDisk, Request};
use ssdlab_nbdkit::alone::{ClientRequest, Reply, Served};

use crate::design;
use crate::host::range;
use crate::input::Input;

/// The most requests of an input.
const REQUESTS: usize = 100;

pub fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let is_memory = input.byte() & 1 == 1;
    let Some(made) = design::chosen(&mut input) else {
        return;
    };
    let disk = LoggedDisk::of(made.image.to_vec(), is_memory);
    let drive = made.open(&disk);
    let mut host = Host::new(&made.design);
    let served = Served::new(drive);
    for _ in 0..REQUESTS {
        if input.is_empty() {
            break;
        }
        let sent = request(&mut input, &host);
        answered(&served, &sent, &mut host, made.has_faults);
    }
    assert!(served.status().is_some());
    let closed = served.close();
    assert!(closed.is_ok() || made.has_faults, "{closed:?}");
    let end = if closed.is_ok() {
        End::Kept
    } else {
        End::Killed
    };
    let verified = host.verify_what_is_left(&mut made.open(&disk.again()), end);
    assert!(verified.is_ok() || made.has_faults, "{verified:?}");
}

/// The next request. Its range may be any.
fn request(input: &mut Input, host: &Host) -> ClientRequest {
    let (kind, flags) = (input.byte(), input.byte());
    let (offset, length) = range(flags >> 5, input, host.capacity());
    let length = match flags >> 5 {
        // as long as nbdkit allows
        7 if flags & 16 != 0 => u32::MAX,
        _ => length as u32,
    };
    let is = |flag: u8| flags & flag != 0;
    let durable = is(1);
    match kind % 8 {
        0..3 => ClientRequest::Write {
            offset,
            bytes: host.next_data(offset, u64::from(length).min(1 << 16)),
            durable,
        },
        3 => ClientRequest::Read { offset, length },
        4 => ClientRequest::Trim {
            offset,
            length,
            durable,
        },
        5 => ClientRequest::Zero {
            offset,
            length,
            durable,
            holes: is(2),
            fast: is(4),
        },
        6 => ClientRequest::Extents {
            offset,
            length,
            first: is(2),
        },
        _ => ClientRequest::Flush,
    }
}

/// Sends a request. The answer must be what the client knows.
fn answered(served: &Served, sent: &ClientRequest, host: &mut Host, has_faults: bool) {
    let (request, durable) = as_known(sent);
    let is_refused = matches!(
        sent,
        ClientRequest::Zero {
            holes: false,
            fast: true,
            ..
        }
    );
    if !is_refused {
        host.begin(request);
    }
    let reply = served.serve(sent);
    match (sent, &reply) {
        (ClientRequest::Read { offset, length }, Ok(Reply::Bytes(bytes))) => {
            assert_eq!(bytes.len() as u64, u64::from(*length));
            host.knows(*offset, bytes);
        }
        (_, Ok(Reply::Extents(parts))) => extents(sent, parts, host),
        (_, Ok(Reply::Done)) => {}
        (_, Ok(other)) => panic!("{other:?} for {sent:?}"),
        (_, Err(message)) => {
            let is_allowed = has_faults || is_refused || host.is_beyond(request);
            assert!(is_allowed, "{sent:?}: {message}");
        }
    }
    if is_refused {
        assert!(reply.is_err(), "{sent:?} is done");
        return;
    }
    if reply.is_ok() {
        host.end(request);
        if durable {
            host.model.flushed(true);
        }
    }
}

/// A request as the model knows it, and whether it makes all durable.
fn as_known(sent: &ClientRequest) -> (Request, bool) {
    match *sent {
        ClientRequest::Read { offset: at, length }
        | ClientRequest::Extents {
            offset: at, length, ..
        } => {
            let length = length.into();
            (Request::Read { at, length }, false)
        }
        ClientRequest::Write {
            offset: at,
            ref bytes,
            durable,
        } => {
            let length = bytes.len() as u64;
            (Request::Write { at, length }, durable)
        }
        ClientRequest::Trim {
            offset: at,
            length,
            durable,
        } => {
            let length = length.into();
            (Request::Trim { at, length }, durable)
        }
        ClientRequest::Zero {
            offset: at,
            length,
            durable,
            ..
        } => {
            let length = length.into();
            (Request::Zero { at, length }, durable)
        }
        ClientRequest::Flush => (Request::Flush, true),
    }
}

/// Parts follow each other from the beginning of the range on. What is a hole reads as zeros.
fn extents(sent: &ClientRequest, parts: &[(u64, u64, bool)], host: &Host) {
    let ClientRequest::Extents {
        offset,
        length,
        first,
    } = *sent
    else {
        panic!("extents for {sent:?}");
    };
    let mut at = offset;
    for &(begin, bytes, has_data) in parts {
        assert!(begin == at && bytes > 0, "{parts:?} for {sent:?}");
        at += bytes;
        if !has_data {
            host.knows(begin, &vec![0; bytes as usize]);
        }
    }
    assert!(at <= offset + u64::from(length), "{parts:?} for {sent:?}");
    // the drive is small, so no part is left out
    let is_whole = at == offset + u64::from(length);
    assert!(
        is_whole || first && parts.len() == 1,
        "{parts:?} for {sent:?}"
    );
}
