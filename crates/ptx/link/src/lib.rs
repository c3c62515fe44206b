//! The linker: combines several PTX modules, given as text, into one.
//!
//! An `.extern` declaration is replaced by the definition in another module, a `.weak` definition
//! gives way to another definition of its name, and names without linkage are renamed if they
//! conflict. The crate includes replacements for the parts of NVIDIA's device runtime that
//! cooperative groups need.

mod archive;
mod registers;

pub use archive::is_device_runtime;
pub use registers::{fewest_registers, limited};

use std::collections::{HashMap, HashSet};
use texunit_syntax::ast::{
    Block, Content, Directive, Function, Item, Linkage, Section, Statement, Variable,
};
use texunit_syntax::scan::{Scan, TokenKind};
use texunit_syntax::{Diagnostic, Edit, SourceFile, Span, fix};

/// Beginning of the comment that is the last line of PTX text which a tool of texunit, such as its
/// ptxas, returns instead of machine code.
pub const IN_PLACE: &str = "// In place of machine code, by texunit";

/// A PTX module as text, with a name for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptx {
    /// Name of the module in error messages.
    pub name: String,
    /// The PTX text of the module.
    pub text: String,
}

/// Why PTX modules cannot be linked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LinkError {
    /// No module was given.
    #[error("nothing was given to be linked")]
    Nothing,
    /// Two modules define the same symbol.
    #[error("`{symbol}` is defined in {} and in {}", texts[0], texts[1])]
    Twice {
        /// Name of the symbol.
        symbol: String,
        /// Names of the two modules that define the symbol.
        texts: [String; 2],
    },
    /// A module has syntax errors.
    #[error("{}: {}", .0.name(), first_error(.1))]
    Unreadable(Box<SourceFile>, Vec<Diagnostic>),
}

fn first_error(diagnostics: &[Diagnostic]) -> &str {
    diagnostics.iter().find(|d| d.is_error()).map_or("is not PTX", |error| &error.message)
}

/// A function or variable at module scope.
#[derive(Clone, Copy, Debug)]
struct Symbol<'a> {
    name: &'a str,
    linkage: Option<Linkage>,
    /// Whether this is a definition, as opposed to a declaration.
    defines: bool,
    /// Range from the linkage directive to the end of the declaration or of the function's body.
    whole: Span,
    /// Range of the word `.extern`, if the linkage is `.extern`.
    word: Option<Span>,
    function: bool,
}

/// Replacements for NVIDIA's `libcudadevrt.a`: the prefix of the function names that a replacement
/// defines, and its PTX text.
const DEVICE_RUNTIME: [(&str, &str); 2] = [
    ("cudaCG", include_str!("device_runtime.ptx")),
    (OF_GRAPHS, include_str!("graph_runtime.ptx")),
];

/// Links PTX modules, together with the device runtime if the program links it. Symbols that remain
/// undefined, such as those for launches from the device, are reported on loading.
///
/// # Errors
///
/// No module was given, a module has syntax errors, or two modules define the same symbol.
pub fn link(mut inputs: Vec<Ptx>, with_runtime: bool) -> Result<Ptx, LinkError> {
    for (prefix, text) in DEVICE_RUNTIME {
        let is_named = with_runtime && inputs.iter().any(|ptx| ptx.text.contains(prefix));
        if is_named && missing(&inputs).iter().any(|name| name.starts_with(prefix)) {
            let name = "runtime of the device".to_owned();
            inputs.push(Ptx { name, text: text.to_owned() });
        }
    }
    match &inputs[..] {
        [] => Err(LinkError::Nothing),
        [only] => Ok(only.clone()),
        several => link_all(several),
    }
}

/// Prefix of the functions that the driver itself defines for kernels of graphs.
const OF_GRAPHS: &str = "cudaGraph";

/// Adds definitions for functions that a module declares and that NVIDIA's driver defines without a
/// linker, such as `cudaGraphSetConditional`. A module that declares no such function, or that has
/// syntax errors, is unchanged.
pub fn completed(ptx: Ptx) -> Ptx {
    if !ptx.text.contains(OF_GRAPHS) {
        return ptx;
    }
    let is_needed =
        missing(std::slice::from_ref(&ptx)).iter().any(|name| name.starts_with(OF_GRAPHS));
    match is_needed.then(|| link(vec![ptx.clone()], true)) {
        Some(Ok(linked)) => Ptx { text: linked.text, ..ptx },
        _ => ptx,
    }
}

