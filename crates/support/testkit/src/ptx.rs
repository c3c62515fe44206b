//! Makes the text of PTX modules from kernel bodies, so that tests contain only the instructions
//! that they are about.

/// The first lines of a module for sm_75, which suffices for most tests.
pub const SM_75: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";
/// The first lines of a module for sm_80, with asynchronous copies and warp reductions.
pub const SM_80: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The first lines of a module with this version and target.
pub fn head(version: &str, target: &str) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n")
}

/// A module with one kernel `k`. `head` is [`SM_75`], [`SM_80`] or [`head`], followed by
/// declarations; the body ends with `ret;`.
pub fn kernel(head: &str, params: &str, body: &str) -> String {
    format!("{head}.visible .entry k({params})\n{{\n{body}\n}}\n")
}

/// A module with one kernel `k(.param .u64 out)`. Its registers are `%out` with the parameter,
/// `%my` with the address of the thread's own word, `%t` with the thread's number in the grid, and
/// `%cta` with `%ctaid.x`.
pub fn threads(head: &str, declarations: &str, body: &str) -> String {
    let start = "ld.param.u64 %out, [out];
mov.u32 %t, %tid.x;
mov.u32 %cta, %ctaid.x;
mov.u32 %n, %ntid.x;
mad.lo.u32 %t, %cta, %n, %t;
mul.wide.u32 %my, %t, 4;
add.u64 %my, %my, %out;";
    let registers = ".reg .u32 %t, %cta, %n;\n.reg .u64 %out, %my;";
    kernel(head, ".param .u64 out", &format!("{registers}\n{declarations}\n{start}\n{body}"))
}
