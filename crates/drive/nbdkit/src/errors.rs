//! Errors in the words and numbers of nbdkit.

use nbdkit::Error;
use ssdlab_drive::{DeviceError, DriveError, Fault, FtlError, ReadOnly};
use ssdlab_words::shown_text;

/// The error of a request, with the number that the client gets.
pub fn of_request(error: DriveError) -> Error {
    Error::new(number(&error), error.to_string())
}

/// NBD knows few numbers, and nbdkit makes EIO of the others. A full disk below the image and missing memory are among
/// them.
fn number(error: &DriveError) -> i32 {
    match error {
        DriveError::Device(DeviceError::PastCapacity { .. }) => libc::EINVAL,
        DriveError::Device(DeviceError::Ftl(FtlError::Flash(Fault::Io(code))))
        | DriveError::ReadOnly(ReadOnly::Image(code))
            if matches!(*code, libc::ENOSPC | libc::EDQUOT | libc::ENOMEM) =>
        {
            *code
        }
        DriveError::ReadOnly(ReadOnly::WornOut | ReadOnly::Protected(_)) => libc::EROFS,
        _ => libc::EIO,
    }
}

/// An error that the user has to mend.
pub fn of_user(message: impl Into<String>) -> Error {
    Error::new(libc::EINVAL, shown_text(&message.into()))
}
