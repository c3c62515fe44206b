//! Tests of the decision to compile: after five times the cost of compilation was spent
//! interpreting, not earlier. Instructions interpreted within compiled code (such as `%clock`) show
//! that there is compiled code.

use crate::common::{Arg, How, kernel, load_text, words};
use texunit_simt::{Interpreted, JitMode};
use texunit_testkit::skipped;

/// Runs launches of one warp with several loops of a few instructions. Returns for each launch the
/// instructions that were interpreted within compiled code.
fn interpreted(loops: u32, turns: u32, launches: u32, jit: JitMode) -> Vec<Interpreted> {
    let mut body = String::from("mov.u32 %b, 0;\n");
    for i in 0..loops {
        body += &format!(
            "mov.u32 %a, 0;\nL{i}:\nmov.u32 %c, %clock;\nadd.u32 %b, %b, %c;\nadd.u32 %a, %a, 1;\n\
             setp.lt.u32 %p, %a, {turns};\n@%p bra L{i};\n"
        );
    }
    let text = kernel(".reg .u32 %a, %b, %c;\n.reg .pred %p;", &(body + "ret;"));
    let loaded = load_text(&text);
    let (address, _) = loaded.buffer(32);
    let how = How { jit: Some(jit), max_steps: 1 << 40, ..How::default() };
    let once = |_| loaded.run("k", how, &[Arg::U64(address)]).unwrap().interpreted;
    (0..launches).map(once).collect()
}

fn is_compiled(interpreted: &Interpreted) -> bool {
    !interpreted.0.is_empty()
}

/// Whether regions are not compiled on this platform.
fn none_here() -> bool {
    let none = !is_compiled(&interpreted(1, 2, 1, JitMode::Always)[0]);
    if none {
        skipped("no machine code is made here: no AVX2, or TEXUNIT_SIMD says so");
    }
    none
}

#[test]
fn what_runs_often_is_compiled_and_nothing_else() {
    if none_here() {
        return;
    }
    let one = |turns| interpreted(1, turns, 1, JitMode::On).remove(0);
    assert!(!is_compiled(&one(300)));
    let Interpreted(many) = one(100_000);
    let [(_, count)] = many[..] else { panic!("%clock alone: {many:?}") };
    assert!((90_000..100_000).contains(&count), "{count}");
    assert!(!is_compiled(&interpreted(1, 100_000, 1, JitMode::Off)[0]));
}

/// Compiling all functions would take much longer than a fifth of the time.
#[test]
fn many_loops_that_run_seldom_are_interpreted() {
    if none_here() {
        return;
    }
    assert!(!is_compiled(&interpreted(400, 300, 1, JitMode::On)[0]));
}

/// Many launches together pay for a compilation that a single one does not.
#[test]
fn launches_add_up() {
    if none_here() {
        return;
    }
    let compiled = interpreted(1, 300, 40, JitMode::On);
    assert!(!is_compiled(&compiled[0]) && is_compiled(&compiled[39]));
}

/// Compares a kernel, whose second parameter has these bytes, with the interpreter, and returns
/// the instructions that were interpreted within compiled code.
fn compared(text: &str, table: Vec<u8>) -> Interpreted {
    let run = |jit| {
        let loaded = load_text(text);
        let (address, block) = loaded.buffer(128);
        let how = How { jit: Some(jit), max_steps: 1 << 40, ..How::default() };
        let args = [Arg::U64(address), Arg::Bytes(table.clone())];
        let stats = loaded.run("k", how, &args).unwrap();
        ((stats.warp_instructions, stats.thread_instructions, words(&block)), stats.interpreted)
    };
    let (off, on) = (run(JitMode::Off), run(JitMode::On));
    assert_eq!(off.0, on.0);
    on.1
}

