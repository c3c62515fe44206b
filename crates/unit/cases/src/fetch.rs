//! Fetch cases: one `tex` or `tld4`, one texture and one sampler, with operands for many fetches.

mod run;

pub use run::{Answer, BuiltFetch};
use texunit_forms::Count;

use crate::error::{CaseError, Result, Within};
use crate::raw::{RawCase, RawFetch};
use crate::resource::ResourceSpec;
use std::sync::Arc;
use texunit_spec::write::{self, Entries};
use texunit_spec::{hex, keys};
use texunit_unit::{
    Coordinates, FetchForm, FetchKind, FetchOperands, Lod, ReadMode, Sampler, Texture,
};
use toml::Value;

/// Expected results of a fetch case.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// The results are not known yet, and are to be recorded on a GPU.
    Nothing,
    /// A result for each fetch.
    Values(Vec<ExpectedValue>),
    /// Making the texture or planning the fetch fails, with a message that contains this text.
    Error(String),
}

/// The expected result of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedValue {
    /// Expected contents of the result registers x, y, z, w; for `.f16x2`, two registers and zeros.
    pub values: [u32; 4],
    /// Number of registers whose contents are known, from x on; the other registers are 0 in
    /// `values`.
    pub components: u8,
    /// The destination predicate, if the case states it.
    pub resident: Option<bool>,
}

impl ExpectedValue {
    /// Whether an actual result equals the expected one, as far as the case states it.
    pub fn agrees(&self, answer: &Answer) -> bool {
        self.differing(answer).count() == 0
    }

    /// Indices of the result registers (0 to 3) that differ from the expected ones; 4 stands for
    /// the destination predicate.
    pub(crate) fn differing(&self, answer: &Answer) -> impl Iterator<Item = usize> {
        let words = (0..self.components.into()).filter(|&n| self.values[n] != answer.values[n]);
        words.chain(self.resident.is_some_and(|resident| resident != answer.resident).then_some(4))
    }
}

/// A test case of fetches: texture, sampler, instruction, operands and expected results.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchCase {
    /// The resource of the texture.
    pub resource: Arc<ResourceSpec>,
    /// Whether texels are read as elements or as normalized floats.
    pub read_mode: ReadMode,
    /// Whether coordinates are normalized.
    pub normalized_coords: bool,
    /// Sampler state.
    pub sampler: Sampler,
    /// The instruction that every fetch of the case executes.
    pub form: FetchForm,
    /// The operands of each fetch, in the order of the file.
    pub operands: Vec<FetchOperands>,
    /// The expected results of the fetches.
    pub expected: Expected,
    /// Number of registers per fetch that `expected` lists in the file.
    pub components: u8,
    /// Hash of the expected register values, if the file has one to detect damage.
    pub hash: Option<String>,
}

impl FetchCase {
    /// Allocates the resource of the case and makes its texture.
    pub fn build(&self) -> Result<BuiltFetch> {
        let resource = self.resource.build()?;
        // The texture is made by the rules of the driver API, which accepts textures that the
        // runtime API refuses.
        let (mode, normalized) = (self.read_mode, self.normalized_coords);
        let texture = match self.expected {
            Expected::Error(_) => Texture::new(resource, mode, normalized, &self.sampler),
            _ => Texture::without_sampler(resource, mode, normalized),
        };
        let texture = texture.map_err(CaseError::new)?;
        Ok(BuiltFetch {
            form: self.form,
            texture: Arc::new(texture),
            sampler: self.sampler,
            operands: self.operands.clone(),
            expected: self.expected.clone(),
        })
    }

    /// Replaces the expected results by actual results, with all registers and the predicate.
    pub fn record(&mut self, answers: &[Answer]) {
        let components = self.form.result.registers();
        let value =
            |a: &Answer| ExpectedValue { values: a.values, components, resident: Some(a.resident) };
        self.expected = Expected::Values(answers.iter().map(value).collect());
        self.components = components;
        self.hash = None;
    }

    pub(crate) fn from_raw(
        case: &RawCase,
        raw: &RawFetch,
        resource: Arc<ResourceSpec>,
    ) -> Result<Self> {
        let offset = raw.offset.is_some() || raw.offsets.is_some();
        let form = case.op.parse::<FetchForm>().map_err(CaseError::new).within("op")?;
        // Whether there are an offset and a compare operand is not part of the instruction name,
        // but follows from the keys of the case.
        let form = FetchForm { offset, compare: raw.compare.is_some(), ..form };
        let operands = operands(case, raw, form)?;
        let most = form.result.registers();
        let components = raw.components.unwrap_or(most);
        if components == 0 || components > most {
            return Err(CaseError::new(format!("`components` is 1 to {most}")));
        }
        let mut fetch = Self {
            resource,
            read_mode: raw.read_mode,
            normalized_coords: raw.normalized_coords,
            sampler: raw.sampler,
            form,
            operands,
            expected: Expected::Nothing,
            components,
            hash: raw.hash.clone(),
        };
        fetch.expected = expected(case, raw, &fetch)?;
        Ok(fetch)
    }

