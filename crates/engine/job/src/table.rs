//! Reads a TOML table key by key and collects every mistake on the way.

use crate::problem::{Problem, codes};
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of the job with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Dotted path of its key.
    pub key: String,
    /// Bytes of the job file.
    pub span: Range<usize>,
}

impl<T> At<T> {
    /// Place of the value, for problems.
    pub fn at(&self) -> (&str, Range<usize>) {
        (&self.key, self.span.clone())
    }

    /// Another value at the same place.
    pub fn with<U>(&self, value: U) -> At<U> {
        At { value, key: self.key.clone(), span: self.span.clone() }
    }
}

/// Where problems go.
pub type Problems = RefCell<Vec<Problem>>;

/// A table, the keys that were asked for, and where its problems go.
pub struct Table<'a> {
    table: &'a DeTable<'a>,
    problems: &'a Problems,
    known: RefCell<Vec<&'static str>>,
    /// Dotted path; empty for the whole file.
    pub path: String,
    /// Bytes of the job file.
    pub span: Range<usize>,
}

/// A value that was found.
#[derive(Clone)]
pub struct Found<'a> {
    value: &'a DeValue<'a>,
    problems: &'a Problems,
    /// Dotted path.
    pub key: String,
    /// Bytes of the job file.
    pub span: Range<usize>,
}

/// `` `point` or `linear` ``, `` `a`, `b` or `c` ``
fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// A path with one key more.
fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl<'a> Table<'a> {
    /// The whole file.
    pub fn root(table: &'a DeTable<'a>, problems: &'a Problems) -> Self {
        Self { table, problems, known: RefCell::default(), path: String::new(), span: 0..0 }
    }

    /// The value of a key, if it is there.
    pub fn get(&self, key: &'static str) -> Option<Found<'a>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        let value = self.table.get(key)?;
        Some(self.found(key, value))
    }

    fn found(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Found<'a> {
        Found {
            value: value.get_ref(),
            problems: self.problems,
            key: join(&self.path, key),
            span: value.span(),
        }
    }

    /// The value of a key that must be there.
    pub fn need(&self, key: &'static str, what: &str) -> Option<Found<'a>> {
        let found = self.get(key);
        if found.is_none() {
            let place = if self.path.is_empty() { "the job" } else { "this table" };
            self.problem(codes::MISSING_KEY, format!("{place} lacks the key `{key}`: {what}"));
        }
        found
    }

    /// All entries, for tables whose keys are names of the user, in the order of the file.
    pub fn entries(&self) -> Vec<(At<String>, Found<'a>)> {
        let mut list: Vec<_> = self
            .table
            .iter()
            .map(|(k, v)| {
                let name = k.get_ref().to_string();
                let key = join(&self.path, &name);
                (At { value: name.clone(), key, span: k.span() }, self.found(&name, v))
            })
            .collect();
        list.sort_by_key(|(name, _)| name.span.start);
        list
    }

    /// How many problems there are so far: a key that is missing is not reported where another
    /// mistake explains it.
    pub fn problem_count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// Reports a problem of the table itself.
    pub fn problem(&self, code: &'static str, message: String) {
        let problem = Problem::new(code, (&self.path, self.span.clone()), message);
        self.problems.borrow_mut().push(problem);
    }

    /// Reports every key that nobody has asked for.
    pub fn finish(&self) {
        let known = self.known.borrow();
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let path = join(&self.path, name);
                let message = format!("unknown key `{name}`");
                let problem = Problem::new(codes::UNKNOWN_KEY, (&path, key.span()), message);
                self.problems.borrow_mut().push(problem.suggest(name, &known));
            }
        }
    }
}

impl<'a> Found<'a> {
    /// Wraps a value with this place.
    pub fn at<T>(&self, value: T) -> At<T> {
        At { value, key: self.key.clone(), span: self.span.clone() }
    }

    /// Reports a problem here.
    pub fn problem(&self, code: &'static str, message: impl Into<String>) {
        self.report(Problem::new(code, (&self.key, self.span.clone()), message));
    }

    /// Reports a problem.
    pub fn report(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.problem(codes::TYPE, format!("expected {wanted}, found {found}"));
        None
    }

    /// A table.
    pub fn table(&self) -> Option<Table<'a>> {
        match self.value {
            DeValue::Table(table) => Some(Table {
                table,
                problems: self.problems,
                known: RefCell::default(),
                path: self.key.clone(),
                span: self.span.clone(),
            }),
            _ => self.wrong_type("a table `{ ... }`"),
        }
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// Whether it is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self.value, DeValue::Boolean(_))
    }

    /// Whether it is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// An array of values.
    pub fn array(&self, wanted: &str) -> Option<Vec<Found<'a>>> {
        let DeValue::Array(array) = self.value else { return self.wrong_type(wanted) };
        let items = array.iter().enumerate().map(|(i, v)| Found {
            value: v.get_ref(),
            problems: self.problems,
            key: format!("{}[{i}]", self.key),
            span: v.span(),
        });
        Some(items.collect())
    }

    /// A string.
    pub fn string(&self, wanted: &str) -> Option<At<String>> {
        match self.value {
            DeValue::String(s) => Some(self.at(s.to_string())),
            _ => self.wrong_type(wanted),
        }
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(b) => Some(*b),
            _ => self.wrong_type("true or false"),
        }
    }

    /// One of a few words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|w| w.0).collect();
        let list = alternatives(&names);
        let text = self.string(&list)?;
        let word = words.iter().find(|w| w.0 == text.value);
        if word.is_none() {
            let message = format!("expected {list}, found `{}`", text.value);
            let mut problem = Problem::new(codes::VALUE, text.at(), message);
            if let Some(near) = crate::problem::nearest(&text.value, &names) {
                problem = problem.help(format!("did you mean `{near}`?"));
            }
            self.report(problem);
        }
        word.map(|w| w.1)
    }

    /// A whole number, exactly as written.
    pub fn integer(&self, wanted: &str) -> Option<i128> {
        match self.value {
            DeValue::Integer(i) => match i128::from_str_radix(i.as_str(), i.radix()) {
                Ok(v) => Some(v),
                Err(_) => {
                    self.problem(codes::VALUE, format!("expected {wanted}, found `{i}`"));
                    None
                }
            },
            _ => self.wrong_type(wanted),
        }
    }

    /// A whole number from `least` to `most`.
    pub fn number(&self, least: u64, most: u64) -> Option<u64> {
        let wanted = format!("a whole number from {least} to {most}");
        let v = self.integer(&wanted)?;
        if v < i128::from(least) || v > i128::from(most) {
            self.problem(codes::VALUE, format!("expected {wanted}, found {v}"));
            return None;
        }
        Some(v as u64)
    }

    /// [`Self::number`] of at most 32 bits.
    pub fn small(&self, least: u32) -> Option<u32> {
        self.number(least.into(), u32::MAX.into()).map(|v| v as u32)
    }

    /// The text of a number, float or whole, or of a string.
    pub fn number_text(&self, wanted: &str) -> Option<String> {
        match self.value {
            DeValue::Float(f) => Some(f.as_str().replace('_', "")),
            DeValue::Integer(i) => Some(i.to_string().replace('_', "")),
            DeValue::String(s) => Some(s.to_string()),
            _ => self.wrong_type(wanted),
        }
    }
}
