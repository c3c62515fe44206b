//! Paths to values in nested TOML tables, by which a job is searched and edited.

use toml::{Table, Value};

/// A step of a path: a key of a table, or an index of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// The path from the root table to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

impl Path {
    pub(super) fn of(keys: &[&str]) -> Self {
        Self(keys.iter().map(|key| Step::Key((*key).to_owned())).collect())
    }

    pub(super) fn key(&self, key: &str) -> Self {
        self.and(Step::Key(key.to_owned()))
    }

    pub(super) fn item(&self, number: usize) -> Self {
        self.and(Step::Item(number))
    }

    fn and(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// Whether the path is a key of the root table.
    pub(super) fn is_top(&self) -> bool {
        self.0.len() == 1
    }

    pub(super) fn ends_in(&self, key: &str) -> bool {
        matches!(self.0.last(), Some(Step::Key(last)) if last == key)
    }

    pub(super) fn get<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        let (first, rest) = self.0.split_first()?;
        let Step::Key(key) = first else { return None };
        rest.iter().try_fold(table.get(key)?, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Item(number) => value.get(number),
        })
    }

    pub(super) fn get_mut<'t>(&self, table: &'t mut Table) -> Option<&'t mut Value> {
        let (first, rest) = self.0.split_first()?;
        let Step::Key(key) = first else { return None };
        rest.iter().try_fold(table.get_mut(key)?, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Item(number) => value.get_mut(number),
        })
    }

    /// The path of the table or array that contains the value.
    pub(super) fn above(&self) -> Option<Self> {
        let (_, above) = self.0.split_last()?;
        (!above.is_empty()).then(|| Self(above.to_vec()))
    }

    /// Removes the value from its table, if it exists.
    pub(super) fn remove(&self, table: &mut Table) {
        let Some((Step::Key(last), above)) = self.0.split_last() else { return };
        let inner = match above {
            [] => Some(table),
            _ => Self(above.to_vec()).get_mut(table).and_then(Value::as_table_mut),
        };
        inner.and_then(|table| table.remove(last));
    }
}

/// The paths of all keys of a table and its inner tables, outer keys first.
pub(super) fn keys(table: &Table) -> Vec<Path> {
    let mut found = Vec::new();
    let mut level = vec![Path::default()];
    while !level.is_empty() {
        let mut next = Vec::new();
        for place in level {
            match place.get(table) {
                Some(Value::Array(list)) => {
                    let tables = (0..list.len()).filter(|&n| list[n].is_table());
                    next.extend(tables.map(|n| place.item(n)));
                }
                Some(Value::Table(inner)) => next.extend(inner.keys().map(|key| place.key(key))),
                Some(_) => {}
                None => next.extend(table.keys().map(|key| place.key(key))),
            }
        }
        found.extend(next.iter().filter(|p| matches!(p.0.last(), Some(Step::Key(_)))).cloned());
        level = next;
    }
    found
}

/// Maximum length of a list of settings; longer lists are contents.
const LONG: usize = 16;

/// The paths of all integers of a table, except those in long lists.
pub(super) fn numbers(table: &Table) -> Vec<Path> {
    let mut found = Vec::new();
    for (key, value) in table {
        below(&Path::default().key(key), value, &mut found);
    }
    found
}

fn below(place: &Path, value: &Value, found: &mut Vec<Path>) {
    match value {
        Value::Integer(_) => found.push(place.clone()),
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| below(&place.key(key), value, found));
        }
        Value::Array(list) if list.len() <= LONG => {
            list.iter().enumerate().for_each(|(n, value)| below(&place.item(n), value, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let mut table: Table = "a = 1\nb = [2, 3]\n[c.d]\ne = 4\n[[f]]\ng = 5\n".parse().unwrap();
        let key = |path: &Path| match path.0.last() {
            Some(Step::Key(key)) => key.clone(),
            other => panic!("{other:?}"),
        };
        let mut shown: Vec<_> = keys(&table).iter().map(key).collect();
        let at = |key: &str| shown.iter().position(|shown| shown == key);
        assert!(at("c") < at("e"), "outer keys are first: {shown:?}");
        shown.sort();
        assert_eq!(shown, ["a", "b", "c", "d", "e", "f", "g"]);
        let values: Vec<_> =
            numbers(&table).iter().map(|p| p.get(&table).unwrap().as_integer().unwrap()).collect();
        assert_eq!(values, [1, 2, 3, 4, 5]);
        let e = Path::of(&["c", "d", "e"]);
        *e.get_mut(&mut table).unwrap() = Value::from(9);
        assert_eq!(e.get(&table), Some(&Value::from(9)));
        e.remove(&mut table);
        Path::of(&["none", "x"]).remove(&mut table);
        assert_eq!(e.get(&table), None);
        Path::of(&["f"]).remove(&mut table);
        assert!(!table.contains_key("f"));
    }
}
