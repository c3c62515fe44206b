//! Table rows of logic and shift instructions (9.7.8).

super::rows! { ROWS:
    And "ty:pred|b16|b32|b64", "d:0 s:0 s:0", 10, 0, "9.7.8.1", "bitwise and";
    Or "ty:pred|b16|b32|b64", "d:0 s:0 s:0", 10, 0, "9.7.8.2", "bitwise or";
    Xor "ty:pred|b16|b32|b64", "d:0 s:0 s:0", 10, 0, "9.7.8.3", "bitwise exclusive or";
    Not "ty:pred|b16|b32|b64", "d:0 s:0", 10, 0, "9.7.8.4", "bitwise complement";
    Cnot "ty:b16|b32|b64", "d:0 s:0", 10, 0, "9.7.8.5", "1 for 0, else 0";
    Lop3 "ty:b32", "d:0 s:0 s:0 s:0 i:u32", 43, 50, "9.7.8.6", "any function of three";
    Lop3 "bool:or|and ty:b32", "dp_:0 s:0 s:0 s:0 i:u32 c:pred +both", 82, 70, "9.7.8.6", "any function of three, tested";
    Shf "^dir:l|r wrap:clamp|wrap ty:b32", "d:0 s:0 s:0 s:u32", 31, 32, "9.7.8.7", "funnel shift";
    Shl "ty:BITS", "d:0 s:0 s:u32", 10, 0, "9.7.8.8", "shift left";
    Shr "ty:b16|b32|b64|u16|u32|u64|s16|s32|s64", "d:0 s:0 s:u32", 10, 0, "9.7.8.9", "shift right";
}
