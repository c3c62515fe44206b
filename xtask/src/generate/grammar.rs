//! Expands the rules of grammar.txt, which describes them, and draws from the lists of texts in
//! pools.toml.

use super::setup::{any_register, good, near};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use texunit_testkit::Random;

/// A text that a rule can expand to.
struct Alternative {
    /// A variable and the beginning of its value, without which the alternative is not drawn.
    condition: Option<(&'static str, &'static str)>,
    weight: usize,
    text: String,
}

/// Values of variables by name. A rule sees those of the rule that uses it, and sets its own.
pub(crate) type Variables = BTreeMap<&'static str, String>;

/// The value of a variable that says whether something is so.
pub(crate) fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

static RULES: LazyLock<BTreeMap<&str, Vec<Alternative>>> = LazyLock::new(|| {
    let mut rules = BTreeMap::new();
    let mut name = "";
    for line in include_str!("grammar.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("    ") {
            Some(line) => {
                let read = Alternative::read(line).unwrap_or_else(|| panic!("grammar.txt: {line}"));
                rules.entry(name).or_insert_with(Vec::new).push(read);
            }
            None => name = line,
        }
    }
    rules
});

impl Alternative {
    /// Parses `[VARIABLE=BEGINNING] WEIGHT TEXT`.
    fn read(line: &'static str) -> Option<Self> {
        let (condition, line) = match line.strip_prefix('[') {
            Some(line) => {
                let (condition, line) = line.split_once("] ")?;
                (Some(condition.split_once('=')?), line)
            }
            None => (None, line),
        };
        let (weight, text) = line.split_once(' ').unwrap_or((line, ""));
        let text = text.replace("\\n", "\n").replace("\\s", " ").replace("\\t", "\t");
        Some(Self { condition, weight: weight.parse().ok()?, text })
    }

    fn fits(&self, variables: &Variables) -> bool {
        self.condition.is_none_or(|(name, begin)| {
            variables.get(name).is_some_and(|value| value.starts_with(begin))
        })
    }
}

/// A random text of a rule, with these variables.
pub(crate) fn expand(rule: &str, variables: &Variables, random: &mut Random) -> String {
    let ty = || variables.get("ty").map_or("b32", String::as_str);
    let all = match (rule, RULES.get(rule)) {
        ("any_register", _) => return any_register(random),
        ("good", _) => return good(ty(), random),
        ("near", _) => return near(ty(), random),
        (_, None) => return draw(rule, random).to_owned(),
        (_, Some(all)) => all,
    };
    let mut variables = variables.clone();
    let fitting: Vec<_> = all.iter().filter(|one| one.fits(&variables)).collect();
    let drawn = weighted(fitting.iter().map(|one| one.weight), random);
    let mut rest = drawn.map_or("", |n| &fitting[n].text);
    let mut out = String::new();
    while let Some((before, place, after)) = next_place(rest) {
        out += before;
        out += &filled(place, &mut variables, random);
        rest = after;
    }
    out + rest
}

/// The index of a random one of these weights.
pub(super) fn weighted(
    weights: impl Iterator<Item = usize> + Clone,
    random: &mut Random,
) -> Option<usize> {
    let mut left = random.below(weights.clone().sum::<usize>());
    weights.into_iter().position(|weight| {
        let is_it = left < weight;
        left = left.saturating_sub(weight);
        is_it
    })
}

/// The first place in a text, with what comes before and after it: `<` and a small letter or `!`,
/// because PTX has numbers and capital letters there.
fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let begins = |&(at, _): &(usize, &str)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_lowercase() || c == '!')
    };
    let (at, _) = text.match_indices('<').find(begins)?;
    let (place, after) = text[at + 1..].split_once('>')?;
    Some((&text[..at], place, after))
}

/// The text that a place `!VARIABLES=RULE:TYPE*COUNT?PERCENT` is replaced by.
fn filled(place: &'static str, variables: &mut Variables, random: &mut Random) -> String {
    let (place, percent) = place.split_once('?').unwrap_or((place, "100"));
    if !random.chance(percent.parse().expect("a number after `?`")) {
        return String::new();
    }
    let (set, rule) = place.split_once('=').unwrap_or(("", place));
    let (rule, count) = rule.split_once('*').unwrap_or((rule, "1"));
    let count = value(count, variables, random).parse().expect("a number after `*`");
    let all: Vec<_> = (0..count).map(|_| value(rule, variables, random)).collect();
    let value = all.join(",");
    let names: Vec<_> = set.trim_start_matches('!').split(',').filter(|n| !n.is_empty()).collect();
    let words = value.splitn(names.len().max(1), ' ').map(str::to_owned);
    variables.extend(names.into_iter().zip(words));
    if set.starts_with('!') { String::new() } else { value }
}

/// The text of `RULE:TYPE`, in which either can be a variable; a number is its own text.
fn value(rule: &str, variables: &Variables, random: &mut Random) -> String {
    match (rule.split_once(':'), variables.get(rule)) {
        (Some((rule, ty)), _) => {
            let ty = variables.get(ty).cloned().unwrap_or_else(|| ty.to_owned());
            let mut variables = variables.clone();
            variables.insert("ty", ty);
            expand(rule, &variables, random)
        }
        (None, Some(value)) => value.clone(),
        (None, None) if rule.starts_with(|c: char| c.is_ascii_digit()) => rule.to_owned(),
        (None, None) => expand(rule, variables, random),
    }
}

static POOLS: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let pools: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("pools.toml")).expect("pools.toml has lists of texts");
    let leaked = |list: Vec<String>| list.into_iter().map(|text| &*text.leak()).collect();
    pools.into_iter().map(|(name, list)| (name, leaked(list))).collect()
});

/// The texts of a pool.
pub(super) fn pool(name: &str) -> &'static [&'static str] {
    &POOLS[name]
}

/// A random text of a pool.
pub(super) fn draw(name: &str, random: &mut Random) -> &'static str {
    random.of(pool(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rule can be expanded, so that all names in it are those of rules, pools or variables.
    #[test]
    fn no_place_is_left() {
        let names = "a arch at axes bits compare element field first from geometry guard handles \
            head kept0 kept1 kept2 kept3 kernel kind name parameter parameter0 parameter1 \
            parameter2 parameter3 result0 result1 result2 result3 second shift sp space t there \
            type what";
        let mut given: Variables = names.split(' ').map(|name| (name, "u32".to_owned())).collect();
        given.extend(super::super::instruction::properties(&["level", "2d", "v4", "f32"]));
        given.insert("axes", "2".to_owned());
        for rule in RULES.keys() {
            for seed in 0..200 {
                let text = expand(rule, &given, &mut Random::new(seed));
                assert_eq!(next_place(&text), None, "{rule}: {text}");
            }
        }
    }

    #[test]
    fn a_value_is_kept_for_its_rule() {
        let text = expand("scoped", &Variables::new(), &mut Random::new(3));
        assert!(text.starts_with("{ ") && text.ends_with(" }"), "{text}");
        let (set, place) = (&mut Variables::new(), "!name,space,ty=numbered");
        assert_eq!(filled(place, set, &mut Random::new(1)), "");
        assert_eq!(set.len(), 3, "{set:?}");
        assert_eq!(filled("name", set, &mut Random::new(2)), set["name"]);
    }
}
