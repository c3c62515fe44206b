// A dense switch inside a little stack machine: every thread runs its own program. (branch_table has brx.idx.)

extern "C" __global__ void interpret(const unsigned char *code, int *out, int length)
{
    int stack[16] = {0}, top = 0, pc = 0, steps = 0;
    const unsigned char *program = code + threadIdx.x * length;
    while (pc < length && ++steps < 200) {
        unsigned char op = program[pc++];
        switch (op >> 4) {
        case 0: stack[++top & 15] = op & 15; break;
        case 1: stack[(top - 1) & 15] += stack[top & 15]; --top; break;
        case 2: stack[(top - 1) & 15] -= stack[top & 15]; --top; break;
        case 3: stack[(top - 1) & 15] *= stack[top & 15]; --top; break;
        case 4: stack[(top + 1) & 15] = stack[top & 15]; ++top; break;
        case 5: { int a = stack[top & 15]; stack[top & 15] = stack[(top - 1) & 15]; stack[(top - 1) & 15] = a; break; }
        case 6: stack[top & 15] ^= op & 15; break;
        case 7: stack[top & 15] = ~stack[top & 15]; break;
        case 8: if (stack[top & 15] > 0) { --stack[top & 15]; pc -= op & 7; if (pc < 0) pc = 0; } break;
        case 9: stack[top & 15] <<= op & 3; break;
        case 10: stack[top & 15] >>= op & 3; break;
        case 11: stack[++top & 15] = threadIdx.x; break;
        case 13: pc = length; break;
        default: stack[top & 15] += 1; break;
        }
        top = top < 1 ? 1 : top;
    }
    out[threadIdx.x * 2] = stack[top & 15];
    out[threadIdx.x * 2 + 1] = steps;
}
