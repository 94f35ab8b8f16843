//! The data of host requests.

use ssdlab_flash::Lpn;

/// The data of the current request, page by page. Not called if the payload is `()`.
pub trait HostData<P> {
    /// The data that the host writes to a page.
    fn written(&mut self, lpn: Lpn) -> &P;

    /// Hands the data of a read page to the host. `None` means that the page was never written, or was discarded. Once
    /// a buffer that caches reads holds such a page, it reads as blank.
    fn read(&mut self, lpn: Lpn, page: Option<&P>);
}

/// No data, for the simulator.
pub struct NoData;

impl HostData<()> for NoData {
    fn written(&mut self, _: Lpn) -> &() {
        &()
    }

    fn read(&mut self, _: Lpn, _: Option<&()>) {}
}
