//! Texts that nobody would write but an attacker, a broken generator or a fuzzer: each is checked
//! in time that grows with its length and no faster, without a stack overflow, and with an answer
//! of bounded size.
//!
//! The times allowed are far above what a build without optimisation takes on a busy machine.

use std::time::{Duration, Instant};

use texunit_check::{Options, Verdicts, check_source};
use texunit_syntax::{Diagnostic, SourceFile};

const HEADER: &str = ".version 8.8\n.target sm_75\n.address_size 64\n";

/// Time for one text.
const MAX_TIME: Duration = Duration::from_secs(20);
/// Errors of one text, the last of them that there are more; warnings have their own limit a code.
const MAX_DIAGNOSTICS: usize = 6_000;
/// Bytes of everything that is said about one text.
const MAX_SAID: usize = 8 << 20;

/// A text of a size, of at least one byte for each unit.
type Generator = fn(usize) -> String;

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        text += &line(i);
        text.push('\n');
        text
    })
}

fn body(inside: &str) -> String {
    format!(
        "{HEADER}.entry k() {{\n.reg .b32 %r<9>; .reg .pred %p<9>; .reg .b64 %rd<9>;\n{inside}\nret;\n}}\n"
    )
}

fn module(inside: &str) -> String {
    format!("{HEADER}{inside}\n")
}

/// Registers that are read where many ways meet, and written behind it.
fn meeting(n: usize, comment: &str) -> String {
    let reads = lines(n, |i| format!("add.u32 %r1, %r1, %v{i};"));
    let writes = lines(n, |i| format!("mov.u32 %v{i}, 1;"));
    let ways = "@%p1 bra L;\n".repeat(n);
    comment.to_owned() + &body(&format!(".reg .b32 %v<{n}>;\n{ways}L:\n{reads}{writes}"))
}

