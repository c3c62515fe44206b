//! Reads the types that DWARF entries describe.

use super::die::{Dwarf, Tree};
use gimli::constants as c;
use std::collections::HashMap;

/// Index of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(usize);

/// The encoding of a basic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Bool,
    Float,
    /// bfloat16
    Brain,
}

/// A member of a structure, or a base class, which has no name.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) offset: u64,
    /// The first bit of a bit field, counted from the lowest, and its number of bits.
    pub(crate) bits: Option<(u32, u32)>,
    pub(crate) is_base: bool,
}

/// What a type is: a basic type, a pointer, a structure and so on.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Void,
    Base(Base),
    Pointer {
        to: TypeId,
        is_reference: bool,
    },
    Array {
        of: TypeId,
        count: u64,
    },
    Struct {
        members: Vec<Member>,
        is_union: bool,
    },
    /// A variant (Rust's `enum`): the discriminant, and each variant with its discriminant value,
    /// or `None` for the default variant.
    Choice {
        by: Member,
        of: Vec<(Option<i64>, Member)>,
    },
    Enum {
        names: Vec<(String, i64)>,
        is_signed: bool,
    },
    /// A typedef or qualified type.
    Alias(TypeId),
    Function,
}

#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) shape: Shape,
}

/// The types of a module.
#[derive(Debug, Default)]
pub(crate) struct Types {
    all: Vec<Type>,
    names: HashMap<String, TypeId>,
}

/// Maximum depth of nested types.
const DEPTH: usize = 64;

impl Types {
    pub(crate) fn get(&self, id: TypeId) -> &Type {
        &self.all[id.0]
    }

    /// The type that `id` stands for without typedefs and qualifiers.
    pub(crate) fn plain(&self, mut id: TypeId) -> TypeId {
        for _ in 0..DEPTH {
            match self.get(id).shape {
                Shape::Alias(to) => id = to,
                _ => break,
            }
        }
        id
    }

    pub(crate) fn shape(&self, id: TypeId) -> &Shape {
        &self.get(self.plain(id)).shape
    }

    pub(crate) fn size(&self, id: TypeId) -> u64 {
        self.get(self.plain(id)).size
    }

    pub(crate) fn add(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.all.len());
        if !ty.name.is_empty() {
            self.names.entry(ty.name.clone()).or_insert(id);
        }
        self.all.push(ty);
        id
    }

    /// Adds a basic type, and returns its index.
    pub(crate) fn base(&mut self, name: &str, base: Base, size: u64) -> TypeId {
        match self.names.get(name).copied() {
            Some(id)
                if matches!(*self.shape(id), Shape::Base(b) if b == base)
                    && self.size(id) == size =>
            {
                id
            }
            _ => self.add(Type { name: name.to_owned(), size, shape: Shape::Base(base) }),
        }
    }

    pub(crate) fn void(&mut self) -> TypeId {
        match self.names.get("void") {
            Some(&id) => id,
            None => self.add(Type { name: "void".to_owned(), size: 0, shape: Shape::Void }),
        }
    }

    pub(crate) fn pointer(&mut self, to: TypeId) -> TypeId {
        let name = format!("{} *", self.get(to).name);
        let name = if name.ends_with("* *") { name.replace("* *", "**") } else { name };
        self.names.get(&name).copied().unwrap_or_else(|| {
            self.add(Type { name, size: 8, shape: Shape::Pointer { to, is_reference: false } })
        })
    }

    pub(crate) fn array(&mut self, of: TypeId, count: u64) -> TypeId {
        let name = format!("{} [{count}]", self.get(of).name);
        let size = self.size(of).saturating_mul(count);
        self.add(Type { name, size, shape: Shape::Array { of, count } })
    }

    /// Adds a structure whose members all have the type `of`, such as `float4`.
    pub(crate) fn vector(&mut self, name: &str, of: TypeId, names: &[&str]) -> TypeId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let step = self.size(of);
        let members = (0..).zip(names).map(|(i, name)| Member {
            name: (*name).to_owned(),
            ty: of,
            offset: i * step,
            bits: None,
            is_base: false,
        });
        let shape = Shape::Struct { members: members.collect(), is_union: false };
        self.add(Type { name: name.to_owned(), size: step * names.len() as u64, shape })
    }

    /// The type and value of an enumerator.
    pub(crate) fn enumerator(&self, name: &str) -> Option<(TypeId, i64)> {
        let all = self.all.iter().enumerate();
        let mut found = all.filter_map(|(id, ty)| match &ty.shape {
            Shape::Enum { names, .. } => {
                let (_, value) = names.iter().find(|(n, _)| n == name)?;
                Some((TypeId(id), *value))
            }
            _ => None,
        });
        found.next()
    }

    pub(crate) fn named(&self, name: &str) -> Option<TypeId> {
        self.names.get(name).copied()
    }
}

