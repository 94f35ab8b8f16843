//! Protected RAM must reach the flash before the power is gone.

use ssdlab_config::Resolver;
use ssdlab_drive::{Design, DriveError};

/// The preset of the BPLRU paper with a protected buffer and these settings.
fn bplru(more: &str) -> Result<Design, DriveError> {
    let mut resolver = Resolver::new();
    resolver.preset("bplru-2008");
    for setting in "flash.capacity=1GiB buffer.protected=true"
        .split(' ')
        .chain(more.split(' '))
    {
        resolver.set(setting).unwrap();
    }
    Design::new(resolver.resolve().unwrap())
}

#[test]
fn eight_mib_need_four_chips() {
    // 4096 pages of 850 us
    let error = bplru("buffer.size=8MiB")
        .err()
        .expect("refused")
        .to_string();
    assert!(
        error.starts_with(
            "drive.hold_ms must be at least 3482: the 4096 pages of protected RAM take 3.48 s"
        ),
        "{error}"
    );
    assert!(bplru("buffer.size=8MiB drive.hold_ms=3481").is_err());
    assert!(bplru("buffer.size=8MiB drive.hold_ms=3482").is_ok());
    assert!(bplru("buffer.size=8MiB flash.channels=2").is_err());
    for interleave in ["superpage", "page", "line"] {
        let chips = format!("buffer.size=8MiB flash.channels=4 flash.interleave={interleave}");
        assert!(bplru(&chips).is_ok(), "{interleave}");
    }
}

#[test]
fn a_buffer_that_is_not_protected_needs_no_power() {
    assert!(bplru("buffer.size=8MiB buffer.protected=false drive.hold_ms=0").is_ok());
}
