//! Reads a TOML table key by key, and collects all mistakes.

use crate::keys::Key;
use crate::problem::{Edit, Problem, codes, nearest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use texunit_forms::{Count, sort_by_key};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its position in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct At<T> {
    /// The parsed value.
    pub value: T,
    /// Dotted path of the value's key.
    pub key: String,
    /// Byte range in the file.
    pub span: Range<usize>,
}

impl<T> At<T> {
    /// The key and byte range of the value, with which a [`Problem`] is made.
    pub fn at(&self) -> (&str, Range<usize>) {
        (&self.key, self.span.clone())
    }

    /// A mistake at the value.
    pub fn problem(&self, code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(code, self.at(), message)
    }

    /// Another value at the same position.
    pub fn with<U>(&self, value: U) -> At<U> {
        At { value, key: self.key.clone(), span: self.span.clone() }
    }
}

/// Mistakes that are collected while a file is read.
pub type Problems = RefCell<Vec<Problem>>;

/// State shared by all tables of a file.
#[derive(Debug, Default)]
pub struct Context {
    /// The mistakes in the file so far.
    pub problems: Problems,
    /// Notes on outdated names, each name once, with the replacements.
    notes: RefCell<Vec<(Problem, Vec<Edit>)>>,
    /// Shared strings: a value `"@name"` refers to one of them.
    words: Option<BTreeMap<String, String>>,
    /// Whether the file is a test file: eight hexadecimal digits without `0x` are also the bits of
    /// an f32, and sizes of 0 are accepted, because some tests expect an error for them.
    is_test: bool,
}

impl Context {
    /// The context of a test file, with its shared strings.
    pub fn of_test(words: Option<BTreeMap<String, String>>) -> Self {
        Self { words, is_test: true, ..Self::default() }
    }

    /// Adds a note on an outdated name. Several occurrences of a name are merged into one note with
    /// all replacements.
    fn note(&self, problem: Problem) {
        let mut notes = self.notes.borrow_mut();
        let edits = problem.edits.clone();
        match notes.iter_mut().find(|(known, _)| known.message == problem.message) {
            Some((first, known)) => {
                known.extend(edits);
                if problem.span.start < first.span.start {
                    *first = problem;
                }
            }
            None => notes.push((problem, edits.into())),
        }
    }

    /// Removes and returns the notes on outdated names, each with the replacements that correct all
    /// its occurrences.
    pub fn take_notes(&self) -> Vec<Problem> {
        let note = |(mut note, mut edits): (Problem, Vec<Edit>)| {
            // Equal replacements are dropped, because a key may have been read twice.
            sort_by_key(&mut edits, |edit| edit.0.start);
            edits.dedup();
            if edits.len() > 1 {
                note.help = Some(format!("it is there {}", Count(edits.len(), "time")));
            }
            note.edits = edits.into();
            note
        };
        let mut notes: Vec<_> = self.notes.take().into_iter().map(note).collect();
        sort_by_key(&mut notes, |note| note.span.start);
        notes
    }
}

/// A TOML table that is being read. It records which keys have been read, so that the others can be
/// reported as unknown.
pub struct Table<'a> {
    table: &'a DeTable<'a>,
    context: &'a Context,
    known: RefCell<Vec<Key>>,
    allowed: RefCell<Vec<String>>,
    /// Dotted path of the table; empty for the whole file.
    pub path: String,
    /// Byte range in the file.
    pub span: Range<usize>,
}

/// A value of a key in the file, with its position.
#[derive(Clone)]
pub struct TomlValue<'a> {
    value: &'a DeValue<'a>,
    context: &'a Context,
    /// Dotted path of the key.
    pub key: String,
    /// Byte range in the file.
    pub span: Range<usize>,
}

