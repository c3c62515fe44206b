//! Converts a file of cases to a document with every texel, operand and expected bit, so that a
//! reader needs neither TOML nor texunit's generators. docs/conformance.md describes the members.
//! Its numbers are in the document, or are NumPy arrays: a ZIP of NPY files. For units besides the
//! texture unit the suite has results of a GPU, and C programs that read and check them
//! (docs/special-functions.md, docs/tensor-cores.md).

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Cursor, Read, Write as _};
use texunit_cases::{
    Access, Case, CaseFile, Expected, Fault, FetchCase, ResourceSpec, SurfaceCase,
};
use texunit_files::{Dtype, encode_array};
use texunit_sfu::{EX2, LG2, RCP, RSQ, SIN, SQRT, TANH, Table};
use texunit_spec::hex;
use texunit_unit::{
    AddressMode, CompareFunction, FetchForm, FetchKind, FetchOperands, Layout, Lod, ReadMode,
    Sampler,
};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The page with the rules, which has an anchor for each.
pub(super) const RULES: &str = "https://github.com/texunit/texunit/blob/main/docs/numerics.md";

/// Where arrays of numbers are stored.
pub(super) trait Numbers {
    /// Stores columns of words, with a row for each fetch; returns their representation in the
    /// document.
    fn words(&mut self, name: String, columns: Vec<Vec<u32>>) -> Result<Value, String>;

    /// Stores bytes of texels.
    fn bytes(&mut self, name: String, bytes: &[u8]) -> Result<Value, String>;
}

/// Stores arrays in the document: a list for each column, and hexadecimal digits for texels.
pub(super) struct Inline;

impl Numbers for Inline {
    fn words(&mut self, _: String, columns: Vec<Vec<u32>>) -> Result<Value, String> {
        Ok(json!(columns))
    }

    fn bytes(&mut self, _: String, bytes: &[u8]) -> Result<Value, String> {
        Ok(json!(hex::from_bytes(bytes, 2)))
    }
}

/// The document for a file of cases.
pub(super) fn document(
    name: &str,
    file: &CaseFile,
    numbers: &mut dyn Numbers,
) -> Result<Value, String> {
    let mut resources: Vec<&ResourceSpec> = Vec::new();
    let mut cases = Vec::new();
    for (n, case) in file.cases.iter().enumerate() {
        let spec = &**case.resource();
        let resource = resources.iter().position(|known| *known == spec);
        let resource = resource.unwrap_or_else(|| {
            resources.push(spec);
            resources.len() - 1
        });
        cases.push(self::case(name, n, case, resource, numbers)?);
    }
    let mut made = Vec::new();
    for (n, spec) in resources.into_iter().enumerate() {
        made.push(self::resource(n, spec, numbers)?);
    }
    Ok(json!({
        "suite": "texunit-conformance",
        "version": super::VERSION,
        "file": name,
        "resources": made,
        "cases": cases,
    }))
}

fn resource(n: usize, spec: &ResourceSpec, numbers: &mut dyn Numbers) -> Result<Value, String> {
    let shape = &spec.shape;
    // Impossible shapes have no texels; their cases expect an error.
    let texels = match spec.packed() {
        Ok(bytes) => numbers.bytes(format!("resource{n}.texels"), &bytes)?,
        Err(_) => Value::Null,
    };
    let range = |range: &std::ops::Range<u32>| json!([range.start, range.end.saturating_sub(1)]);
    Ok(json!({
        "name": spec.name,
        "format": shape.format.name(),
        "geometry": shape.geometry.name(),
        "size": shape.extent.axes()[..shape.geometry.axes()],
        "layers": shape.layers,
        "levels": shape.levels,
        "samples": shape.samples,
        "layout": match spec.layout {
            Layout::Array => "array",
            Layout::Linear => "linear",
            Layout::Pitched => "pitched",
        },
        "pitch": spec.pitch,
        "missing_tiles": spec.missing_tiles,
        "view": spec.view.as_ref().map(|view| json!({
            "format": view.format.map(|f| f.name()),
            "geometry": view.geometry.map(|g| g.name()),
            "levels": view.levels.as_ref().map(range),
            "layers": view.planes.as_ref().map(range),
        })),
        "level": spec.level,
        "texels": texels,
    }))
}

fn case(
    file: &str,
    n: usize,
    case: &Case,
    resource: usize,
    numbers: &mut dyn Numbers,
) -> Result<Value, String> {
    let mut document = json!({
        "id": format!("{file}#{}", n + 1),
        "name": case.name,
        "rules": case.rules.iter().map(|rule| cite(rule)).collect::<Vec<_>>(),
        "provenance": case.provenance,
        "note": case.note,
        "resource": resource,
    });
    let more = match &case.access {
        Access::Fetch(fetch) => self::fetch(n, fetch, numbers)?,
        Access::Surface(surface) => self::surface(n, surface, numbers)?,
    };
    if let (Value::Object(all), Value::Object(more)) = (&mut document, more) {
        all.extend(more);
    }
    Ok(document)
}