/// Generators with the number of units that make about a megabyte.
#[rustfmt::skip]
const GENERATORS: &[(&str, usize, Generator)] = &[
    ("a line of instructions",      60_000, |n| body(&"add.s32 %r1, %r2, 3; ".repeat(n))),
    ("a line of mistakes",          60_000, |n| body(&"add.s32 %x1, %r2, 3; ".repeat(n))),
    ("a line of other mistakes",    60_000, |n| body(&"add.s33 %r1, %r2; ".repeat(n))),
    ("unknown instructions",       100_000, |n| body(&"frobnicate; ".repeat(n))),
    ("unknown names",               60_000, |n| body(&lines(n, |i| format!("mov.b32 %r1, nobody{i};")))),
    ("unknown labels",             100_000, |n| body(&lines(n, |i| format!("bra nowhere{i};")))),
    ("a token",                  1_000_000, |n| body(&"x".repeat(n))),
    ("a long name",              1_000_000, |n| body(&format!("mov.b32 %r1, {};", "x".repeat(n)))),
    ("a long register",          1_000_000, |n| body(&format!(".reg .b32 {0}; mov.f32 {0}, 0f00000000; mov.b64 {0}, 1;", "x".repeat(n)))),
    ("a long modifier",          1_000_000, |n| body(&format!("add.{} %r1, %r2, 3;", "x".repeat(n)))),
    ("a long directive",         1_000_000, |n| module(&format!(".{}", "x".repeat(n)))),
    ("a long number",            1_000_000, |n| body(&format!("mov.b32 %r1, {};", "9".repeat(n)))),
    ("a long function name",       300_000, |n| module(&format!(".entry {}() {{\n{}ret; }}", "k".repeat(n), lines(n / 40, |i| format!(".shared .b32 s{i};"))))),
    ("a long callee name",         300_000, |n| module(&format!(".func {0}() {{ ret; }}\n.entry k() {{ {1} ret; }}", "f".repeat(n), "call f, (1);\n".repeat(n / 13)))),
    ("a long target",            1_000_000, |n| format!(".version 8.0\n.target {}\n.entry k() {{ ret; }}", "x".repeat(n))),
    ("a target of many words",     100_000, |n| format!(".version 8.0\n.target sm_75{}\n", ", texmode_unified".repeat(n / 2))),
    ("a comment",                1_000_000, |n| module(&format!("// {}", "x".repeat(n)))),
    ("comments",                   300_000, |n| module(&"/**/".repeat(n))),
    ("an open comment",            300_000, |n| module(&format!("/*{}", "/*".repeat(n)))),
    ("commas",                   1_000_000, |n| body(&",".repeat(n))),
    ("semicolons",               1_000_000, |n| body(&";".repeat(n))),
    ("dots",                       500_000, |n| body(&". ".repeat(n))),
    ("colons",                     500_000, |n| body(&"a:".repeat(n))),
    ("at signs",                   500_000, |n| body(&"@p ".repeat(n))),
    ("open braces",              1_000_000, |n| body(&"{".repeat(n))),
    ("open parentheses",         1_000_000, |n| body(&format!("mov.b32 %r1, {};", "(".repeat(n)))),
    ("open brackets",            1_000_000, |n| body(&format!("ld.b32 %r1, {};", "[".repeat(n)))),
    ("closed braces",            1_000_000, |n| module(&"}".repeat(n))),
    ("closed brackets",          1_000_000, |n| body(&"]".repeat(n))),
    ("nested braces",              500_000, |n| body(&format!("{}{}", "{".repeat(n), "}".repeat(n)))),
    ("nested parentheses",         500_000, |n| body(&format!("mov.b32 %r1, {}1{};", "(".repeat(n), ")".repeat(n)))),
    ("nested lists",               500_000, |n| module(&format!(".global .u32 a[2] = {}1{};", "{".repeat(n), "}".repeat(n)))),
    ("nested vectors",             500_000, |n| body(&format!("mov.b32 {}%r1{}, %r2;", "{".repeat(n), "}".repeat(n)))),
    ("headers in headers",         100_000, |n| module(&".entry k(".repeat(n))),
    ("a sum",                      500_000, |n| body(&format!("mov.b32 %r1, 1{};", "+1".repeat(n)))),
    ("signs",                    1_000_000, |n| body(&format!("mov.b32 %r1, {}1;", "-".repeat(n)))),
    ("conditions",                 250_000, |n| body(&format!("mov.b32 %r1, {}1;", "1?1:".repeat(n)))),
    ("casts",                      150_000, |n| body(&format!("mov.b32 %r1, {}1;", "(.s64)".repeat(n)))),
    ("labels",                     150_000, |n| body(&lines(n, |i| format!("L{i}:")))),
    ("the same label",             300_000, |n| body(&"L:\n".repeat(n))),
    ("branches back",               60_000, |n| body(&lines(n, |i| format!("L{i}: @%p1 bra L{};", i / 2)))),
    ("branches ahead",              60_000, |n| body(&format!("{}L{n}:", lines(n, |i| format!("L{i}: @%p1 bra L{};", (i * 7 + 1) % (n + 1)))))),
    ("a ladder",                    60_000, |n| body(&format!("{}E:", lines(n, |i| format!("@%p{} bra E; mov.b32 %r1, {i};", i % 8))))),
    ("loops in loops",              30_000, |n| body(&format!("{}{}", lines(n, |i| format!("L{i}:")), lines(n, |i| format!("@%p1 bra L{};", n - 1 - i))))),
    ("diamonds of predicates",      15_000, |n| body(&lines(n, |i| format!("setp.eq.s32 %p{0}, %r1, {i}; @%p{0} bra L{i}; mov.b32 %r{0}, 1; L{i}: @%p{0} mov.b32 %r1, %r{0};", i % 8)))),
    ("predicates that never meet",  15_000, |n| body(&format!(".reg .pred %q<{n}>; .reg .b32 %v<{n}>;\n{}{}", lines(n / 2, |i| format!("setp.eq.s32 %q{i}, %r1, {i}; @%q{i} bra A{i}; mov.b32 %v{i}, 1; A{i}:")), lines(n / 2, |i| format!("@%q{i} bra B{i}; add.s32 %r1, %r1, %v{i}; B{i}:"))))),
    ("registers of a group",        60_000, |n| body(&format!(".reg .b32 %x<1000000000>;\n{}", lines(n, |i| format!("mov.b32 %x{}, {i};", i * 1000))))),
    ("declared registers",          60_000, |n| body(&lines(n, |i| format!(".reg .b32 a{i};")))),
    ("groups of registers",         60_000, |n| body(&lines(n, |i| format!(".reg .b32 a{i}_<9>;")))),
    ("groups in groups",            40_000, |n| body(&lines(n, |i| format!(".reg .b32 %a{}<4294967295>;", "1".repeat(i % 20))))),
    ("long numbered names",         40_000, |n| body(&format!(".reg .b32 %x<4294967295>;\n{}", lines(n, |i| format!("mov.b32 %x{:019}, {i};", i))))),
    ("names in deep blocks",        20_000, |n| body(&format!("{}{}{}", "{ .reg .b32 %a<9>;\n".repeat(100), lines(n, |i| format!("mov.b32 %r1, %r1{i:018};")), "}".repeat(100)))),
    ("blocks",                     100_000, |n| body(&"{ .reg .b32 a; }\n".repeat(n / 2))),
    ("functions",                   40_000, |n| module(&lines(n, |i| format!(".func f{i}() {{ ret; }}")))),
    ("prototypes",                  40_000, |n| module(&lines(n, |i| format!(".func f{}();", i % 10)))),
    ("the same function",           40_000, |n| module(&lines(n, |_| ".func f() { ret; }".into()))),
    ("a chain of calls",            25_000, |n| module(&format!(".func f0() {{ ret; }}\n{}", lines(n, |i| format!(".func f{}() {{ call f{i}; ret; }}", i + 1))))),
    ("a circle of calls",           25_000, |n| module(&format!("{}{}", lines(n, |i| format!(".func f{i}();")), lines(n, |i| format!(".func f{i}() {{ call f{}; ret; }}", (i + 1) % n))))),
    ("calls of unknown functions",  60_000, |n| body(&lines(n, |i| format!("call f{i};")))),
    ("places",                      60_000, |n| body(&lines(n, |i| format!(".loc {i} {i} 4294967296")))),
    ("places that come back",       60_000, |n| body(&lines(n, |i| format!(".loc 1 {} 1\nmembar.cta;", i % 2)))),
    ("places in places",            20_000, |n| body(&format!(".loc 1 0 1\n{}", lines(n, |i| format!(".loc 1 {} 1, function_name $a+{i}, inlined_at 1 {i} 1\nmembar.cta;", i + 1))))),
    ("a place in itself",           20_000, |n| body(&format!(".loc 1 1 1\n{}", ".loc 1 1 1, function_name $a, inlined_at 1 1 1\nmembar.cta;\n".repeat(n)))),
    ("places in circles",           10_000, |n| body(&format!(".loc 1 1 1\n{}", lines(n, |i| format!(".loc 1 {} {}, function_name $a, inlined_at 1 {} {}\nmembar.cta;", 1 + (i + 1) % 2, i / 2 + 1, 1 + i % 2, i.div_ceil(2)))))),
    ("files",                       60_000, |n| module(&lines(n, |i| format!(".file {} \"x\"", i % 50_000)))),
    ("strings of debug information", 60_000, |n| module(&format!(".section .debug_str {{\n{}}}", lines(n, |i| format!("a{i}: .b64 1, a"))))),
    ("aliases",                     30_000, |n| module(&format!(".func f() {{\n{}ret; }}\n{}", "membar.cta;\n".repeat(n), lines(n, |i| format!(".func a{i}();\n.alias a{i}, f;"))))),
    ("parameters",                  40_000, |n| module(&format!(".func f({}) {{ ret; }}", vec![".param .b32 p"; n].join(", ")))),
    ("named parameters",            40_000, |n| module(&format!(".func f({}.param .b32 z) {{ ret; }}", lines(n, |i| format!(".param .b32 p{i},"))))),
    ("calls with few arguments",    30_000, |n| module(&format!(".func f({}.param .b32 z) {{ ret; }}\n.entry k() {{ {} ret; }}", lines(n, |i| format!(".param .b32 p{i},")), "call f, (1);\n".repeat(n)))),
    ("calls by prototype",          20_000, |n| body(&format!("P: .callprototype _ ({}.param .b32 _);\n{}", ".param .b32 _,\n".repeat(n), "call %rd1, (1), P;\n".repeat(n)))),
    ("arguments",                  100_000, |n| body(&format!("call f, ({}1);", "1, ".repeat(n)))),
    ("operands",                   200_000, |n| body(&format!("add.s32 %r1{};", ", 1".repeat(n)))),
    ("modifiers",                  200_000, |n| body(&format!("add{} %r1, %r2, 1;", ".s32".repeat(n)))),
    ("different modifiers",         60_000, |n| body(&lines(n, |i| format!("add.s{i} %r1, %r2, 1;")))),
    ("a vector",                   200_000, |n| body(&format!("mov.b64 {{%r1{}}}, %rd1;", ", %r2".repeat(n)))),
    ("coordinates",                200_000, |n| body(&format!("tex.2d.v4.f32.f32 {{%r1,%r2,%r3,%r4}}, [%rd1, {{%r1{}}}];", ", %r2".repeat(n)))),
    ("targets",                    100_000, |n| body(&format!("L: T: .branchtargets L{};\nbrx.idx %r1, T;", ", L".repeat(n)))),
    ("branches to many targets",    20_000, |n| body(&format!("L: T: .branchtargets L{};\n{}", ", L".repeat(n), "brx.idx %r1, T;\n".repeat(n)))),
    ("functions of many targets",      250, |n| module(&lines(n, |i| format!(".func f{i}() {{ .reg .b32 %r<2>; L: T: .branchtargets L{};\n{} }}", ", L".repeat(400), "brx.idx %r1, T;\n".repeat(100))))),
    ("a group of targets",          60_000, |n| body(&format!("T: .branchtargets L<4294967295>;\n{}brx.idx %r1, T;", lines(n, |i| format!("L{i}:"))))),
    ("called functions",            60_000, |n| body(&format!("C: .calltargets {};\ncall %rd1, C;", vec!["f"; n].join(", ")))),
    ("variables",                   40_000, |n| module(&lines(n, |i| format!(".global .b32 g{i};")))),
    ("the same variable",           40_000, |n| module(&".global .b32 g;\n".repeat(n))),
    ("groups of variables",         40_000, |n| module(&lines(n, |i| format!(".global .b32 g{i}_<4294967295>;")))),
    ("variables of a group",        40_000, |n| module(&format!(".global .b32 g<4294967295>;\n.entry k() {{ .reg .b32 %r<9>; {} ret; }}", lines(n, |i| format!("ld.global.b32 %r1, [g{i}];"))))),
    ("a list",                     300_000, |n| module(&format!(".global .u32 a[] = {{ 1{} }};", ", 2".repeat(n)))),
    ("a list that is too long",    300_000, |n| module(&format!(".global .u32 a[2] = {{ 1{} }};", ", 2".repeat(n)))),
    ("lists",                      100_000, |n| module(&format!(".global .u32 a[{n}][2] = {{ {{1}}{} }};", ", {2}".repeat(n - 1)))),
    ("addresses",                  100_000, |n| module(&format!(".global .u64 a[{n}] = {{ a{} }};", ", a+8".repeat(n - 1)))),
    ("huge arrays",                 20_000, |n| module(&lines(n, |i| format!(".global .b8 a{i}[99999999999] = {{ 1 }};")))),
    ("arrays of huge arrays",       20_000, |n| module(&lines(n, |i| format!(".global .b64 a{i}[1000000][100] = {{ {{1}}, {{2}} }};")))),
    ("dimensions",                 200_000, |n| module(&format!(".global .b8 a{};", "[1]".repeat(n)))),
    ("alignments",                 100_000, |n| module(&format!(".global{} .b8 a;", " .align 8".repeat(n)))),
    ("textures",                    40_000, |n| module(&lines(n, |i| format!(".global .texref t{i};")))),
    ("textures in a kernel",        15_000, |n| module(&format!("{}.entry k() {{ .reg .f32 %f<9>; {} ret; }}", lines(n, |i| format!(".global .texref t{i};")), lines(n, |i| format!("tex.1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [t{i}, %f5];"))))),
    ("textures in kernels",         12_000, |n| module(&format!("{}{}", lines(n, |i| format!(".global .texref t{i};")), lines(n, |i| format!(".entry k{i}() {{ .reg .f32 %f<9>; tex.1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [t{i}, %f5]; ret; }}"))))),
    ("textures behind calls",        8_000, |n| module(&format!("{}.func f0() {{ ret; }}\n{}{}", lines(300, |i| format!(".global .texref t{i};")), lines(n, |i| format!(".func f{}() {{ .reg .f32 %f<9>; tex.1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [t{}, %f5]; call f{i}; ret; }}", i + 1, i % 300)), lines(n, |i| format!(".entry k{i}() {{ call f{n}; ret; }}"))))),
    ("texture parameters",          25_000, |n| module(&format!(".entry k({}.param .u32 z) {{ ret; }}", lines(n, |i| format!(".param .texref p{i},"))))),
    ("fields",                      60_000, |n| module(&format!(".global .samplerref s = {{ {} }};", vec!["filter_mode = linear"; n].join(", ")))),
    ("bounds",                      60_000, |n| module(&format!(".entry k(){} {{ ret; }}", " .maxntid 32".repeat(n)))),
    ("attributes",                  60_000, |n| module(&format!(".global .attribute({}) .b32 a;", vec![".managed"; n].join(", ")))),
    ("versions",                    60_000, |n| ".version 8.0\n".repeat(n)),
    ("address sizes",               60_000, |n| format!(".version 8.0\n.target sm_75\n{}", ".address_size 64\n".repeat(n))),
    ("files and places",            50_000, |n| body(&".loc 1 2 3\n".repeat(n))),
    ("sections",                    50_000, |n| module(&format!(".section .debug {{ {} }}", ".b8 1\n".repeat(n)))),
    ("strings",                    300_000, |n| module(&format!(".file 1 \"{}\"", "x".repeat(n)))),
    ("open strings",               300_000, |n| module(&"\"\n".repeat(n))),
    ("control characters",         500_000, |n| body(&"\u{1}".repeat(n))),
    ("characters beyond ASCII",    300_000, |n| body(&"ä ".repeat(n))),
    ("a comment beyond ASCII",     300_000, |n| module(&format!("/* {} */", "ä".repeat(n)))),
    ("line ends",                1_000_000, |n| module(&"\n".repeat(n))),
    ("C",                           60_000, |n| body(&"int x = 5;\n".repeat(n))),
    ("equal signs",                500_000, |n| body(&"a = ".repeat(n))),
    ("barriers in loops",           30_000, |n| body(&lines(n, |i| format!("L{i}: bar.sync 0; @%p1 bra L{i};")))),
    ("divergent barriers",          20_000, |n| body(&format!("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n{}", lines(n, |i| format!("@%p1 bra L{i}; bar.sync 0; L{i}:"))))),
    ("writes under a guard",        30_000, |n| body(&format!("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n{}setp.eq.u32 %p2, %r2, 0; @%p2 bar.sync 0;", "@%p1 add.u32 %r2, %r2, 1;\n".repeat(n)))),
    ("guarded writes and barriers", 15_000, |n| body(&format!("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n{}{}", "@%p1 setp.eq.u32 %p2, %r1, 1;\n".repeat(n), "@%p2 bar.sync 0;\n".repeat(n)))),
    ("reads where many ways meet",  12_000, |n| meeting(n, "")),
    ("the same of a compiler",      12_000, |n| meeting(n, "// Generated by LLVM\n")),
    ("reads behind a switch",        8_000, |n| body(&format!(".reg .b32 %v<{n}>;\nT: .branchtargets {}L0;\nbrx.idx %r1, T;\n{}{}{}", lines(n / 8, |i| format!("L{i},")), lines(n / 8, |i| format!("L{i}: membar.cta;")), lines(n, |i| format!("add.u32 %r1, %r1, %v{i};")), lines(n, |i| format!("mov.u32 %v{i}, 1;"))))),
    ("results in a web of blocks",  10_000, |n| body(&format!("{}{}", "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];\n".repeat(n), lines(n, |i| format!("@%p1 bra L{i}; L{i}: mov.u32 %r{}, 1;", 5 + i % 2))))),
];

