//! Tests that every fetch case of tests/fetch that an array call can express gives the expected
//! bits through [`Texture::call`].

use std::path::Path;
use std::sync::Arc;
use texunit_cases::{Access, Expected, FetchCase, load};
use texunit_sample::{Action, Dtype, Input, Points, Request, SampleError, Texture, TextureOptions};
use texunit_unit::{CoordType, FetchKind, FetchOperands, Lod, ResultType};

/// An operand as an array: the 32-bit words of each fetch in sequence.
struct Words {
    bytes: Vec<u8>,
    shape: [usize; 2],
    dtype: Dtype,
}

impl Words {
    fn new(
        case: &FetchCase,
        dtype: Dtype,
        count: usize,
        words: impl Fn(&FetchOperands) -> Vec<u32>,
    ) -> Self {
        let words = case.operands.iter().flat_map(words);
        let bytes = words.flat_map(u32::to_le_bytes).collect();
        Self { bytes, shape: [case.operands.len(), count], dtype }
    }

    /// The operand as an input array; a last axis of length 1 is left out.
    fn input(&self) -> Input<'_> {
        let shape = &self.shape[..if self.shape[1] == 1 { 1 } else { 2 }];
        Input::contiguous(shape, self.dtype, &self.bytes).unwrap()
    }

    fn points(&self) -> Points<'_> {
        Points::Array(self.input())
    }
}

/// Why an array call cannot express a case, or `None` if it can: for a texture and an action, an
/// array call always uses the same geometry and result type.
fn why_not(case: &FetchCase, texture: &Texture) -> Option<&'static str> {
    let form = case.form;
    if form.geometry != texture.resource().geometry() {
        return Some("an instruction of another geometry");
    }
    match (form.result, texture.result().0) {
        (ResultType::F16, ResultType::F32) => {}
        (own, made) if own == made => {}
        _ => return Some("an instruction of another result type"),
    }
    match form.kind {
        FetchKind::Sample(Lod::Base) => Some("tex.base is tex"),
        _ => None,
    }
}

/// Executes the fetches of a case as an array call, and returns the result words of each fetch.
fn fetched(case: &FetchCase, texture: &Texture) -> Result<Vec<Vec<u32>>, SampleError> {
    let (form, g) = (case.form, case.form.geometry);
    let coord = if form.coord == CoordType::F32 { Dtype::F32 } else { Dtype::S32 };
    let (gradients, axes) = (g.gradients(), g.axes());
    let points = Words::new(case, coord, gradients, |o| o.coords.point[..gradients].to_vec());
    let layer = Words::new(case, Dtype::U32, 1, |o| vec![o.coords.layer]);
    let sample = Words::new(case, Dtype::U32, 1, |o| vec![o.coords.sample]);
    let lod = Words::new(case, coord, 1, |o| vec![o.level]);
    let dpdx = Words::new(case, Dtype::F32, gradients, |o| o.dpdx[..gradients].to_vec());
    let dpdy = Words::new(case, Dtype::F32, gradients, |o| o.dpdy[..gradients].to_vec());
    let offset = Words::new(case, Dtype::S32, axes, |o| {
        o.offset[..axes].iter().map(|&i| i as u32).collect()
    });
    let compare = Words::new(case, Dtype::F32, 1, |o| vec![o.compare]);
    let action = match (form.kind, form.coord) {
        (FetchKind::Gather(component), _) => Action::Gather(component),
        (_, CoordType::F32) => Action::Sample,
        (_, CoordType::S32) => Action::Fetch,
    };
    let request = Request {
        lod: (form.kind == FetchKind::Sample(Lod::Level)).then(|| lod.input()),
        grad: (form.kind == FetchKind::Sample(Lod::Gradient))
            .then(|| [dpdx.points(), dpdy.points()]),
        layer: g.is_array().then(|| layer.input()),
        sample: g.is_multisample().then(|| sample.input()),
        offset: form.offset.then(|| offset.points()),
        compare: form.compare.then(|| compare.input()),
        half: form.result == ResultType::F16,
        ..Request::new(action, points.points())
    };
    let call = texture.call(request)?;
    assert_eq!(call.form(), form);
    for (n, operands) in case.operands.iter().enumerate().take(2) {
        assert_eq!(call.operands(n)?, *operands);
    }
    let mut out = vec![0xaa; call.byte_size()];
    call.run(&mut out, 2)?;
    let size = call.dtype().size();
    let registers = out.len() / size / case.operands.len().max(1);
    let word = |bytes: &[u8]| {
        let mut word = [0; 4];
        word[..size].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    };
    let words: Vec<u32> = out.chunks(size).map(word).collect();
    Ok(words.chunks(registers.max(1)).map(<[u32]>::to_vec).collect())
}

#[test]
fn cases_give_their_bits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fetch");
    let (mut done, mut fetches, mut left, mut refused) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        for case in load(&path).unwrap().cases {
            let Access::Fetch(fetch) = &case.access else { continue };
            let at = format!("{} {}", path.display(), case.name);
            let Ok(resource) = fetch.resource.build() else { continue };
            let options = TextureOptions::default()
                .with_sampler(fetch.sampler)
                .with_read_mode(Some(fetch.read_mode))
                .with_normalized_coords(fetch.normalized_coords);
            let texture = match Texture::of_resource(Arc::clone(&resource), &options) {
                Ok(texture) => texture,
                Err(error) => {
                    let message = error.to_string();
                    match &fetch.expected {
                        Expected::Error(text) => {
                            assert!(message.contains(text), "{at}: {error}");
                            refused += 1;
                        }
                        // The unit filters integers, and no interface lets a texture ask for it.
                        _ if message.contains("cudaErrorInvalidFilterSetting") => left += 1,
                        _ => panic!("{at}: {error}"),
                    }
                    continue;
                }
            };
            if why_not(fetch, &texture).is_some() {
                left += 1;
                continue;
            }
            let results = fetched(fetch, &texture);
            // An array call with an instruction of another class is an error; only a kernel gets
            // zeros.
            if matches!(&results, Err(SampleError::Plan(error)) if error.reads_zero()) {
                refused += 1;
                continue;
            }
            match &fetch.expected {
                Expected::Values(values) => {
                    for (n, (is, value)) in results.unwrap().iter().zip(values).enumerate() {
                        let size = if fetch.form.result == ResultType::F16 {
                            2
                        } else {
                            texture.result().1.size()
                        };
                        let cut = |&word: &u32| word & (u32::MAX >> (32 - 8 * size));
                        let count = is.len().min(fetch.components.into());
                        let should: Vec<u32> = value.values[..count].iter().map(cut).collect();
                        assert_eq!(is[..count], should, "{at}, fetch {n}");
                        fetches += 1;
                    }
                    done += 1;
                }
                Expected::Error(text) => {
                    if let Err(error) = results {
                        assert!(error.to_string().contains(text), "{at}: {error}");
                        refused += 1;
                    }
                }
                Expected::Nothing => {}
            }
        }
    }
    assert!(done > 1000 && fetches > 30_000 && refused > 10, "{done} {fetches} {refused} {left}");
}
