//! One client of the status page.
//!
//! Whoever reaches the address may send anything here. A client gets one answer, and then its connection ends; what it
//! sends and the time that it takes are limited.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::Body;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, rt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

use super::names::{BadHost, HostNames};
use super::pages::{PageKind, Pages};

/// The most bytes of the lines before a body, and the most of these lines.
const HEAD_BYTES: usize = 16 << 10;
const HEAD_LINES: usize = 64;
/// How long a client may take to leave after the answer, and the most that it may send meanwhile.
const FAREWELL: Duration = Duration::from_secs(1);
const FAREWELL_BYTES: usize = 1 << 20;

/// The limits of clients.
pub struct Rules {
    /// The names by which they may ask.
    pub names: HostNames,
    /// How long a client may take to send its request and to read the answer.
    pub patience: Duration,
}

impl Rules {
    /// With these names, and time for slow networks.
    pub fn with(names: HostNames) -> Self {
        Self {
            names,
            patience: Duration::from_secs(10),
        }
    }
}

/// Answers one request of a client.
pub async fn converse<S>(stream: &mut S, pages: &Pages, rules: &Rules)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let answer = async |request| Ok::<_, Infallible>(answer(&request, pages, &rules.names).await);
    let connection = http1::Builder::new()
        .keep_alive(false)
        // some clients end what they send after the request
        .half_close(true)
        .header_read_timeout(None)
        .max_headers(HEAD_LINES)
        .max_header_size(HEAD_BYTES)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(Socket(&mut *stream), service_fn(answer));
    // hyper answers a request that it cannot read, and a client that has gone is no error
    if timeout(rules.patience, connection).await.is_ok() {
        let _ = timeout(FAREWELL, farewell(stream)).await;
    }
}

/// Waits until the client has left. If the connection ended with its bytes unread, it might not get its answer.
async fn farewell(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let _ = std::future::poll_fn(|context| Pin::new(&mut *stream).poll_shutdown(context)).await;
    let (mut space, mut bytes) = ([0; 1 << 12], 0);
    while bytes < FAREWELL_BYTES {
        let read = std::future::poll_fn(|context| read(stream, context, &mut space)).await;
        match read {
            Ok(1..) => bytes += space.len(),
            _ => return,
        }
    }
}

async fn answer<B: Body>(
    request: &Request<B>,
    pages: &Pages,
    names: &HostNames,
) -> Response<String> {
    if let Err(wrong) = names.look_at(request) {
        return match wrong {
            BadHost::Malformed => refusal(
                StatusCode::BAD_REQUEST,
                "A request must have exactly one Host header.",
            ),
            BadHost::Strange => refusal(StatusCode::FORBIDDEN, STRANGE),
        };
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refusal = refusal(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET and HEAD are answered.",
        );
        let methods = HeaderValue::from_static("GET, HEAD");
        refusal.headers_mut().insert(ALLOW, methods);
        return refusal;
    }
    if !request.body().is_end_stream() {
        return refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "A request must have no body.",
        );
    }
    let Some(page) = PageKind::at(request.uri().path()) else {
        return refusal(
            StatusCode::NOT_FOUND,
            "The pages are /, /status.json and /metrics.",
        );
    };
    match pages.look().await.page(page) {
        Some(text) => response(StatusCode::OK, page.content_type(), text.to_owned()),
        None => refusal(StatusCode::SERVICE_UNAVAILABLE, "The drive is closed."),
    }
}

const STRANGE: &str = "The status page does not have this host name. Use the address or localhost, or start the server with \
                       --status-name NAME.";

fn refusal(status: StatusCode, sentence: &str) -> Response<String> {
    response(status, "text/plain; charset=utf-8", format!("{sentence}\n"))
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<String> {
    let mut response = Response::new(text);
    *response.status_mut() = status;
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in headers {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// A stream with the traits of hyper.
struct Socket<'a, S>(&'a mut S);

/// Reads the bytes that have come, as far as there is room.
fn read(
    stream: &mut (impl AsyncRead + Unpin),
    context: &mut Context<'_>,
    space: &mut [u8],
) -> Poll<io::Result<usize>> {
    let mut space = ReadBuf::new(space);
    ready!(Pin::new(stream).poll_read(context, &mut space))?;
    Poll::Ready(Ok(space.filled().len()))
}

impl<S: AsyncRead + Unpin> rt::Read for Socket<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut into: rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut space = [0; 1 << 12];
        let room = space.len().min(into.remaining());
        let bytes = ready!(read(&mut *self.0, context, &mut space[..room]))?;
        into.put_slice(&space[..bytes]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> rt::Write for Socket<'_, S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }
}