/// The address of a rule's anchor: `numerics#rule-1.8`.
fn cite(rule: &str) -> String {
    format!("numerics#rule-{}", rule.to_lowercase().replace(' ', "-"))
}

fn bits(word: u32) -> String {
    format!("{word:08x}")
}

fn sampler(sampler: &Sampler) -> Value {
    json!({
        "filter": sampler.filter.name(),
        "mip_filter": sampler.mip_filter.name(),
        "address_mode": sampler.address_mode.map(AddressMode::name),
        "border": sampler.border.map(bits),
        "min_level_clamp": bits(sampler.min_level_clamp.to_bits()),
        "max_level_clamp": bits(sampler.max_level_clamp.to_bits()),
        "level_bias": bits(sampler.level_bias.to_bits()),
        "max_anisotropy": sampler.max_anisotropy,
        "force_unnormalized_coords": sampler.force_unnormalized_coords,
        "srgb": sampler.srgb,
        "seamless_cube": sampler.seamless_cube,
        "compare": sampler.compare.map(CompareFunction::name),
    })
}

fn instruction(form: FetchForm) -> Value {
    let (kind, lod, component) = match form.kind {
        FetchKind::Sample(lod) => ("sample", Some(lod), None),
        FetchKind::Gather(component) => ("gather", None, Some(component)),
    };
    let name = form.to_string();
    // `tex.2d.v4.f32.s32`
    let mut types = name.rsplit('.');
    let (coordinates, result) = (types.next(), types.next());
    json!({
        "name": name,
        "kind": kind,
        "lod": lod.map(|lod| match lod {
            Lod::Implicit => "implicit",
            Lod::Base => "base",
            Lod::Level => "level",
            Lod::Gradient => "gradient",
        }),
        "component": component,
        "geometry": form.geometry.name(),
        "coordinates": coordinates,
        "result": result,
    })
}

fn fetch(n: usize, case: &FetchCase, numbers: &mut dyn Numbers) -> Result<Value, String> {
    let (form, all) = (case.form, &case.operands);
    let geometry = form.geometry;
    let mut operands = serde_json::Map::new();
    let mut add = |name: &str, count: usize, word: &dyn Fn(&FetchOperands, usize) -> u32| {
        let column = |k: usize| all.iter().map(|operands| word(operands, k)).collect();
        let columns = (0..count).map(column).collect();
        operands.insert(name.to_owned(), numbers.words(format!("case{n}.{name}"), columns)?);
        Ok::<(), String>(())
    };
    let (points, axes) = (geometry.gradients(), geometry.axes());
    add("point", points, &|o, k| o.coords.point[k])?;
    if geometry.is_array() {
        add("layer", 1, &|o, _| o.coords.layer)?;
    }
    if geometry.is_multisample() {
        add("sample", 1, &|o, _| o.coords.sample)?;
    }
    match form.kind {
        FetchKind::Sample(Lod::Level) => add("level", 1, &|o, _| o.level)?,
        FetchKind::Sample(Lod::Gradient) => {
            add("dpdx", points, &|o, k| o.dpdx[k])?;
            add("dpdy", points, &|o, k| o.dpdy[k])?;
        }
        _ => {}
    }
    if form.offset {
        add("offset", axes, &|o, k| o.offset[k] as u32)?;
    }
    if form.compare {
        add("compare", 1, &|o, _| o.compare)?;
    }
    let expected = match &case.expected {
        Expected::Nothing => Value::Null,
        Expected::Error(text) => json!({ "error": text }),
        Expected::Values(values) => {
            let column = |k: usize| values.iter().map(|value| value.values[k]).collect();
            let columns = (0..usize::from(case.components)).map(column).collect();
            let resident: Option<Vec<bool>> = values.iter().map(|value| value.resident).collect();
            json!({
                "values": numbers.words(format!("case{n}.expected"), columns)?,
                "resident": resident.filter(|all| !all.is_empty()),
            })
        }
    };
    Ok(json!({
        "kind": "fetch",
        "texture": {
            "read_mode": match case.read_mode {
                ReadMode::Element => "element",
                ReadMode::NormalizedFloat => "normalized",
            },
            "normalized_coords": case.normalized_coords,
        },
        "sampler": sampler(&case.sampler),
        "instruction": instruction(form),
        "operands": operands,
        "expected": expected,
    }))
}

