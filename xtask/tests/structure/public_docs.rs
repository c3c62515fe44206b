//! Tests that a public item's documentation does not refer to the item above it: an index and an
//! editor show it alone.

/// Beginnings of comments that refer to another comment.
const REFERRING: [&str; 2] = [concat!("/// Like", "wise"), "/// The same"];

/// The lines of a text where the comment of a public item refers to another comment, with line
/// numbers.
fn referring(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_public = |&(at, _): &(usize, &str)| {
        let item =
            lines[at..].iter().find(|line| !line.starts_with("///") && !line.starts_with("#["));
        item.is_some_and(|item| item.starts_with("pub "))
    };
    let begins = |at: usize| at == 0 || !lines[at - 1].starts_with("///");
    let all = lines.iter().copied().enumerate();
    all.filter(|&(at, line)| REFERRING.iter().any(|word| line.starts_with(word)) && begins(at))
        .filter(is_public)
        .map(|(at, line)| (at + 1, line))
        .collect()
}

#[test]
fn public_items_are_documented_by_themselves() {
    let mut found = Vec::new();
    for (path, text) in crate::manifests::sources() {
        found.extend(
            referring(&text).iter().map(|(n, line)| format!("{}:{n}: {line}", path.display())),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn comments_that_refer_to_others_are_found() {
    let text = "/// A.\npub fn a() {}\n/// The same.\n#[inline]\npub fn b() {}\n/// The same.\nfn c() {}\n\
                /// D is\n/// The same.\npub fn d() {}\n";
    assert_eq!(referring(text), [(3, "/// The same.")]);
}
