// Debian's libomptarget makes PTX by a libLLVM in which nobody has registered the target for it (docs/programs/offloading.md).
void LLVMInitializeNVPTXTargetInfo(void), LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void), LLVMInitializeNVPTXAsmPrinter(void);
__attribute__((constructor)) static void register_nvptx(void)
{
    LLVMInitializeNVPTXTargetInfo(), LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC(), LLVMInitializeNVPTXAsmPrinter();
}
