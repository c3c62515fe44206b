// What stands in for nvrtc in the tests of `texunit run`: a library with its names, whose PTX is the list of options
// of the last compilation, and whose machine code is the word "machine code".
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char ptx[256]; int compiled, has_code; } *nvrtcProgram;

int nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    (void)source, (void)name, (void)count, (void)headers, (void)names;
    *program = calloc(1, sizeof **program);
    return 0;
}

int nvrtcDestroyProgram(nvrtcProgram *program)
{
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    program->ptx[0] = program->compiled = program->has_code = 0;
    if (count > 0 && !options) return 3;
    for (int i = 0; i < count; ++i) {
        snprintf(program->ptx + strlen(program->ptx), sizeof program->ptx - strlen(program->ptx), "[%s]", options[i]);
        program->has_code |= strstr(options[i], "sm_") != NULL;
        if (!strcmp(options[i], "--wrong")) return 6;
    }
    program->compiled = 1;
    return 0;
}

int nvrtcGetPTXSize(nvrtcProgram program, size_t *size) { return *size = strlen(program->ptx) + 1, 0; }
int nvrtcGetPTX(nvrtcProgram program, char *ptx) { return strcpy(ptx, program->ptx), 0; }

int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    return *size = program->compiled && program->has_code ? sizeof "machine code" : 0, 0;
}

int nvrtcGetCUBIN(nvrtcProgram program, char *code) { return program->has_code ? strcpy(code, "machine code"), 0 : 4; }
int nvrtcGetNumSupportedArchs(int *count) { return *count = 1, 0; }
int nvrtcGetSupportedArchs(int *archs) { return *archs = 86, 0; }
