//! Tests on the simulated GPU; every kernel that a comparison can generate is accepted by our PTX
//! checker.

use crate::compare::{Outcome, Tally, compare, compare_fault, faulting, provenance, registers};
use crate::run::{answers, operand_bytes};
use crate::{Runner, fake, fetch_kernel, surface_kernel};
use std::collections::BTreeMap;
use std::path::PathBuf;
use texunit_cases::{Access, BuiltFetch, Case, Engine, random_case};
use texunit_device::{
    Arg, BadFetch, Device, LaunchOptions, Module, TextureDescriptor, TextureResource,
};
use texunit_gradients::TxdEngine;
use texunit_syntax::SourceFile;
use texunit_unit::{
    ClampMode, CoordType, FetchForm, FetchKind, Geometry, Lod, ReduceOp, ReduceType, ResultType,
    SurfaceForm, SurfaceKind,
};

fn accept(ptx: &str) {
    let source = SourceFile::new("kernel.ptx", ptx);
    let parsed = texunit_syntax::parse(&source);
    let checked = texunit_check::check(&source, &parsed.module);
    let all: Vec<_> = parsed.diagnostics.iter().chain(&checked.diagnostics).collect();
    assert!(all.is_empty(), "{all:?}\n{ptx}");
    if let Ok(folder) = std::env::var("TEXUNIT_KERNELS") {
        // The folder can then be checked with ptxas.
        let name = ptx.bytes().fold(5381_u64, |h, b| h.wrapping_mul(33) ^ u64::from(b));
        std::fs::write(format!("{folder}/{name:016x}.ptx"), ptx).expect("a folder to write to");
    }
}

