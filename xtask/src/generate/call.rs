//! Random calls, and accesses to the parameters of a function and of its calls.

use super::Question;
use super::grammar::{Variables, expand};
use super::setup::Setup;
use texunit_testkit::Random;

/// The functions that are called. The last parameter of `g9` takes any number of arguments.
const FUNCTIONS: &str = "\
.func g0();
.func (.param .b32 q) g1(.param .b32 z);
.func (.param .align 8 .b8 q[16]) g2(.param .align 8 .b8 z[16], .param .u64 y);
.func (.reg .u32 q) g3(.reg .u32 z, .reg .f32 y);
.func (.param .f64 q) g4(.param .f64 z);
.func (.param .b8 q) g5(.param .s16 z);
.func g6(.reg .pred z, .reg .f16 y);
.func (.param .align 4 .b8 q[8]) g7(.param .align 4 .b8 z[8]);
.func (.reg .pred q) g8(.reg .b64 z) { ret; }
";
const VARIADIC: &str = ".extern .func g9(.param .b32 z, .param .align 8 .b8 y[]);\n";

/// Parameters of calls.
const LOCALS: &str = "\
.param .b32 x4;
.param .align 8 .b8 x16[16];
.param .u64 xu;
.param .f64 xd;
.param .f32 xf;
.param .b8 xb;
.param .s16 xs;
.param .align 4 .b8 x8[8];
.param .b32 xa[2];
.local .align 8 .b8 lo[16];
";

/// A question whose lines are random instructions in one function, which is a kernel in one of
/// three cases.
pub(super) fn question(
    mut setup: Setup,
    family: &'static str,
    most: usize,
    random: &mut Random,
) -> Question {
    // The ABI of functions needs version 2.0 and target sm_20.
    setup.version = setup.version.max(30);
    let variadic = if setup.target >= 30 { VARIADIC } else { "" };
    let mut prefix = setup.prefix_with(
        &(FUNCTIONS.to_owned() + variadic),
        random.of(&[".param .align 8 .b8 a[16], .param .b32 b", ".param .b32 a, .param .u64 b"]),
    );
    let result = random.of(&["", ".param .b32 v", ".param .align 8 .b8 v[16]"]);
    if !result.is_empty() {
        prefix = prefix.replace(".entry k(", &format!(".visible .func ({result}) k("));
    }
    prefix += LOCALS;
    let lines = (0..most).map(|_| expand("call_line", &Variables::new(), random)).collect();
    Question { prefix, ..setup.question(family, lines) }
}