    /// The keys and values with which the case is written to a file, except those that every case
    /// has.
    pub(crate) fn entries(&self) -> Entries {
        let (form, all) = (self.form, &self.operands);
        let each = |words: &dyn Fn(&FetchOperands) -> Vec<u32>| {
            Value::from(hex::from_words(all.iter().flat_map(words)))
        };
        let (gradients, axes) = (form.geometry.gradients(), form.geometry.axes());
        let same = all.windows(2).all(|pair| pair[0].offset == pair[1].offset);
        // A case without fetches has no offset to write; an empty list `offsets` then states that
        // the instruction has an offset.
        let first = all.first().filter(|_| form.offset && same);
        let mut entries = Entries::new();
        if self.read_mode != ReadMode::Element {
            entries.push((keys::READ_MODE.name, self.read_mode.name().into()));
        }
        if self.normalized_coords {
            entries.push((keys::NORMALIZED_COORDS.name, true.into()));
        }
        let sampler = write::changed_sampler(&self.sampler);
        if !sampler.is_empty() {
            entries.push(("sampler", write::table(sampler).into()));
        }
        entries.push(("op", form.to_string().into()));
        match first {
            Some(first) => {
                let numbers = first.offset[..axes].iter().map(|n| i64::from(*n).into());
                entries.push(("offset", Value::Array(numbers.collect())));
            }
            None if form.offset => {
                let words =
                    |o: &FetchOperands| o.offset[..axes].iter().map(|&i| i as u32).collect();
                entries.push(("offsets", each(&words)));
            }
            None => {}
        }
        let coords = |o: &FetchOperands| o.coords.vector(form.geometry).copied().collect();
        entries.push(("coords", each(&coords)));
        if form.kind == WITH_LEVEL {
            entries.push(("lod", each(&|o| vec![o.level])));
        }
        if form.kind == WITH_GRADIENTS {
            entries.push(("dpdx", each(&|o| o.dpdx[..gradients].to_vec())));
            entries.push(("dpdy", each(&|o| o.dpdy[..gradients].to_vec())));
        }
        if form.compare {
            entries.push(("compare", each(&|o| vec![o.compare])));
        }
        if self.components != form.result.registers() {
            entries.push(("components", i64::from(self.components).into()));
        }
        match &self.expected {
            Expected::Nothing => {}
            Expected::Error(message) => entries.push(("error", message.as_str().into())),
            Expected::Values(values) => {
                let words = values.iter().flat_map(|v| &v.values[..self.components.into()]);
                entries.push(("expected", hex::from_words(words.copied()).into()));
                let resident: Option<String> =
                    values.iter().map(|v| v.resident.map(|r| if r { '1' } else { '0' })).collect();
                let resident = resident.filter(|r| !r.is_empty());
                entries.extend(resident.map(|resident| ("resident", resident.into())));
            }
        }
        entries.extend(self.hash.as_ref().map(|hash| ("hash", hash.as_str().into())));
        entries
    }
}

/// The instructions that have a level of detail as operand, and those that have gradients.
const WITH_LEVEL: FetchKind = FetchKind::Sample(Lod::Level);
const WITH_GRADIENTS: FetchKind = FetchKind::Sample(Lod::Gradient);

