//! Debugging information entries (DIEs) of a DWARF compilation unit, read into a tree.

use gimli::{AttributeValue, DwAt, DwTag, EndianSlice, LittleEndian, UnitOffset, constants};
use std::collections::HashMap;

pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(super) type Unit<'a> = gimli::Unit<Slice<'a>>;
pub(super) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
type Value<'a> = AttributeValue<Slice<'a>>;

/// A debugging information entry.
pub(super) struct Die<'a> {
    pub(super) tag: DwTag,
    attrs: Vec<(DwAt, Value<'a>)>,
    pub(super) children: Vec<usize>,
    pub(super) parent: Option<usize>,
    pub(super) ranges: Vec<(u32, u32)>,
}

/// The debugging information entries of a compilation unit.
pub(super) struct Tree<'a> {
    pub(super) unit: Unit<'a>,
    pub(super) dies: Vec<Die<'a>>,
    pub(super) by_offset: HashMap<UnitOffset, usize>,
}

/// Maximum number of entries of a compilation unit.
const MOST: usize = 4 << 20;

impl<'a> Tree<'a> {
    pub(super) fn of(dwarf: &Dwarf<'a>, unit: Unit<'a>) -> gimli::Result<Self> {
        let (mut dies, mut by_offset) = (Vec::new(), HashMap::new());
        let mut above: Vec<usize> = Vec::new();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if dies.len() >= MOST {
                break;
            }
            let depth = usize::try_from(entry.depth()).unwrap_or(0);
            above.truncate(depth);
            let mut ranges = Vec::new();
            let has_code = matches!(
                entry.tag(),
                constants::DW_TAG_subprogram
                    | constants::DW_TAG_inlined_subroutine
                    | constants::DW_TAG_lexical_block
            );
            if has_code && let Ok(mut all) = dwarf.die_ranges(&unit, entry) {
                while let Ok(Some(range)) = all.next() {
                    if range.begin < range.end {
                        ranges.push((range.begin as u32, range.end as u32));
                    }
                }
            }
            let index = dies.len();
            by_offset.insert(entry.offset(), index);
            let attrs = entry.attrs().iter().map(|attr| (attr.name(), attr.value())).collect();
            let parent = above.last().copied();
            dies.push(Die { tag: entry.tag(), attrs, children: Vec::new(), parent, ranges });
            if let Some(parent) = parent {
                dies[parent].children.push(index);
            }
            above.push(index);
        }
        Ok(Self { unit, dies, by_offset })
    }

    pub(super) fn attr(&self, die: usize, name: DwAt) -> Option<Value<'a>> {
        let attrs = &self.dies.get(die)?.attrs;
        attrs.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// The entry that an attribute refers to.
    pub(super) fn refers(&self, die: usize, name: DwAt) -> Option<usize> {
        let offset = match self.attr(die, name)? {
            AttributeValue::UnitRef(offset) => offset,
            AttributeValue::DebugInfoRef(offset) => offset.to_unit_offset(&self.unit.header)?,
            _ => return None,
        };
        self.by_offset.get(&offset).copied()
    }

    /// An attribute of an entry, or of its abstract origin or specification.
    pub(super) fn found(&self, die: usize, name: DwAt) -> Option<(usize, Value<'a>)> {
        let mut at = die;
        for _ in 0..8 {
            if let Some(value) = self.attr(at, name) {
                return Some((at, value));
            }
            at = self
                .refers(at, constants::DW_AT_abstract_origin)
                .or_else(|| self.refers(at, constants::DW_AT_specification))?;
        }
        None
    }

    pub(super) fn text(&self, dwarf: &Dwarf<'a>, die: usize, name: DwAt) -> Option<String> {
        let (_, value) = self.found(die, name)?;
        let text = dwarf.attr_string(&self.unit, value).ok()?;
        Some(text.to_string_lossy().into_owned()).filter(|text| !text.is_empty())
    }

    pub(super) fn number(&self, die: usize, name: DwAt) -> Option<u64> {
        let (_, value) = self.found(die, name)?;
        // gimli returns some numbers as types of their own.
        match value {
            AttributeValue::Encoding(encoding) => Some(encoding.0.into()),
            AttributeValue::AddressClass(class) => Some(class.0),
            AttributeValue::FileIndex(file) => Some(file),
            _ => value.udata_value().or_else(|| value.sdata_value().map(|v| v as u64)),
        }
    }

    pub(super) fn signed(&self, die: usize, name: DwAt) -> Option<i64> {
        let (_, value) = self.found(die, name)?;
        value.sdata_value().or_else(|| value.udata_value().map(|v| v as i64))
    }

    /// The entry that describes the type of an entry (DW_AT_type).
    pub(super) fn type_of(&self, die: usize) -> Option<usize> {
        let (at, _) = self.found(die, constants::DW_AT_type)?;
        self.refers(at, constants::DW_AT_type)
    }
}
