// Calls each function of the runtime with nothing but zeros, and then with each argument wrong in turn: a pointer
// that is null, a handle that was never given out, a number that means nothing.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*function)(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);

static const struct { const char *name, *types; } rows[] = {
#include "runtime_calls.h"
};

// More than sizes of `ODD` things ask for.
static char buffer[1 << 24];
enum { ODD = 0x7777, WRONG = 0x12345678, MOST = 12 };

static size_t right(char type)
{
    switch (type) {
    case 'p': case 'a': return (size_t)buffer;
    case 'n': return 1;
    default: return 0;
    }
}

static size_t wrong(char type, int how)
{
    switch (type) {
    case 'n': return how ? ODD : 0;
    case 'h': return WRONG;
    default: return 0;
    }
}

static void call(function f, const size_t *a)
{
    memset(buffer, 0, 1 << 16);
    f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}

int main(void)
{
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW);
    if (!runtime) return puts(dlerror()), 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        // Functions of the other runtime are not there.
        function f = (function)dlsym(runtime, rows[i].name);
        size_t count = strlen(rows[i].types), arguments[MOST] = {0};
        if (!f || count > MOST) continue;
        call(f, arguments);
        if (strchr(rows[i].types, 's')) continue;
        for (size_t bad = 0; bad < count; bad++) {
            for (int how = 0; how < 2; how++) {
                for (size_t k = 0; k < count; k++) {
                    char type = rows[i].types[k];
                    arguments[k] = k == bad ? wrong(type, how) : right(type);
                }
                call(f, arguments);
            }
        }
    }
    return 0;
}