/// Local variables of a function, by local and generic addresses, and shared memory by generic
/// ones: the interpreter records the state spaces before the code is compiled.
#[test]
fn accesses_through_windows_are_compiled() {
    if none_here() {
        return;
    }
    let text = format!(
        "{}.func (.reg .u32 %d) twice(.reg .u64 %at, .reg .u32 %x)\n{{\n.local .align 8 .b32 own[4];\n\
         .reg .u64 %o<3>;\n.reg .u32 %y<4>;\nmov.u64 %o0, own;\ncvta.local.u64 %o1, %o0;\n\
         st.local.u32 [own+4], %x;\nst.u32 [%o1+8], %x;\nld.local.u32 %y0, [%o0+8];\nld.u32 %y1, [%o1+4];\n\
         ld.u32 %y2, [%at];\nadd.u32 %y3, %y0, %y1;\nadd.u32 %y3, %y3, %y2;\nst.u32 [%at], %y3;\n\
         mov.u32 %d, %y3;\nret;\n}}\n\
         .visible .entry k(.param .u64 to)\n{{\n.shared .align 8 .b32 all[64];\n.reg .u64 %a<6>;\n\
         .reg .u32 %b<6>;\n.reg .pred %p;\nld.param.u64 %a0, [to];\nmov.u64 %a1, all;\n\
         cvta.shared.u64 %a2, %a1;\nmov.u32 %b0, %tid.x;\nmul.wide.u32 %a3, %b0, 4;\n\
         add.u64 %a4, %a2, %a3;\nadd.u64 %a5, %a0, %a3;\nst.u32 [%a4+128], %b0;\nmov.u32 %b1, 0;\n\
         mov.u32 %b2, 0;\nL:\ncall.uni (%b3), twice, (%a4, %b1);\nld.u32 %b4, [%a4+128];\n\
         atom.add.u32 %b5, [%a2+252], 3;\nadd.u32 %b2, %b2, %b5;\nred.max.u32 [%a4+128], %b1;\n\
         add.u32 %b2, %b2, %b3;\nadd.u32 %b2, %b2, %b4;\nadd.u32 %b1, %b1, 1;\n\
         setp.lt.u32 %p, %b1, 20000;\n@%p bra L;\nst.global.u32 [%a5], %b2;\nret;\n}}\n",
        texunit_testkit::ptx::SM_75
    );
    let Interpreted(all) = compared(&text, Vec::new());
    // A rarely executed access.
    let often = all.iter().filter(|(_, count)| *count > 10_000).count();
    assert!(often <= 2, "{all:?}");
}

/// Parameters by addresses in registers, of their own space and generic ones, different in each
/// lane; and sums of floats in shared memory by generic addresses, which keep subnormals.
#[test]
fn parameters_in_registers_are_compiled() {
    if none_here() {
        return;
    }
    let text = format!(
        "{}.visible .entry k(.param .u64 to, .param .align 8 .b8 table[64])\n{{\n\
         .shared .align 4 .f32 sums[32];\n.reg .u64 %a<9>;\n.reg .u32 %b<9>;\n.reg .f32 %f;\n.reg .pred %p;\n\
         ld.param.u64 %a0, [to];\nmov.u64 %a1, table;\ncvta.param.u64 %a2, %a1;\nmov.u32 %b0, %tid.x;\n\
         mul.wide.u32 %a3, %b0, 4;\nadd.u64 %a4, %a0, %a3;\nmov.u64 %a5, sums;\ncvta.shared.u64 %a5, %a5;\n\
         add.u64 %a5, %a5, %a3;\nst.u32 [%a5], 0;\nmov.u32 %b1, 0;\nmov.u32 %b2, 0;\nL:\n\
         add.u32 %b3, %b1, %b0;\nand.b32 %b3, %b3, 15;\nmul.wide.u32 %a6, %b3, 4;\nadd.u64 %a7, %a1, %a6;\n\
         ld.param.u32 %b4, [%a7];\nadd.u64 %a8, %a2, %a6;\nld.u32 %b5, [%a8];\n\
         mad.lo.u32 %b2, %b4, %b5, %b2;\natom.add.f32 %f, [%a5], 0f00000001;\nmov.b32 %b6, %f;\n\
         add.u32 %b2, %b2, %b6;\nadd.u32 %b1, %b1, 1;\nsetp.lt.u32 %p, %b1, 20000;\n@%p bra L;\n\
         st.global.u32 [%a4], %b2;\nret;\n}}\n",
        texunit_testkit::ptx::SM_75
    );
    let table: Vec<u8> = (0..64_u8).map(|i| i.wrapping_mul(37) ^ 0x5a).collect();
    let Interpreted(all) = compared(&text, table);
    assert!(all.iter().all(|(_, count)| *count < 1000), "{all:?}");
}

/// An access past the last parameter is a fault.
#[test]
fn a_kernel_that_ends_with_a_parameter_of_32_bits_is_compiled() {
    if none_here() {
        return;
    }
    let text = format!(
        "{}.visible .entry k(.param .u64 to, .param .u32 turns)\n{{\n.reg .u64 %a<3>;\n.reg .u32 %b<4>;\n\
         .reg .pred %p;\nld.param.u64 %a0, [to];\nld.param.u32 %b0, [turns];\nmov.u32 %b1, 0;\n\
         mov.u32 %b2, 0;\nL:\nmov.u32 %b3, %clock;\nadd.u32 %b2, %b2, %b0;\nadd.u32 %b1, %b1, 1;\n\
         setp.lt.u32 %p, %b1, %b0;\n@%p bra L;\nst.global.u32 [%a0], %b2;\nret;\n}}\n",
        texunit_testkit::ptx::SM_75
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(32);
    let how = How { jit: Some(JitMode::On), max_steps: 1 << 40, ..How::default() };
    let turns = 100_000_u32;
    let stats = loaded.run("k", how, &[Arg::U64(address), Arg::U32(turns)]).unwrap();
    assert_eq!(block.load_u32(0).expect("inside"), turns.wrapping_mul(turns));
    let Interpreted(all) = stats.interpreted;
    let [(_, count)] = all[..] else { panic!("%clock alone: {all:?}") };
    assert!(count > 90_000, "{count}");
}
