// Product of matrices of f64, in tiles of 16 x 16.
#define KERNEL matmul_f64
#define TILE 16
typedef double real;
#include "matmul.cuh"