/// Types of a DWARF compilation unit that have been read, by the offset of their DWARF entry.
pub(super) type ReadTypes = HashMap<usize, TypeId>;

/// Reads the type that a DWARF entry describes.
pub(super) fn read<'a>(
    types: &mut Types,
    known: &mut ReadTypes,
    (dwarf, tree): (&Dwarf<'a>, &Tree<'a>),
    die: Option<usize>,
) -> TypeId {
    let Some(die) = die else { return types.void() };
    if let Some(&id) = known.get(&die) {
        return id;
    }
    let name = tree.text(dwarf, die, c::DW_AT_name).unwrap_or_default();
    let size = tree.number(die, c::DW_AT_byte_size).unwrap_or(0);
    // The type is registered before its members are read, because they may refer to it.
    let id = types.add(Type { name: name.clone(), size, shape: Shape::Void });
    known.insert(die, id);
    let mut inner = |of: Option<usize>| read(types, known, (dwarf, tree), of);
    let (name, size, shape) = match tree.dies[die].tag {
        c::DW_TAG_base_type => (name.clone(), size, Shape::Base(base(tree, die, &name, size))),
        c::DW_TAG_pointer_type | c::DW_TAG_reference_type | c::DW_TAG_rvalue_reference_type => {
            let to = inner(tree.type_of(die));
            let is_reference = tree.dies[die].tag != c::DW_TAG_pointer_type;
            let to_name = types.get(to).name.clone();
            let space = if to_name.ends_with(['*', '&']) { "" } else { " " };
            let sign = if is_reference { "&" } else { "*" };
            let made = format!("{to_name}{space}{sign}");
            let name = if name.is_empty() { made } else { name };
            let size = if size == 0 { 8 } else { size };
            (name, size, Shape::Pointer { to, is_reference })
        }
        c::DW_TAG_ptr_to_member_type => (name, 8, Shape::Base(Base::Unsigned)),
        tag @ (c::DW_TAG_const_type | c::DW_TAG_volatile_type | c::DW_TAG_restrict_type) => {
            let to = inner(tree.type_of(die));
            let of = types.get(to).name.clone();
            let name = match tag {
                c::DW_TAG_const_type if of.ends_with(['*', '&']) => format!("{of} const"),
                c::DW_TAG_const_type => format!("const {of}"),
                c::DW_TAG_volatile_type => format!("volatile {of}"),
                _ => format!("{of} __restrict"),
            };
            (name, types.size(to), Shape::Alias(to))
        }
        c::DW_TAG_typedef => {
            let to = inner(tree.type_of(die));
            (name, types.size(to), Shape::Alias(to))
        }
        c::DW_TAG_array_type => {
            let of = inner(tree.type_of(die));
            let bounds = tree.dies[die].children.iter();
            let counts: Vec<u64> = bounds.filter_map(|&bound| count(tree, bound)).collect();
            let mut inside = of;
            for &count in counts.iter().skip(1).rev() {
                inside = types.array(inside, count);
            }
            let count = counts.first().copied().unwrap_or(0);
            let dims: String = counts.iter().map(|n| format!("[{n}]")).collect();
            let name = format!("{} {dims}", types.get(of).name);
            let size = types.size(inside).saturating_mul(count);
            (name, size, Shape::Array { of: inside, count })
        }
        tag @ (c::DW_TAG_structure_type | c::DW_TAG_class_type | c::DW_TAG_union_type) => {
            let children = tree.dies[die].children.clone();
            let is_choice = |&&child: &&usize| tree.dies[child].tag == c::DW_TAG_variant_part;
            let part = children.iter().find(is_choice).copied();
            let mut member = |child| member(types, known, (dwarf, tree), child);
            let choice = part.and_then(|part| {
                let by = member(tree.refers(part, c::DW_AT_discr)?);
                let variants = tree.dies[part].children.iter();
                let variants = variants.filter(|&&v| tree.dies[v].tag == c::DW_TAG_variant);
                let of = variants.filter_map(|&variant| {
                    let own = tree.dies[variant].children.first()?;
                    Some((tree.signed(variant, c::DW_AT_discr_value), member(*own)))
                });
                Some((by, of.collect()))
            });
            if let Some((by, of)) = choice {
                (name, size, Shape::Choice { by, of })
            } else {
                let is_member = |&&child: &&usize| {
                    let tag = tree.dies[child].tag;
                    let is_static = tree.attr(child, c::DW_AT_external).is_some();
                    matches!(tag, c::DW_TAG_inheritance | c::DW_TAG_member) && !is_static
                };
                let members = children.iter().filter(is_member).map(|&child| member(child));
                let members = members.collect();
                (name, size, Shape::Struct { members, is_union: tag == c::DW_TAG_union_type })
            }
        }
        c::DW_TAG_enumeration_type => {
            let children = tree.dies[die].children.iter();
            let names = children.filter_map(|&child| {
                let value = tree.signed(child, c::DW_AT_const_value)?;
                let name = tree.text(dwarf, child, c::DW_AT_name)?;
                // NVIDIA's compiler writes enumerators of `enum class` with their mangled names.
                Some((texunit_report::place::function_name(&name), value))
            });
            let names: Vec<(String, i64)> = names.collect();
            let is_signed = names.iter().any(|(_, value)| *value < 0);
            (name, if size == 0 { 4 } else { size }, Shape::Enum { names, is_signed })
        }
        c::DW_TAG_subroutine_type => {
            (if name.is_empty() { "void (void)".to_owned() } else { name }, 1, Shape::Function)
        }
        _ => (if name.is_empty() { "void".to_owned() } else { name }, size, Shape::Void),
    };
    if !name.is_empty() {
        types.names.entry(name.clone()).or_insert(id);
    }
    types.all[id.0] = Type { name, size, shape };
    id
}

