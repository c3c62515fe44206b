//! Reads Markdown pages of the documentation, for tests that compare them with the code.

/// A page without its anchors, `<a id="rule-1.8"></a>`, which are link targets that readers do not
/// see.
///
/// ```text
/// # use texunit_testkit::pages::without_anchors;
/// assert_eq!(without_anchors("| <a id=\"rule-1.8\"></a>1.8 | With"), "| 1.8 | With");
/// ```
pub fn without_anchors(page: &str) -> String {
    let mut parts = page.split("<a id=\"");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once("\"></a>").map_or(part, |(_, behind)| behind);
    }
    text
}

/// The names of a page's anchors, such as `rule-1.8`, in order.
pub fn anchors(page: &str) -> Vec<&str> {
    page.split("<a id=\"").skip(1).filter_map(|part| part.split('"').next()).collect()
}
