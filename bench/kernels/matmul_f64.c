// Plain loops of matmul_f64.cu.
#define KERNEL matmul_f64
typedef double real;
#include "matmul.h"
