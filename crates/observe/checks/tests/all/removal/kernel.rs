//! A PTX kernel as a list of lines, with the accesses that each barrier and fence orders.

use std::collections::HashMap;

/// A removable part of the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    /// The lines to remove.
    lines: Vec<usize>,
    /// The pairs of accesses that it orders: without it, one of these must be found.
    pub(crate) orders: Vec<(String, String)>,
}

/// A kernel of which every removable part is necessary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernel {
    pub(crate) family: &'static str,
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) shared: u32,
    lines: Vec<String>,
    labels: HashMap<String, Vec<usize>>,
    pub(crate) items: Vec<Item>,
    loops: usize,
}

/// The beginning of every kernel. `%t` is the thread, `%n` the number of threads of a CTA, `%cta`
/// the CTA, and `%g` the thread in the grid; `%in`, `%out` and `%work` are buffers; `%my` and `%to`
/// are the addresses of the thread's words in the first two, and `%s` that of its word of shared
/// memory.
const START: &str = include_str!("../../ptx/removal_start.ptx");

impl Kernel {
    pub(crate) fn new(family: &'static str, grid: u32, block: u32, shared: u32) -> Self {
        Self { family, grid, block, shared, ..Self::default() }
    }

    /// Adds instructions, one per line.
    pub(crate) fn add(&mut self, text: &str) {
        self.lines.extend(text.lines().map(|line| line.trim().to_owned()));
    }

    /// Adds an access with a name.
    pub(crate) fn access(&mut self, label: &str, text: &str) {
        self.labels.entry(label.to_owned()).or_default().push(self.lines.len());
        self.add(text);
    }

    /// Names an access among the instructions that are added next: line `line` of them, from 0.
    pub(crate) fn mark(&mut self, label: &str, line: usize) {
        self.labels.entry(label.to_owned()).or_default().push(self.lines.len() + line);
    }

    /// Adds a removable part with the accesses that it orders.
    pub(crate) fn item(&mut self, name: &str, text: &str, orders: &[(&str, &str)]) {
        let first = self.lines.len();
        self.add(text);
        let pairs = orders.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        match self.items.iter_mut().find(|item| item.name == name) {
            Some(item) => {
                item.lines.extend(first..self.lines.len());
                item.orders.extend(pairs);
            }
            None => {
                let lines = (first..self.lines.len()).collect();
                self.items.push(Item { name: name.to_owned(), lines, orders: pairs.collect() });
            }
        }
    }

    /// A new PTX label.
    pub(crate) fn fresh(&mut self) -> String {
        self.loops += 1;
        format!("L{}", self.loops)
    }

    /// Adds a loop that loads a word until it has a value.
    pub(crate) fn spin(&mut self, label: &str, load: &str, address: &str, value: u32) {
        let name = self.fresh();
        self.add(&format!("{name}:"));
        self.access(label, &format!("{load} %v199, [{address}];"));
        self.add(&format!("setp.ne.u32 %p199, %v199, {value};\n@%p199 bra {name};"));
    }

    /// The text, with one part removed if given.
    pub(crate) fn text(&self, without: Option<usize>) -> String {
        let gone: &[usize] = without.map_or(&[], |i| &self.items[i].lines);
        let mut text = START.replace("SHARED", &self.shared.max(16).to_string());
        for (i, line) in self.lines.iter().enumerate() {
            // The other lines keep their numbers.
            text += if gone.contains(&i) { "//" } else { line };
            text += "\n";
        }
        text + "ret;\n}\n"
    }

    /// The numbers of the lines with this name.
    fn places(&self, label: &str) -> Vec<u32> {
        let start = START.lines().count() as u32;
        let lines = self.labels.get(label);
        let lines = lines.unwrap_or_else(|| panic!("{}: no access {label}", self.family));
        lines.iter().map(|&line| start + 1 + line as u32).collect()
    }

    /// Whether two lines are a pair that the item orders.
    pub(crate) fn is_ordered_by(&self, item: &Item, ends: (u32, u32)) -> bool {
        item.orders.iter().any(|(a, b)| {
            let (a, b) = (self.places(a), self.places(b));
            (a.contains(&ends.0) && b.contains(&ends.1))
                || (b.contains(&ends.0) && a.contains(&ends.1))
        })
    }
}
