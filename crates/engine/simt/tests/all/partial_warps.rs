//! Tests of fetches that only some lanes of a warp execute, from different textures: the registers
//! and predicates of other lanes are unchanged.

use crate::common::{Arg, HEADER, How, load_text, words};
use crate::unit_common::{numbered, shape, texture};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_unit::{Geometry, Residency, Resource, Sampler};

const BODY: &str = "
.reg .u64 %out, %a, %b, %h; .reg .u32 %t, %x, %y, %v, %g, %q; .reg .pred %odd, %two, %p;
ld.param.u64 %out, [out];
ld.param.u64 %a, [a];
ld.param.u64 %b, [b];
mov.u32 %t, %tid.x;
and.b32 %x, %t, 1;
setp.eq.u32 %odd, %x, 1;
and.b32 %x, %t, 2;
setp.eq.u32 %two, %x, 2;
selp.u64 %h, %b, %a, %two;
and.b32 %x, %t, 7;
shr.u32 %y, %t, 3;
mov.u32 %v, 7;
setp.eq.u32 %p, %t, %t;
@%odd tex.2d.v4.u32.s32 {%v, _, _, _}|%p, [%h, {%x, %y}];
tld4.r.2d.v4.u32.f32 {%g, _, _, _}, [%h, {1.0, 1.0}];
selp.u32 %q, 1, 0, %p;
shl.b32 %x, %t, 4;
cvt.u64.u32 %a, %x;
add.u64 %out, %out, %a;
st.global.v4.u32 [%out], {%v, %q, %g, 0};
ret;
";

#[test]
fn lanes_that_do_not_fetch_keep_their_registers() {
    let kernel = ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b)";
    let mut loaded = load_text(&format!("{HEADER}{kernel}\n{{{BODY}}}"));
    let shape = shape(Geometry::D2, "f32");
    let a = texture(&mut loaded, numbered(&shape, "there"), Sampler::default());
    let block = Block::new(shape.size().unwrap() as usize, "texels").unwrap();
    let missing = Resource::array(&shape, Arc::new(block), "missing").unwrap();
    let map = Residency::new(&shape).unwrap();
    map.set_all(false);
    let missing = missing.with_residency(Arc::new(map)).unwrap();
    let b = texture(&mut loaded, Arc::new(missing), Sampler::default());
    let (out, block) = loaded.buffer(4 * 45);
    let how = How { block: [45, 1, 1], ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(out), Arg::U64(a), Arg::U64(b)]).unwrap();
    for (t, seen) in words(&block).chunks(4).enumerate() {
        let there = t & 2 == 0;
        let wanted = match (t & 1, there) {
            (0, _) => [7, 1],
            (_, true) => [((t / 8 * 10 + t % 8) as f32).to_bits(), 1],
            (_, false) => [0, 0],
        };
        assert_eq!(seen[..2], wanted, "thread {t}");
        // Of the footprint at (1, 1), texels 0 and 1 of rows 0 and 1: the first is lower left.
        assert_eq!(seen[2], if there { 10.0_f32.to_bits() } else { 0 }, "thread {t}");
    }
    assert_eq!(stats.fetches, 22 + 45, "those of tex, by odd threads, and of tld4");
}