#[test]
fn fetch_kernels() {
    let lods = [Lod::Implicit, Lod::Base, Lod::Level, Lod::Gradient];
    let kinds = lods.map(FetchKind::Sample).into_iter().chain([0, 1, 2, 3].map(FetchKind::Gather));
    let mut count = 0;
    for kind in kinds {
        for &geometry in Geometry::ALL {
            for coord in [CoordType::F32, CoordType::S32] {
                use ResultType as R;
                for result in [R::F32, R::S32, R::U32, R::F16, R::F16x2] {
                    for flags in 0..4 {
                        let (offset, compare) = (flags & 1 != 0, flags & 2 != 0);
                        let form = FetchForm { kind, geometry, coord, result, offset, compare };
                        if form.why_impossible().is_none() {
                            accept(&fetch_kernel(&form));
                            count += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(count > 500, "{count}");
}

#[test]
fn surface_kernels() {
    use Geometry as G;
    let mut kinds = [1, 2, 4].map(|vector| SurfaceKind::StoreFormatted { vector }).to_vec();
    for element_size in [1, 2, 4, 8] {
        for vector in [1, 2, 4] {
            if element_size * vector <= 16 {
                kinds.push(SurfaceKind::Load { element_size, vector });
                kinds.push(SurfaceKind::Store { element_size, vector });
            }
        }
    }
    for clamp in [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero] {
        for &kind in &kinds {
            for geometry in [G::D1, G::D2, G::D3, G::A1d, G::A2d] {
                accept(&surface_kernel(&SurfaceForm { kind, geometry, clamp }));
            }
        }
        for geometry in [G::D1, G::D2, G::D3] {
            use ReduceOp as O;
            use ReduceType as T;
            for (op, ty, formatted) in [
                (O::Add, T::U32, false),
                (O::Add, T::S32, false),
                (O::Add, T::U64, false),
                (O::Min, T::U32, false),
                (O::Max, T::S64, false),
                (O::Min, T::U64, false),
                (O::And, T::B32, false),
                (O::Or, T::B32, false),
                (O::Add, T::B32, true),
                (O::Min, T::B32, true),
                (O::Max, T::B64, true),
            ] {
                let kind = SurfaceKind::Reduce { op, ty, formatted };
                accept(&surface_kernel(&SurfaceForm { kind, geometry, clamp }));
            }
        }
    }
}

fn fetch_files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fetch");
    let entries = std::fs::read_dir(folder).expect("a folder of cases");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
}

/// The simulated GPU computes the reference's results, so that every case agrees. This exercises
/// the driver calls, the kernels in PTX, and copies of each kind of array.
#[test]
fn the_driver_is_called_as_it_wants_to_be() {
    let (_alone, gpu) = fake::alone();
    let free = fake::free_memory();
    let runner = Runner::new(gpu.clone());
    let mut tally = Tally::default();
    for path in fetch_files() {
        let file = texunit_cases::load(&path).expect("a case file");
        // Results are tested elsewhere; a few cases of each kind are enough here.
        let mut seen = std::collections::HashSet::new();
        for case in &file.cases {
            let kind = match &case.access {
                Access::Fetch(f) => (format!("{}", f.form), f.resource.shape.levels.is_some()),
                Access::Surface(s) => (format!("{:?}", s.op), false),
            };
            if !seen.insert(kind) {
                continue;
            }
            let mut case = case.clone();
            match &mut case.access {
                Access::Fetch(f) => f.operands.truncate(40),
                Access::Surface(s) => s.accesses.truncate(20),
            }
            let name = path.display().to_string();
            let (compared, recorded) = compare(Some(&runner), Engine::Reference, &name, &case);
            assert!(
                matches!(compared.outcome, Outcome::Equal { .. } | Outcome::Skipped { .. }),
                "{compared:?}"
            );
            if let Some(recorded) = recorded {
                assert_eq!(recorded.provenance, provenance(&gpu));
                let text = texunit_cases::to_toml(std::slice::from_ref(&recorded));
                let back = texunit_cases::parse(&text).expect("what is recorded can be read");
                let (again, _) =
                    compare(Some(&runner), Engine::Reference, "recorded", &back.cases[0]);
                assert!(matches!(again.outcome, Outcome::Equal { .. }), "{again:?}\n{text}");
            }
            tally.add(&compared.outcome);
        }
    }
    assert!(tally.cases > 100 && tally.count > 2000, "{tally:?}");
    drop(runner);
    assert_eq!(fake::free_memory(), free, "everything on the card is freed");
}

/// Faulting accesses run one by one; the other accesses of their case are compared as usual. The
/// accesses of a warp are those of one instruction.
#[test]
fn faults_and_warps() {
    let text = r#"
provenance = "by hand"
[[resource]]
name = "bytes"
format = "u8"
geometry = "1d"
width = 4
texels = { bytes = "01020304" }
[[surface]]
name = "faults"
resource = "bytes"
op = "suld.b.1d.v2.b8.trap"
accesses = "0 1 2 4"
values = "0102 misaligned 0304 outside"
[[surface]]
name = "warp"
resource = "bytes"
op = "sust.b.1d.b8.clamp"
accesses = "0 1 2 2 9"
values = "11 12 13 14 15"
warp = true
[[surface]]
name = "warp that faults"
resource = "bytes"
op = "sust.b.1d.b8.trap"
accesses = "0 1 9"
values = "11 12 outside"
warp = true
"#;
    let cases = texunit_cases::parse(text).expect("a case file").cases;
    let (_alone, gpu) = fake::alone();
    let runner = Runner::new(gpu);
    let (compared, recorded) = compare(Some(&runner), Engine::Reference, "warp", &cases[1]);
    assert_eq!(compared.outcome, Outcome::Equal { count: 5 });
    let Some(Access::Surface(warp)) = recorded.map(|case| case.access) else { panic!("a surface") };
    assert_eq!(warp.after, Some(vec![0x11, 0x12, 0x13, 0x15]));

    let (whole, _) = compare(Some(&runner), Engine::Reference, "whole", &cases[0]);
    assert!(matches!(whole.outcome, Outcome::Skipped { .. }), "{whole:?}");
    let faults = faulting(&cases[0]);
    assert_eq!((&faults[..], faulting(&cases[2])), (&[1, 3][..], vec![0]));
    let rest = cases[0].without(&faults);
    assert_eq!(
        compare(None, Engine::Reference, "rest", &rest).0.outcome,
        Outcome::Skipped { reason: "there is no card".to_owned() }
    );
    let (rest, _) = compare(Some(&runner), Engine::Reference, "rest", &rest);
    assert_eq!(rest.outcome, Outcome::Equal { count: 2 });
    let (none, _) = compare_fault(Some(&runner), "no fault", &cases[0], 0);
    assert!(
        matches!(&none.outcome, Outcome::Differs { first, .. } if first[0].card == "no fault"),
        "{none:?}"
    );
    for (case, access) in [(0, faults[0]), (0, faults[1]), (2, 0)] {
        let runner = Runner::new(fake::gpu().expect("the test card starts"));
        let (compared, said) = compare_fault(Some(&runner), "faults", &cases[case], access);
        assert_eq!(compared.outcome, Outcome::Equal { count: 1 }, "{access}: {said}");
        assert!(said.starts_with("cuCtxSynchronize failed with "), "{said}");
    }
}

/// Gradient fetches of tests/fetch and random ones, lowered to TXD, return the reference's bits.
#[test]
fn gradients_by_txd() {
    let (mut all, mut zeros, mut engine) = (0, 0, 0);
    let mut unit = BTreeMap::<String, u64>::new();
    let device = Device::default();
    let mut run = |name: &str, case: &Case| {
        let Access::Fetch(fetch) = &case.access else { return };
        if fetch.form.kind != FetchKind::Sample(Lod::Gradient) {
            return;
        }
        let Ok(built) = fetch.build() else { return };
        let BuiltFetch { form, texture, sampler, operands, .. } = &built;
        let Ok(reference) = Engine::Reference.run(&built) else { return };
        let descriptor = TextureDescriptor::default()
            .with_read_mode(texture.read_mode)
            .with_normalized_coords(texture.normalized_coords)
            .with_sampler(*sampler)
            .with_as_driver(true);
        let texels = TextureResource::Texels(&texture.resource);
        let Ok(object) = device.create_texture(&texels, &descriptor) else { return };
        let words: Vec<u8> =
            operands.iter().flat_map(|o| operand_bytes(form.geometry, o)).collect();
        let count = operands.len() as u32;
        let input = device.alloc(words.len() as u64, "operands").expect("memory");
        input.write(0, &words).expect("its size");
        let output = device.alloc(32 * u64::from(count), "answers").expect("memory");
        let module = Module::load(&device, "fetch.ptx", &fetch_kernel(form)).expect("valid PTX");
        let txd = TxdEngine::new(module.source());
        let options = LaunchOptions::new(count.div_ceil(128), 128)
            .with_bad_fetch(BadFetch::Zero)
            .with_gradients(Some(&txd));
        let args =
            [Arg::Texture(&object), Arg::Buffer(&input), Arg::Buffer(&output), Arg::U32(count)];
        let kernel = module.kernel("fetch").expect("the kernel");
        let stats = kernel.launch(&options, &args).expect("no fault");
        let found = answers(&output.read()).into_iter().map(|value| registers(form, value));
        assert_eq!(found.collect::<Vec<_>>(), reference, "{name}: {case:?}");
        // A fetch that cannot see the texture reads zeros without a TXD instruction (numerics.md
        // 1.13).
        let seen = texunit_unit::resolve(*form, texture, sampler);
        zeros += if seen.is_err_and(|error| error.reads_zero()) { u64::from(count) } else { 0 };
        all += u64::from(count);
        let gradients = stats.gradients.expect("fetches by TXD are counted");
        engine += gradients.engine;
        for (why, count) in gradients.unit {
            *unit.entry(why).or_default() += count;
        }
    };
    for path in fetch_files() {
        let file = texunit_cases::load(&path).expect("a case file");
        file.cases.iter().for_each(|case| run(&path.display().to_string(), case));
    }
    for index in 0..4000 {
        run(&format!("random {index}"), &random_case(31, index));
    }
    assert!(engine >= 70_000, "{engine} by TXD, {unit:?}");
    let left: u64 = unit.values().sum();
    assert!(zeros > 0);
    assert_eq!(engine + left + zeros, all, "every fetch is counted: {unit:?}");
    for why in ["TXD has no 3d coordinates", "TXD has no cube coordinates"] {
        assert!(unit.contains_key(why), "{unit:?}");
    }
}
