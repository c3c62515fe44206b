//! Tests of `sured`: its operations, its operand types, and its atomicity.

use super::*;
use crate::request::{ReduceOp, ReduceType};
use Geometry as G;
use ReduceOp as O;
use ReduceType as T;

fn surface(format: &str, extent: [u32; 3], geometry: Geometry) -> Arc<Surface> {
    let surface = of_format(format, geometry, extent);
    let zeros = vec![0; surface.resource.size_in_bytes() as usize];
    surface.resource.fill_packed(&zeros).unwrap();
    surface
}

fn plan(
    surface: &Arc<Surface>,
    (op, ty, formatted): (ReduceOp, ReduceType, bool),
    clamp: ClampMode,
) -> Result<SurfacePlan, PlanError> {
    let kind = SurfaceKind::Reduce { op, ty, formatted };
    let geometry = surface.resource.geometry();
    SurfacePlan::new(SurfaceForm { kind, geometry, clamp }, surface)
}

fn reduce(plan: &SurfacePlan, at: [i32; 3], value: u64) -> Result<(), AccessFault> {
    let coords = lanes_at(plan, at);
    let values = [[value; 32]; 4];
    plan.store(&SurfaceRequest { active: 1 << 3, coords: coords.each_ref() }, &values)
}

const TYPES: [ReduceType; 6] = [T::U32, T::S32, T::U64, T::S64, T::B32, T::B64];
const OPS: [ReduceOp; 5] = [O::Add, O::Min, O::Max, O::And, O::Or];

/// PTX ISA's list of `sured` forms: each other combination of operation and type must be refused.
#[test]
fn which_forms_there_are() {
    let of = surface("s32", [8, 1, 1], G::D1);
    let mut forms = 0;
    for op in OPS {
        for ty in TYPES {
            let plain: &[ReduceType] = match op {
                O::Add => &[T::U32, T::U64, T::S32],
                O::Min | O::Max => &[T::U32, T::S32, T::U64, T::S64],
                O::And | O::Or => &[T::B32],
            };
            let formatted: &[ReduceType] = match op {
                O::Min | O::Max => &[T::B32, T::B64],
                _ => &[T::B32],
            };
            for (p, list) in [(false, plain), (true, formatted)] {
                let made = plan(&of, (op, ty, p), ClampMode::Trap);
                assert_eq!(made.is_ok(), list.contains(&ty), "{op:?} {ty:?} {p}");
                forms += u32::from(made.is_ok());
            }
        }
    }
    assert_eq!(forms, 13 + 7);
    let layered = surface("u32", [8, 1, 1], G::A1d);
    assert!(plan(&layered, (O::Add, T::U32, false), ClampMode::Trap).is_err());
}

/// The results of each operation on 32-bit and 64-bit numbers.
#[test]
fn operations_on_every_type() {
    let neg = |n: i64| n as u64;
    #[rustfmt::skip]
    let rows = [
        (O::Add, T::U32, 0xffff_ffff,        2,             1),
        (O::Add, T::S32, 5,                  neg(-7),       0xffff_fffe),
        (O::Add, T::U64, u64::MAX,           3,             2),
        (O::Min, T::U32, 5,                  0xffff_ffff,   5),
        (O::Min, T::S32, 5,                  neg(-1),       0xffff_ffff),
        (O::Min, T::U64, 5,                  neg(-1),       5),
        (O::Min, T::S64, 5,                  neg(-1),       neg(-1)),
        (O::Max, T::U32, 5,                  0xffff_ffff,   0xffff_ffff),
        (O::Max, T::S32, 5,                  0xffff_ffff,   5),
        (O::Max, T::U64, 5,                  neg(-1),       neg(-1)),
        (O::Max, T::S64, neg(-9),            neg(-1),       neg(-1)),
        (O::And, T::B32, 0xff00_ff00,        0x0ff0_0ff0,   0x0f00_0f00),
        (O::Or,  T::B32, 0xff00_ff00,        0x0ff0_0ff0,   0xfff0_fff0),
    ];
    for (op, ty, old, operand, new) in rows {
        let of = surface("u8", [32, 2, 2], G::D3);
        let wide = matches!(ty, T::U64 | T::S64);
        let size = if wide { 8 } else { 4 };
        let offset = 64 + 32 + 16;
        of.resource.block().store(offset, size, old).unwrap();
        let plan = plan(&of, (op, ty, false), ClampMode::Trap).unwrap();
        reduce(&plan, [16, 1, 1], operand).unwrap();
        assert_eq!(of.resource.block().load(offset, size), Ok(new), "{op:?} {ty:?}");
        of.resource.block().store(offset, size, 0).unwrap();
        assert!(of.resource.to_packed().iter().all(|&b| b == 0), "nothing else changes");
    }
}

