.pushsection .text.texunit_redirect_functions,"ax",@progbits
.global texunit_redirect_functions
.hidden texunit_redirect_functions
.balign 32
texunit_redirect_functions:
.set texunit_number, 0
.rept {all}
    adrp x16, {slots}+8*texunit_number
    ldr x17, [x16, :lo12:{slots}+8*texunit_number]
    br x17
    movz x16, #texunit_number
    b texunit_redirect_load
.balign 32
.set texunit_number, texunit_number+1
.endr
texunit_redirect_load:
    stp x29, x30, [sp, #-224]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov x0, x16
    bl {load}
    mov x17, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    br x17
.popsection