/// What is said about a text, in bytes.
fn said(diagnostics: &[Diagnostic]) -> usize {
    let one = |d: &Diagnostic| {
        let labels = d.secondary.iter().map(|l| l.text.len()).sum::<usize>();
        let edits = d.fix.iter().map(|e| e.text.len()).sum::<usize>();
        let help = d.help.as_ref().map_or(0, String::len);
        d.message.len() + d.primary.text.len() + labels + edits + help
    };
    diagnostics.iter().map(one).sum()
}

fn check(text: String, options: &Options) -> (Vec<Diagnostic>, Duration) {
    let source = SourceFile::new("hostile", text);
    let (start, at) = (Instant::now(), cpu_time());
    let diagnostics = check_source(&source, options);
    let time = at.and_then(|at| cpu_time()?.checked_sub(at));
    (diagnostics, time.unwrap_or_else(|| start.elapsed()))
}

/// How long this thread has had a core, where the system says so: on a busy machine it waits for
/// one.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Every generator at about a megabyte (with `TEXUNIT_LONG_TESTS`, otherwise half of that), on a
/// stack of the size that threads have.
#[test]
fn bounded_time_and_answers() {
    let part = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 1 } else { 2 };
    let mut slow = Vec::new();
    for (n, &(name, units, generate)) in GENERATORS.iter().enumerate() {
        let verdicts = if n % 2 == 0 { Verdicts::Texunit } else { Verdicts::Ptxas(None) };
        let text = generate(units / part);
        let options = Options { verdicts, ..Options::default() };
        let (diagnostics, time) = check(text, &options);
        let said = said(&diagnostics);
        assert!(diagnostics.len() <= MAX_DIAGNOSTICS, "{name}: {}", diagnostics.len());
        assert!(said <= MAX_SAID, "{name}: {said} bytes");
        slow.push((time, name));
    }
    slow.sort();
    let (time, name) = slow.pop().unwrap();
    assert!(time < MAX_TIME, "{name} takes {time:?}");
}

