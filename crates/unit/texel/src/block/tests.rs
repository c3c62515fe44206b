//! Tests: BC6H and BC7 against two other decoders, BC1 to BC5 against the ends and middles of the
//! measured palettes. The other decoders follow the descriptions of BC1 to BC5, not the hardware,
//! and so cannot test these.

use super::*;
use texunit_testkit::Random;

/// A random block of 16 bytes.
fn block(random: &mut Random) -> [u8; 16] {
    (u128::from(random.u64()) << 64 | u128::from(random.u64())).to_le_bytes()
}

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

/// Compares BC7 blocks of every mode, including the reserved one, with another decoder.
fn check_bc7(count: u32) {
    let mut random = Random::for_test(7);
    for i in 0..count {
        let mut block = block(&mut random);
        let mode = i % 9;
        block[0] = ((u16::from(block[0]) << 1 | 1) << mode) as u8;
        let ours = decode_block(format("bc7"), &block).unwrap();
        let mut words = [0; 16];
        if mode < 8 {
            texture2ddecoder::decode_bc7_block(&block, &mut words);
        }
        for (ours, word) in ours.iter().zip(words) {
            let [b, g, r, a] = word.to_le_bytes();
            assert_eq!(*ours, [r, g, b, a].map(u32::from), "mode {mode}: {block:02x?}");
        }
    }
}

#[test]
fn bc7_as_another_decoder_has_it() {
    check_bc7(9 * 500);
}

#[test]
#[ignore = "a million blocks"]
fn a_million_bc7_blocks_as_another_decoder_has_them() {
    check_bc7(1_000_000);
}

/// `bc6h.txt` has a random block of each value of the five mode bits, reserved ones included, and
/// the red, green and blue codes of its texels in BC6H unsigned and signed, on which two decoders
/// agreed.
#[test]
fn bc6h_as_two_decoders_have_it() {
    for line in include_str!("bc6h.txt").lines() {
        let mut columns = line.split(' ');
        let block = u128::from_str_radix(columns.next().unwrap(), 16).unwrap().to_be_bytes();
        for (name, codes) in ["bc6h", "bc6h_snorm"].into_iter().zip(columns) {
            let decoded = decode_block(format(name), &block).unwrap();
            let text: String =
                decoded.iter().map(|[r, g, b, _]| format!("{r:04x}{g:04x}{b:04x}")).collect();
            assert_eq!(text, codes, "{name}: {block:02x?}");
            assert!(decoded.iter().all(|texel| texel[3] == 0), "{name}: {block:02x?}");
        }
    }
}

/// BC1 colours equal the measured formulas, evaluated channel by channel, for all pairs of
/// endpoints.
#[test]
fn bc1_colours_are_those_of_the_formulas() {
    let wide = |q: u32| (q * 65_535 + 15) / 31;
    let eight = |q: u32| q << 2 | q >> 4;
    let check = |[r0, g0, b0]: [u32; 3], [r1, g1, b1]: [u32; 3]| {
        let (c0, c1) = (r0 << 11 | g0 << 5 | b0, r1 << 11 | g1 << 5 | b1);
        let block = u64::from(c0 | c1 << 16) | 0b1110_0100 << 32;
        let got = decode_block(format("bc1"), &block.to_le_bytes()).unwrap();
        let green = |weight: u32| (eight(g0) * (1024 - weight) + eight(g1) * weight + 512) >> 10;
        let ends = |five: fn(u32, u32) -> u32, weight| {
            [five(wide(r0), wide(r1)) >> 8, green(weight), five(wide(b0), wide(b1)) >> 8, 255]
        };
        assert_eq!(got[..2], [ends(|a, _| a, 0), ends(|_, b| b, 1024)], "{c0:x} {c1:x}");
        let middle = if c0 > c1 {
            [ends(|a, b| (2 * a + b) / 3, 321), ends(|a, b| (a + 2 * b) / 3, 703)]
        } else {
            [[(33 * (r0 + r1)) >> 3, green(513), (33 * (b0 + b1)) >> 3, 255], [0; 4]]
        };
        assert_eq!(got[2..4], middle, "{c0:x} {c1:x}");
    };
    for a in 0..64 {
        for b in 0..64 {
            check([a >> 1, a, b >> 1], [b >> 1, b, a >> 1]);
            check([b >> 1, a, a >> 1], [a >> 1, b, b >> 1]);
        }
    }
}

#[test]
fn sizes_and_other_formats() {
    for f in Format::all() {
        let bytes = [0xa5; 16];
        let size = f.texel_size() as usize;
        assert_eq!(decode_block(f, &bytes[..size]).is_some(), f.is_block(), "{f}");
        assert_eq!(decode_block(f, &bytes[..size - 1]), None, "{f}");
    }
}
