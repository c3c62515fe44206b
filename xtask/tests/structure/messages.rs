//! Tests that messages use `texunit_forms::Count` for a number with a noun, which prints the
//! singular for 1.

/// Nouns that messages use with a number.
const THINGS: &str = "\
    bytes CTAs threads times places texels elements lanes warps launches kernels files lines \
    words findings faults levels layers arguments parameters registers values instructions \
    errors warnings functions allocations fetches processes seconds cases channels rows units \
    operands devices textures surfaces accesses dimensions digits samples modules arrays axes";

/// Exceptions, each with the end of the file's name. Their expressions are not numbers, or are
/// never 1.
const OTHERS: [(&str, &str); 11] = [
    ("describe/texture.rs", "{} elements"),
    ("describe/texture.rs", "{} registers"),
    ("syntax/src/number.rs", "{name} digits"),
    ("instruction/data.rs", "{other} registers"),
    ("after_brackets.rs", "{} elements"),
    ("resource/limits.rs", "{format} texels"),
    ("sampler/refused.rs", "{format} texels"),
    ("files/src/lib.rs", "{} files"),
    ("cuda/src/texref.rs", "{} texels"),
    ("init/text.rs", "{0} bytes"),
    ("progress.rs", "{len} CTAs"),
];

/// A noun that follows a number in a line of source code, where the number is a format argument and
/// no constant.
fn counted(line: &str) -> Option<&str> {
    let ends = line.match_indices("} ").map(|(at, _)| at);
    ends.filter_map(|end| {
        let start = line[..end].rfind('{')?;
        let (number, after) = (&line[start + 1..end], &line[end + 2..]);
        let word = after.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let is_number =
            number.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        // The number is a part of a larger expression, such as `4 x 1 texels` or `1 to 3 operands`.
        let is_part = [" x ", " to "].iter().any(|before| line[..start].ends_with(before));
        let found = is_number && !is_part && THINGS.split(' ').any(|thing| thing == word);
        found.then(|| &line[start..end + 2 + word.len()])
    })
    .next()
}

#[test]
fn one_thing_is_no_plural() {
    let mut found = Vec::new();
    for (path, text) in crate::manifests::sources() {
        let name = path.display().to_string();
        if ["/tests/", "/tests.rs", "/testkit/"].iter().any(|part| name.contains(part)) {
            continue;
        }
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines =
            text.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains('"'));
        for said in lines.filter_map(counted) {
            if !OTHERS.iter().any(|(file, other)| name.ends_with(file) && said == *other) {
                found.push(format!("{name}: {said}"));
            }
        }
    }
    assert!(found.is_empty(), "use texunit_forms::Count:\n{}", found.join("\n"));
    assert_eq!(counted(r#"format!("{size} bytes are left")"#), Some("{size} bytes"));
    assert_eq!(counted(r#"format!("at most {MAX} bytes, {w} x {h} texels")"#), None);
}
