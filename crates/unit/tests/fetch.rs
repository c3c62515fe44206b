//! Runs every case of tests/fetch on the reference and on the planned path.

#![allow(clippy::unwrap_used)]

use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, ClampMode, CoordType, Extent, FetchAnswer, FetchForm, FetchOperands,
    FetchPlan, FetchRequest, Filter, Geometry, ReadMode, Resource, ResultType, Sampler, Scratch,
    Surface, SurfaceAnswer, SurfaceForm, SurfaceKind, SurfacePlan, SurfaceRequest, Texture,
    reference,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    provenance: String,
    #[serde(default)]
    fetch: Vec<FetchCase>,
    #[serde(default)]
    surface: Vec<SurfaceCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FetchCase {
    name: String,
    geometry: String,
    coord: String,
    result: String,
    format: String,
    read_mode: String,
    size: Vec<u32>,
    filter: String,
    address: Vec<String>,
    normalized_coords: bool,
    border: String,
    texels: String,
    coords: String,
    expected: String,
    hash: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SurfaceCase {
    name: String,
    op: String,
    geometry: String,
    clamp: String,
    size: Vec<u32>,
    before: String,
    accesses: String,
    values: String,
    after: Option<String>,
}

fn case_files() -> Vec<(String, CaseFile)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fetch");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let file: CaseFile = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!file.provenance.is_empty(), "{name} does not say where it comes from");
            files.push((name, file));
        }
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

/// A string of numbers of `digits` hexadecimal digits each.
fn hex(text: &str, digits: usize) -> Vec<u32> {
    assert!(text.len().is_multiple_of(digits));
    text.as_bytes()
        .chunks(digits)
        .map(|n| u32::from_str_radix(std::str::from_utf8(n).unwrap(), 16).unwrap())
        .collect()
}

fn bytes(text: &str) -> Vec<u8> {
    hex(text, 2).into_iter().map(|b| b as u8).collect()
}