/// Time over length, for each generator: four times the text may take a little more than four times
/// as long. Far from exact, but a square shows: it takes sixteen times.
#[test]
fn time_grows_with_the_length() {
    for &(name, units, generate) in GENERATORS {
        let time = |units: usize| check(generate(units), &Options::default()).1;
        let allowed = |small: Duration| small * 12 + Duration::from_millis(500);
        let (small, mut large) = (time(units / 16), time(units / 4));
        // A machine that is busy takes longer now and then, not always.
        for _ in 0..3 {
            if large < allowed(small) {
                break;
            }
            large = large.min(time(units / 4));
        }
        assert!(large < allowed(small), "{name}: {small:?}, four times as long: {large:?}");
    }
}

/// Ten megabytes in one line.
#[test]
fn long_lines() {
    for (piece, inside) in
        [("add.s32 %r1, %r2, 3; ", true), ("x", true), (",", true), ("[", true), ("// ", false)]
    {
        let line = piece.repeat(10_000_000 / piece.len());
        let text = if inside { body(&line) } else { module(&line) };
        let (diagnostics, time) = check(text, &Options::default());
        assert!(time < MAX_TIME, "{piece:?}: {time:?}");
        assert!(said(&diagnostics) < MAX_SAID && diagnostics.len() <= MAX_DIAGNOSTICS, "{piece:?}");
    }
}

