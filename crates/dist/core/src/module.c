/*
 * The module `texunit._texunit` of the wheel, whose code is in the core.
 *
 * The functions of Python are bound when the core is loaded. Where a process has loaded it before there was a Python in it (the
 * driver of a program that loads libpython later), they are not; then the module is refused.
 */
extern int texunit_core_has_python(void);
extern void *texunit_core_PyInit__texunit(void);
extern void *PyExc_ImportError;
extern void PyErr_SetString(void *, const char *);
void *PyInit__texunit(void);

void *PyInit__texunit(void)
{
    if (texunit_core_has_python())
        return texunit_core_PyInit__texunit();
    PyErr_SetString(PyExc_ImportError,
                    "texunit's driver was loaded before Python was, and has no module for it: have the program load libpython when it "
                    "starts (LD_PRELOAD=libpython3.so)");
    return 0;
}
