//! The instruction sets AVX2 and AVX-512: their registers, and one name for each instruction that
//! both have.

use super::register_cache::{MASK_0, Reg};
use iced_x86::{Code, MemoryOperand, Register};

/// The registers of an instruction set.
pub(super) trait InstructionSet: Sized + Default {
    /// Whether vectors have 512 bits, and instructions mask registers and static rounding modes.
    const IS_512: bool;
    /// The number of 32-bit lanes of a vector register. A 32-bit register has `32 / LANES` lane
    /// groups, a 64-bit register twice as many.
    const LANES: usize;
    /// The number of vector registers that the register cache allocates, from `Reg(0)` on. The back
    /// end uses the others for itself.
    const VECTORS: u8;
    /// The number of mask registers that the register cache allocates, from `Reg(MASK_0)` on.
    const MASKS: u8;
    /// Scratch registers, which allocating a register may overwrite. They break cycles of parallel
    /// copies; `SPARE_MASK` has the condition of a comparison.
    const SPARE: Reg;
    const SPARE_MASK: Reg;
    /// The number of lane groups of a predicate; 1 if a mask register has all lanes.
    const PREDICATE_PARTS: u8;

    /// The name of a register.
    fn name(reg: Reg) -> Register;

    /// The name of the lower half of a vector register.
    fn half(reg: Reg) -> Register;
}

/// Names of a vector register, as 128, 256 or 512 bits, or of a mask register.
impl Reg {
    pub(super) fn xmm(self) -> Register {
        Register::XMM0 + u32::from(self.0)
    }

    pub(super) fn ymm(self) -> Register {
        Register::YMM0 + u32::from(self.0)
    }

    pub(super) fn zmm(self) -> Register {
        Register::ZMM0 + u32::from(self.0)
    }

    /// The cache does not use `k0`, which means "no mask" in instructions.
    pub(super) fn k(self) -> Register {
        Register::K1 + u32::from(self.0 - MASK_0)
    }
}

/// The last operand of an instruction, which may be in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Reg),
    Memory(MemoryOperand),
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Self {
        Self::Register(reg)
    }
}

impl From<MemoryOperand> for Operand {
    fn from(memory: MemoryOperand) -> Self {
        Self::Memory(memory)
    }
}

/// An opcode: an instruction of one instruction set, or an instruction that both sets have.
pub(super) trait Opcode: Copy {
    /// The instruction that the opcode stands for in an instruction set.
    fn code<B: InstructionSet>(self) -> Code;
}

impl Opcode for Code {
    fn code<B: InstructionSet>(self) -> Code {
        self
    }
}

macro_rules! instructions {
    ($($name:ident: $avx2:ident, $avx512:ident;)*) => {
        /// An instruction that both instruction sets have. The number in a name is the number of
        /// bits of an element; `F` is f32, and `D` is f64.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum V {
            $($name,)*
        }

        impl Opcode for V {
            fn code<B: InstructionSet>(self) -> Code {
                match self {
                    $(Self::$name => if B::IS_512 { Code::$avx512 } else { Code::$avx2 },)*
                }
            }
        }
    };
}

