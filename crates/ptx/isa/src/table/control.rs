//! Table rows of control flow (9.7.12) and miscellaneous instructions (9.7.19).

super::rows! { ROWS:
    Bra "uni?", "@bra", 10, 0, "9.7.12.3", "branch";
    Brx "^hint:idx uni?", "@brx", 60, 30, "9.7.12.4", "branch to one of a list";
    Call "uni?", "@call", 10, 0, "9.7.12.5", "call of a function";
    Ret "uni?", "", 10, 0, "9.7.12.6", "return";
    Exit "", "", 10, 0, "9.7.12.7", "end of the thread";
    Trap "", "", 10, 0, "9.7.19.4", "abort";
    Brkpt "", "", 10, 11, "9.7.19.1", "breakpoint";
    Nanosleep "ty:u32", "s:u32", 62, 70, "9.7.19.2", "wait";
    Stacksave "ty:u32|u64", "d:0", 73, 52, "9.7.17.1", "the stack pointer";
    Stackrestore "ty:u32|u64", "s:0/reg", 73, 52, "9.7.17.2", "sets the stack pointer";
    Alloca "ty:u32|u64", "d:0 s:0 i?:u32/1^2147483648", 73, 52, "9.7.17.3", "local memory until the function returns";
    Pmevent "", "i:u32/0-15", 14, 0, "9.7.19.3", "performance monitor event";
    Pmevent "hint:mask", "i:u32/0-65535", 30, 20, "9.7.19.3", "performance monitor events";
}
