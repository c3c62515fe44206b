.pushsection .text.texunit_redirect_functions,"ax",@progbits
.global texunit_redirect_functions
.hidden texunit_redirect_functions
.balign 16
texunit_redirect_functions:
.set texunit_number, 0
.rept {all}
    jmp *{slots}+8*texunit_number(%rip)
    .byte 0x68 /* push */
    .long texunit_number
    jmp texunit_redirect_load
.balign 16
.set texunit_number, texunit_number+1
.endr
texunit_redirect_load:
    push %rax
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    sub $136, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    mov 192(%rsp), %rdi
    call {load}
    mov %rax, %r11
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    add $136, %rsp
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    pop %rax
    add $8, %rsp
    jmp *%r11
.popsection
