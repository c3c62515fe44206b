//! Approximate instructions in compiled code give what a card gives: a kernel sums hashes of
//! operands and results, and the sums are compared with those of an NVIDIA H200. Without
//! `TEXUNIT_LONG_TESTS` it is every 64th block of 2^20 operands; `.ci/full sfu` takes all 2^32.
#![allow(clippy::unwrap_used)]

use crate::common::{Arg, How, kernel, load_text, words};
use texunit_sfu::H200_HASHES;
use texunit_unit::{SimdLevel, simd_level};

/// Threads of a launch.
const THREADS: u32 = 8 * 256;

/// A kernel that sums mix(operand << 32 | result) over `count` operands of each thread, and stores
/// the 64-bit sum.
fn text(instruction: &str, bits: u32) -> String {
    let apply = match bits {
        64 => format!(
            "mov.b32 %w, 0; mov.b64 %d, {{%w, %x}}; {instruction} %d, %d;
            mov.b64 {{%w, %y}}, %d;"
        ),
        _ => format!("{instruction} %y, %x;"),
    };
    let body = format!(
        "ld.param.u32 %n, [count]; ld.param.u32 %x, [first]; add.u32 %x, %x, %t; mov.u64 %s, 0;
        AGAIN:
        {apply}
        mov.b64 %z, {{%y, %x}};
        add.u64 %z, %z, 0x9e3779b97f4a7c15;
        shr.u64 %u, %z, 30; xor.b64 %z, %z, %u; mul.lo.u64 %z, %z, 0xbf58476d1ce4e5b9;
        shr.u64 %u, %z, 27; xor.b64 %z, %z, %u; mul.lo.u64 %z, %z, 0x94d049bb133111eb;
        shr.u64 %u, %z, 31; xor.b64 %z, %z, %u; add.u64 %s, %s, %z;
        add.u32 %x, %x, {THREADS}; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra AGAIN;
        mad.wide.u32 %u, %t, 8, %out; st.global.u64 [%u], %s; ret;"
    );
    let declarations = ".reg .b32 %w, %x, %y; .reg .b64 %d, %z, %u, %s; .reg .pred %p;";
    let text = kernel(declarations, &body);
    text.replacen(".param .u64 out", ".param .u64 out, .param .u32 first, .param .u32 count", 1)
}

#[test]
fn compiled_functions_give_what_the_card_gives() {
    let is_long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let mut instructions = 0;
    for line in H200_HASHES.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(' ');
        let name = fields.next().unwrap();
        let sums: Vec<u64> = fields.map(|sum| u64::from_str_radix(sum, 16).unwrap()).collect();
        // Instructions of halves have fewer sums.
        let Some((all, some)) = sums.split_at_checked(256) else { continue };
        instructions += 1;
        let (step, count, sums) =
            if is_long { (1 << 24, 1 << 24, all) } else { (1 << 26, 1 << 20, some) };
        let loaded = load_text(&text(name, if name.ends_with("f64") { 64 } else { 32 }));
        let (address, block) = loaded.buffer(2 * THREADS as usize);
        let how = How {
            grid: [THREADS / 256, 1, 1],
            block: [256, 1, 1],
            max_steps: 1 << 40,
            ..How::default()
        };
        // The interpreter, which portable builds always use, needs 20 times as long for a block.
        let every = if is_long || simd_level() > SimdLevel::Portable { 1 } else { 8 };
        for (i, &wanted) in (0..).zip(sums).step_by(every) {
            let args = [Arg::U64(address), Arg::U32(step * i), Arg::U32(count / THREADS)];
            loaded.run("k", how, &args).unwrap();
            let halves = words(&block);
            let pairs = halves.as_chunks::<2>().0;
            let sum = pairs.iter().fold(0_u64, |sum, &[low, high]| {
                sum.wrapping_add(u64::from(low) | u64::from(high) << 32)
            });
            assert_eq!(sum, wanted, "{name} from {:#010x} on", step * i);
        }
    }
    assert_eq!(instructions, 17);
}
