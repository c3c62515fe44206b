// Twin of matmul16.cu.
#define KERNEL matmul16
#define TILE 16
typedef float real;
#include "matmul.clh"
