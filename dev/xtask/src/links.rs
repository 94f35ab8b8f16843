//! The links of Markdown documents: where they lead, and whether they do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What a document refers to, and what others can refer to in it.
#[derive(Debug, Default)]
pub struct Document {
    /// The text of its first heading.
    pub title: String,
    /// Targets of links and pictures, as they are written.
    pub links: Vec<String>,
    /// The headings of the second level, with the links below each.
    pub sections: Vec<(String, Vec<String>)>,
    /// The anchors of its headings, and those of its HTML.
    pub anchors: BTreeSet<String>,
}

impl Document {
    pub fn read(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading: Option<(HeadingLevel, String)> = None;
        let mut times = BTreeMap::<String, u32>::new();
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
                Event::End(TagEnd::Heading(level)) => {
                    let (_, text) = heading.take().unwrap_or((level, String::new()));
                    let slug = slug(&text);
                    let time = times.entry(slug.clone()).or_default();
                    document.anchors.insert(match *time {
                        0 => slug,
                        n => format!("{slug}-{n}"),
                    });
                    *time += 1;
                    if level == HeadingLevel::H2 {
                        document.sections.push((text, Vec::new()));
                    } else if document.title.is_empty() {
                        document.title = text;
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    if let Some((_, links)) = document.sections.last_mut() {
                        links.push(dest_url.to_string());
                    }
                    document.links.push(dest_url.into_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    document.links.extend(attributes(&html, &["href", "src"]));
                    document.anchors.extend(attributes(&html, &["id", "name"]));
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some((_, heading)) = &mut heading {
                        *heading += &text;
                    }
                }
                _ => {}
            }
        }
        document
    }
}

/// The anchor of a heading: as mdBook and the common hosts of repositories make it.
fn slug(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    letters.flat_map(char::to_lowercase).collect()
}

/// The values of these attributes, in the order of the text. They stand in double quotes.
pub fn attributes(html: &str, names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in html.match_indices("=\"") {
        let name = html[..at].rsplit([' ', '\n', '<']).next();
        let value = html[at + 2..].split('"').next();
        if let (Some(name), Some(value)) = (name, value)
            && names.contains(&name)
        {
            found.push(value.replace("&amp;", "&"));
        }
    }
    found
}

/// The file and the anchor of a link in `document`, below the root; `None` if it leads elsewhere: to the network, or into
/// data of its own.
pub fn target<'a>(document: &Path, link: &'a str) -> Option<(PathBuf, &'a str)> {
    let is_outside = ["http:", "https:", "data:", "mailto:", "javascript:"]
        .iter()
        .any(|scheme| link.starts_with(scheme));
    if is_outside {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut file = match path {
        "" => return Some((document.to_owned(), anchor)),
        _ => document.parent().unwrap_or(Path::new("")).to_owned(),
    };
    for part in Path::new(path.split('?').next().unwrap_or(path)).components() {
        match part {
            Component::ParentDir if file.as_os_str().is_empty() => file.push(".."),
            Component::ParentDir => {
                file.pop();
            }
            Component::Normal(name) => file.push(name),
            _ => {}
        }
    }
    Some((file, anchor))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tree;

    // Planted bugs: a link in a block of code; a heading's code left out; the second of two equal headings.
    #[test]
    fn links_and_anchors_are_found() {
        let text = "# A `b-c` (d), 1 %\n[a](x.md#y) ![p](p.svg)\n```text\n[no](no.md)\n```\n## E\n<a id=\"z\" href=\"h.md\">\n\n## E\n[r]\n\n[r]: r.md\n";
        let document = Document::read(text);
        assert_eq!(document.title, "A b-c (d), 1 %");
        let links = ["x.md#y", "p.svg", "h.md", "r.md"];
        assert_eq!(document.links, links);
        let anchors = ["a-b-c-d-1-", "e", "e-1", "z"].map(str::to_owned);
        assert_eq!(document.anchors, anchors.into());
        let to = |link| {
            target(Path::new("docs/a.md"), link)
                .map(|(file, anchor)| (file.display().to_string(), anchor))
        };
        assert_eq!(to("../b/c.md#d"), Some(("b/c.md".into(), "d")));
        assert_eq!(to("#d"), Some(("docs/a.md".into(), "d")));
        assert_eq!(to("https://a.b/c"), None);
    }

    // Planted bugs: a link to a page that is gone, or to a heading that was renamed.
    #[test]
    fn no_link_of_a_document_is_dead() {
        let root = tree::root();
        let read = |name: &Path| Document::read(&fs::read_to_string(root.join(name)).unwrap());
        let mut documents = BTreeMap::new();
        for name in tree::documents(root).unwrap() {
            let document = read(&name);
            // the links of the site's first page are those of a page in the root
            let is_first = name.starts_with("dev/site");
            let place = if is_first { "index.md".into() } else { name };
            documents.insert(place, document);
        }
        let (mut links, mut dead) = (0, String::new());
        for (name, document) in &documents {
            let targets = document.links.iter();
            for (link, (file, anchor)) in
                targets.filter_map(|link| Some((link, target(name, link)?)))
            {
                links += 1;
                let other: Option<&Document> = documents.get(&file);
                let has =
                    anchor.is_empty() || other.is_none_or(|other| other.anchors.contains(anchor));
                if !has || other.is_none() && !root.join(&file).exists() {
                    dead += &format!("{}: {link}\n", name.display());
                }
            }
        }
        assert!(links > 500, "{links}");
        assert!(dead.is_empty(), "dead links:\n{dead}");
    }
}
