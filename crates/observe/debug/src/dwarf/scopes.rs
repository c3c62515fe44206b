//! Reads functions, lexical blocks and variables.

use super::Info;
use super::die::{Dwarf, Slice, Tree};
use super::sections::Sections;
use super::types::{self, ReadTypes, TypeId, Types};
use gimli::{AttributeValue, LittleEndian, constants as c};

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Function,
    /// An inlined copy of a function.
    Inlined,
    Block,
}

/// A range of a function's code with its declarations.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) kind: Kind,
    /// The function's name in the source; empty for a block.
    pub(crate) name: String,
    /// The linkage name of the function.
    pub(crate) linkage: String,
    ranges: Vec<(u32, u32)>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) children: Vec<Scope>,
    /// The return type of the function.
    pub(crate) result: Option<TypeId>,
    /// File number and line of the call, if the scope is an inlined copy.
    pub(crate) called: Option<(u32, u32)>,
}

impl Scope {
    /// Offset of the scope's first instruction in the PTX text.
    pub(crate) fn begin(&self) -> u32 {
        self.ranges.iter().map(|&(begin, _)| begin).min().unwrap_or(0)
    }

    /// Whether the scope contains the instruction at the offset `at`.
    pub(crate) fn has(&self, at: u32) -> bool {
        self.ranges.iter().any(|&(begin, end)| begin <= at && at < end)
    }
}

/// The location of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Location {
    /// The variable has no location.
    None,
    /// A location expression that is valid in the whole scope.
    Expression(Vec<u8>),
    /// Location expressions for ranges of the text.
    List(Vec<(u32, u32, Vec<u8>)>),
    /// A constant value, as bytes.
    Constant(Vec<u8>),
}

impl Location {
    /// The location expression that applies at an instruction.
    pub(crate) fn at(&self, at: u32) -> Option<&[u8]> {
        match self {
            Self::Expression(code) if !code.is_empty() => Some(code),
            Self::List(all) => {
                let found = all.iter().find(|(begin, end, _)| *begin <= at && at < *end);
                found.map(|(.., code)| code.as_slice()).filter(|code| !code.is_empty())
            }
            _ => None,
        }
    }
}

/// A variable or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) is_parameter: bool,
    /// DW_AT_address_class: the state space of its address.
    pub(crate) class: Option<u64>,
    pub(crate) location: Location,
    /// The line of its declaration; 0 if unknown.
    pub(crate) line: u32,
}

/// An empty line table (version 2), because compilation units refer to a line table, but in PTX the
/// lines are in `.loc` directives.
const NO_LINES: [u8; 17] = [13, 0, 0, 0, 2, 0, 7, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0];

/// Reads all compilation units into `info`.
pub(super) fn read(info: &mut Info, sections: &Sections) -> gimli::Result<()> {
    let load = |id: gimli::SectionId| -> gimli::Result<Slice<'_>> {
        let bytes = match sections.get(id.name()) {
            [] if id == gimli::SectionId::DebugLine => &NO_LINES,
            bytes => bytes,
        };
        Ok(Slice::new(bytes, LittleEndian))
    };
    let dwarf = Dwarf::load(load)?;
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let tree = Tree::of(&dwarf, unit)?;
        if tree.dies.is_empty() {
            continue;
        }
        let text = |name| tree.text(&dwarf, 0, name);
        if let Some(name) = text(c::DW_AT_name) {
            info.files.push((name, text(c::DW_AT_comp_dir).unwrap_or_default()));
        }
        let mut reader =
            Reader { dwarf: &dwarf, tree: &tree, types: &mut info.types, known: ReadTypes::new() };
        reader.all(0, "", &mut info.functions, &mut info.globals, 0);
    }
    Ok(())
}

struct Reader<'r, 'a> {
    dwarf: &'r Dwarf<'a>,
    tree: &'r Tree<'a>,
    types: &'r mut Types,
    known: ReadTypes,
}

/// Maximum depth of nested scopes.
const DEPTH: usize = 200;

impl Reader<'_, '_> {
    fn text(&self, die: usize, name: gimli::DwAt) -> Option<String> {
        self.tree.text(self.dwarf, die, name)
    }

    fn ty(&mut self, die: usize) -> TypeId {
        let of = self.tree.type_of(die);
        types::read(self.types, &mut self.known, (self.dwarf, self.tree), of)
    }

    fn named_type(&mut self, die: usize) {
        types::read(self.types, &mut self.known, (self.dwarf, self.tree), Some(die));
    }

    /// Reads the declarations of a compilation unit, namespace or class.
    fn all(
        &mut self,
        die: usize,
        prefix: &str,
        functions: &mut Vec<Scope>,
        globals: &mut Vec<Variable>,
        depth: usize,
    ) {
        if depth > DEPTH {
            return;
        }
        for child in self.tree.dies[die].children.clone() {
            match self.tree.dies[child].tag {
                c::DW_TAG_subprogram if !self.tree.dies[child].ranges.is_empty() => {
                    let mut scope = self.scope(child, Kind::Function, 0);
                    let prefix = self.prefix_of(child).unwrap_or_else(|| prefix.to_owned());
                    scope.name = format!("{prefix}{}", scope.name);
                    functions.push(scope);
                }
                c::DW_TAG_variable => {
                    let mut variable = self.variable(child);
                    // NVIDIA's compiler writes variables of namespaces with their mangled names.
                    let name = texunit_report::place::function_name(&variable.name);
                    variable.name = format!("{prefix}{name}");
                    if !matches!(variable.location, Location::None) {
                        globals.push(variable);
                    }
                }
                tag @ (c::DW_TAG_namespace | c::DW_TAG_structure_type | c::DW_TAG_class_type) => {
                    let name = self.text(child, c::DW_AT_name);
                    let inside =
                        name.map_or_else(|| prefix.to_owned(), |n| format!("{prefix}{n}::"));
                    self.all(child, &inside, functions, globals, depth + 1);
                    if tag != c::DW_TAG_namespace {
                        self.named_type(child);
                    }
                }
                // Types that a cast can name.
                c::DW_TAG_base_type
                | c::DW_TAG_typedef
                | c::DW_TAG_enumeration_type
                | c::DW_TAG_union_type => self.named_type(child),
                _ => {}
            }
        }
    }

