//! Operands that the parser fills in, of types that have no default.

use crate::code::{
    Atomic, Fetch, Handle, MemSpace, Mma, Query, RuntimeCall, Shuffle, Slot, SurfaceAccess,
};
use crate::runtime::{Function, Named};
use std::sync::Arc;
use texunit_isa::{AtomOp, ScalarType, ShflMode};
use texunit_tensor::{BitOperation, ElementType, Operation, Product, Shape};
use texunit_unit::{
    Attribute, ClampMode, CoordType, Coordinates, FetchForm, Geometry, ResultType, SurfaceForm,
    SurfaceKind,
};

pub(super) fn atomic() -> Atomic {
    let (mem_space, base, seen) = (MemSpace::Global, Slot::NONE, Default::default());
    let (d, b, c) = Default::default();
    Atomic { mem_space, op: AtomOp::Add, ty: ScalarType::U32, d, base, offset: 0, b, c, seen }
}

pub(super) fn runtime() -> RuntimeCall {
    let (sizes, is_per_thread) = (&[][..], false);
    let function = Named { function: Function::GetLastError, sizes, is_per_thread };
    RuntimeCall { function, arguments: Vec::new(), result: None }
}

pub(super) fn shuffle() -> Shuffle {
    let none = Slot::NONE;
    Shuffle { mode: ShflMode::Up, d: none, p: none, a: none, b: none, c: none, members: none }
}

pub(super) fn fetch() -> Fetch {
    Fetch {
        site: 0,
        form: FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F32),
        texture: Handle::default(),
        sampler: None,
        coords: Coordinates::default(),
        more: None,
        parts: [Slot::NONE; 4],
        block: None,
        components: 0,
        resident: Slot::NONE,
        span: Default::default(),
    }
}

pub(super) fn mma() -> Mma {
    let (ty, shape) = (ElementType::F16, Shape { m: 16, n: 16, k: 16 });
    let (saturate, operation, sparse, wmma) = (false, BitOperation::Xor, false, true);
    let product = Product { shape, a: ty, b: ty, c: ty, d: ty, saturate, operation, sparse, wmma };
    let operation = Arc::new(Operation::wmma(product));
    let (sources, d, metadata, members) = Default::default();
    Mma { operation, sources, d, metadata, members }
}

pub(super) fn query() -> Query {
    let (handle, level, d) = (Handle::default(), Slot::NONE, Slot::NONE);
    Query { attribute: Attribute::Width, handle, of_surface: false, level, d }
}

pub(super) fn surface() -> SurfaceAccess {
    let kind = SurfaceKind::StoreFormatted { vector: 1 };
    SurfaceAccess {
        site: 0,
        form: SurfaceForm { kind, geometry: Geometry::D2, clamp: ClampMode::Trap },
        surface: Handle::default(),
        coords: Coordinates::default(),
        parts: Vec::new(),
        mask: u64::MAX,
        register_mask: u64::MAX,
    }
}
