//! Every kernel that the comparison can ask for is PTX that our checker accepts.

use crate::{fetch_kernel, surface_kernel};
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
        // For a run of ptxas over all of them.
        let name = ptx.bytes().fold(5381_u64, |h, b| h.wrapping_mul(33) ^ u64::from(b));
        std::fs::write(format!("{folder}/{name:016x}.ptx"), ptx).expect("a folder to write to");
    }
}

/// Whether the ISA has the form.
fn exists(form: &FetchForm) -> bool {
    let g = form.geometry;
    let integers = form.coord == CoordType::S32;
    let gather_geometry =
        matches!(g, Geometry::D2 | Geometry::A2d | Geometry::Cube | Geometry::Acube);
    let half = matches!(form.result, ResultType::F16 | ResultType::F16x2);
    match form.kind {
        _ if g.is_cube() && (integers || form.offset) => false,
        _ if g.is_multisample() && (!integers || form.compare) => false,
        _ if form.compare && (integers || g == Geometry::D3) => false,
        FetchKind::Sample(Lod::Level | Lod::Gradient) if g.is_multisample() => false,
        FetchKind::Sample(Lod::Gradient) => !integers,
        FetchKind::Gather(_) => gather_geometry && !integers && !half,
        FetchKind::Sample(_) => true,
    }
}

#[test]
fn fetch_kernels() {
    let lods = [Lod::Implicit, Lod::Base, Lod::Level, Lod::Gradient];
    let kinds = lods.map(FetchKind::Sample).into_iter().chain([0, 1, 2, 3].map(FetchKind::Gather));
    let mut count = 0;
    for kind in kinds {
        for geometry in Geometry::ALL {
            for coord in [CoordType::F32, CoordType::S32] {
                use ResultType as R;
                for result in [R::F32, R::S32, R::U32, R::F16, R::F16x2] {
                    for (offset, compare) in
                        [(false, false), (true, false), (false, true), (true, true)]
                    {
                        let form = FetchForm { kind, geometry, coord, result, offset, compare };
                        if exists(&form) {
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
    let mut kinds = Vec::new();
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
            for vector in [1, 2, 4] {
                let kind = SurfaceKind::StoreFormatted { vector };
                accept(&surface_kernel(&SurfaceForm { kind, geometry, clamp }));
            }
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
