// Plain loops of matmul16.cu.
#define KERNEL matmul16
typedef float real;
#include "matmul.h"
