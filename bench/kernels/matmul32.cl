// Twin of matmul32.cu.
#define KERNEL matmul32
#define TILE 32
typedef float real;
#include "matmul.clh"
