// Loads an image from a file, twice, and runs its kernel.
#include <stdio.h>
#include "run_image.h"

int main(int argc, char **argv)
{
    static char image[1 << 16];
    FILE *file = fopen(argv[argc - 1], "rb");
    if (!file || !fread(image, 1, sizeof image - 1, file)) return 2;
    printf("%u", run(image));
    printf(" %u\n", run(image));
    return 0;
}
