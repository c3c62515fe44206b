"""Kernels for the tests."""

HEADER = ".version 8.0\n.target sm_75\n.address_size 64\n"

# values[i] = values[i] * factor + i, of n.
SCALE = (
    HEADER
    + """
.visible .entry scale(.param .u64 values, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p;
    .reg .b64 %rd<3>;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [values];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p bra END;
    mad.wide.u32 %rd2, %r5, 4, %rd1;
    ld.global.f32 %f2, [%rd2];
    cvt.rn.f32.u32 %f3, %r5;
    fma.rn.f32 %f2, %f2, %f1, %f3;
    st.global.f32 [%rd2], %f2;
END:
    ret;
}
"""
)

# Stores each kind of parameter where the first one says.
SCALARS = (
    HEADER
    + """
.visible .entry scalars(.param .u64 out, .param .u8 a, .param .u16 b, .param .u32 c, .param .s32 d, .param .u64 e,
                        .param .b32 f, .param .f32 g, .param .f64 h, .param .align 2 .b8 i[2])
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    .reg .b16 %h<4>;
    .reg .f64 %d;
    ld.param.u64 %rd1, [out];
    ld.param.u8 %h1, [a];
    ld.param.u16 %h2, [b];
    st.global.u8 [%rd1], %h1;
    st.global.u16 [%rd1+2], %h2;
    ld.param.u32 %r1, [c];
    st.global.u32 [%rd1+4], %r1;
    ld.param.s32 %r1, [d];
    st.global.u32 [%rd1+8], %r1;
    ld.param.b32 %r1, [f];
    st.global.u32 [%rd1+12], %r1;
    ld.param.u64 %rd2, [e];
    st.global.u64 [%rd1+16], %rd2;
    ld.param.f64 %d, [h];
    st.global.f64 [%rd1+24], %d;
    ld.param.b32 %r2, [g];
    st.global.u32 [%rd1+32], %r2;
    ld.param.b16 %h3, [i];
    st.global.b16 [%rd1+36], %h3;
    ret;
}
"""
)

# A texture of floats to a surface, one thread each.
DRAW = (
    HEADER
    + """
.visible .entry draw(.param .u64 tex, .param .u64 surf)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .reg .f32 %f<7>;
    ld.param.u64 %rd1, [tex];
    ld.param.u64 %rd2, [surf];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f32.u32 %f2, %r2;
    add.f32 %f1, %f1, 0f3F400000;
    add.f32 %f2, %f2, 0f3F400000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
    shl.b32 %r3, %r1, 2;
    sust.b.2d.b32.trap [%rd2, {%r3, %r2}], %f3;
    ret;
}
"""
)

# Each thread adds 1 to the same word without an atomic: a race.
RACE = (
    HEADER
    + """
.visible .entry race(.param .u64 out)
{
    .reg .b64 %rd1;
    .reg .b32 %r1;
    ld.param.u64 %rd1, [out];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
)

# Reads shared memory that nobody has written.
UNWRITTEN = (
    HEADER
    + """
.visible .entry unwritten(.param .u64 out)
{
    .shared .align 4 .b8 words[128];
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, words;
    mad.lo.u32 %r2, %r1, 4, %r2;
    ld.shared.u32 %r3, [%r2];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r3;
    ret;
}
"""
)

# Runs until somebody stops it.
FOREVER = (
    HEADER
    + """
.visible .entry forever(.param .u64 out)
{
    .reg .b64 %rd1;
    .reg .b32 %r1;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    bra LOOP;
}
"""
)

# Prints, reads a constant, counts in a variable.
SPEAK = (
    HEADER
    + """
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[14] = {116, 104, 114, 101, 97, 100, 32, 37, 100, 33, 33, 33, 10, 0};
.const .align 4 .u32 step = 3;
.global .align 4 .u32 count;
.visible .entry speak()
{
    .local .align 8 .b8 stack[8];
    .reg .b64 %rd<5>;
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    mov.b64 %rd1, stack;
    cvta.local.u64 %rd2, %rd1;
    st.local.u32 [%rd1], %r1;
    mov.b64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    {
        .param .b64 a;
        .param .b64 b;
        .param .b32 r;
        st.param.b64 [a], %rd4;
        st.param.b64 [b], %rd2;
        call.uni (r), vprintf, (a, b);
    }
    ld.const.u32 %r2, [step];
    atom.global.add.u32 %r3, [count], %r2;
    ret;
}
"""
)

# A texture reference of the module.
REFERENCE = (
    HEADER.replace(".target sm_75", ".target sm_75, texmode_unified")
    + """
.global .texref picture;
.visible .entry read(.param .u64 out)
{
    .reg .b64 %rd1;
    .reg .b32 %r<5>;
    .reg .s32 %i<3>;
    ld.param.u64 %rd1, [out];
    mov.s32 %i1, 1;
    mov.s32 %i2, 2;
    tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [picture, {%i1, %i2}];
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
)
