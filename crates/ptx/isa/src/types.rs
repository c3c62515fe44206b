//! Keywords of PTX as enums with their spellings: types, rounding modes, state spaces and so on.

pub(crate) use texunit_forms::words;
pub use texunit_forms::{
    Attribute, ClampMode, Coordinates, Element, Geometry, ReduceOp, ReduceType,
};

words! {
    /// Fundamental and opaque types (PTX ISA 5.2).
    #[derive(Default)]
    ScalarType {
        #[default] U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        F16 = "f16", F16x2 = "f16x2", F32 = "f32", F64 = "f64",
        Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32",
        E4m3 = "e4m3", E5m2 = "e5m2", E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2",
        U16x2 = "u16x2", S16x2 = "s16x2", U8x4 = "u8x4", S8x4 = "s8x4", F32x2 = "f32x2",
        S4 = "s4", U4 = "u4", B1 = "b1",
        E2m1x2 = "e2m1x2", E2m3x2 = "e2m3x2", E3m2x2 = "e3m2x2", Ue8m0x2 = "ue8m0x2",
        Ue5m3x2 = "ue5m3x2",
        Pred = "pred",
        Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    }
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TypeKind {
    Unsigned,
    Signed,
    Bits,
    Float,
    Packed,
    Predicate,
    Opaque,
}

impl ScalarType {
    /// Size in bits; a predicate has 1, an opaque type 64 (the size of its handle).
    pub const fn bits(self) -> u32 {
        use ScalarType::*;
        match self {
            Pred | B1 => 1,
            S4 | U4 => 4,
            U8 | S8 | B8 | E4m3 | E5m2 | E2m1x2 => 8,
            U16 | S16 | B16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2
            | Ue5m3x2 => 16,
            U32 | S32 | B32 | F32 | F16x2 | Bf16x2 | Tf32 | U16x2 | S16x2 | U8x4 | S8x4 => 32,
            U64 | S64 | B64 | F64 | F32x2 | Texref | Samplerref | Surfref => 64,
            B128 => 128,
        }
    }

    /// Size in memory in bytes.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The kind of the type.
    pub const fn kind(self) -> TypeKind {
        use ScalarType::*;
        match self {
            U4 | U8 | U16 | U32 | U64 => TypeKind::Unsigned,
            S4 | S8 | S16 | S32 | S64 => TypeKind::Signed,
            B1 | B8 | B16 | B32 | B64 | B128 => TypeKind::Bits,
            F16 | F32 | F64 | Bf16 | Tf32 | E4m3 | E5m2 => TypeKind::Float,
            F16x2 | Bf16x2 | E4m3x2 | E5m2x2 | U16x2 | S16x2 | U8x4 | S8x4 | F32x2 | E2m1x2
            | E2m3x2 | E3m2x2 | Ue8m0x2 | Ue5m3x2 => TypeKind::Packed,
            Pred => TypeKind::Predicate,
            Texref | Samplerref | Surfref => TypeKind::Opaque,
        }
    }

    /// Whether the type is a signed integer (`.sN`).
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), TypeKind::Signed)
    }

    /// Whether the type is a float that is not packed (`.fN` and so on).
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), TypeKind::Float)
    }

    /// The untyped type `.bN` with this number of bits.
    pub fn untyped(bits: u32) -> Option<Self> {
        use ScalarType::*;
        [B8, B16, B32, B64, B128].into_iter().find(|ty| ty.bits() == bits)
    }

    /// Whether the type is an integer (`.uN` or `.sN`).
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), TypeKind::Unsigned | TypeKind::Signed)
    }
}

words! {
    /// Rounding modifiers.
    Rounding {
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rna = "rna", Rs = "rs",
        Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
    }
}

words! {
    /// Comparison operators of `set`, `setp`.
    CmpOp {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge",
        Lo = "lo", Ls = "ls", Hi = "hi", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu",
        Num = "num", Nan = "nan",
    }
}

words! {
    /// Boolean operators of `set`, `setp`.
    BoolOp { And = "and", Or = "or", Xor = "xor" }
}

words! {
    /// Operations of `atom` and `red`.
    #[derive(Default)]
    AtomOp {
        #[default] Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec",
        And = "and", Or = "or", Xor = "xor", Exch = "exch", Cas = "cas",
    }
}

words! {
    /// State spaces of memory instructions. Absent: generic.
    Space {
        Global = "global", Const = "const", Shared = "shared", Local = "local", Param = "param",
    }
}

words! {
    /// Mip modes of `tex`. Absent: the same as `.base`.
    MipMode { Base = "base", Level = "level", Grad = "grad" }
}

words! {
    /// Modes of `prmt`. Absent: each nibble of the selector selects a byte.
    PrmtMode { F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16" }
}

words! {
    /// Classes of floating-point numbers for which `testp` tests.
    TestOp {
        Finite = "finite", Infinite = "infinite", Number = "number", NotANumber = "notanumber",
        Normal = "normal", Subnormal = "subnormal",
    }
}

words! {
    /// Modes of `shfl`, which determine from which lane a lane reads.
    #[derive(Default)]
    ShflMode { #[default] Up = "up", Down = "down", Bfly = "bfly", Idx = "idx" }
}

words! {
    /// Modes of `vote`.
    #[derive(Default)]
    VoteMode { #[default] All = "all", Any = "any", Uni = "uni", Ballot = "ballot" }
}

words! {
    /// Modes of `match`.
    #[derive(Default)]
    MatchMode { #[default] Any = "any", All = "all" }
}

words! {
    /// The texel component that `tld4` gathers.
    Component { R = "r", G = "g", B = "b", A = "a" }
}

words! {
    /// Special registers that the executor provides, without `%`. Vector registers have components.
    #[derive(Default)]
    SpecialReg {
        #[default]
        Tid = "tid", Ntid = "ntid", Ctaid = "ctaid", Nctaid = "nctaid", Gridid = "gridid",
        Laneid = "laneid", Warpid = "warpid", Nwarpid = "nwarpid", Smid = "smid", Nsmid = "nsmid",
        Clock = "clock", ClockHi = "clock_hi", Clock64 = "clock64",
        Globaltimer = "globaltimer", GlobaltimerLo = "globaltimer_lo",
        GlobaltimerHi = "globaltimer_hi",
        LanemaskEq = "lanemask_eq", LanemaskLe = "lanemask_le", LanemaskLt = "lanemask_lt",
        LanemaskGe = "lanemask_ge", LanemaskGt = "lanemask_gt",
        DynamicSmemSize = "dynamic_smem_size", TotalSmemSize = "total_smem_size",
        AggrSmemSize = "aggr_smem_size",
        CurrentGraphExec = "current_graph_exec",
        Clusterid = "clusterid", Nclusterid = "nclusterid", ClusterCtaid = "cluster_ctaid",
        ClusterNctaid = "cluster_nctaid", ClusterCtarank = "cluster_ctarank",
        ClusterNctarank = "cluster_nctarank", IsExplicitCluster = "is_explicit_cluster",
        ReservedSmemOffsetBegin = "reserved_smem_offset_begin",
        ReservedSmemOffsetEnd = "reserved_smem_offset_end",
        ReservedSmemOffsetCap = "reserved_smem_offset_cap",
        ReservedSmemOffset0 = "reserved_smem_offset_0",
        ReservedSmemOffset1 = "reserved_smem_offset_1",
    }
}