instructions! {
    Move: VEX_Vmovdqu_ymm_ymmm256, EVEX_Vmovdqa32_zmm_k1z_zmmm512;
    Load: VEX_Vmovdqu_ymm_ymmm256, EVEX_Vmovdqu32_zmm_k1z_zmmm512;
    Store: VEX_Vmovdqu_ymmm256_ymm, EVEX_Vmovdqu32_zmmm512_k1z_zmm;
    Spread32: VEX_Vpbroadcastd_ymm_xmmm32, EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
    Spread64: VEX_Vpbroadcastq_ymm_xmmm64, EVEX_Vpbroadcastq_zmm_k1z_xmmm64;
    And32: VEX_Vpand_ymm_ymm_ymmm256, EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
    And64: VEX_Vpand_ymm_ymm_ymmm256, EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
    Or32: VEX_Vpor_ymm_ymm_ymmm256, EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
    Or64: VEX_Vpor_ymm_ymm_ymmm256, EVEX_Vporq_zmm_k1z_zmm_zmmm512b64;
    Xor32: VEX_Vpxor_ymm_ymm_ymmm256, EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    Xor64: VEX_Vpxor_ymm_ymm_ymmm256, EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64;
    Add32: VEX_Vpaddd_ymm_ymm_ymmm256, EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    Add64: VEX_Vpaddq_ymm_ymm_ymmm256, EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
    Sub32: VEX_Vpsubd_ymm_ymm_ymmm256, EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
    Sub64: VEX_Vpsubq_ymm_ymm_ymmm256, EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64;
    Mul32: VEX_Vpmulld_ymm_ymm_ymmm256, EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32;
    MulShort: VEX_Vpmaddwd_ymm_ymm_ymmm256, EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512;
    ProductU: VEX_Vpmuludq_ymm_ymm_ymmm256, EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64;
    ProductS: VEX_Vpmuldq_ymm_ymm_ymmm256, EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64;
    MinS32: VEX_Vpminsd_ymm_ymm_ymmm256, EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
    MaxS32: VEX_Vpmaxsd_ymm_ymm_ymmm256, EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
    MinU32: VEX_Vpminud_ymm_ymm_ymmm256, EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;
    MaxU32: VEX_Vpmaxud_ymm_ymm_ymmm256, EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32;
    Abs32: VEX_Vpabsd_ymm_ymmm256, EVEX_Vpabsd_zmm_k1z_zmmm512b32;
    Left32: VEX_Vpslld_ymm_ymm_imm8, EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
    RightU32: VEX_Vpsrld_ymm_ymm_imm8, EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
    RightS32: VEX_Vpsrad_ymm_ymm_imm8, EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
    Left64: VEX_Vpsllq_ymm_ymm_imm8, EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
    RightU64: VEX_Vpsrlq_ymm_ymm_imm8, EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
    LeftBy32: VEX_Vpsllvd_ymm_ymm_ymmm256, EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32;
    RightUBy32: VEX_Vpsrlvd_ymm_ymm_ymmm256, EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32;
    RightSBy32: VEX_Vpsravd_ymm_ymm_ymmm256, EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32;
    LeftBy64: VEX_Vpsllvq_ymm_ymm_ymmm256, EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64;
    RightUBy64: VEX_Vpsrlvq_ymm_ymm_ymmm256, EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64;
    AndNot32: VEX_Vpandn_ymm_ymm_ymmm256, EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32;
    Equal32: VEX_Vpcmpeqd_ymm_ymm_ymmm256, EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32;
    Equal64: VEX_Vpcmpeqq_ymm_ymm_ymmm256, EVEX_Vpcmpeqq_kr_k1_zmm_zmmm512b64;
    GreaterS32: VEX_Vpcmpgtd_ymm_ymm_ymmm256, EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32;
    ShuffleBytes: VEX_Vpshufb_ymm_ymm_ymmm256, EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
    Condition32: VEX_Vmovmskps_r32_ymm, VEX_Kmovw_r32_kr;
    Condition64: VEX_Vmovmskpd_r32_ymm, VEX_Kmovb_r32_kr;
    AddOneF: VEX_Vaddss_xmm_xmm_xmmm32, EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er;
    AddOneD: VEX_Vaddsd_xmm_xmm_xmmm64, EVEX_Vaddsd_xmm_k1z_xmm_xmmm64_er;
    FromGeneral: VEX_Vmovq_xmm_rm64, EVEX_Vmovq_xmm_rm64;
    FromGeneral32: VEX_Vmovd_xmm_rm32, EVEX_Vmovd_xmm_rm32;
    ToGeneral: VEX_Vmovq_rm64_xmm, EVEX_Vmovq_rm64_xmm;
    ToGeneral32: VEX_Vmovd_rm32_xmm, EVEX_Vmovd_rm32_xmm;
    Extract32: VEX_Vpextrd_rm32_xmm_imm8, EVEX_Vpextrd_rm32_xmm_imm8;
    Extract64: VEX_Vpextrq_rm64_xmm_imm8, EVEX_Vpextrq_rm64_xmm_imm8;
    Insert8: VEX_Vpinsrb_xmm_xmm_r32m8_imm8, EVEX_Vpinsrb_xmm_xmm_r32m8_imm8;
    Insert16: VEX_Vpinsrw_xmm_xmm_r32m16_imm8, EVEX_Vpinsrw_xmm_xmm_r32m16_imm8;
    Load128: VEX_Vmovdqu_xmm_xmmm128, EVEX_Vmovdqu32_xmm_k1z_xmmm128;
    Store128: VEX_Vmovdqu_xmmm128_xmm, EVEX_Vmovdqu32_xmmm128_k1z_xmm;
    Store64: VEX_Vmovq_xmmm64_xmm, EVEX_Vmovq_xmmm64_xmm;
    StoreHalf: VEX_Vmovdqu_xmmm128_xmm, EVEX_Vmovdqu32_ymmm256_k1z_ymm;
    Insert128: VEX_Vinserti128_ymm_ymm_xmmm128_imm8, EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8;
    Extract128: VEX_Vextracti128_xmmm128_ymm_imm8, EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8;
    UnpackLow32: VEX_Vunpcklps_ymm_ymm_ymmm256, EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32;
    UnpackHigh32: VEX_Vunpckhps_ymm_ymm_ymmm256, EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32;
    UnpackLow64: VEX_Vunpcklpd_ymm_ymm_ymmm256, EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64;
    UnpackHigh64: VEX_Vunpckhpd_ymm_ymm_ymmm256, EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64;
    ShufflePairs: VEX_Vshufps_ymm_ymm_ymmm256_imm8, EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8;
    ExtendBytes: VEX_Vpmovzxbd_ymm_xmmm64, EVEX_Vpmovzxbd_zmm_k1z_xmmm128;
    AddF: VEX_Vaddps_ymm_ymm_ymmm256, EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
    SubF: VEX_Vsubps_ymm_ymm_ymmm256, EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
    MulF: VEX_Vmulps_ymm_ymm_ymmm256, EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
    DivF: VEX_Vdivps_ymm_ymm_ymmm256, EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er;
    // A fused multiply-add that overwrites the addend.
    FmaAddendF: VEX_Vfmadd231ps_ymm_ymm_ymmm256, EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
    FmaF: VEX_Vfmadd213ps_ymm_ymm_ymmm256, EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
    SqrtF: VEX_Vsqrtps_ymm_ymmm256, EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er;
    MinF: VEX_Vminps_ymm_ymm_ymmm256, EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae;
    MaxF: VEX_Vmaxps_ymm_ymm_ymmm256, EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae;
    RoundF: VEX_Vroundps_ymm_ymmm256_imm8, EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae;
    CompareF: VEX_Vcmpps_ymm_ymm_ymmm256_imm8, EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    FromS32: VEX_Vcvtdq2ps_ymm_ymmm256, EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
    NearestS32: VEX_Vcvtps2dq_ymm_ymmm256, EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er;
    TruncatedS32: VEX_Vcvttps2dq_ymm_ymmm256, EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
    AddD: VEX_Vaddpd_ymm_ymm_ymmm256, EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
    SubD: VEX_Vsubpd_ymm_ymm_ymmm256, EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er;
    MulD: VEX_Vmulpd_ymm_ymm_ymmm256, EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
    DivD: VEX_Vdivpd_ymm_ymm_ymmm256, EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er;
    FmaD: VEX_Vfmadd213pd_ymm_ymm_ymmm256, EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
    NegatedFmaD: VEX_Vfnmadd213pd_ymm_ymm_ymmm256, EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
    SqrtD: VEX_Vsqrtpd_ymm_ymmm256, EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er;
    MinD: VEX_Vminpd_ymm_ymm_ymmm256, EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae;
    MaxD: VEX_Vmaxpd_ymm_ymm_ymmm256, EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae;
    RoundD: VEX_Vroundpd_ymm_ymmm256_imm8, EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae;
    CompareD: VEX_Vcmppd_ymm_ymm_ymmm256_imm8, EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
    ExtendU: VEX_Vpmovzxdq_ymm_xmmm128, EVEX_Vpmovzxdq_zmm_k1z_ymmm256;
    ExtendS: VEX_Vpmovsxdq_ymm_xmmm128, EVEX_Vpmovsxdq_zmm_k1z_ymmm256;
    ExtendWords: VEX_Vpmovzxwd_ymm_xmmm128, EVEX_Vpmovzxwd_zmm_k1z_ymmm256;
    UpperHalf: VEX_Vextracti128_xmmm128_ymm_imm8, EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
    JoinHalves: VEX_Vinserti128_ymm_ymm_xmmm128_imm8, EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
    DFromF: VEX_Vcvtps2pd_ymm_xmmm128, EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
    FFromD: VEX_Vcvtpd2ps_xmm_ymmm256, EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
    TruncatedS32FromD: VEX_Vcvttpd2dq_xmm_ymmm256, EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae;
    FFromHalf: VEX_Vcvtph2ps_ymm_xmmm128, EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae;
    HalfFromF: VEX_Vcvtps2ph_xmmm128_ymm_imm8, EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae;
}
