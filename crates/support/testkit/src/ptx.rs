//! Text around the bodies of kernels.

/// The first lines of a module for a card that every test may have.
pub const SM_75: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";
/// A head for a card with asynchronous copies and reductions of warps.
pub const SM_80: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The first lines of a module: its version, and its target with what else stands in that line.
pub fn head(version: &str, target: &str) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n")
}

/// A module with one kernel `k`. `head` is [`SM_75`], [`SM_80`] or [`head`], with what else stands before the kernel;
/// the body ends with `ret;`.
pub fn kernel(head: &str, params: &str, body: &str) -> String {
    format!("{head}.visible .entry k({params})\n{{\n{body}\n}}\n")
}

/// A module with one kernel `k(.param .u64 out)`: the address is in `%out`, that of the thread's own word in `%my`, the
/// number of the thread in the grid in `%t`, `%ctaid.x` in `%cta`.
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
