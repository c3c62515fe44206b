//! Kernels of the random schedules.

use super::cuModuleGetFunction;
use crate::common::{Ptr, ok};
use std::ffi::CStr;
use std::ptr::null_mut;

/// `add` adds to each of `n` words. In `spin` and `sync` all blocks of a cooperative launch
/// synchronise `rounds` times: at a counter in the first word, or at the grid barrier of
/// cooperative groups. Then each block writes the sum into its own word after the counter.
pub(super) const PTX: &CStr = c"
.version 7.8
.target sm_61
.address_size 64
.visible .entry add(.param .u64 at, .param .u32 n, .param .u32 by)
{
    .reg .b64 %a;
    .reg .b32 %n, %by, %i, %c, %b, %v;
    .reg .pred %p;
    ld.param.u64 %a, [at];
    ld.param.u32 %n, [n];
    ld.param.u32 %by, [by];
    mov.u32 %c, %ctaid.x;
    mov.u32 %b, %ntid.x;
    mov.u32 %i, %tid.x;
    mad.lo.u32 %i, %c, %b, %i;
    setp.ge.u32 %p, %i, %n;
    @%p ret;
    mad.wide.u32 %a, %i, 4, %a;
    ld.global.u32 %v, [%a];
    add.u32 %v, %v, %by;
    st.global.u32 [%a], %v;
    ret;
}
.visible .entry spin(.param .u64 at, .param .u32 rounds)
{
    .reg .b64 %a, %out;
    .reg .b32 %rounds, %total, %cta, %x, %y, %w, %want, %got;
    .reg .pred %p, %rest;
    ld.param.u64 %a, [at];
    ld.param.u32 %rounds, [rounds];
    mov.u32 %x, %nctaid.x;
    mov.u32 %y, %nctaid.y;
    mul.lo.u32 %total, %x, %y;
    mov.u32 %cta, %ctaid.y;
    mov.u32 %y, %ctaid.x;
    mad.lo.u32 %cta, %cta, %x, %y;
    mov.u32 %w, %tid.x;
    setp.ne.u32 %rest, %w, 0;
    mov.u32 %want, 0;
AGAIN:
    add.u32 %want, %want, %total;
    @%rest bra MET;
    membar.gl;
    red.global.add.u32 [%a], 1;
WAIT:
    ld.volatile.global.u32 %got, [%a];
    setp.lt.u32 %p, %got, %want;
    @%p bra WAIT;
MET:
    bar.sync 0;
    sub.u32 %rounds, %rounds, 1;
    setp.ne.u32 %p, %rounds, 0;
    @%p bra AGAIN;
    @%rest ret;
    ld.volatile.global.u32 %got, [%a];
    mad.wide.u32 %out, %cta, 4, %a;
    st.global.u32 [%out+4], %got;
    ret;
}
.visible .entry sync(.param .u64 at, .param .u32 rounds)
{
    .reg .b64 %a, %out, %ws;
    .reg .b32 %rounds, %total, %cta, %x, %y, %w, %mine, %old, %got;
    .reg .pred %p, %rest;
    ld.param.u64 %a, [at];
    ld.param.u32 %rounds, [rounds];
    mov.u32 %x, %nctaid.x;
    mov.u32 %y, %nctaid.y;
    mul.lo.u32 %total, %x, %y;
    mov.u32 %cta, %ctaid.y;
    mov.u32 %y, %ctaid.x;
    mad.lo.u32 %cta, %cta, %x, %y;
    mov.u32 %w, %tid.x;
    setp.ne.u32 %rest, %w, 0;
    mov.u32 %x, %envreg2;
    mov.u32 %y, %envreg1;
    mov.b64 %ws, {%x, %y};
    sub.u32 %mine, 0x80000001, %total;
    setp.eq.u32 %p, %cta, 0;
    selp.b32 %mine, %mine, 1, %p;
AGAIN:
    @!%rest red.global.add.u32 [%a], 1;
    bar.sync 0;
    @%rest bra MET;
    membar.gl;
    atom.add.u32 %old, [%ws+4], %mine;
WAIT:
    ld.volatile.u32 %w, [%ws+4];
    xor.b32 %w, %w, %old;
    setp.gt.s32 %p, %w, -1;
    @%p bra WAIT;
MET:
    bar.sync 0;
    sub.u32 %rounds, %rounds, 1;
    setp.ne.u32 %p, %rounds, 0;
    @%p bra AGAIN;
    @%rest ret;
    ld.volatile.global.u32 %got, [%a];
    mad.wide.u32 %out, %cta, 4, %a;
    st.global.u32 [%out+4], %got;
    ret;
}
";

/// Functions of the kernels in a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    pub(super) add: Ptr,
    pub(super) spin: Ptr,
    pub(super) sync: Ptr,
}

impl Kernels {
    pub(super) fn of(module: Ptr) -> Self {
        let find = |name: &CStr| {
            let mut function = null_mut();
            ok!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
            function
        };
        Self { add: find(c"add"), spin: find(c"spin"), sync: find(c"sync") }
    }
}
