// Twin of matmul_f64.cu.
#define KERNEL matmul_f64
#define TILE 16
typedef double real;
#include "matmul.clh"
