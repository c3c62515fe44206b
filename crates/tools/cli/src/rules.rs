//! The rules of docs/numerics.md, parsed from the page, which explanations cite by number.

use std::sync::LazyLock;

/// The page without its anchors.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let mut parts = include_str!("../../../../docs/numerics.md").split("<a id=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |page, part| {
        page + part.split_once("\"></a>").map_or(part, |(_, behind)| behind)
    })
});

/// A rule, or a section of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The number: `1.8`; for a section, `2`.
    pub number: String,
    /// The heading of its section: `From a coordinate to a texel`.
    pub title: &'static str,
    /// The text in paragraphs.
    pub paragraphs: Vec<String>,
    /// The evidence marks (`M`, `S`), each as in the rule's cell.
    pub known: Vec<&'static str>,
}

/// A section: number, heading and lines.
struct Section {
    number: &'static str,
    title: &'static str,
    text: &'static str,
}

fn sections() -> impl Iterator<Item = Section> {
    let page: &'static str = &PAGE;
    page.split("\n## ").skip(1).filter_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        let (number, title) = heading.split_once(". ")?;
        number.bytes().all(|b| b.is_ascii_digit()).then_some(Section { number, title, text })
    })
}

/// The cells of a table row.
fn cells(line: &'static str) -> Vec<&'static str> {
    let Some(row) = line.strip_prefix("| ") else { return Vec::new() };
    row.trim_end().trim_end_matches('|').split(" | ").map(str::trim).collect()
}

/// The number at the beginning of a row's first cell, and the cell's further text.
fn subject(cell: &'static str) -> (&'static str, &'static str) {
    cell.split_once(' ').unwrap_or((cell, ""))
}

/// Heading and text of a numbered subsection, `### 8.1 What can be created`.
fn part(section: &'static str, number: &str) -> Option<(&'static str, &'static str)> {
    section.split("\n### ").skip(1).find_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        Some((heading.strip_prefix(number)?.strip_prefix(' ')?, text))
    })
}

/// The rule or section with a number.
pub fn find(number: &str) -> Option<Rule> {
    let (chapter, rest) = number.split_once('.').unwrap_or((number, ""));
    let Section { title, text, .. } = sections().find(|s| s.number == chapter)?;
    let whole = match rest {
        "" if number != chapter => return None,
        "" => Some((title, text)),
        _ => part(text, number),
    };
    let mut rule = Rule { number: number.to_owned(), title, ..Rule::default() };
    if let Some((title, text)) = whole {
        return Some(Rule { title, paragraphs: vec![text.trim().to_owned()], ..rule });
    }
    for line in text.lines() {
        let row = cells(line);
        let &[head, says, ref mark @ ..] = row.as_slice() else { continue };
        let (found, about) = subject(head);
        if found != number {
            continue;
        }
        let about = if about.is_empty() { String::new() } else { format!("({about}) ") };
        rule.paragraphs.push(format!("{about}{says}"));
        rule.known.extend(mark);
    }
    // A rule without a table row is part of a paragraph: `The layer is clamped (8.1).`
    if rule.paragraphs.is_empty() {
        let cited =
            |p: &&str| p.contains(&format!("({number})")) || p.contains(&format!("{number} "));
        rule.paragraphs.extend(text.split("\n\n").filter(cited).map(|p| p.trim().to_owned()));
    }
    (!rule.paragraphs.is_empty()).then_some(rule)
}

/// Numbers of all sections and rules, in the order of the page.
pub fn numbers() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for section in sections() {
        all.push(section.number.to_owned());
        for line in section.text.lines() {
            let head = cells(line).first().copied().or(line.strip_prefix("### "));
            let number = head.map_or("", |cell| subject(cell).0);
            let is_rule = number.strip_prefix(section.number).is_some_and(|n| n.starts_with('.'));
            if is_rule && all.last().is_none_or(|last| last != number) {
                all.push(number.to_owned());
            }
        }
    }
    all
}

/// The meaning of a mark.
pub fn meaning(mark: &str) -> &'static str {
    let first = mark.split([',', ';']).next().unwrap_or_default();
    match first.split_once(' ').unwrap_or((first, "")) {
        ("S", _) => "specified by the PTX ISA or the CUDA documentation",
        ("M", "H200") => "measured on an H200",
        ("M", "H200 (GL)") => "measured on an H200, through OpenGL",
        ("M", "both") => "measured on a GeForce RTX 3060 and on an H200",
        // Section 13 is about the RTX 3060 only.
        ("M", "" | "RTX 3060") => "measured on a GeForce RTX 3060",
        ("M-", _) => {
            "from the analysis of the measurements, though none of the published results depends on it"
        }
        ("ptxas", _) => "as NVIDIA's assembler computes it",
        ("A", _) => "assumed: nothing that we have settles it",
        _ => "see \"How we know\" in docs/numerics.md",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_text() {
        let all = numbers();
        assert!(all.len() > 80, "{all:?}");
        for number in &all {
            let rule = find(number).unwrap_or_else(|| panic!("{number}"));
            assert!(
                !rule.title.is_empty() && rule.paragraphs.iter().all(|p| p.len() > 10),
                "{rule:?}"
            );
            assert!(rule.known.iter().all(|mark| !meaning(mark).starts_with("see")), "{rule:?}");
        }
        let unnormalized = find("1.8").unwrap();
        assert_eq!(unnormalized.title, "From a coordinate to a texel");
        assert!(unnormalized.paragraphs[0].contains("wrap and mirror act as clamp"));
        assert_eq!(unnormalized.known, ["M both, S"]);
        assert_eq!(find("1.7").unwrap().paragraphs.len(), 2);
        for wrong in ["", "0", "1.", "1.99", "99", "1.8.1", ".", "x"] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn marks_name_their_card() {
        for (mark, wanted) in [
            ("M both; taps M H200", "measured on a GeForce RTX 3060 and on an H200"),
            ("M H200, all 2^32 operands", "measured on an H200"),
            ("M H200 (GL)", "measured on an H200, through OpenGL"),
            ("M RTX 3060", "measured on a GeForce RTX 3060"),
            ("M; 32 bits S", "measured on a GeForce RTX 3060"),
        ] {
            assert_eq!(meaning(mark), wanted, "{mark}");
        }
        assert!(meaning("M RTX 4090").starts_with("see"), "no such card was asked");
    }

    /// Every rule that explanations cite can be looked up.
    #[test]
    fn cited_rules_are_found() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/explain");
        let mut cited = std::collections::BTreeSet::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "txt") {
                for part in std::fs::read_to_string(path).unwrap().split('[').skip(1) {
                    let number = part.split(']').next().unwrap().to_owned();
                    if number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(',') {
                        cited.insert(number);
                    }
                }
            }
        }
        assert!(cited.len() > 5, "{cited:?}");
        for number in cited {
            assert!(find(&number).is_some(), "{number}");
        }
    }
}
