/* One linear sample between four texels. Prints 1.5. */
#include <stdio.h>
#include <texunit.h>

int main(void) {
    float texels[4] = {0, 1, 2, 3}, xy[2] = {1.0f, 1.0f}, result[4];
    texunit_array array;
    texunit_texture texture;
    texunit_array_desc shape = {.Width = 2, .Height = 2, .Format = TEXUNIT_AD_FORMAT_FLOAT, .NumChannels = 1};
    texunit_array_create(&array, &shape, 0, 0);
    texunit_array_write(array, 0, texels, sizeof texels, 0, 0);
    texunit_resource_desc resource = {.resType = TEXUNIT_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    texunit_texture_desc state = {.addressMode = {1, 1, 1}, .filterMode = TEXUNIT_TR_FILTER_MODE_LINEAR};
    texunit_texture_create(&texture, &resource, &state, NULL);
    texunit_fetch_desc fetch = {.count = 1, .coords = {{&xy[0], 0}, {&xy[1], 0}}};
    if (texunit_sample(texture, &fetch, result, sizeof result) != TEXUNIT_SUCCESS)
        return fprintf(stderr, "%s\n", texunit_last_error()), 1;
    printf("%g\n", result[0]);
    return 0;
}
