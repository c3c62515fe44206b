// Plain loops of median.cu.
#define ORDER(a, b) do { unsigned char least = a < b ? a : b; b = a < b ? b : a; a = least; } while (0)

void median(const unsigned char *restrict picture, unsigned char *restrict out, unsigned width, unsigned height)
{
#pragma omp parallel for
    for (unsigned y = 0; y < height; y++) {
        const unsigned char *rows[3] = {
            picture + (y ? y - 1 : 0) * width, picture + y * width, picture + (y + 1 < height ? y + 1 : y) * width,
        };
        for (unsigned x = 0; x < width; x++) {
            unsigned left = x ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;
            unsigned char p[9];
            for (int k = 0; k < 3; k++) {
                p[3 * k] = rows[k][left];
                p[3 * k + 1] = rows[k][x];
                p[3 * k + 2] = rows[k][right];
            }
            ORDER(p[1], p[2]); ORDER(p[4], p[5]); ORDER(p[7], p[8]);
            ORDER(p[0], p[1]); ORDER(p[3], p[4]); ORDER(p[6], p[7]);
            ORDER(p[1], p[2]); ORDER(p[4], p[5]); ORDER(p[7], p[8]);
            ORDER(p[0], p[3]); ORDER(p[5], p[8]); ORDER(p[4], p[7]);
            ORDER(p[3], p[6]); ORDER(p[1], p[4]); ORDER(p[2], p[5]);
            ORDER(p[4], p[7]); ORDER(p[4], p[2]); ORDER(p[6], p[4]);
            ORDER(p[4], p[2]);
            out[y * width + x] = p[4];
        }
    }
}