/// Rule 10.9 of docs/numerics.md: the surface's format determines whether `sured.p` compares signed
/// numbers, of 32 and of 64 bits, and x counts operands, not texels.
#[test]
fn formats_say_signed_or_unsigned() {
    let mut formats = 0;
    for format in Format::all().filter(|f| !f.is_block() && !f.is_depth()) {
        let name = format.name();
        let signed = name.starts_with(['s']);
        let of = surface(name, [32, 2, 1], G::D2);
        let row = u64::from(of.resource.row_bytes(0).next_multiple_of(8) as u32);
        let block = of.resource.block();
        let smallest = plan(&of, (O::Min, T::B32, true), ClampMode::Trap).unwrap();
        reduce(&smallest, [3, 1, 0], 0xffff_ffff).unwrap();
        let wanted = if signed { u32::MAX } else { 0 };
        assert_eq!(block.load_u32(row + 12), Ok(wanted), "{format}");
        let largest = plan(&of, (O::Max, T::B64, true), ClampMode::Trap).unwrap();
        reduce(&largest, [2, 0, 0], u64::MAX).unwrap();
        let wanted = if signed { 0 } else { u64::MAX };
        assert_eq!(block.load_u64(16), Ok(wanted), "{format}");
        // The operand is an integer, whatever the format.
        let add = plan(&of, (O::Add, T::B32, true), ClampMode::Trap).unwrap();
        block.store_u32(0, 0x3f80_0000).unwrap();
        reduce(&add, [0, 0, 0], 0x3f80_0000).unwrap();
        assert_eq!(block.load_u32(0), Ok(0x7f00_0000), "{format}");
        formats += 1;
    }
    assert_eq!(formats, 24 + 12 + 1);
}

#[test]
fn policies_outside() {
    let of = surface("u8", [6, 3, 1], G::D2);
    let plan_of = |ty, clamp| plan(&of, (O::Add, ty, false), clamp).unwrap();
    reduce(&plan_of(T::U32, ClampMode::Zero), [4, 0, 0], 1).unwrap();
    reduce(&plan_of(T::U32, ClampMode::Zero), [0, 3, 0], 1).unwrap();
    assert!(reduce(&plan_of(T::U32, ClampMode::Trap), [4, 0, 0], 1).is_err());
    assert!(reduce(&plan_of(T::U32, ClampMode::Clamp), [2, 0, 0], 1).is_err(), "misaligned");
    // Rule 10.5 of docs/numerics.md: the row has no room for an access of 8 bytes.
    reduce(&plan_of(T::U64, ClampMode::Clamp), [0, 0, 0], 1).unwrap();
    assert!(reduce(&plan_of(T::U64, ClampMode::Trap), [0, 0, 0], 1).is_err());
    assert!(of.resource.to_packed().iter().all(|&b| b == 0));
    // Rows have 6 bytes, but row 1 begins at offset 8, so that its accesses are aligned.
    reduce(&plan_of(T::U32, ClampMode::Clamp), [400, 1, 0], 0x0102_0304).unwrap();
    assert_eq!(of.resource.to_packed()[6..12], [4, 3, 2, 1, 0, 0]);
}

