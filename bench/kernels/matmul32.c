// Plain loops of matmul32.cu.
#define KERNEL matmul32
typedef float real;
#include "matmul.h"
