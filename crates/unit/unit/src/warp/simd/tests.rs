//! Tests of vector operations that take more than one instruction, at every SIMD level, against
//! scalar code.

#![allow(clippy::unwrap_used)]

use super::check::{NumberArgs, Numbers, check};
use super::vector::{int, load};
use super::{Arguments, Simd, Stage, pick};
use crate::request::Lanes;
use crate::warp::build::Build;
use texunit_memory::Block;
use texunit_texel::f16_to_f32;

macro_rules! stage {
    ($name:ident, |$simd:ident, $x:ident| $body:expr) => {
        struct $name;
        impl Stage<NumberArgs> for $name {
            #[inline(always)]
            fn run<S: Simd>($simd: S, call: Numbers<'_>) {
                for chunk in 0..32 / S::LANES {
                    let $x = load($simd, call.from, chunk);
                    let result = $body;
                    result.store(call.to, chunk);
                }
            }
        }
    };
}

stage!(Ratio65535, |_simd, x| x.to_float().ratio(65_535.0).as_int());
stage!(Ratio255, |_simd, x| x.to_float().ratio(255.0).as_int());
stage!(Ratio32767, |_simd, x| x.to_float().ratio(32_767.0).as_int());
stage!(Ratio127, |_simd, x| x.to_float().ratio(127.0).as_int());
stage!(Half, |_simd, x| x.half().as_int());
stage!(Floor, |_simd, x| x.as_float().floor());
stage!(Rotated, |simd, x| x.rotate_each(x & int(simd, 31)));
stage!(Rounded, |simd, x| x.mul16_round(x.shr(3) & int(simd, 0x0fff_1fff)));
stage!(Upper, |simd, x| x.mul16_high(x.rotate_each(x & int(simd, 31))));
stage!(Product, |simd, x| x.mul_shift::<13, true>(int(simd, 131_071)));

#[test]
fn quotients_are_correctly_rounded() {
    check::<Ratio65535>(0..65_536, |k| (k as f32 / 65_535.0).to_bits());
    check::<Ratio255>(0..256, |k| (k as f32 / 255.0).to_bits());
    let signed = |k: u32| k as i32 as f32;
    let range = |most: i32| (-most..=most).map(|k| k as u32);
    check::<Ratio32767>(range(32_767), |k| (signed(k) / 32_767.0).to_bits());
    check::<Ratio127>(range(127), |k| (signed(k) / 127.0).to_bits());
}

#[test]
fn halves() {
    check::<Half>((0..65_536).filter(|code| code & 0x7c00 != 0x7c00), |code| {
        f16_to_f32(code as u16)
    });
    check::<Half>([0x7c00, 0xfc00].into_iter(), |code| (code & 0x8000) << 16 | 0x7f80_0000);
}

#[test]
fn floors_and_products() {
    let floats =
        [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, -1e-45, 8_388_609.0, -2_147_483_648.0, 2_147_483_520.0];
    check::<Floor>(floats.into_iter().map(f32::to_bits), |bits| {
        f32::from_bits(bits).floor() as i32 as u32
    });
    let products = |x: u32| ((i64::from(x as i32) * 131_071 + 4096) >> 13) as u32;
    check::<Product>([0, 1, u32::MAX, 4095, 0x7fff_ffff, 0x8000_0000].into_iter(), products);
}

#[test]
fn rotations_and_rounded_products() {
    let numbers = (0..100_000).map(|n: u32| n.wrapping_mul(2_654_435_761));
    check::<Rotated>(numbers.clone(), |x| x.rotate_left(x & 31));
    check::<Upper>(numbers.clone(), |x| {
        let by = x.rotate_left(x & 31);
        let (high, low) = ((x >> 16) * (by >> 16), (x & 0xffff) * (by & 0xffff));
        high >> 16 << 16 | low >> 16
    });
    check::<Rounded>(numbers, |x| {
        let half = |a: i32, b: i32| ((a * b + 16_384) >> 15) as u32 & 0xffff;
        let by = x >> 3 & 0x0fff_1fff;
        let (low, high) = (i32::from(x as i16), i32::from((x >> 16) as i16));
        half(high, (by >> 16) as i32) << 16 | half(low, (by & 0xffff) as i32)
    });
}

#[test]
fn gathers_keep_to_their_window() {
    struct GatherArgs;
    struct Gather<'a>(&'a Block, &'a Lanes, &'a mut [Lanes; 7]);
    impl Arguments for GatherArgs {
        type Args<'a> = Gather<'a>;
    }
    struct All;
    impl Stage<GatherArgs> for All {
        #[inline(always)]
        fn run<S: Simd>(simd: S, call: Gather<'_>) {
            let window = call.0.window(0).unwrap();
            for chunk in 0..32 / S::LANES {
                let at = load(simd, call.1, chunk);
                let [b, c] = super::Int::gather2(simd, window, at);
                let [d, e, f, g] = super::Int::gather4(simd, window, at);
                super::Int::gather(simd, window, at).store(&mut call.2[0], chunk);
                b.store(&mut call.2[1], chunk);
                c.store(&mut call.2[2], chunk);
                d.store(&mut call.2[3], chunk);
                e.store(&mut call.2[4], chunk);
                f.store(&mut call.2[5], chunk);
                g.store(&mut call.2[6], chunk);
            }
        }
    }
    let block = Block::new(512, "test").unwrap();
    block.write(0, &std::array::from_fn::<u8, 512, _>(|i| ((i * 7) >> 1) as u8)).unwrap();
    // The offsets are unaligned; in two lanes they are past the end of the window or negative.
    let at: Lanes = std::array::from_fn(|lane| match lane {
        30 => 100_000,
        31 => u32::MAX,
        lane => (lane * 17) as u32,
    });
    let word = |at: u32, limit: u32, word: u32| {
        block.load_u32((at.min(limit) + 4 * word).into()).unwrap_or(0)
    };
    for build in Build::all() {
        let mut out = [[0; 32]; 7];
        pick::<GatherArgs, All>(build).call(Gather(&block, &at, &mut out));
        for lane in 0..32 {
            // The block is followed by 16 bytes of zeros, which can be read.
            let [four, eight, sixteen] =
                [524, 520, 512].map(|limit| move |n| word(at[lane], limit, n));
            let want =
                [four(0), eight(0), eight(1), sixteen(0), sixteen(1), sixteen(2), sixteen(3)];
            assert_eq!(out.map(|values| values[lane]), want, "{build:?}, lane {lane}");
        }
    }
}
