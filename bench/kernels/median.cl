// Twin of median.cu, with an image.
#define ORDER(a, b) do { uint least = min(a, b); b = max(a, b); a = least; } while (0)

__constant sampler_t how = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void median(__read_only image2d_t picture, __global uchar *out, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint p[9];
    for (int k = 0; k < 9; k++)
        p[k] = read_imageui(picture, how, (float2)((int)x + k % 3 - 0.5f, (int)y + k / 3 - 0.5f)).x;
    ORDER(p[1], p[2]); ORDER(p[4], p[5]); ORDER(p[7], p[8]);
    ORDER(p[0], p[1]); ORDER(p[3], p[4]); ORDER(p[6], p[7]);
    ORDER(p[1], p[2]); ORDER(p[4], p[5]); ORDER(p[7], p[8]);
    ORDER(p[0], p[3]); ORDER(p[5], p[8]); ORDER(p[4], p[7]);
    ORDER(p[3], p[6]); ORDER(p[1], p[4]); ORDER(p[2], p[5]);
    ORDER(p[4], p[7]); ORDER(p[4], p[2]); ORDER(p[6], p[4]);
    ORDER(p[4], p[2]);
    out[y * width + x] = p[4];
}
