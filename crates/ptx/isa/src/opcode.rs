//! The opcodes of PTX that texunit knows.

use crate::types::words;

words! {
    /// An opcode: the word before the first dot of an instruction.
    Opcode {
        // Opcodes of integer arithmetic and bit operations.
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
        // Opcodes of memory accesses and addresses.
        Atom = "atom", Cvta = "cvta", Fence = "fence", Isspacep = "isspacep", Ld = "ld",
        Ldu = "ldu", Membar = "membar", Prefetch = "prefetch", Prefetchu = "prefetchu",
        Red = "red", St = "st",
        // Opcodes of control flow and synchronization.
        Activemask = "activemask", Bar = "bar", Barrier = "barrier", Bra = "bra",
        Brkpt = "brkpt", Brx = "brx", Call = "call", Exit = "exit", Match = "match",
        Nanosleep = "nanosleep", Pmevent = "pmevent", Redux = "redux", Ret = "ret",
        Shfl = "shfl", Trap = "trap", Vote = "vote", Discard = "discard", Applypriority = "applypriority",
        // Opcodes of texture and surface instructions.
        Istypep = "istypep", Suld = "suld", Suq = "suq", Sured = "sured", Sust = "sust",
        Tex = "tex", Tld4 = "tld4", Txq = "txq",
        // Opcodes of video instructions.
        Vabsdiff = "vabsdiff", Vabsdiff2 = "vabsdiff2", Vabsdiff4 = "vabsdiff4", Vadd = "vadd",
        Vadd2 = "vadd2", Vadd4 = "vadd4", Vavrg2 = "vavrg2", Vavrg4 = "vavrg4", Vmad = "vmad",
        Vmax = "vmax", Vmax2 = "vmax2", Vmax4 = "vmax4", Vmin = "vmin", Vmin2 = "vmin2",
        Vmin4 = "vmin4", Vset = "vset", Vset2 = "vset2", Vset4 = "vset4", Vshl = "vshl",
        Vshr = "vshr", Vsub = "vsub", Vsub2 = "vsub2", Vsub4 = "vsub4",
        // Opcodes of the stack.
        Alloca = "alloca", Stackrestore = "stackrestore", Stacksave = "stacksave",
        // Opcodes of asynchronous copies, mbarriers and matrices.
        Cp = "cp", Createpolicy = "createpolicy", Elect = "elect",
        Griddepcontrol = "griddepcontrol", Ldmatrix = "ldmatrix", Mbarrier = "mbarrier",
        Mma = "mma", Movmatrix = "movmatrix", Stmatrix = "stmatrix", Wmma = "wmma",
        // Opcodes of clusters, warp groups, tensor maps and tensor memory.
        Clusterlaunchcontrol = "clusterlaunchcontrol", Getctarank = "getctarank", Mapa = "mapa",
        Multimem = "multimem", Setmaxnreg = "setmaxnreg", Tcgen05 = "tcgen05",
        Tensormap = "tensormap", Wgmma = "wgmma",
    }
}

impl Opcode {
    /// Whether the instruction's vectors may have 256 bits, which PTX ISA 8.8 introduced.
    pub const fn moves_256_bits(self) -> bool {
        matches!(self, Self::Ld | Self::St)
    }
}
