//! Conversion and data movement without memory (9.7.9).

super::rows! { ROWS:
    Mov "ty:DATA|b128|pred", "@mov", 10, 0, "9.7.9.3", "copy; address of a variable";
    Mov "vec:v2|v4 ty:DATA", "@mov", 10, 0, "9.7.9.3", "copy of a vector register";
    Prmt "ty:b32 prmt:f4e|b4e|rc8|ecl|ecr|rc16?", "d:0 s:0 s:0 s:0", 20, 20, "9.7.9.7", "bytes in another order";
    Cvta "space:const|global|local|param|param::entry|shared|shared::cta|shared::cluster ty:u32|u64", "d:0 a:0", 20, 20, "9.7.9.20", "address in a space to generic address";
    Cvta "to space:const|global|local|param|param::entry|shared|shared::cta|shared::cluster ty:u32|u64", "d:0 a:0", 20, 20, "9.7.9.20", "generic address to address in a space";
    Isspacep "space:const|global|local|param|param::entry|shared|shared::cta|shared::cluster", "d:pred a", 20, 20, "9.7.9.19", "whether an address lies in a space";
    Cvt "sat? ty:u8|u16|u32|u64|s8|s16|s32|s64 ty:u8|u16|u32|u64|s8|s16|s32|s64", "r:0 x:1", 10, 0, "9.7.9.21", "integer to integer";
    Cvt "rnd:IRND|RND ftz? sat? ty:u8|u16|u32|u64|s8|s16|s32|s64 ty:f16|f32|f64", "r:0 x:1", 10, 0, "9.7.9.21", "float to integer";
    Cvt "rnd:IRND|RND sat? ty:u8|u16|u32|u64|s8|s16|s32|s64 ty:bf16", "r:0 x:1", 78, 90, "9.7.9.21", "float to integer";
    Cvt "rnd:RND ftz? sat? ty:f16|f32|f64 ty:u8|u16|u32|u64|s8|s16|s32|s64", "r:0 x:1", 10, 0, "9.7.9.21", "integer to float";
    Cvt "rnd:RND ty:bf16 ty:u8|u16|u32|u64|s8|s16|s32|s64", "r:0 x:1", 78, 90, "9.7.9.21", "integer to float";
    Cvt "rnd:RND|IRND ftz? sat? ty:f32 ty:f64", "r:0 x:1", 10, 0, "9.7.9.21", "narrower float";
    Cvt "rnd:RND|IRND ftz? sat? ty:f16 ty:f64", "r:0 x:1", 10, 0, "9.7.9.21", "narrower float";
    Cvt "rnd:RND|IRND ftz? sat? ty:f16 ty:f32", "r:0 x:1", 10, 0, "9.7.9.21", "narrower float";
    Cvt "rnd:RND relu? satfinite? ty:f16|bf16 ty:f32", "r:0 x:1", 70, 80, "9.7.9.21", "narrower float";
    Cvt "rnd:RND sat? ty:bf16 ty:f32|f64|f16", "r:0 x:1", 70, 80, "9.7.9.21", "narrower float";
    Cvt "rnd:IRND? ftz? sat? ty:f16 ty:f16", "r:0 x:1", 10, 0, "9.7.9.21", "rounding within a type";
    Cvt "rnd:IRND? ftz? sat? ty:f32 ty:f32", "r:0 x:1", 10, 0, "9.7.9.21", "rounding within a type";
    Cvt "rnd:IRND? sat? ty:f64 ty:f64", "r:0 x:1", 10, 0, "9.7.9.21", "rounding within a type";
    Cvt "rnd:IRND sat? ty:bf16 ty:bf16", "r:0 x:1", 78, 90, "9.7.9.21", "rounding within a type";
    Cvt "ftz? sat? ty:f32 ty:f16|bf16", "r:0 x:1", 10, 0, "9.7.9.21", "wider float";
    Cvt "ftz? sat? ty:f64 ty:f16|f32|bf16", "r:0 x:1", 10, 0, "9.7.9.21", "wider float";
    Cvt "rnd:rn|rz relu? satfinite? ty:f16x2|bf16x2 ty:f32", "d:0 s:1 s:1", 70, 80, "9.7.9.21", "two floats to halves";
    Cvt "rnd:rs relu? satfinite? ty:f16x2|bf16x2 ty:f32", "*", 87, 100, "9.7.9.21", "two floats to halves, random bits";
    Cvt "rnd:rn|rz|rna relu? satfinite? ty:tf32 ty:f32", "d:b32 s:1", 70, 80, "9.7.9.21", "to tf32";
    Cvt "rnd:rn satfinite relu? ty:e4m3x2|e5m2x2 ty:f32", "d:b16 s:1 s:1", 78, 89, "9.7.9.21", "two floats to 8 bits";
    Cvt "rnd:rn satfinite relu? ty:e4m3x2|e5m2x2 ty:f16x2", "d:b16 s:b32", 78, 89, "9.7.9.21", "two halves to 8 bits";
    Cvt "rnd:rn relu? ty:f16x2 ty:e4m3x2|e5m2x2", "d:b32 s:b16", 78, 89, "9.7.9.21", "two 8-bit floats to halves";
    Cvt "rnd:rn|rz|rp|rs? satfinite? relu? x:e2m1x2|e2m3x2|e3m2x2|ue8m0x2|e2m1x4|e2m3x4|e3m2x4|e4m3x4|e5m2x4 ty:f32|f16x2|bf16x2", "*", 86, 100, "9.7.9.21", "to narrow floats";
    Cvt "rnd:rn|rz? relu? ty:f16x2|bf16x2 x:e2m1x2|e2m3x2|e3m2x2|ue8m0x2", "*", 86, 100, "9.7.9.21", "from narrow floats";
    Cvt "x:pack sat ty:u16|s16 ty:s32", "d:b32 s:1 s:1", 65, 72, "9.7.9.22", "two integers packed";
    Cvt "x:pack sat x:u8|s8|u4|s4|u2|s2 ty:s32 hint:b32", "d:b32 s:s32 s:s32 s:b32", 65, 72, "9.7.9.22", "two integers packed, and c";
}
