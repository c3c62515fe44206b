//! Launches of some CTAs of a grid.

use crate::common::{Arg, How, kernel, load_text, words};
use texunit_simt::CtaRange;

const GRID: [u32; 3] = [5, 3, 2];

/// Each thread stores its special registers of the grid, and its CTA its number.
fn text() -> String {
    let body = "
        mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %z, %ctaid.z;
        mov.u32 %w, %nctaid.x; mov.u32 %h, %nctaid.y; mov.u32 %d, %nctaid.z;
        mad.lo.u32 %num, %z, %h, %y; mad.lo.u32 %num, %num, %w, %x;
        mov.u32 %w2, %ntid.x; mov.u32 %tx, %tid.x; mad.lo.u32 %m, %num, %w2, %tx;
        mul.wide.u32 %at, %m, 4; add.u64 %at, %at, %out;
        shl.b32 %v, %d, 24; shl.b32 %h, %h, 16; or.b32 %v, %v, %h; or.b32 %v, %v, %num;
        or.b32 %v, %v, 0x8000;
        st.global.u32 [%at], %v;
        ret;";
    kernel(".reg .u32 %x, %y, %z, %w, %h, %d, %num, %w2, %m, %v, %tx; .reg .u64 %at;", body)
}

fn run(ranges: &[Option<(u64, u64)>], how: How) -> Vec<u32> {
    let loaded = load_text(&text());
    let (address, block) = loaded.buffer(30 * 32);
    for range in ranges {
        let ctas = range.map(|(begin, end)| CtaRange { begin, end });
        let how = How { grid: GRID, ctas, ..how };
        loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    }
    words(&block)
}

#[test]
fn ranges_together_are_the_grid() {
    let whole = run(&[None], How::default());
    assert!(whole.iter().all(|&w| w != 0));
    let mut random = texunit_testkit::Random::for_test(7);
    for case in 0..20 {
        let (a, b) = (random.within(0..=30), random.within(0..=30));
        let (a, b) = (a.min(b), a.max(b));
        let schedule = (case % 3 == 0).then_some(case);
        let threads = 1 + case as usize % 4;
        let how = How { threads, schedule, ..How::default() };
        assert_eq!(run(&[Some((0, a)), Some((a, b)), Some((b, 30))], how), whole, "{a} {b}");
        let some = run(&[Some((a, b))], how);
        for (i, (&w, &all)) in some.iter().zip(&whole).enumerate() {
            let inside = (a..b).contains(&(i as u64 / 32));
            assert_eq!(w, if inside { all } else { 0 }, "word {i} of {a}..{b}");
        }
    }
}

#[test]
fn what_the_grid_does_not_have_is_not_run() {
    assert!(run(&[Some((30, 40))], How::default()).iter().all(|&w| w == 0));
    assert_eq!(run(&[Some((0, u64::MAX))], How::default()), run(&[None], How::default()));
}