/// Lists alternatives: `` `point` or `linear` ``, `` `a`, `b` or `c` ``.
fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Appends a key to a dotted path.
fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl<'a> Table<'a> {
    /// The root table of a TOML file.
    pub fn root(table: &'a DeTable<'a>, context: &'a Context) -> Self {
        let (known, allowed) = Default::default();
        Self { table, context, known, allowed, path: String::new(), span: 0..0 }
    }

    /// The value of a key under its current or an earlier name, if present.
    pub fn get(&self, key: impl Into<Key>) -> Option<TomlValue<'a>> {
        let key = key.into();
        if !self.known.borrow().contains(&key) {
            self.known.borrow_mut().push(key);
        }
        let value = self.table.get(key.name).map(|value| self.found(key.name, value));
        let mut old = key.old.iter().filter_map(|name| self.table.get_key_value(*name));
        let Some((written, older)) = old.next() else { return value };
        let (name, span) = (written.get_ref(), written.span());
        if value.is_some() {
            let message = format!("`{name}` and `{}` are the same key", key.name);
            self.report(Problem::new(codes::CONFLICT, (&join(&self.path, name), span), message));
            return value;
        }
        self.note(name, span, &format!("`{name}` is called `{}`", key.name), Some(key.name));
        Some(self.found(name, older))
    }

    /// Marks a key as known, so that [`Self::finish`] does not report it.
    pub fn allow(&self, name: &str) {
        self.allowed.borrow_mut().push(name.to_owned());
    }

    /// The value of an obsolete key that other keys have replaced; `message` names them.
    pub fn get_replaced(&self, key: &'static str, message: &str) -> Option<TomlValue<'a>> {
        let found = self.table.get_key_value(key)?;
        self.known.borrow_mut().push(Key { name: key, old: &[] });
        self.note(key, found.0.span(), message, None);
        Some(self.found(key, found.1))
    }

    fn note(&self, key: &str, span: Range<usize>, message: &str, new: Option<&str>) {
        let path = join(&self.path, key);
        let mut note = Problem::new(codes::OLD_NAME, (&path, span.clone()), message);
        note.edits = new.map(|new| (span, new.to_owned())).into_iter().collect();
        self.context.note(note);
    }

    fn found(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> TomlValue<'a> {
        let (value, span) = (value.get_ref(), value.span());
        TomlValue { value, context: self.context, key: join(&self.path, key), span }
    }

    /// The value of a required key; reports a problem if it is missing.
    pub fn need(&self, key: impl Into<Key>, what: &str) -> Option<TomlValue<'a>> {
        let key = key.into();
        let found = self.get(key);
        if found.is_none() {
            let place = match (self.path.is_empty(), self.context.is_test) {
                (true, false) => "the job",
                (true, true) => "the file",
                _ => "this table",
            };
            let message = format!("{place} lacks the key `{}`: {what}", key.name);
            self.problem(codes::MISSING_KEY, message);
        }
        found
    }

    /// All entries in the order of the file, for tables whose keys are chosen by the user.
    pub fn entries(&self) -> Vec<(At<String>, TomlValue<'a>)> {
        let mut list: Vec<_> = self
            .table
            .iter()
            .map(|(k, v)| {
                let name = k.get_ref().to_string();
                let key = join(&self.path, &name);
                (At { value: name.clone(), key, span: k.span() }, self.found(&name, v))
            })
            .collect();
        sort_by_key(&mut list, |(name, _)| name.span.start);
        list
    }

    /// Number of problems in the file so far. Callers compare it before and after reading, so that
    /// they do not report a missing key that another mistake explains.
    pub fn problem_count(&self) -> usize {
        self.context.problems.borrow().len()
    }

    /// The smallest valid size: 0 in test files, some of which expect an error.
    pub fn least_size(&self) -> u32 {
        u32::from(!self.context.is_test)
    }

    /// Adds a problem to the collected mistakes.
    pub fn report(&self, problem: Problem) {
        self.context.problems.borrow_mut().push(problem);
    }

    /// Reports a problem of the table as a whole.
    pub fn problem(&self, code: &'static str, message: String) {
        self.report(Problem::new(code, (&self.path, self.span.clone()), message));
    }

    /// Reports a problem of the table because of which there is no result.
    pub fn refuse<T>(&self, code: &'static str, message: impl Into<String>) -> Option<T> {
        self.problem(code, message.into());
        None
    }

    /// Reports every key that has not been read.
    pub fn finish(&self) {
        let (known, allowed) = (self.known.borrow(), self.allowed.borrow());
        let names: Vec<&str> = known.iter().map(|key| key.name).collect();
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            let is_known =
                known.iter().any(|known| known.name == name || known.old.contains(&name));
            if !is_known && !allowed.iter().any(|allowed| allowed == name) {
                let path = join(&self.path, name);
                let message = format!("unknown key `{name}`");
                let problem = Problem::new(codes::UNKNOWN_KEY, (&path, key.span()), message);
                self.report(problem.suggest(name, &names));
                // A misspelt key is one mistake: the message that the right key is missing is
                // dropped.
                if let Some(meant) = nearest(name, &names) {
                    let missing = format!(" lacks the key `{meant}`: ");
                    self.context.problems.borrow_mut().retain(|problem| {
                        problem.code != codes::MISSING_KEY
                            || problem.key != self.path
                            || !problem.message.contains(&missing)
                    });
                }
            }
        }
    }
}

impl<'a> TomlValue<'a> {
    /// Attaches this position to a value.
    pub fn at<T>(&self, value: T) -> At<T> {
        At { value, key: self.key.clone(), span: self.span.clone() }
    }

    /// Reports a problem of this value.
    pub fn problem(&self, code: &'static str, message: impl Into<String>) {
        self.report(Problem::new(code, (&self.key, self.span.clone()), message));
    }

    /// Reports a problem because of which there is no result.
    pub fn refuse<T>(&self, code: &'static str, message: impl Into<String>) -> Option<T> {
        self.problem(code, message);
        None
    }