/// Names of functions that are declared, but not defined in any of the modules.
fn missing(inputs: &[Ptx]) -> HashSet<String> {
    let (mut declared, mut defined) = (HashSet::new(), HashSet::new());
    for ptx in inputs {
        let source = SourceFile::new(ptx.name.as_str(), ptx.text.as_str());
        for symbol in symbols(&texunit_syntax::parse(&source).module.items, &ptx.text) {
            let to = if symbol.defines { &mut defined } else { &mut declared };
            if symbol.function {
                to.insert(symbol.name.to_owned());
            }
        }
    }
    &declared - &defined
}

fn link_all(inputs: &[Ptx]) -> Result<Ptx, LinkError> {
    let sources: Vec<SourceFile> =
        inputs.iter().map(|ptx| SourceFile::new(ptx.name.as_str(), ptx.text.as_str())).collect();
    let parsed: Vec<_> = sources.iter().map(texunit_syntax::parse).collect();
    for (source, parsed) in sources.iter().zip(&parsed) {
        if parsed.diagnostics.iter().any(Diagnostic::is_error) {
            let source = Box::new(source.clone());
            return Err(LinkError::Unreadable(source, parsed.diagnostics.clone()));
        }
    }
    let items = || parsed.iter().map(|parsed| parsed.module.items.as_slice());
    let symbols: Vec<Vec<Symbol<'_>>> =
        items().zip(inputs).map(|(items, ptx)| symbols(items, &ptx.text)).collect();
    let chosen = choose(&symbols, inputs)?;
    let fresh = private_names(&symbols, &items().map(labels).collect::<Vec<_>>());
    let mut text = header(items().flatten());
    let mut files = 0;
    for (i, (ptx, items)) in inputs.iter().zip(items()).enumerate() {
        let mut edits = headers(items);
        files = number_files(items, &ptx.text, files, &mut edits);
        for (k, symbol) in symbols[i].iter().enumerate() {
            edits.extend(edit(symbol, (i, k), &chosen, &symbols));
        }
        text += &format!("\n// {}\n", ptx.name.replace(['\n', '\r'], " "));
        text += &apply(&ptx.text, edits, &fresh[i]);
    }
    Ok(Ptx { name: "linked.ptx".to_owned(), text })
}

/// All functions and variables at module scope.
fn symbols<'a>(items: &[Item<'a>], text: &str) -> Vec<Symbol<'a>> {
    // The span of a declaration may lack its semicolon, which is added.
    let whole = |span: Span| {
        let rest = &text[span.end as usize..];
        let next = rest.trim_start();
        let more = if next.starts_with(';') { rest.len() - next.len() + 1 } else { 0 };
        Span { end: span.end + more as u32, ..span }
    };
    let word = |linkage: Option<(Linkage, Span)>| {
        let (_, span) = linkage.filter(|(linkage, _)| *linkage == Linkage::Extern)?;
        // The span of a linkage directive may leave out the directive's dot, which is edited, too.
        let dot = text[..span.start as usize].ends_with('.');
        Some(Span { start: span.start - u32::from(dot), ..span })
    };
    let function = |f: &Function<'a>| Symbol {
        name: f.name.text,
        linkage: f.linkage.map(|(linkage, _)| linkage),
        defines: f.body.is_some(),
        whole: f.body.as_ref().map_or_else(|| whole(f.span), |body| f.span.to(body.span)),
        word: word(f.linkage),
        function: true,
    };
    let variable = |v: &Variable<'a>| Symbol {
        name: v.name.text,
        linkage: v.linkage.map(|(linkage, _)| linkage),
        defines: !matches!(v.linkage, Some((Linkage::Extern, _))),
        whole: whole(v.span),
        word: word(v.linkage),
        function: false,
    };
    let symbol = |item: &Item<'a>| match item {
        Item::Function(f) => Some(function(f)),
        Item::Variable(v) => Some(variable(v)),
        _ => None,
    };
    items.iter().filter_map(symbol).collect()
}

/// For each name with linkage, the index of the module that defines it, and the index of the symbol
/// there. The first definition that is not weak wins.
type Chosen<'a> = HashMap<&'a str, (usize, usize)>;

fn choose<'a>(symbols: &[Vec<Symbol<'a>>], inputs: &[Ptx]) -> Result<Chosen<'a>, LinkError> {
    let mut chosen: Chosen<'a> = HashMap::new();
    for (i, all) in symbols.iter().enumerate() {
        let defined = |s: &Symbol<'_>| s.linkage.is_some() && s.defines;
        for (k, symbol) in all.iter().enumerate().filter(|(_, s)| defined(s)) {
            let yields =
                |s: &Symbol<'_>| matches!(s.linkage, Some(Linkage::Weak | Linkage::Common));
            let before = chosen.get(symbol.name).copied();
            match before.map(|(at, which)| (at, &symbols[at][which])) {
                Some((at, other)) if !yields(symbol) && !yields(other) && at != i => {
                    return Err(LinkError::Twice {
                        symbol: symbol.name.to_owned(),
                        texts: [at, i].map(|text| inputs[text].name.clone()),
                    });
                }
                Some((_, other)) if yields(symbol) || !yields(other) => {}
                _ => {
                    chosen.insert(symbol.name, (i, k));
                }
            }
        }
    }
    Ok(chosen)
}