/// The hash of the hardware vectors: FNV-1a with a basis of its own.
fn hash(words: &[u32]) -> String {
    let mut h = 1_469_598_103_934_665_603_u64;
    for byte in words.iter().flat_map(|w| w.to_le_bytes()) {
        h = (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    format!("{h:016x}")
}

fn geometry(name: &str) -> Geometry {
    match name {
        "1d" => Geometry::D1,
        "2d" => Geometry::D2,
        "3d" => Geometry::D3,
        other => panic!("geometry {other}"),
    }
}

fn array(name: &str, format: Format, size: &[u32], bytes: &[u8]) -> Arc<Resource> {
    let axis = |a: usize| size.get(a).copied().unwrap_or(1);
    let extent = Extent { width: axis(0), height: axis(1), depth: axis(2) };
    let block = Arc::new(Block::new(bytes.len(), name).unwrap());
    let resource = Resource::array(
        &ArrayShape::new(format, Geometry::ALL[size.len() - 1], extent),
        block,
        name,
    )
    .unwrap();
    resource.fill_packed(bytes).unwrap();
    Arc::new(resource)
}

/// What a case is made of, in our types.
struct Fetch {
    form: FetchForm,
    texture: Arc<Texture>,
    sampler: Sampler,
    coords: Vec<[u32; 4]>,
    /// Four values a fetch.
    expected: Vec<[u32; 4]>,
}

impl FetchCase {
    fn build(&self) -> Fetch {
        let format = Format::from_name(&self.format).unwrap();
        let form = FetchForm::sample(
            geometry(&self.geometry),
            if self.coord == "s32" { CoordType::S32 } else { CoordType::F32 },
            match self.result.as_str() {
                "f32" => ResultType::F32,
                "s32" => ResultType::S32,
                "u32" => ResultType::U32,
                other => panic!("result {other}"),
            },
        );
        let read_mode = match self.read_mode.as_str() {
            "element" => ReadMode::Element,
            "normalized" => ReadMode::NormalizedFloat,
            other => panic!("read mode {other}"),
        };
        let mode = |axis: usize| match self
            .address
            .get(axis)
            .unwrap_or(self.address.last().unwrap())
            .as_str()
        {
            "wrap" => AddressMode::Wrap,
            "mirror" => AddressMode::Mirror,
            "clamp" => AddressMode::Clamp,
            "border" => AddressMode::Border,
            other => panic!("address mode {other}"),
        };
        let sampler = Sampler {
            filter: if self.filter == "linear" { Filter::Linear } else { Filter::Point },
            address_mode: [mode(0), mode(1), mode(2)],
            border: hex(&self.border, 8).try_into().unwrap(),
            ..Sampler::default()
        };
        let size = format.texel_size() as usize / usize::from(format.channels());
        let texels: Vec<u8> = hex(&self.texels, 2 * size)
            .iter()
            .flat_map(|code| code.to_le_bytes().into_iter().take(size))
            .collect();
        let resource = array(&self.name, format, &self.size, &texels);
        let texture = Texture::new(resource, read_mode, self.normalized_coords, &sampler).unwrap();
        let words = hex(&self.expected, 8);
        assert_eq!(hash(&words), self.hash, "{}: the file is damaged", self.name);
        let four = |w: &[u32]| std::array::from_fn(|i| w.get(i).copied().unwrap_or(0));
        Fetch {
            form,
            texture: Arc::new(texture),
            sampler,
            coords: hex(&self.coords, 8).chunks(self.size.len()).map(four).collect(),
            expected: words.chunks(format.channels().into()).map(four).collect(),
        }
    }
}

/// One fetch of each lane; the last warp has fewer.
fn planned(fetch: &Fetch) -> Vec<[u32; 4]> {
    let plan = FetchPlan::new(fetch.form, &fetch.texture, &fetch.sampler).unwrap();
    let mut scratch = Scratch::new();
    let mut results = Vec::new();
    for warp in fetch.coords.chunks(32) {
        let axis = |a: usize| std::array::from_fn(|lane| warp.get(lane).map_or(0, |c| c[a]));
        let coords: [[u32; 32]; 4] = std::array::from_fn(axis);
        let active = u32::MAX >> (32 - warp.len());
        let request = FetchRequest::new(active, coords.each_ref());
        let mut answer = FetchAnswer { values: [[0xdead_beef; 32]; 4], resident: 0 };
        plan.fetch(&request, &mut scratch, &mut answer);
        for lane in 0..32 {
            let value = answer.values.map(|v| v[lane]);
            if lane < warp.len() {
                results.push(value);
            } else {
                assert_eq!(value, [0xdead_beef; 4], "an inactive lane was written");
            }
        }
    }
    results
}

#[test]
fn fetches_of_all_files() {
    let mut fetches = 0;
    for (file, cases) in case_files() {
        for case in &cases.fetch {
            let fetch = case.build();
            assert_eq!(fetch.coords.len(), fetch.expected.len(), "{}", case.name);
            let planned = planned(&fetch);
            for (i, (&coords, expected)) in fetch.coords.iter().zip(&fetch.expected).enumerate() {
                let operands = FetchOperands { coords, ..FetchOperands::default() };
                let reference =
                    reference::fetch(fetch.form, &fetch.texture, &fetch.sampler, &operands)
                        .unwrap()
                        .values;
                let place = format!("{file}, {}, fetch {i} at {coords:x?}", case.name);
                assert_eq!(reference, *expected, "reference: {place}");
                assert_eq!(planned[i], *expected, "plan: {place}");
                fetches += 1;
            }
        }
    }
    assert!(fetches > 20_000, "only {fetches} fetches were found");
}

/// Element sizes and vectors that make up an access of so many bytes.
fn forms(size: u32) -> Vec<(u8, u8)> {
    let all = [1, 2, 4, 8].into_iter().flat_map(|e| [(e, 1), (e, 2), (e, 4)]);
    all.filter(|&(e, v)| u32::from(e) * u32::from(v) == size).collect()
}

/// An access in each of 32 lanes, of which one is active.
fn request_lanes(coord: &[i32]) -> [[u32; 32]; 3] {
    std::array::from_fn(|axis| [coord.get(axis).copied().unwrap_or(0) as u32; 32])
}

#[test]
fn surface_accesses_of_all_files() {
    let mut accesses = 0;
    for (file, cases) in case_files() {
        for case in &cases.surface {
            accesses += run_surface(&file, case);
        }
    }
    assert!(accesses > 3_000, "only {accesses} accesses were found");
}

fn run_surface(file: &str, case: &SurfaceCase) -> usize {
    let format = Format::from_name("u8").unwrap();
    let dims = case.geometry[..1].parse::<usize>().unwrap();
    let resource = array(&case.name, format, &case.size[..dims], &bytes(&case.before));
    let surface = Arc::new(Surface::new(resource).unwrap());
    let clamp = match case.clamp.as_str() {
        "trap" => ClampMode::Trap,
        "clamp" => ClampMode::Clamp,
        "zero" => ClampMode::Zero,
        other => panic!("clamp {other}"),
    };
    let mut count = 0;
    for (i, (access, value)) in case.accesses.split(' ').zip(case.values.split(' ')).enumerate() {
        let (size, coord) = access.split_once(':').unwrap();
        let coord: Vec<i32> = coord.split(',').map(|c| c.parse().unwrap()).collect();
        let lanes = request_lanes(&coord);
        let lane = i % 32;
        let request = SurfaceRequest { active: 1 << lane, coords: lanes.each_ref() };
        let forms = forms(size.parse().unwrap());
        let place = format!("{file}, {}, access {i}: {access}", case.name);
        let plan = |(element_size, vector)| {
            let geometry = geometry(&case.geometry);
            let kind = SurfaceKind::Load { element_size, vector };
            let form = SurfaceForm { kind, geometry, clamp };
            SurfacePlan::new(form, &surface).unwrap()
        };
        match case.op.as_str() {
            "suld.b" => {
                for &form in &forms {
                    let mut answer = SurfaceAnswer { values: [[u64::MAX; 32]; 4] };
                    plan(form).load(&request, &mut answer).unwrap();
                    assert_eq!(loaded(form, &answer, lane), bytes(value), "{place} as {form:?}");
                }
            }
            "sust.b" => {
                let form = forms[i % forms.len()];
                let values = elements(form, &bytes(value));
                plan(form).store(&request, &values).unwrap();
            }
            other => panic!("op {other}"),
        }
        count += 1;
    }
    let after = case.after.as_ref().unwrap_or(&case.before);
    assert_eq!(surface.resource.to_packed(), bytes(after), "{file}, {}: afterwards", case.name);
    count
}

/// Bytes of the elements that a lane has loaded.
fn loaded((size, vector): (u8, u8), answer: &SurfaceAnswer, lane: usize) -> Vec<u8> {
    let elements = answer.values.iter().take(vector.into()).map(|v| v[lane]);
    elements.flat_map(|e| e.to_le_bytes().into_iter().take(size.into())).collect()
}

/// Elements made of bytes, in every lane.
fn elements((size, _): (u8, u8), bytes: &[u8]) -> [[u64; 32]; 4] {
    let mut values = [[0; 32]; 4];
    for (value, element) in values.iter_mut().zip(bytes.chunks(size.into())) {
        *value = [element.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b)); 32];
    }
    values
}
