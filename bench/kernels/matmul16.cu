// Product of matrices of f32, in tiles of 16 x 16.
#define KERNEL matmul16
#define TILE 16
typedef float real;
#include "matmul.cuh"