/// Whether a `.section` contains the function names of `.loc` directives; the parser does not keep
/// the bytes of other sections.
fn has_names(section: &Section<'_>) -> bool {
    !section.bytes.is_empty()
}

/// Labels of function names that `.loc` directives refer to.
fn labels<'a>(items: &[Item<'a>]) -> Vec<&'a str> {
    let of = |item: &Item<'a>| match item {
        Item::Directive(Directive { content: Content::Section(names), .. }) if has_names(names) => {
            names.labels.iter().map(|(label, _)| label.text).collect()
        }
        _ => Vec::new(),
    };
    items.iter().flat_map(of).collect()
}

/// For each module, new names for the symbols without linkage that conflict with names of other
/// modules. The `labels` of function names also become unique.
fn private_names<'a>(
    symbols: &[Vec<Symbol<'a>>],
    labels: &[Vec<&'a str>],
) -> Vec<HashMap<&'a str, String>> {
    let named = symbols.iter().flatten().map(|symbol| symbol.name);
    let mut taken: HashSet<String> =
        named.chain(labels.iter().flatten().copied()).map(str::to_owned).collect();
    let mut known: HashSet<&str> = HashSet::new();
    let mut result = Vec::new();
    for (i, all) in symbols.iter().enumerate() {
        let mut names = HashMap::new();
        let shared: HashSet<&str> =
            all.iter().filter(|s| s.linkage.is_some()).map(|s| s.name).collect();
        let elsewhere: HashSet<&str> = symbols
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != i)
            .flat_map(|(_, all)| all.iter().map(|s| s.name))
            .collect();
        for symbol in all.iter().filter(|s| s.linkage.is_none()) {
            if shared.contains(symbol.name) || !elsewhere.contains(symbol.name) {
                continue;
            }
            let defined = all.iter().any(|s| s.name == symbol.name && s.defines);
            if !defined || names.contains_key(symbol.name) {
                continue;
            }
            names.insert(symbol.name, fresh_name(symbol.name, i, &mut taken));
        }
        for &label in &labels[i] {
            if known.contains(label) && !names.contains_key(label) {
                names.insert(label, fresh_name(label, i, &mut taken));
            }
        }
        known.extend(labels[i].iter().copied());
        result.push(names);
    }
    result
}

/// An unused name for a symbol of module number `i`, derived from its present name.
fn fresh_name(name: &str, i: usize, taken: &mut HashSet<String>) -> String {
    let names = (0..).map(|n| format!("{name}__{i}_{n}"));
    let fresh = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(fresh.clone());
    fresh
}

/// The header of the linked module: the newest `.version` and the highest `.target` of the inputs.
fn header<'a>(items: impl Iterator<Item = &'a Item<'a>> + Clone) -> String {
    let versions = items.clone().filter_map(|item| match item {
        Item::Version(v) => Some((v.major, v.minor)),
        _ => None,
    });
    let (major, minor) = versions.max().unwrap_or_default();
    let targets = items.filter_map(|item| match item {
        // Linking removes the debug sections, and so the target option `debug`.
        Item::Target(target) => {
            let words = target.options.iter().map(|word| word.text).filter(|&w| w != "debug");
            Some(words.collect::<Vec<_>>().join(", "))
        }
        _ => None,
    });
    // `max_by_key` returns the last maximum; reversed, the first of equal targets.
    let targets: Vec<String> = targets.collect();
    let highest = targets.iter().rev().max_by_key(|words| architecture(words));
    let target = highest.map_or("", String::as_str);
    format!(".version {major}.{minor}\n.target {target}\n.address_size 64\n")
}

/// The architecture number of a `.target` line, such as 86 for `sm_86, texmode_independent`.
fn architecture(target: &str) -> u32 {
    let digits = target.strip_prefix("sm_").unwrap_or_default();
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or_default()
}

/// Edits that remove a module's header and its debug sections, whose positions linking makes
/// invalid. Sections with function names are kept.
fn headers(items: &[Item<'_>]) -> Vec<Edit> {
    let span = |item: &Item<'_>| match item {
        Item::Version(v) => Some(v.span),
        Item::Target(t) => Some(t.span),
        Item::AddressSize(a) => Some(a.span),
        Item::Directive(Directive { content: Content::Section(names), .. }) if has_names(names) => {
            None
        }
        Item::Directive(d) if matches!(d.name.text, "section" | ".section") => Some(d.span),
        _ => None,
    };
    items.iter().filter_map(span).map(removed).collect()
}