    /// Adds a problem to the collected mistakes.
    pub fn report(&self, problem: Problem) {
        self.context.problems.borrow_mut().push(problem);
    }

    /// Adds a note that this value has a newer form.
    pub fn note(&self, message: &str, new: Option<&str>) {
        let at = (self.key.as_str(), self.span.clone());
        let mut note = Problem::new(codes::OLD_NAME, at, message);
        note.edits = new.map(|new| (self.span.clone(), new.to_owned())).into_iter().collect();
        self.context.note(note);
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
        self.refuse(codes::TYPE, format!("expected {wanted}, found {found}"))
    }

    /// The value as a table; reports a problem if it has another type.
    pub fn table(&self) -> Option<Table<'a>> {
        match self.value {
            DeValue::Table(table) => Some(Table {
                table,
                context: self.context,
                known: RefCell::default(),
                allowed: RefCell::default(),
                path: self.key.clone(),
                span: self.span.clone(),
            }),
            _ => self.wrong_type("a table `{ ... }`"),
        }
    }

    /// Whether the value is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self.value, DeValue::Integer(_))
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// Whether the value is a table.
    pub fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    /// Whether the file is one in which eight hexadecimal digits without `0x` are the bits of a
    /// number.
    pub(crate) fn has_bare_bits(&self) -> bool {
        self.context.is_test
    }

    /// Whether the value is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self.value, DeValue::Boolean(_))
    }

    /// Whether the value is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// The items of the value as an array; reports a problem if the value has another type.
    /// `wanted` describes valid values.
    pub fn array(&self, wanted: &str) -> Option<Vec<TomlValue<'a>>> {
        let DeValue::Array(array) = self.value else { return self.wrong_type(wanted) };
        let items = array.iter().enumerate().map(|(i, v)| TomlValue {
            value: v.get_ref(),
            context: self.context,
            key: format!("{}[{i}]", self.key),
            span: v.span(),
        });
        Some(items.collect())
    }

    /// The value as a string; reports a problem if it has another type. `wanted` describes valid
    /// values.
    pub fn string(&self, wanted: &str) -> Option<At<String>> {
        match self.value {
            DeValue::String(s) => Some(self.at(s.to_string())),
            _ => self.wrong_type(wanted),
        }
    }

    /// The value as a string; `"@name"` is replaced by the shared string of that name.
    pub fn shared_string(&self, wanted: &str) -> Option<String> {
        let text = self.string(wanted)?.value;
        let (Some(words), Some(name)) = (&self.context.words, text.strip_prefix('@')) else {
            return Some(text);
        };
        let found = words.get(name).cloned();
        if found.is_none() {
            self.problem(codes::VALUE, format!("`[words]` has no `{name}`"));
        }
        found
    }

    /// The value as a boolean; reports a problem if it has another type.
    pub fn boolean(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(b) => Some(*b),
            _ => self.wrong_type("true or false"),
        }
    }

    /// The value that a word stands for; reports a problem if the value is not one of the words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|w| w.0).collect();
        let list = alternatives(&names);
        let text = self.string(&list)?;
        let word = words.iter().find(|w| w.0 == text.value);
        if word.is_none() {
            let message = format!("expected {list}, found `{}`", text.value);
            let mut problem = text.problem(codes::VALUE, message);
            if let Some(near) = crate::problem::nearest(&text.value, &names) {
                problem = problem.help(format!("did you mean `{near}`?"));
            }
            self.report(problem);
        }
        word.map(|w| w.1)
    }

    /// The value as an integer of any size; reports a problem if it has another type.
    pub fn integer(&self, wanted: &str) -> Option<i128> {
        match self.value {
            DeValue::Integer(i) => i128::from_str_radix(i.as_str(), i.radix())
                .map_err(|_| self.problem(codes::VALUE, format!("expected {wanted}, found `{i}`")))
                .ok(),
            _ => self.wrong_type(wanted),
        }
    }

    /// The value as an integer; reports a problem if it is not from `least` to `most`.
    pub fn number(&self, least: u64, most: u64) -> Option<u64> {
        let wanted = format!("a whole number from {least} to {most}");
        let v = self.integer(&wanted)?;
        if v < i128::from(least) || v > i128::from(most) {
            return self.refuse(codes::VALUE, format!("expected {wanted}, found {v}"));
        }
        Some(v as u64)
    }

    /// The value as a 32-bit integer of at least `least`; reports a problem for other values.
    pub fn small(&self, least: u32) -> Option<u32> {
        self.number(least.into(), u32::MAX.into()).map(|v| v as u32)
    }

    /// The text of a number, which may be written as a float, an integer or a string.
    pub fn number_text(&self, wanted: &str) -> Option<String> {
        match self.value {
            DeValue::Float(f) => Some(f.as_str().replace('_', "")),
            DeValue::Integer(i) => Some(i.to_string().replace('_', "")),
            DeValue::String(s) => Some(s.to_string()),
            _ => self.wrong_type(wanted),
        }
    }
}