/// Reads a member or base class of a structure.
fn member<'a>(
    types: &mut Types,
    known: &mut ReadTypes,
    (dwarf, tree): (&Dwarf<'a>, &Tree<'a>),
    die: usize,
) -> Member {
    let is_base = tree.dies[die].tag == c::DW_TAG_inheritance;
    let ty = read(types, known, (dwarf, tree), tree.type_of(die));
    let name = match is_base {
        true => format!("<{}>", types.get(ty).name),
        false => tree.text(dwarf, die, c::DW_AT_name).unwrap_or_default(),
    };
    let bits = bit_field(tree, die, types.size(ty));
    Member { name, ty, offset: member_offset(tree, die), bits, is_base }
}

fn base(tree: &Tree<'_>, die: usize, name: &str, size: u64) -> Base {
    let encoding = tree.number(die, c::DW_AT_encoding).unwrap_or(0);
    match c::DwAte(encoding as u8) {
        c::DW_ATE_boolean => Base::Bool,
        c::DW_ATE_float if size == 2 && name.contains("bf") => Base::Brain,
        c::DW_ATE_float | c::DW_ATE_complex_float => Base::Float,
        c::DW_ATE_signed => Base::Signed,
        c::DW_ATE_signed_char => Base::SignedChar,
        c::DW_ATE_unsigned_char | c::DW_ATE_UTF => Base::UnsignedChar,
        _ => Base::Unsigned,
    }
}

fn count(tree: &Tree<'_>, bound: usize) -> Option<u64> {
    if tree.dies[bound].tag != c::DW_TAG_subrange_type {
        return None;
    }
    let count = tree.number(bound, c::DW_AT_count);
    count.or_else(|| Some(tree.number(bound, c::DW_AT_upper_bound)?.wrapping_add(1))).or(Some(0))
}

fn member_offset(tree: &Tree<'_>, die: usize) -> u64 {
    if let Some(offset) = tree.number(die, c::DW_AT_data_member_location) {
        return offset;
    }
    // DWARF 2 gives the offset as an expression that adds to the structure's address.
    match tree.attr(die, c::DW_AT_data_member_location) {
        Some(gimli::AttributeValue::Exprloc(code)) => {
            match code.operations(tree.unit.encoding()).next() {
                Ok(Some(gimli::Operation::PlusConstant { value })) => value,
                _ => 0,
            }
        }
        _ => tree.number(die, c::DW_AT_data_bit_offset).unwrap_or(0) / 8,
    }
}

fn bit_field(tree: &Tree<'_>, die: usize, size: u64) -> Option<(u32, u32)> {
    let bits = tree.number(die, c::DW_AT_bit_size)? as u32;
    if let Some(first) = tree.number(die, c::DW_AT_data_bit_offset) {
        let has_place = tree.attr(die, c::DW_AT_data_member_location).is_some();
        return Some((if has_place { first as u32 } else { first as u32 % 8 }, bits));
    }
    let from_top = tree.number(die, c::DW_AT_bit_offset)? as u32;
    let storage = tree.number(die, c::DW_AT_byte_size).unwrap_or(size) as u32 * 8;
    Some((storage.checked_sub(from_top + bits)?, bits))
}
