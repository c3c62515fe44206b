// Product of matrices of f32, in tiles of 32 x 32.
#define KERNEL matmul32
#define TILE 32
typedef float real;
#include "matmul.cuh"