/// All lanes of several warps add at one location at the same time: every operand must count once.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
fn threads_add_up() {
    for (ty, of) in
        [(T::U32, surface("u8", [6, 3, 1], G::D2)), (T::U64, surface("u8", [11, 3, 1], G::D2))]
    {
        let size = if ty == T::U64 { 8 } else { 4 };
        let add = plan(&of, (O::Add, ty, false), ClampMode::Trap).unwrap();
        let coords = lanes_at(&add, [0, 1, 0]);
        let request = SurfaceRequest { active: u32::MAX, coords: coords.each_ref() };
        let values = [std::array::from_fn(|lane| 3 + lane as u64), [0; 32], [0; 32], [0; 32]];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| add.store(&request, &values).unwrap()));
            }
        });
        let sum: u64 = values[0].iter().sum::<u64>() * 4 * 500;
        let bytes = of.resource.to_packed();
        let width = of.resource.extent().width as usize;
        assert_eq!(bytes[width..width + size], sum.to_le_bytes()[..size], "{ty:?}");
        assert!(bytes[..width].iter().all(|&b| b == 0));
    }
}

/// Tests memory whose device address is aligned, but whose offset in the block is not: only
/// reductions are refused.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
fn memory_that_does_not_lie_at_multiples_of_8() {
    let format = Format::from_name("u32").unwrap();
    let block = Arc::new(Block::new(64, "b").unwrap());
    let linear = Resource::linear(format, 4, block, 4, 12, "l").unwrap();
    let surface = Arc::new(Surface::new(Arc::new(linear)).unwrap());
    let e = plan(&surface, (O::Add, T::U32, false), ClampMode::Zero).unwrap_err().to_string();
    assert!(e.contains("do not lie at multiples of 8 bytes"), "{e}");
    let load = form(G::D1, 4, 1, ClampMode::Trap);
    assert!(SurfacePlan::new(load, &surface).is_ok());
    // The pitch of a single row is not used, so that a row of 20 bytes is allowed.
    let block = Arc::new(Block::new(20, "b").unwrap());
    let linear = Resource::linear(format, 5, block, 0, 0, "l").unwrap();
    let surface = Arc::new(Surface::new(Arc::new(linear)).unwrap());
    assert!(plan(&surface, (O::Add, T::U32, false), ClampMode::Zero).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Concurrent random reductions at random locations must leave what sequential ones would.
    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
    fn threads_leave_what_an_order_would(
        op in proptest::sample::select(&OPS[..]),
        wide in any::<bool>(),
        all in proptest::collection::vec((-1..4_i32, -1..3_i32, any::<u64>()), 1..60),
        clamp in proptest::sample::select(&[ClampMode::Clamp, ClampMode::Zero][..]),
    ) {
        let ty = match op {
            O::And | O::Or => T::B32,
            _ if wide => T::U64,
            _ => T::U32,
        };
        let size = if ty == T::U64 { 8 } else { 4 };
        let (one, many) = (surface("u8", [27, 2, 1], G::D2), surface("u8", [27, 2, 1], G::D2));
        let of_one = plan(&one, (op, ty, false), clamp).unwrap();
        let of_many = plan(&many, (op, ty, false), clamp).unwrap();
        for &(x, y, value) in &all {
            reduce(&of_one, [x * size, y, 0], value).unwrap();
        }
        std::thread::scope(|scope| {
            for part in all.chunks(all.len().div_ceil(3)) {
                let of_many = &of_many;
                scope.spawn(move || {
                    for &(x, y, value) in part {
                        reduce(of_many, [x * size, y, 0], value).unwrap();
                    }
                });
            }
        });
        prop_assert_eq!(one.resource.to_packed(), many.resource.to_packed());
    }
}