fn surface(n: usize, case: &SurfaceCase, numbers: &mut dyn Numbers) -> Result<Value, String> {
    let accesses = case.accesses.iter().map(|access| {
        let coords = access.coords.vector(case.op.geometry()).map(|&c| c as i32);
        json!({
            "size": access.size,
            "coords": coords.collect::<Vec<_>>(),
            "bytes": access.bytes.as_deref().map(|bytes| hex::from_bytes(bytes, 2)),
            "fault": access.fault.map(Fault::name),
        })
    });
    let after = case.after.as_deref();
    Ok(json!({
        "kind": "surface",
        "instruction": { "name": case.op.to_string(), "geometry": case.op.geometry().name() },
        "accesses": accesses.collect::<Vec<_>>(),
        "warp": case.warp,
        "after": after.map(|after| numbers.bytes(format!("case{n}.after"), after)).transpose()?,
        "error": case.error,
    }))
}

/// The name of the document's member, which is an array of UTF-8 bytes.
const DOCUMENT: &str = "document";

/// The archive that is being written.
pub(super) struct Arrays(ZipWriter<Cursor<Vec<u8>>>);

impl Arrays {
    pub(super) fn new() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())))
    }

    fn add(&mut self, name: &str, dtype: Dtype, shape: &[u64], bytes: &[u8]) -> Result<(), String> {
        // Without a time stamp, so that the same cases give the same file.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default());
        let file = encode_array(dtype, shape, bytes).map_err(|e| e.to_string())?;
        self.0.start_file(format!("{name}.npy"), options).map_err(|e| e.to_string())?;
        self.0.write_all(&file).map_err(|e| e.to_string())
    }

    /// Completes the file.
    pub(super) fn finish(mut self, document: &Value) -> Result<Vec<u8>, String> {
        let text = document.to_string();
        self.add(DOCUMENT, Dtype::U8, &[text.len() as u64], text.as_bytes())?;
        self.0.finish().map(Cursor::into_inner).map_err(|e| e.to_string())
    }
}

impl Numbers for Arrays {
    fn words(&mut self, name: String, columns: Vec<Vec<u32>>) -> Result<Value, String> {
        let rows = columns.first().map_or(0, Vec::len) as u64;
        let bytes: Vec<u8> = columns.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        self.add(&name, Dtype::U32, &[columns.len() as u64, rows], &bytes)?;
        Ok(json!(name))
    }

    fn bytes(&mut self, name: String, bytes: &[u8]) -> Result<Value, String> {
        self.add(&name, Dtype::U8, &[bytes.len() as u64], bytes)?;
        Ok(json!(name))
    }
}

/// The files: their paths in the suite's folder, and their contents.
pub(super) fn function_files() -> Result<[(&'static str, String); 5], std::io::Error> {
    Ok([
        ("special-functions/tables.txt", tables()),
        ("special-functions/hashes.txt", texunit_sfu::H200_HASHES.to_owned()),
        (
            "special-functions/mufu.c",
            include_str!("../../../../../examples/conformance/mufu.c").to_owned(),
        ),
        ("tensor-core/elements.txt", elements()?),
        ("tensor-core/mma.c", include_str!("../../../../../examples/conformance/mma.c").to_owned()),
    ])
}

fn elements() -> Result<String, std::io::Error> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(texunit_tensor::H200_ELEMENTS).read_to_string(&mut text)?;
    Ok(text)
}

const HEAD: &str = "\
# The tables of the special function unit (MUFU) of an NVIDIA H200 (sm_90), version 1 of this form.
# A line `table NAME SEGMENTS S0 S1 S2 BIAS` begins a table; a line `SEGMENT C0 C1 C2` of decimal integers follows for each segment.
#     V = (C0 << S0) + BIAS + (C1 * X << S1) + (C2 * Q(X) << S2)                      exactly, in units of 2^-41
#     Q(X) = the square of the 17 bits X over 2^19, without partial products in columns below 2^19, cut
# Which bits of an operand are the segment and X, and which of V the result, is in mufu.c, beside this file.
";

fn tables() -> String {
    let mut text = HEAD.to_owned();
    add(&mut text, "RCP", &RCP);
    add(&mut text, "RSQ", &RSQ);
    add(&mut text, "SQRT", &SQRT);
    add(&mut text, "EX2", &EX2);
    add(&mut text, "LG2", &LG2);
    add(&mut text, "SIN", &SIN);
    add(&mut text, "TANH", &TANH);
    text
}

fn add<const SEGMENTS: usize>(text: &mut String, name: &str, table: &Table<SEGMENTS>) {
    let [s0, s1, s2] = table.shifts;
    let _ = writeln!(text, "table {name} {SEGMENTS} {s0} {s1} {s2} {}", table.bias);
    for (segment, [c0, c1, c2]) in table.coefficients.iter().enumerate() {
        let _ = writeln!(text, "{segment} {c0} {c1} {c2}");
    }
}
