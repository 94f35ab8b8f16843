//! The status page: HTTP with a page for people, JSON, and the text format of Prometheus.
//!
//! It runs in a thread of its own, and never hurts the drive: clients, their bytes and their time are limited, a panic
//! ends one connection, and the drive is locked only to look at it, at most ten times a second.

mod history;
mod http;
mod names;
mod pages;

use std::collections::VecDeque;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ssdlab_drive::Status;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task;
use tokio::time::sleep;

pub use http::Rules;
pub(crate) use http::converse;
pub use names::HostNames;
pub(crate) use pages::Pages;

/// Clients at a time; a further one takes the place of the oldest.
const CLIENTS: usize = 16;
/// The time after which a failed listener is tried again: there may have been no descriptors.
const RETRY: Duration = Duration::from_millis(100);

/// A server of status pages.
pub struct StatusPage(State);

enum State {
    /// Its thread does not run yet.
    Bound(std::net::TcpListener, Rules),
    /// It answers until it is told to end.
    Running(oneshot::Sender<()>, JoinHandle<()>),
}

impl StatusPage {
    /// Listens, and says where: a port of 0 is any free one.
    ///
    /// # Errors
    /// The address cannot be used: the message for the user.
    pub fn bind(address: SocketAddr, rules: Rules) -> Result<(Self, SocketAddr), String> {
        let listener = std::net::TcpListener::bind(address);
        let listener = listener.map_err(|error| format!("status={address}: {error}"))?;
        let bound = listener.local_addr().unwrap_or(address);
        Ok((Self(State::Bound(listener, rules)), bound))
    }

    /// Begins to answer, with what `status` returns; it returns nothing once the drive is closed.
    ///
    /// # Errors
    /// No thread can be started: the message for the user.
    pub fn start(
        self,
        status: impl Fn() -> Option<Status> + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let State::Bound(listener, rules) = self.0 else {
            return Ok(self);
        };
        let failed = |error: &dyn Display| format!("the status page: {error}");
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let listener = {
            let _entered = runtime.enter();
            let set = listener.set_nonblocking(true);
            set.and_then(|()| TcpListener::from_std(listener))
                .map_err(|error| failed(&error))?
        };
        let (end, ended) = oneshot::channel();
        let clients = Clients::of(Pages::of(status), rules);
        let serve = move || run(&runtime, &listener, clients, ended);
        let thread = thread::Builder::new().name("status".into()).spawn(serve);
        let thread = thread.map_err(|error| failed(&error))?;
        Ok(Self(State::Running(end, thread)))
    }

    /// Ends. Clients that have no answer yet get none.
    pub fn end(self) {
        if let State::Running(end, thread) = self.0 {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// Answers until the end, whatever panics.
fn run(
    runtime: &Runtime,
    listener: &TcpListener,
    mut clients: Clients,
    mut ended: oneshot::Receiver<()>,
) {
    let _entered = runtime.enter();
    tokio::spawn(remember(Arc::clone(&clients.pages)));
    let mut serve = || runtime.block_on(serve(listener, &mut clients, &mut ended));
    while catch_unwind(AssertUnwindSafe(&mut serve)).is_err() {
        thread::sleep(RETRY);
    }
}

/// Looks at the drive now and then, for its history, until it is closed, whatever panics.
async fn remember(pages: Arc<Pages>) {
    loop {
        let pages = Arc::clone(&pages);
        match tokio::spawn(async move { pages.remember().await }).await {
            Ok(Some(pause)) => sleep(pause).await,
            Ok(None) => return,
            Err(_) => sleep(RETRY).await,
        }
    }
}

async fn serve(listener: &TcpListener, clients: &mut Clients, ended: &mut oneshot::Receiver<()>) {
    while let Some(accepted) = next(listener, ended).await {
        match accepted {
            Ok(client) => clients.add(client).await,
            Err(_) => sleep(RETRY).await,
        }
    }
}

/// The next client; none at the end.
async fn next(
    listener: &TcpListener,
    ended: &mut oneshot::Receiver<()>,
) -> Option<io::Result<TcpStream>> {
    poll_fn(|context| match Pin::new(&mut *ended).poll(context) {
        Poll::Ready(_) => Poll::Ready(None),
        Poll::Pending => {
            let accepted = listener.poll_accept(context);
            accepted.map(|accepted| Some(accepted.map(|(client, _)| client)))
        }
    })
    .await
}

/// The connected clients, the oldest first.
struct Clients {
    pages: Arc<Pages>,
    rules: Arc<Rules>,
    tasks: VecDeque<task::JoinHandle<()>>,
}

impl Clients {
    fn of(pages: Pages, rules: Rules) -> Self {
        Self {
            pages: Arc::new(pages),
            rules: Arc::new(rules),
            tasks: VecDeque::new(),
        }
    }

    /// Answers one more client. If there are too many, the oldest is dropped: it has had the most time.
    async fn add(&mut self, mut client: TcpStream) {
        self.tasks.retain(|task| !task.is_finished());
        if self.tasks.len() >= CLIENTS
            && let Some(oldest) = self.tasks.pop_front()
        {
            oldest.abort();
            // its descriptor is closed before another one is taken
            let _ = oldest.await;
        }
        let (pages, rules) = (Arc::clone(&self.pages), Arc::clone(&self.rules));
        // a panic ends this task only
        let task = tokio::spawn(async move { converse(&mut client, &pages, &rules).await });
        self.tasks.push_back(task);
    }
}
