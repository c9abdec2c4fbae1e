// The first instructions of programs without a library.
#if defined(__x86_64__)
asm(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call begin_program\n");
#elif defined(__aarch64__)
asm(".globl _start\n_start: mov x0, sp\n bl begin_program\n");
#endif
