//! Keys of jobs that were recorded from a program's launch: launch options, addresses of objects,
//! freed objects, and expected results.

use super::memory::data;
use super::{BufferSpec, Data, ResourceSpec};
use crate::problem::codes;
use texunit_device::{Approximate, BadFetch, Bounds, ComputeCapability, End};
use texunit_spec::{At, Table, TomlValue};

/// Launch options, unless the command line overrides them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The key `arch`.
    pub arch: Option<ComputeCapability>,
    /// The key `memory_limit`.
    pub memory_limit: Option<u64>,
    /// The key `max_steps`.
    pub max_steps: Option<u64>,
    /// The key `fmad`.
    pub fmad: Option<bool>,
    /// The key `approx`.
    pub approximate: Option<Approximate>,
    /// The key `bounds`.
    pub bounds: Option<Bounds>,
    /// The key `bad_fetch`.
    pub bad_fetch: Option<BadFetch>,
    /// The key `stack_limit`.
    pub stack_limit: Option<u32>,
    /// The key `printf_limit`.
    pub printf_limit: Option<usize>,
    /// The key `grid_id`, the value of `%gridid`.
    pub grid_id: u64,
    /// The key `check`, which says whether objects without `expected` must be unchanged.
    pub check: bool,
}

/// Maximum memory of a device in bytes, more than any GPU has.
const MAX_MEMORY: u64 = 1 << 40;
/// Maximum stack of a thread in bytes.
const MAX_STACK: u64 = 512 * 1024;
/// Maximum `printf` output in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// Parses the keys at the top of a job.
pub(super) fn settings(root: &Table<'_>) -> Settings {
    let number = |key, most| root.get(key).and_then(|v| v.number(1, most));
    let flag = |key| root.get(key).and_then(|v| v.boolean()).unwrap_or(false);
    let arch = root.get("arch").and_then(|v| {
        let name = v.string("an architecture, such as \"sm_75\"")?;
        let arch = ComputeCapability::from_target(&name.value);
        if arch.is_none() {
            let message = format!("`{}` is not an architecture, such as sm_75", name.value);
            v.problem(codes::VALUE, message);
        }
        arch
    });
    Settings {
        arch,
        memory_limit: number("memory_limit", MAX_MEMORY),
        max_steps: number("max_steps", i64::MAX as u64),
        fmad: root.get("fmad").and_then(|v| v.boolean()),
        approximate: root.get("approx").and_then(|v| {
            v.word(&[("card", Approximate::Card), ("rounded", Approximate::Rounded)])
        }),
        bounds: root
            .get("bounds")
            .and_then(|v| v.word(&[("exact", Bounds::Exact), ("hardware", Bounds::Hardware)])),
        bad_fetch: root
            .get("bad_fetch")
            .and_then(|v| v.word(&[("fault", BadFetch::Fault), ("zero", BadFetch::Zero)])),
        stack_limit: number("stack_limit", MAX_STACK).map(|n| n as u32),
        printf_limit: number("printf_limit", MAX_TEXT).map(|n| n as usize),
        grid_id: root.get("grid_id").and_then(|v| v.number(0, i64::MAX as u64)).unwrap_or(0),
        check: flag("check"),
    }
}

/// Texels that do not belong to a parameter, for textures and surfaces to refer to.
#[derive(Clone, Debug)]
pub struct ArraySpec {
    /// Position of the table.
    pub at: At<()>,
    /// The texels of the array.
    pub resource: ResourceSpec,
    /// The key `name`, the array's name in messages.
    pub name: Option<String>,
    /// Whether the key `ended` is `"destroyed"`.
    pub ended: bool,
}

/// Parses an array.
pub(super) fn array(value: &TomlValue<'_>) -> Option<ArraySpec> {
    let table = value.table()?;
    let resource = super::resource::resource(&table, "array");
    let name = table.get("name").and_then(|v| Some(v.string("a name")?.value));
    let ended = table.get("ended").and_then(|v| v.word(&[("destroyed", ())])).is_some();
    table.finish();
    Some(ArraySpec { at: value.at(()), resource: resource?, name, ended })
}

