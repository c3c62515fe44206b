//! Accesses of every format, by several threads, their traces, and the fast path.

use super::*;
use crate::resource::Residency;
use texunit_testkit::Random;
use texunit_texel::{Format, pack, store_codes};

const CLAMPS: [ClampMode; 3] = [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero];
const TWO_BYTES: K = K::Load { element_size: 2, vector: 1 };

/// The kind of `sured.b` or `sured.p`.
fn reduce(op: ReduceOp, ty: ReduceType, formatted: bool) -> K {
    K::Reduce { op, ty, formatted }
}

/// Stores or reduces with one lane.
fn store(plan: &SurfacePlan, point: [u32; 3], values: [u64; 4]) {
    let coords = Coordinates::at(point.map(|c| [c; 32]), [0; 32]);
    let request = SurfaceRequest { active: 1 << 9, coords: coords.each_ref() };
    plan.store(&request, &values.map(|v| [v; 32])).unwrap();
}

/// Stores texels of every format with every vector size, and reduces them. `sust.p` stores the
/// packed codes. The format determines whether `sured.p` compares signed numbers (rule 10.9 of
/// docs/numerics.md), and its x counts operands.
#[test]
fn every_format_is_stored_and_reduced() {
    use ReduceOp::{Add, Max, Min};
    use ReduceType::{B32, B64};
    let values = [0xdead_0000_4000_0000_u64, 0x3f00_0000, 0xffff_fff3, 0x77];
    let mut formats = 0;
    for format in Format::all().filter(|f| !f.is_block() && !f.is_depth()) {
        let (name, size) = (format.name(), format.texel_size() as usize);
        for vector in [1, 2, 4] {
            let surface = surface(&shape(name, G::D3, [3, 2, 2], 1));
            let mut wanted = surface.resource.to_packed();
            let kind = K::StoreFormatted { vector };
            store(&plan(&surface, kind, G::D3, ClampMode::Trap).unwrap(), [2, 1, 1], values);
            let codes = store_codes(format, values.map(|v| v as u32), vector).unwrap();
            wanted[11 * size..].copy_from_slice(&pack(format, codes)[..size]);
            assert_eq!(surface.resource.to_packed(), wanted, "{format} {vector}");
        }
        let surface = surface(&shape(name, G::D2, [32, 2, 1], 1));
        surface.resource.fill_packed(&vec![0; 64 * size]).unwrap();
        let (block, signed) = (surface.resource.block(), name.starts_with('s'));
        let reduced = |op, ty, point, operand| {
            let plan = plan(&surface, reduce(op, ty, true), G::D2, ClampMode::Trap).unwrap();
            store(&plan, point, [operand; 4]);
        };
        reduced(Min, B32, [3, 1, 0], u32::MAX.into());
        let wanted = if signed { u32::MAX } else { 0 };
        assert_eq!(block.load_u32(32 * size as u64 + 12), Ok(wanted), "{format}");
        reduced(Max, B64, [2, 0, 0], u64::MAX);
        assert_eq!(block.load_u64(16), Ok(if signed { 0 } else { u64::MAX }), "{format}");
        // The operand is an integer, whatever the format.
        block.store_u32(0, 0x3f80_0000).unwrap();
        reduced(Add, B32, [0; 3], 0x3f80_0000);
        assert_eq!(block.load_u32(0), Ok(0x7f00_0000), "{format}");
        formats += 1;
    }
    assert_eq!(formats, 24 + 12 + 1);
}

/// Warps of several threads reduce three numbers at the same time, and must leave what one thread
/// leaves.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
fn threads_leave_what_one_thread_would() {
    for (op, ty) in
        ReduceOp::ALL.iter().flat_map(|op| ReduceType::ALL.iter().map(move |ty| (op, ty)))
    {
        let [one, many] = [(); 2].map(|()| surface(&shape("u8", G::D2, [27, 2, 1], 1)));
        let kind = reduce(*op, *ty, false);
        let [one_plan, many_plan] = [&one, &many].map(|s| plan(s, kind, G::D2, ClampMode::Trap));
        let (Ok(one_plan), Ok(many_plan)) = (one_plan, many_plan) else { continue };
        let x = std::array::from_fn(|lane| 8 * (lane as u32 % 3));
        let coords = Coordinates::at([x, [1; 32], [0; 32]], [0; 32]);
        let request = SurfaceRequest { active: u32::MAX, coords: coords.each_ref() };
        let reduce_all = |plan: &SurfacePlan, thread: u64| {
            for n in 500 * thread..500 * (thread + 1) {
                let value = |lane| (32 * n + lane as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                plan.store(&request, &[std::array::from_fn(value); 4]).unwrap();
            }
        };
        (0..4).for_each(|thread| reduce_all(&one_plan, thread));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (reduce_all, plan) = (&reduce_all, &many_plan);
                scope.spawn(move || reduce_all(plan, thread));
            }
        });
        assert_eq!(one.resource.to_packed(), many.resource.to_packed(), "{op} {ty}");
    }
}