    /// The classes and namespaces of a function that is declared elsewhere.
    fn prefix_of(&self, die: usize) -> Option<String> {
        let declared = self
            .tree
            .refers(die, c::DW_AT_specification)
            .or_else(|| self.tree.refers(die, c::DW_AT_abstract_origin))?;
        let declared = self.tree.refers(declared, c::DW_AT_specification).unwrap_or(declared);
        let mut names = Vec::new();
        let mut at = self.tree.dies[declared].parent;
        while let Some(die) = at {
            let named = matches!(
                self.tree.dies[die].tag,
                c::DW_TAG_namespace | c::DW_TAG_structure_type | c::DW_TAG_class_type
            );
            if named {
                names.extend(self.text(die, c::DW_AT_name));
            }
            at = self.tree.dies[die].parent;
        }
        Some(names.iter().rev().map(|name| format!("{name}::")).collect())
    }

    fn scope(&mut self, die: usize, kind: Kind, depth: usize) -> Scope {
        let linkage = self
            .text(die, c::DW_AT_linkage_name)
            .or_else(|| self.text(die, c::DW_AT_MIPS_linkage_name))
            .unwrap_or_default();
        let has_result = kind != Kind::Block && self.tree.found(die, c::DW_AT_type).is_some();
        let mut scope = Scope {
            kind,
            name: match kind {
                Kind::Block => String::new(),
                _ => self.text(die, c::DW_AT_name).unwrap_or_else(|| linkage.clone()),
            },
            linkage,
            ranges: self.tree.dies[die].ranges.clone(),
            variables: Vec::new(),
            children: Vec::new(),
            result: has_result.then(|| self.ty(die)),
            called: self.called(die),
        };
        if depth > DEPTH {
            return scope;
        }
        for child in self.tree.dies[die].children.clone() {
            match self.tree.dies[child].tag {
                c::DW_TAG_formal_parameter | c::DW_TAG_variable => {
                    let variable = self.variable(child);
                    if !variable.name.is_empty() {
                        scope.variables.push(variable);
                    }
                }
                tag @ (c::DW_TAG_lexical_block | c::DW_TAG_inlined_subroutine) => {
                    let kind = match tag {
                        c::DW_TAG_lexical_block => Kind::Block,
                        _ => Kind::Inlined,
                    };
                    let mut inside = self.scope(child, kind, depth + 1);
                    if inside.ranges.is_empty() && kind == Kind::Block {
                        // A block without code is merged into the surrounding scope.
                        scope.variables.append(&mut inside.variables);
                        scope.children.append(&mut inside.children);
                    } else {
                        scope.children.push(inside);
                    }
                }
                _ => {}
            }
        }
        scope
    }

    fn called(&self, die: usize) -> Option<(u32, u32)> {
        let file = self.tree.number(die, c::DW_AT_call_file)?;
        Some((file as u32, self.tree.number(die, c::DW_AT_call_line)? as u32))
    }

    fn variable(&mut self, die: usize) -> Variable {
        let tree = self.tree;
        let location = match tree.found(die, c::DW_AT_location).map(|(_, value)| value) {
            Some(AttributeValue::Exprloc(code)) => Location::Expression(code.0.slice().to_vec()),
            Some(value) => self.list(value),
            None => match tree.found(die, c::DW_AT_const_value).map(|(_, value)| value) {
                Some(AttributeValue::Block(bytes)) => Location::Constant(bytes.slice().to_vec()),
                Some(_) => {
                    let value = tree.signed(die, c::DW_AT_const_value).unwrap_or(0);
                    Location::Constant(value.to_le_bytes().to_vec())
                }
                None => Location::None,
            },
        };
        Variable {
            name: self.text(die, c::DW_AT_name).unwrap_or_default(),
            ty: self.ty(die),
            is_parameter: tree.dies[die].tag == c::DW_TAG_formal_parameter,
            class: tree.number(die, c::DW_AT_address_class),
            location,
            line: tree.number(die, c::DW_AT_decl_line).unwrap_or(0) as u32,
        }
    }

    fn list(&self, value: AttributeValue<Slice<'_>>) -> Location {
        let Ok(Some(mut all)) = self.dwarf.attr_locations(&self.tree.unit, value) else {
            return Location::None;
        };
        let mut found = Vec::new();
        while let Ok(Some(entry)) = all.next() {
            let (begin, end) = (entry.range.begin as u32, entry.range.end as u32);
            found.push((begin, end, entry.data.0.slice().to_vec()));
        }
        Location::List(found)
    }
}
