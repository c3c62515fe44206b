//! The opcodes that texunit knows.

use crate::types::words;

words! {
    /// The word before the first dot.
    Opcode {
        // Integer and bits
        Abs = "abs", Add = "add", Addc = "addc", And = "and", Bfe = "bfe", Bfi = "bfi",
        Bfind = "bfind", Bmsk = "bmsk", Brev = "brev", Clz = "clz", Cnot = "cnot",
        Copysign = "copysign", Cos = "cos", Cvt = "cvt", Div = "div", Dp2a = "dp2a", Dp4a = "dp4a",
        Ex2 = "ex2", Fma = "fma", Fns = "fns", Lg2 = "lg2", Lop3 = "lop3", Mad = "mad",
        Mad24 = "mad24", Madc = "madc", Max = "max", Min = "min", Mov = "mov", Mul = "mul",
        Mul24 = "mul24", Neg = "neg", Not = "not", Or = "or", Popc = "popc", Prmt = "prmt",
        Rcp = "rcp", Rem = "rem", Rsqrt = "rsqrt", Sad = "sad", Selp = "selp", Set = "set",
        Setp = "setp", Shf = "shf", Shl = "shl", Shr = "shr", Sin = "sin", Slct = "slct",
        Sqrt = "sqrt", Sub = "sub", Subc = "subc", Szext = "szext", Tanh = "tanh",
        Testp = "testp", Xor = "xor",
        // Memory
        Atom = "atom", Cvta = "cvta", Fence = "fence", Isspacep = "isspacep", Ld = "ld",
        Ldu = "ldu", Membar = "membar", Prefetch = "prefetch", Prefetchu = "prefetchu",
        Red = "red", St = "st",
        // Control
        Activemask = "activemask", Bar = "bar", Barrier = "barrier", Bra = "bra",
        Brkpt = "brkpt", Brx = "brx", Call = "call", Exit = "exit", Match = "match",
        Nanosleep = "nanosleep", Pmevent = "pmevent", Redux = "redux", Ret = "ret",
        Shfl = "shfl", Trap = "trap", Vote = "vote", Discard = "discard", Applypriority = "applypriority",
        // Texture and surface
        Istypep = "istypep", Suld = "suld", Suq = "suq", Sured = "sured", Sust = "sust",
        Tex = "tex", Tld4 = "tld4", Txq = "txq",
    }
}