#[test]
fn traces_tell_where_an_access_goes() {
    let planes = surface(&shape("u8", G::A2d, [4, 2, 1], 3));
    let trace = |clamp, vector: [u32; 3]| {
        let plan = plan(&planes, TWO_BYTES, G::A2d, clamp).unwrap();
        plan.trace(Coordinates::of(G::A2d, vector, 0))
    };
    let place = SurfacePlace { layer: 2, x: 2, y: 0, z: 0, moved: true, offset: 34 };
    assert_eq!(
        trace(ClampMode::Clamp, [9, 100, u32::MAX]),
        SurfaceTrace {
            layer: Some(9),
            at: [100, -1, 0],
            byte_x: 100,
            size: 2,
            policy: ClampMode::Clamp,
            outcome: SurfaceOutcome::Made(place),
            bytes: vec![19, 20],
            fault: None,
        }
    );
    let moved = SurfacePlace { moved: false, ..place };
    assert_eq!(trace(ClampMode::Trap, [2, 2, 0]).outcome, SurfaceOutcome::Made(moved));
    let trap = trace(ClampMode::Trap, [9, 100, 0]);
    assert_eq!(trap.outcome, SurfaceOutcome::Outside);
    assert!(matches!(trap.fault, Some(AccessFault::Outside { layer: Some(9), x: 100, .. })));
    assert_eq!(trace(ClampMode::Zero, [9, 100, 0]).outcome, SurfaceOutcome::Dropped);
    let odd = trace(ClampMode::Zero, [9, 101, 0]);
    assert_eq!(odd.outcome, SurfaceOutcome::Misaligned);
    assert!(matches!(odd.fault, Some(AccessFault::Misaligned { lane: 0, x: 101, .. })));

    let shape = shape("u8", G::D2, [512, 2, 1], 1);
    let sparse = Arc::unwrap_or_clone(Arc::clone(&surface(&shape).resource));
    let sparse = sparse.with_residency(Arc::new(Residency::new(&shape).unwrap())).unwrap();
    let sparse = Arc::new(Surface::new(Arc::new(sparse)).unwrap());
    let plan = plan(&sparse, TWO_BYTES, G::D2, ClampMode::Clamp).unwrap();
    let trace = plan.trace(Coordinates::at([254, 1, 0], 0));
    assert!(matches!(trace.outcome, SurfaceOutcome::NotResident(_)) && trace.bytes.is_empty());
}

/// The fast path must compute the offsets that the rule gives lane by lane, and must apply whenever
/// all lanes are inside.
#[test]
fn offsets_of_a_warp_are_those_of_its_lanes() {
    let load = |element_size, vector| K::Load { element_size, vector };
    let add = |formatted| reduce(ReduceOp::Add, ReduceType::U32, formatted);
    let formatted = K::StoreFormatted { vector: 1 };
    let kinds = [load(1, 1), load(4, 1), load(4, 4), load(8, 2), formatted, add(false), add(true)];
    let forms = || kinds.into_iter().flat_map(|kind| CLAMPS.map(|clamp| (kind, clamp)));
    let (mut random, mut found) = (Random::for_test(1), [0; 2]);
    for (geometry, asked, size, layers) in [
        (G::D1, G::D1, [9, 1, 1], 1),
        (G::D2, G::D2, [9, 7, 1], 1),
        (G::D3, G::D3, [9, 7, 3], 1),
        (G::A1d, G::A1d, [9, 1, 1], 3),
        (G::A2d, G::A2d, [9, 7, 1], 3),
        (G::Cube, G::A2d, [7, 7, 1], 1),
    ] {
        for (name, (kind, clamp), odd) in ["u8", "u32", "u16x4", "u32x4", "f32x2"]
            .into_iter()
            .flat_map(|name| forms().map(move |form| (name, form)))
            .flat_map(|(name, form)| [false, true].map(|odd| (name, form, odd)))
        {
            let surface = surface(&shape(name, geometry, size, layers));
            let Ok(plan) = plan(&surface, kind, asked, clamp) else { continue };
            let (Some(plain), rule) = (&plan.plain, &plan.rule) else { continue };
            // With `odd`, some coordinates are outside or misaligned.
            let mut axis = |n: u32, step: u32| -> Lanes {
                std::array::from_fn(|_| match random.below(if odd { 12 } else { u32::MAX }) {
                    0 => random.below(3 * n).wrapping_sub(n),
                    1 => random.of(&[u32::MAX, 1 << 31, i32::MAX as u32, 1]),
                    _ => random.below(n) * step,
                })
            };
            let one = rule.byte_x(rule.coordinate(Coordinates::at([1, 0, 0], 0))) as u32;
            let row = surface.resource.row_bytes(0) as u32;
            let x = axis((row / rule.size).max(1), (rule.size / one).max(1));
            let [y, z] = [1, 2].map(|a| axis(size[a], 1));
            let layer = axis(surface.resource.shape().planes(), 1);
            let active = if odd { random.u32() } else { u32::MAX };
            let coords = Coordinates { layer: &layer, sample: &layer, point: [&x, &y, &z] };
            let made = |lane: usize| match plan.place(coords.map(|c| c[lane])) {
                Some((place, _)) if !place.moved => Some(place.offset),
                _ => None,
            };
            let offsets = plain.offsets(&SurfaceRequest { active, coords });
            assert_eq!(offsets.is_some(), lanes(active).all(|lane| made(lane).is_some()), "{name}");
            found[usize::from(offsets.is_some())] += 1;
            for (lane, offsets) in lanes(active).filter_map(|lane| Some((lane, offsets?))) {
                assert_eq!(Some(offsets[lane].into()), made(lane), "{kind:?} {clamp}, {name}");
            }
        }
    }
    assert!(found[0] > 100 && found[1] > 100, "{found:?}");
}
