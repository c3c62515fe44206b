//! Tests of loads and stores by some lanes of a warp: contiguous, at one address, or scattered; by
//! index, by address, and in shared memory.

use crate::common::{Arg, How, load_text, words};
use texunit_simt::JitMode;
use texunit_testkit::{Random, ptx};

/// Number of elements of the table, and the value of its words.
const ELEMENTS: u32 = 200;

/// An element: type, size in bytes, and whether it is signed.
const TYPES: [(&str, u32, bool); 7] = [
    ("u8", 1, false),
    ("s8", 1, true),
    ("u16", 2, false),
    ("s16", 2, true),
    ("u32", 4, false),
    ("v2.u32", 8, false),
    ("u64", 8, false),
];

/// Kind of the address.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Index,
    Address,
    Shared,
}

/// How lanes are made inactive.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Out {
    Guard,
    Branch,
}

/// The active lanes of a warp, and their elements.
struct Warp {
    taking: u32,
    element: [u32; 32],
}

impl Warp {
    fn any(random: &mut Random) -> Self {
        let masks = [u32::MAX, 0, 1, 0x8000_0000, 0xffff, 0xffff_0000, 0x0ff0_0ff0, 0xffff_fffe];
        let some = random.u32();
        let taking = if random.one_in(2) { some } else { random.of(&masks) };
        let anywhere: [u32; 32] = std::array::from_fn(|_| random.below(ELEMENTS));
        // Contiguous accesses may begin before the table and end after it, in inactive lanes.
        let begin = |random: &mut Random| i64::from(random.below(ELEMENTS + 31)) - 31;
        let firsts = [begin(random), begin(random)];
        let lasts = [i64::from(ELEMENTS) - 32, i64::from(ELEMENTS) - 32];
        let row = |firsts: [i64; 2], step: i64| {
            std::array::from_fn(|lane| {
                let place = firsts[lane / 16] + step * lane as i64;
                u32::try_from(place).unwrap_or(u32::MAX)
            })
        };
        let [first, second] = firsts;
        let mut element = match random.below(8_u32) {
            0 => row([first; 2], 1),
            1 => row([first, second], 1),
            2 => row(lasts, 1),
            3 => row([first; 2], 0),
            4 => row([first, second], 0),
            5 => row([first / 2; 2], 2),
            6 => row([0, 0], -1).map(|n| n.min(ELEMENTS - 1)),
            _ => anywhere,
        };
        if random.one_in(4) {
            element[random.below(32_usize)] = random.below(ELEMENTS);
        }
        let is_inside = |lane: &usize| element[*lane] < ELEMENTS;
        let inside = (0..32).filter(is_inside).fold(0, |all, lane| all | 1 << lane);
        Self { taking: taking & inside, element }
    }
}

