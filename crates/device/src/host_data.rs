//! Where the bytes of host requests come from and go to.

use ssdlab_flash::Lpn;

/// The data of the request being served, page by page. Where pages carry nothing it is never asked.
pub trait HostData<P> {
    /// What the host writes to a page.
    fn written(&mut self, lpn: Lpn) -> &P;

    /// What the host reads from a page; `None`: it was never written, or discarded since. Such a page reads as blank
    /// once a buffer that caches reads holds it.
    fn read(&mut self, lpn: Lpn, page: Option<&P>);
}

/// For the simulator.
pub struct NoData;

impl HostData<()> for NoData {
    fn written(&mut self, _: Lpn) -> &() {
        &()
    }

    fn read(&mut self, _: Lpn, _: Option<&()>) {}
}
