//! alloca, stacksave and stackrestore.

use crate::common::{How, kernel, kernel_with, run_fault, run_words};
use texunit_simt::FaultKind;

const REGS: &str = ".reg .u64 %size, %p, %a, %s; .reg .u32 %i, %v, %w; .reg .pred %q;";

#[test]
fn recursion_has_room_for_many_registers() {
    // f(n) has 2,000 registers that live across its call of f(n - 1), which is 16,000 bytes.
    let lines = |line: fn(usize) -> String| (0..2000).map(line).collect::<String>();
    let set = lines(|i| format!("add.u64 %w{i}, %x, {i};\n"));
    let sum = lines(|i| format!("xor.b64 %x, %x, %w{i};\n"));
    let f = format!(
        ".func (.reg .u32 %r) f(.reg .u32 %n)
{{
    .reg .u64 %w<2000>, %x; .reg .pred %q; .reg .u32 %m;
    mov.u32 %r, 0;
    setp.eq.u32 %q, %n, 0;
    @%q ret;
    cvt.u64.u32 %x, %n;
    {set}
    sub.u32 %m, %n, 1;
    call (%r), f, (%m);
    {sum}
    cvt.u32.u64 %m, %x;
    add.u32 %r, %r, %m;
    ret;
}}"
    );
    let body = "call (%v), f, (9); st.global.u32 [%my], %v; ret;";
    let text = kernel_with(&f, ".reg .u32 %v;", body);
    let of = |n: u64| (0..2000).fold(n, |x, i| x ^ (n + i)) as u32;
    assert_eq!(run_words(&text, How::default(), 32), [(1..=9).map(of).sum::<u32>(); 32]);
}

#[test]
fn stacks_are_bounded() {
    let endless = "LOOP: alloca.u64 %p, 64; bra LOOP;";
    let (fault, _) = run_fault(&kernel(REGS, endless), How::default(), 1);
    assert!(matches!(fault.kind, FaultKind::StackOverflow { limit: 16384 }), "{fault:?}");
    let huge = "mov.u64 %size, 0xffffffffffffff00; alloca.u64 %p, %size, 4096; ret;";
    let (fault, _) = run_fault(&kernel(REGS, huge), How::default(), 1);
    assert!(matches!(fault.kind, FaultKind::StackOverflow { .. }), "{fault:?}");
    let large = ".func f(.param .b8 p[65536]) {
        { .param .b8 q[65536]; st.param.u32 [q], 1; call f, (q); } ret;
}";
    let call = "{ .param .b8 p[65536]; st.param.u32 [p], 1; call f, (p); } ret;";
    let (fault, _) = run_fault(&kernel_with(large, REGS, call), How::default(), 1);
    assert!(matches!(fault.kind, FaultKind::StackOverflow { .. }), "{fault:?}");
    let odd = "mov.u64 %s, 7777; stackrestore.u64 %s; ret;";
    let (fault, _) = run_fault(&kernel(REGS, odd), How::default(), 1);
    assert!(matches!(fault.kind, FaultKind::BadOperand(_)), "{fault:?}");
    let past = "alloca.u64 %p, 16; st.local.u32 [%p+16], 1; ret;";
    let (fault, _) = run_fault(&kernel(REGS, past), How::default(), 1);
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{fault:?}");
}

#[test]
fn frames_have_the_alignment_of_their_variables() {
    let f = ".func (.reg .u32 %r) f() {
    .local .b8 small[4]; .local .align 256 .b8 large[8]; .reg .u64 %a;
    mov.u64 %a, large; cvta.local.u64 %a, %a; and.b64 %a, %a, 255; cvt.u32.u64 %r, %a;
    ret;
}
.func (.reg .u32 %r) g() { .local .b8 own[24]; call (%r), f; ret; }";
    let body = ".local .b8 own[40]; call (%v), f; call (%w), g;
        or.b32 %v, %v, %w; st.global.u32 [%my], %v; ret;";
    let text = kernel_with(f, ".reg .u32 %v, %w;", body);
    assert_eq!(run_words(&text, How::default(), 32), [0; 32]);
}