/// Bytes without sense, and text with bytes that are none.
#[test]
fn garbage() {
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let bytes: Vec<u8> = (0..1_000_000).map(|_| noise()).collect();
    let ascii: Vec<u8> = bytes.iter().map(|b| b & 0x7f).collect();
    let no_zero: Vec<u8> = ascii.iter().map(|&b| b.max(1)).collect();
    let punctuation: Vec<u8> =
        bytes.iter().map(|b| b"{}[]()<>,;:.@%!|+-*/ \nab01\"_"[usize::from(b % 28)]).collect();
    let mut headed = body("").into_bytes();
    headed.truncate(headed.len() - 8);
    let with_head = |rest: &[u8]| [&headed[..], rest].concat();
    let texts = [
        bytes.clone(),
        ascii,
        no_zero.clone(),
        with_head(&bytes),
        with_head(&no_zero),
        with_head(&punctuation),
        vec![0; 1_000_000],
    ];
    for (n, text) in texts.iter().enumerate() {
        let source = SourceFile::from_bytes("garbage", text);
        let start = Instant::now();
        let diagnostics = check_source(&source, &Options::default());
        assert!(start.elapsed() < MAX_TIME, "{n}: {:?}", start.elapsed());
        assert!(diagnostics.iter().any(Diagnostic::is_error), "{n}");
        assert!(said(&diagnostics) < MAX_SAID && diagnostics.len() <= MAX_DIAGNOSTICS, "{n}");
    }
}