/// The hash that some cases have beside their expected results, as the published vectors have it:
/// FNV-1a with its own basis, over the little-endian bytes of the register values.
pub fn hash(words: &[u32]) -> String {
    let mut h = 1_469_598_103_934_665_603_u64;
    for byte in words.iter().flat_map(|w| w.to_le_bytes()) {
        h = (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    format!("{h:016x}")
}

/// Parses the 32-bit words of an operand key, of which each fetch has `each`. Returns `None` if the
/// instruction lacks the operand and the key is missing; other combinations are errors.
fn list(key: &str, text: Option<&String>, wanted: bool, each: usize) -> Result<Option<Vec<u32>>> {
    match (text, wanted) {
        (None, false) => Ok(None),
        (None, true) => Err(CaseError::new(format!("`{key}` is missing"))),
        (Some(_), false) => {
            Err(CaseError::new(format!("`{key}` is there, but the instruction has none")))
        }
        (Some(text), true) => {
            let words = hex::words(text).within(key)?;
            if words.len().is_multiple_of(each) {
                return Ok(Some(words));
            }
            let words = Count(words.len(), "word");
            Err(CaseError::new(format!("`{key}` has {words}, not a multiple of {each}")))
        }
    }
}

fn operands(case: &RawCase, raw: &RawFetch, form: FetchForm) -> Result<Vec<FetchOperands>> {
    let (coordinates, gradients) = (form.geometry.coordinates(), form.geometry.gradients());
    let axes = form.geometry.axes();
    if raw.coords.is_none() && case.error.is_some() {
        // A case that only expects an error states no coordinates. It gets one fetch with default
        // operands, because planning and running it must raise the error.
        return Ok(vec![FetchOperands::default()]);
    }
    let coords = list("coords", raw.coords.as_ref(), true, coordinates)?;
    let count = coords.as_ref().map_or(0, |words| words.len() / coordinates);
    let several = |key: &str, text: Option<&String>, wanted: bool, each: usize| {
        let words = list(key, text, wanted, each)?;
        if let Some(words) = &words
            && words.len() / each != count
        {
            let own = Count(words.len() / each, "fetch");
            return Err(CaseError::new(format!("`{key}` is for {own}, `coords` for {count}")));
        }
        Ok(words)
    };
    if raw.offset.is_some() && raw.offsets.is_some() {
        return Err(CaseError::new("`offset` and `offsets` are mutually exclusive"));
    }
    if raw.offset.as_ref().is_some_and(|o| o.len() != axes) {
        return Err(CaseError::new(format!("`offset` has {}, one an axis", Count(axes, "number"))));
    }
    let lod = several("lod", raw.lod.as_ref(), form.kind == WITH_LEVEL, 1)?;
    let has_gradients = form.kind == WITH_GRADIENTS;
    let dpdx = several("dpdx", raw.dpdx.as_ref(), has_gradients, gradients)?;
    let dpdy = several("dpdy", raw.dpdy.as_ref(), has_gradients, gradients)?;
    let offsets = several("offsets", raw.offsets.as_ref(), raw.offsets.is_some(), axes)?;
    let compare = several("compare", raw.compare.as_ref(), form.compare, 1)?;
    Ok((0..count)
        .map(|i| FetchOperands {
            coords: Coordinates::of(form.geometry, part::<4>(coords.as_ref(), i, coordinates), 0),
            offset: match (&raw.offset, &offsets) {
                (Some(all), _) => std::array::from_fn(|a| all.get(a).copied().unwrap_or(0)),
                (None, each) => part(each.as_ref(), i, axes).map(|word| word as i32),
            },
            level: part::<1>(lod.as_ref(), i, 1)[0],
            dpdx: part(dpdx.as_ref(), i, gradients),
            dpdy: part(dpdy.as_ref(), i, gradients),
            compare: part::<1>(compare.as_ref(), i, 1)[0],
        })
        .collect())
}

/// The `each` words of fetch `i` from the words of all fetches, padded with zeros.
fn part<const N: usize>(words: Option<&Vec<u32>>, i: usize, each: usize) -> [u32; N] {
    let all = words.map_or(&[][..], |words| &words[i * each..][..each]);
    std::array::from_fn(|k| all.get(k).copied().unwrap_or(0))
}

fn expected(case: &RawCase, raw: &RawFetch, fetch: &FetchCase) -> Result<Expected> {
    let text = match (&raw.expected, &case.error) {
        (None, None) if raw.resident.is_none() && raw.hash.is_none() => {
            return Ok(Expected::Nothing);
        }
        (None, Some(message)) => return Ok(Expected::Error(message.clone())),
        (Some(text), None) => text,
        _ => {
            let message = "`resident` and `hash` go with `expected`, and `error` goes without";
            return Err(CaseError::new(message));
        }
    };
    let words = hex::words(text).within("expected")?;
    let (each, count) = (usize::from(fetch.components), fetch.operands.len());
    if words.len() != each * count {
        let (words, fetches) = (Count(words.len(), "word"), Count(count, "fetch"));
        let message = format!("`expected` has {words}, not {each} for each of {fetches}");
        return Err(CaseError::new(message));
    }
    let hash = hash(&words);
    if let Some(wanted) = fetch.hash.as_ref().filter(|wanted| **wanted != hash) {
        let message =
            format!("the hash of `expected` is {hash}, not {wanted}: the file is damaged");
        return Err(CaseError::new(message));
    }
    let bits = |text: &String| {
        let bits = text.chars().map(|c| c.to_digit(2).map(|bit| bit == 1));
        let bits: Option<Vec<bool>> = bits.collect();
        let wrong = || CaseError::new("`resident` is a `0` or `1` for each fetch");
        bits.filter(|bits| bits.len() == count).ok_or_else(wrong)
    };
    let resident = raw.resident.as_ref().map(bits).transpose()?;
    let value = |i: usize| ExpectedValue {
        values: part(Some(&words), i, each),
        components: fetch.components,
        resident: resident.as_ref().map(|r| r[i]),
    };
    Ok(Expected::Values((0..count).map(value).collect()))
}

#[test]
fn published_hash_of_nothing_is_its_basis() {
    assert_eq!(hash(&[]), "14650fb0739d0383");
}