/// Renumbers the `.file` directives of a module with numbers above `taken`, so that they are unique
/// among the linked modules; returns the highest number.
fn number_files(items: &[Item<'_>], text: &str, taken: u64, edits: &mut Vec<Edit>) -> u64 {
    let mut highest = taken;
    let mut change = |directive: &Directive<'_>| {
        let name = directive.name.text.trim_start_matches('.');
        let range = directive.span.range();
        let Some(start) = text.get(range.clone()).and_then(|whole| whole.find(directive.text))
        else {
            return;
        };
        let mut number = |behind: usize| {
            let rest = &directive.text[behind..];
            let from = rest.len() - rest.trim_start().len();
            let length = rest[from..].bytes().take_while(u8::is_ascii_digit).count();
            let Ok(old) = rest[from..from + length].parse::<u64>() else { return };
            let new = old.saturating_add(taken);
            if name == "file" {
                highest = highest.max(new);
            }
            let at = range.start + start + behind + from;
            edits.push(Edit { span: Span::new(at, at + length), text: new.to_string() });
        };
        let inlined = "inlined_at";
        if matches!(name, "file" | "loc") {
            number(0);
        }
        if let Some(at) = directive.text.rfind(inlined).filter(|_| name == "loc") {
            number(at + inlined.len());
        }
    };
    for item in items {
        match item {
            Item::Directive(directive) => change(directive),
            Item::Function(Function { body: Some(body), .. }) => each_directive(body, &mut change),
            _ => {}
        }
    }
    highest
}

/// Visits all directives of a function body, also in nested blocks.
fn each_directive<'a>(block: &Block<'a>, visit: &mut impl FnMut(&Directive<'a>)) {
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Directive(directive) => visit(directive),
                Statement::Block(inner) => blocks.push(inner),
                _ => {}
            }
        }
    }
}

fn removed(span: Span) -> Edit {
    Edit { span, text: String::new() }
}

/// The edit of a symbol's declaration or definition, if linking changes it.
fn edit(
    symbol: &Symbol<'_>,
    place: (usize, usize),
    chosen: &Chosen<'_>,
    symbols: &[Vec<Symbol<'_>>],
) -> Option<Edit> {
    let remove = || Some(removed(symbol.whole));
    symbol.linkage?;
    let Some(&at) = chosen.get(symbol.name) else {
        // No module defines the name, as for `.extern .shared`: only the first declaration is kept.
        let before = |s: &Symbol<'_>| s.name == symbol.name && s.linkage.is_some();
        let again = symbols[..place.0].iter().flatten().any(before);
        return if again && !symbol.defines { remove() } else { None };
    };
    if at == place {
        return None;
    }
    if symbol.defines {
        return remove();
    }
    // A declaration is kept if its module precedes that of the definition, because uses need a
    // preceding declaration; otherwise it is removed.
    if at < place {
        return remove();
    }
    let span = symbol.word.filter(|_| symbol.function)?;
    let word = match symbols[at.0][at.1].linkage {
        Some(Linkage::Weak) => ".weak",
        _ => ".visible",
    };
    Some(Edit { span, text: word.to_owned() })
}

/// Applies edits to a module's text, and renames the keys of `names` outside the edited ranges.
fn apply(text: &str, mut edits: Vec<Edit>, names: &HashMap<&str, String>) -> String {
    edits.sort_by_key(|edit| edit.span.start);
    // Edits may overlap: variables declared in one statement are removed with the same range, and a
    // removed function may contain `.loc` directives to renumber. Only the first is applied.
    let mut done = 0;
    edits.retain(|edit| {
        let is_apart = edit.span.start >= done;
        done = if is_apart { edit.span.end } else { done };
        is_apart
    });
    let mut renames = Vec::new();
    for token in Scan::new(text, 0).filter(|token| token.kind == TokenKind::Ident) {
        let is_opcode = text[token.span.end as usize..].starts_with('.');
        let behind = edits.partition_point(|edit| edit.span.end <= token.span.start);
        let is_edited = edits.get(behind).is_some_and(|e| e.span.start < token.span.end);
        if let Some(new) = names.get(token.text(text)).filter(|_| !is_opcode && !is_edited) {
            renames.push(Edit { span: token.span, text: new.clone() });
        }
    }
    edits.append(&mut renames);
    fix::apply(text, &edits).expect("edits fit the text, and are apart")
}