/// A kernel in which lanes load an element, or keep the previous value, and store it in a table of
/// the CTA.
fn kernel(by: By, out: Out, (ty, size, signed): (&str, u32, bool)) -> String {
    let (guard, skip) = match out {
        Out::Guard => ("@%p ", ""),
        Out::Branch => ("", "@!%p bra SKIP;\n"),
    };
    let into = if size == 8 { "" } else { "cvt.{S}64.{S}32 %a9, %b9;\n" };
    let into = into.replace("{S}", if signed { "s" } else { "u" });
    let (register, halves) = match ty {
        "v2.u32" => ("{%b9, %b10}", "mov.b64 {%b9, %b10}, %a9;\n"),
        "u64" => ("%a9", ""),
        _ => ("%b9", ""),
    };
    let joined = if ty == "v2.u32" { "mov.b64 %a9, {%b9, %b10};\n" } else { "" };
    let space = if by == By::Shared { "shared" } else { "global" };
    // The element, and its position in a table of the same size for each CTA.
    let address = match by {
        By::Index => format!(
            "mul.wide.u32 %a4, %b4, {size};\nadd.u64 %a5, %a1, %a4;\nadd.u64 %a6, %a7, %a4;\n"
        ),
        By::Address => {
            "ld.global.u64 %a5, [%a3];\nsub.u64 %a4, %a5, %a1;\nadd.u64 %a6, %a7, %a4;\n".to_owned()
        }
        By::Shared => format!(
            "mov.u32 %b5, table;\nmad.lo.u32 %b5, %b4, {size}, %b5;\nmul.wide.u32 %a4, %b4, {size};\n\
            add.u64 %a6, %a7, %a4;\n"
        ),
    };
    let from = if by == By::Shared { "%b5" } else { "%a5" };
    let words = ELEMENTS * size / 4;
    let copy = match by {
        By::Shared => format!(
            "mov.u32 %b6, %b2;\nCOPY:\nsetp.ge.u32 %q, %b6, {words};\n@%q bra COPIED;\nmul.wide.u32 %a4, %b6, 4;\n\
            add.u64 %a4, %a1, %a4;\nld.global.u32 %b7, [%a4];\nmov.u32 %b8, table;\nmad.lo.u32 %b8, %b6, 4, %b8;\n\
            st.shared.u32 [%b8], %b7;\nadd.u32 %b6, %b6, 32;\nbra COPY;\nCOPIED:\nbar.sync 0;\n"
        ),
        _ => String::new(),
    };
    let shared = match by {
        By::Shared => format!(".shared .align 16 .b8 table[{}];\n", ELEMENTS * size),
        _ => String::new(),
    };
    let body = format!(
        "{shared}.reg .u64 %a<12>;\n.reg .u32 %b<12>;\n.reg .pred %p, %q;\n\
        ld.param.u64 %a0, [out];\nld.param.u64 %a1, [table_at];\nld.param.u64 %a2, [lanes];\nld.param.u64 %a3, [places];\n\
        ld.param.u64 %a7, [stored];\n\
        mov.u32 %b1, %ctaid.x;\nmov.u32 %b2, %tid.x;\nmad.lo.u32 %b3, %b1, 32, %b2;\n{copy}\
        mul.wide.u32 %a8, %b3, 8;\nadd.u64 %a2, %a2, %a8;\nadd.u64 %a3, %a3, %a8;\nadd.u64 %a0, %a0, %a8;\n\
        mul.wide.u32 %a10, %b1, {bytes};\nadd.u64 %a7, %a7, %a10;\n\
        ld.global.v2.u32 {{%b4, %b0}}, [%a2];\nsetp.ne.u32 %p, %b0, 0;\n\
        mov.u64 %a9, 77;\nmov.u32 %b9, 77;\n{halves}{address}{skip}\
        {guard}ld.{space}.{ty} {register}, [{from}];\n{guard}st.global.{store} [%a6], {register};\nSKIP:\n{into}{joined}\
        st.global.u64 [%a0], %a9;\nret;\n",
        bytes = ELEMENTS * size,
        store = ty.replace('s', "u"),
    );
    let params = ".param .u64 out, .param .u64 table_at, .param .u64 lanes, .param .u64 places, .param .u64 stored";
    ptx::kernel(ptx::SM_75, params, &body)
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// An element of the table with these bytes.
fn element(bytes: &[u8], i: u32, (_, size, signed): (&str, u32, bool)) -> u64 {
    let mut all = [0; 8];
    all[..size as usize].copy_from_slice(&bytes[(i * size) as usize..][..size as usize]);
    let unused = 64 - 8 * size;
    let number = u64::from_le_bytes(all) << unused;
    if signed { (number as i64 >> unused) as u64 } else { number >> unused }
}

/// Compares all warps for a type, a kind of address and a kind of inactive lanes.
fn check(by: By, out: Out, of: (&str, u32, bool), warps: &[Warp]) {
    let (_, size, _) = of;
    let table: Vec<u32> =
        (0..ELEMENTS * size / 4).map(|i| (i + 1).wrapping_mul(0x9e37_79b9)).collect();
    let bytes = bytes_of(&table);
    let loaded = load_text(&kernel(by, out, of));
    let (table_at, _) = loaded.filled(&table);
    let lanes = warps
        .iter()
        .flat_map(|warp| (0..32).flat_map(|lane| [warp.element[lane], warp.taking >> lane & 1]));
    let places = warps.iter().flat_map(|warp| {
        let at = |i: u32| table_at + u64::from(i) * u64::from(size);
        warp.element.map(at).into_iter().flat_map(|at| [at as u32, (at >> 32) as u32])
    });
    let (lanes_at, _) = loaded.filled(&lanes.collect::<Vec<_>>());
    let (places_at, _) = loaded.filled(&places.collect::<Vec<_>>());
    let stored_words = warps.len() * table.len();
    let (stored_at, stored) = loaded.filled(&vec![0; stored_words]);
    let (out_at, results) = loaded.buffer(warps.len() * 64);
    let args = [out_at, table_at, lanes_at, places_at, stored_at].map(Arg::U64);
    let (grid, block) = ([warps.len() as u32, 1, 1], [32, 1, 1]);
    let how = How { grid, block, jit: Some(JitMode::Always), ..How::default() };
    for launch in 0..2 {
        loaded.run("k", how, &args).unwrap();
        let (results, stored) = (words(&results), bytes_of(&words(&stored)));
        for (n, warp) in warps.iter().enumerate() {
            let mut own = vec![0; bytes.len()];
            for lane in 0..32 {
                let takes = warp.taking >> lane & 1 != 0;
                let expected = if takes { element(&bytes, warp.element[lane], of) } else { 77 };
                let at = 2 * (32 * n + lane);
                let result = u64::from(results[at]) | u64::from(results[at + 1]) << 32;
                let what = format!("{by:?} {out:?} {of:?}, launch {launch}, warp {n}, lane {lane}");
                assert_eq!(result, expected, "{what}: {:#x} {:?}", warp.taking, warp.element);
                if takes {
                    own[(warp.element[lane] * size) as usize..][..size as usize]
                        .copy_from_slice(&expected.to_le_bytes()[..size as usize]);
                }
            }
            let found = &stored[n * bytes.len()..][..bytes.len()];
            assert!(found == own, "{by:?} {out:?} {of:?}, launch {launch}, stores of warp {n}");
        }
    }
}

#[test]
fn accesses_of_some_lanes() {
    let mut random = Random::new(22);
    for of in TYPES {
        for by in [By::Index, By::Address, By::Shared] {
            for out in [Out::Guard, Out::Branch] {
                let warps: Vec<Warp> = (0..150).map(|_| Warp::any(&mut random)).collect();
                check(by, out, of, &warps);
            }
        }
    }
}
