//! Compares the functions with the results of a card for all 2^32 operands of each instruction. The
//! card's results are stored as sums of hashes. Without `TEXUNIT_LONG_TESTS` only every 64th block
//! of 2^20 operands is compared; `.ci/full sfu` compares all.

use std::sync::atomic::{AtomicUsize, Ordering};
use texunit_sfu::{H200_HASHES, mufu, ptx};

fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The sum of the hashes of `count` operands from `first` on, with the function's results.
fn sum(function: impl Fn(u32) -> u32, first: u32, count: u32) -> u64 {
    let hash = |i: u32| mix(u64::from(first + i) << 32 | u64::from(function(first + i)));
    (0..count).fold(0, |sum, i| sum.wrapping_add(hash(i)))
}

/// The function of an instruction, by the name that the file of hashes uses.
fn function(name: &str) -> Option<fn(u32) -> u32> {
    Some(match name {
        "rcp.approx.f32" => ptx::rcp,
        "rcp.approx.ftz.f32" => mufu::rcp,
        "rsqrt.approx.f32" => ptx::rsqrt,
        "rsqrt.approx.ftz.f32" => mufu::rsq,
        "sqrt.approx.f32" => ptx::sqrt,
        "sqrt.approx.ftz.f32" => mufu::sqrt,
        "ex2.approx.f32" => ptx::ex2,
        "ex2.approx.ftz.f32" => mufu::ex2,
        "lg2.approx.f32" => ptx::lg2,
        "lg2.approx.ftz.f32" => mufu::lg2,
        "sin.approx.f32" | "sin.approx.ftz.f32" => ptx::sin,
        "cos.approx.f32" | "cos.approx.ftz.f32" => ptx::cos,
        "tanh.approx.f32" => mufu::tanh,
        "rcp.approx.ftz.f64" => mufu::rcp64h,
        "rsqrt.approx.ftz.f64" => mufu::rsq64h,
        "ex2.approx.f16" => |x| ptx::ex2_f16(x as u16).into(),
        "tanh.approx.f16" => |x| ptx::tanh_f16(x as u16).into(),
        "ex2.approx.ftz.bf16" => |x| ptx::ex2_bf16(x as u16).into(),
        "tanh.approx.bf16" => |x| ptx::tanh_bf16(x as u16).into(),
        _ => return None,
    })
}

/// A sum of the file of hashes, for `count` operands from `first` on.
struct Wanted {
    name: &'static str,
    first: u32,
    count: u32,
    sum: u64,
}

fn wanted() -> Vec<Wanted> {
    let is_long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let lines = H200_HASHES.lines().filter(|line| !line.starts_with('#'));
    let mut all = Vec::new();
    for line in lines {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        let sums: Vec<u64> =
            words.map(|word| u64::from_str_radix(word, 16).expect("a hash")).collect();
        let of = |(first, count, sums): (u32, u32, &[u64])| -> Vec<Wanted> {
            let each = (0..).zip(sums);
            each.map(|(i, &sum)| Wanted { name, first: first * i, count, sum }).collect()
        };
        all.extend(match sums.split_at_checked(256) {
            None => of((1 << 12, 1 << 12, &sums)),
            Some((all, _)) if is_long => of((1 << 24, 1 << 24, all)),
            Some((_, some)) => of((1 << 26, 1 << 20, some)),
        });
    }
    all
}

#[test]
fn every_operand_gives_what_the_card_gives() {
    let wanted = wanted();
    assert!(wanted.len() >= 17 * 64 + 4 * 16, "{}", wanted.len());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(of) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let function = function(of.name).expect("an instruction");
                    let got = sum(function, of.first, of.count);
                    assert_eq!(got, of.sum, "{} from {:#010x} on", of.name, of.first);
                }
            });
        }
    });
}