/// Address, name and state of memory.
#[derive(Clone, Debug, Default)]
pub struct PlaceSpec {
    /// The key `address`, the address of the first byte.
    pub address: Option<At<u64>>,
    /// The key `name`, the memory's name in messages.
    pub name: Option<String>,
    /// The key `number`, the allocation's number in messages.
    pub number: Option<u64>,
    /// The key `read_only`.
    pub read_only: bool,
    /// The key `ended`.
    pub ended: Option<End>,
}

#[rustfmt::skip]
const ENDS: [(&str, End); 4] = [
    ("freed",        End::Freed),
    ("unregistered", End::Unregistered),
    ("unmapped",     End::Unmapped),
    ("removed",      End::Removed),
];

/// Parses these keys of a buffer.
pub(super) fn place(table: &Table<'_>) -> PlaceSpec {
    let spec = PlaceSpec {
        address: table.get("address").and_then(|v| address(&v)),
        name: table.get("name").and_then(|v| Some(v.string("a name")?.value)),
        number: table.get("number").and_then(|v| v.number(0, i64::MAX as u64)),
        read_only: table.get("read_only").and_then(|v| v.boolean()).unwrap_or(false),
        ended: table.get("ended").and_then(|v| v.word(&ENDS)),
    };
    if spec.address.is_none() && (spec.number.is_some() || spec.read_only || spec.ended.is_some()) {
        let message = "`number`, `read_only` and `ended` are of a buffer with an `address`";
        table.problem(codes::CONFLICT, message.to_owned());
    }
    spec
}

/// An address or handle: an integer, or a string for values that TOML's integers cannot hold.
pub(super) fn address(value: &TomlValue<'_>) -> Option<At<u64>> {
    if !value.is_string() {
        return value.number(0, i64::MAX as u64).map(|n| value.at(n));
    }
    let text = value.string("an address")?;
    let digits = text.value.strip_prefix("0x").unwrap_or("");
    let number = u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
    if number.is_none() {
        let message = format!("`{}` is not a number such as \"0x700000000000\"", text.value);
        value.problem(codes::VALUE, message);
    }
    number.map(|n| value.at(n))
}

/// Offsets and lengths of an object's bytes; the data holds them consecutively.
pub type Parts = Vec<[u64; 2]>;

/// Parses the key `parts`.
pub(super) fn parts(table: &Table<'_>) -> Option<At<Parts>> {
    let value = table.get("parts")?;
    let items = value.array("an array of parts [offset, bytes]")?;
    let mut parts = Vec::with_capacity(items.len());
    let mut end = 0;
    for item in &items {
        let pair = item.array("an offset and a number of bytes")?;
        let [offset, bytes] = pair.as_slice() else {
            item.problem(codes::VALUE, "expected [offset, bytes]");
            return None;
        };
        let part = [offset.number(0, 1 << 40)?, bytes.number(1, 1 << 40)?];
        if part[0] < end {
            item.problem(codes::VALUE, "parts follow each other, and have no bytes in common");
            return None;
        }
        end = part[0] + part[1];
        parts.push(part);
    }
    Some(value.at(parts))
}

/// The expected contents of an object after the launch, if they change.
#[derive(Clone, Debug)]
pub struct ExpectedSpec {
    /// The expected bytes.
    pub data: Data,
    /// Offsets and lengths for the data; `None` if it begins at offset 0.
    pub parts: Option<At<Parts>>,
}

/// Parses the key `expected`.
pub(super) fn expected(value: &TomlValue<'_>) -> Option<At<ExpectedSpec>> {
    let table = value.table()?;
    let before = table.problem_count();
    let (data, parts) = (data(&table), parts(&table));
    table.finish();
    match data {
        Some(data) => Some(value.at(ExpectedSpec { data, parts })),
        None => {
            if table.problem_count() == before {
                let keys = "`file`, `bytes` or a type such as `u32`";
                table.problem(codes::MISSING_KEY, format!("expected one of the keys {keys}"));
            }
            None
        }
    }
}

impl BufferSpec {
    /// Whether its address is fixed.
    pub fn is_placed(&self) -> bool {
        self.place.address.is_some()
    }
}
