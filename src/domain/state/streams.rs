//! The streams and bookmarks in a Singer state.

use jiff::Timestamp;

use crate::domain::json::{Document, Kind, Node, Text};
use crate::domain::moment::Instant;

/// The keys beside a stream's bookmark that describe it, or that runs keep for themselves; none is a bookmark.
const NOT_BOOKMARKS: [&str; 6] = [
    "context",
    "partitions",
    "progress_markers",
    "replication_key",
    "replication_key_signpost",
    "starting_replication_value",
];

/// Tells whether a key of a stream or partition may hold a bookmark, or values that hold bookmarks.
pub(in crate::domain) fn may_be_bookmark(key: &str) -> bool {
    !NOT_BOOKMARKS.contains(&key)
}

/// Holds one value that a stream, or one partition of it, goes on from.
#[derive(Clone, Copy)]
pub struct Bookmark<'d> {
    /// The stream's name.
    pub stream: Text<'d>,
    /// What tells the partition from its siblings; `None` outside partitions.
    pub context: Option<Node<'d>>,
    /// The name of the value: the replication key of a stream that names it (`replication_key_value`), else its own key.
    pub name: Text<'d>,
    /// The value.
    pub value: Node<'d>,
}

impl Bookmark<'_> {
    /// Gives the instant that the value spells, if it spells one.
    pub fn instant(&self) -> Option<Instant> {
        Instant::parse(&self.value.as_str()?.decoded())
    }
}

/// Tells how old the newest bookmark is, and which stream is furthest behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookmarkAges {
    /// The newest bookmark of all.
    pub newest: Timestamp,
    /// The newest bookmark of the stream that is furthest behind.
    pub oldest: Timestamp,
    /// That stream.
    pub oldest_stream: String,
}

impl BookmarkAges {
    /// Looks at every bookmark that spells an instant; `None` when there is none.
    pub fn of(document: &Document) -> Option<Self> {
        let mut newest_by_stream: Vec<(Text<'_>, Timestamp)> = Vec::new();
        visit(document, &mut |bookmark| {
            let Some(instant) = bookmark.instant() else {
                return;
            };
            match newest_by_stream.last_mut() {
                Some((stream, newest)) if *stream == bookmark.stream => {
                    *newest = instant.at.max(*newest);
                }
                _ => newest_by_stream.push((bookmark.stream, instant.at)),
            }
        });
        let newest = newest_by_stream.iter().map(|(_, at)| *at).max()?;
        let (stream, oldest) = newest_by_stream.iter().min_by_key(|(_, at)| *at)?;
        Some(Self {
            newest,
            oldest: *oldest,
            oldest_stream: stream.decoded().into_owned(),
        })
    }
}

/// Names the streams of a Singer state, in document order.
pub fn stream_names(document: &Document) -> Vec<Text<'_>> {
    streams(document)
        .into_iter()
        .flat_map(|node| node.effective_members())
        .filter_map(|member| member.key())
        .collect()
}

/// Finds a stream of a Singer state by its name.
pub fn stream<'d>(document: &'d Document, name: &str) -> Option<Node<'d>> {
    streams(document)?.get(name)
}

/// Lists the bookmarks of a Singer state, in document order.
pub fn bookmarks(document: &Document) -> Vec<Bookmark<'_>> {
    let mut found = Vec::new();
    visit(document, &mut |bookmark| found.push(bookmark));
    found
}

/// Lists the bookmarks of one stream, or of one of its partitions, without those of the partitions in it.
pub fn bookmarks_of(holder: Node<'_>) -> Vec<Bookmark<'_>> {
    let mut found = Vec::new();
    let mut around = std::iter::once(holder).chain(holder.ancestors().skip(1).take(1));
    if let Some(stream) = around.find_map(|node| node.key()) {
        let context = holder.get("context").filter(|_| holder.key().is_none());
        values(holder, stream, context, &mut |bookmark| {
            found.push(bookmark);
        });
    }
    found
}

/// Finds the object whose members are streams: `singer_state.bookmarks`, or `bookmarks` of a document without the wrapping.
fn streams(document: &Document) -> Option<Node<'_>> {
    let root = document.root();
    let singer = root.get("singer_state").unwrap_or(root);
    singer
        .get("bookmarks")
        .filter(|node| node.kind() == Kind::Object)
}

fn visit<'d>(document: &'d Document, found: &mut dyn FnMut(Bookmark<'d>)) {
    let Some(streams) = streams(document) else {
        return;
    };
    for stream in streams.effective_members() {
        let Some(name) = stream.key() else { continue };
        if stream.kind() != Kind::Object {
            found(Bookmark {
                stream: name,
                context: None,
                name,
                value: stream,
            });
            continue;
        }
        values(stream, name, None, found);
        let partitions = stream
            .get("partitions")
            .filter(|node| node.kind() == Kind::Array);
        for partition in partitions.into_iter().flat_map(|node| node.children()) {
            values(partition, name, partition.get("context"), found);
        }
    }
}

/// Finds the bookmark values in one stream or partition, below it too where a tap nests them.
fn values<'d>(
    holder: Node<'d>,
    stream: Text<'d>,
    context: Option<Node<'d>>,
    found: &mut dyn FnMut(Bookmark<'d>),
) {
    let mut pending = vec![holder];
    while let Some(object) = pending.pop() {
        let key_name = object.get("replication_key").and_then(|node| node.as_str());
        for member in object.effective_members() {
            let Some(key) = member.key() else { continue };
            if NOT_BOOKMARKS.iter().any(|name| key == *name) {
                continue;
            }
            match member.kind() {
                Kind::Object => pending.push(member),
                Kind::Array | Kind::Null | Kind::Bool => {}
                _ => {
                    let name = key_name
                        .filter(|_| key == "replication_key_value")
                        .unwrap_or(key);
                    found(Bookmark {
                        stream,
                        context,
                        name,
                        value: member,
                    });
                }
            }
        }
    }
}
