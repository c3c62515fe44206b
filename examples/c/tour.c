/* Most of texunit.h in one program: mip levels and layers, a texture of memory, a sampler apart from its texture, a depth
 * compare, a gather, a surface, the state that acts, and the steps of one fetch as JSON. Prints what is in tour.txt. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <texunit.h>

static void check(texunit_status status, const char *what) {
    if (status == TEXUNIT_SUCCESS) return;
    fprintf(stderr, "%s: %s: %s\n", what, texunit_status_name(status), texunit_last_error());
    exit(1);
}
#define CHECK(call) check(call, #call)

/* Elements one behind the other. */
static texunit_operand each(const void *elements) { return (texunit_operand){elements, 4}; }

static texunit_resource_desc of_array(texunit_array array) {
    return (texunit_resource_desc){.resType = TEXUNIT_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
}

/* Two layers of 4 x 4 bytes, read as fractions, with three mip levels. */
static void layers_and_levels(void) {
    texunit_array_desc desc = {.Width = 4, .Height = 4, .Depth = 2, .NumChannels = 1, .Flags = TEXUNIT_ARRAY3D_LAYERED,
                               .Format = TEXUNIT_AD_FORMAT_UNSIGNED_INT8};
    uint8_t texels[32];
    for (int i = 0; i < 32; i++) texels[i] = (uint8_t)(8 * i);
    texunit_array array;
    CHECK(texunit_array_create(&array, &desc, 3, 0));
    CHECK(texunit_array_write(array, 0, texels, sizeof texels, 0, 0));
    CHECK(texunit_array_generate_mipmaps(array));

    texunit_resource_desc resource = of_array(array);
    texunit_texture_desc state = {.filterMode = TEXUNIT_TR_FILTER_MODE_LINEAR, .maxMipmapLevelClamp = 2,
                                  .mipmapFilterMode = TEXUNIT_TR_FILTER_MODE_LINEAR,
                                  .flags = TEXUNIT_TRSF_NORMALIZED_COORDINATES};
    texunit_texture texture;
    CHECK(texunit_texture_create(&texture, &resource, &state, NULL));
    float x[3] = {0.5f, 0.25f, 0.5f}, y[3] = {0.5f, 0.25f, 0.5f}, level[3] = {0, 1, 1.5f}, results[3][4];
    uint32_t layer[3] = {0, 1, 0};
    texunit_fetch_desc fetch = {.count = 3, .coords = {each(x), each(y)}, .layer = each(layer), .level = each(level)};
    CHECK(texunit_sample(texture, &fetch, results, sizeof results));
    for (int i = 0; i < 3; i++) printf("layer %u, level %g: %.6f\n", layer[i], level[i], results[i][0]);

    uint32_t width;
    CHECK(texunit_texture_query(texture, TEXUNIT_QUERY_WIDTH, 1, &width));
    printf("level 1 is %u texels wide\n", width);

    /* The same texels through a sampler of its own: the nearest texel of level 0. */
    texunit_sampler sampler;
    texunit_texture nearest;
    CHECK(texunit_sampler_create(&sampler, &(texunit_texture_desc){0}));
    CHECK(texunit_texture_with_sampler(&nearest, texture, sampler));
    CHECK(texunit_sample(nearest, &fetch, results, sizeof results));
    printf("nearest: %.6f\n", results[0][0]);

    /* What the hardware makes of the state, and one fetch step by step. */
    texunit_effective_state acts;
    CHECK(texunit_texture_effective(nearest, TEXUNIT_OPERATION_SAMPLE, &fetch, &acts));
    printf("levels from %g to %g, %u overrides\n", acts.minMipmapLevel, acts.maxMipmapLevel, acts.numOverrides);
    size_t length;
    CHECK(texunit_explain(texture, TEXUNIT_OPERATION_SAMPLE, &fetch, 2, TEXUNIT_EXPLAIN_JSON, NULL, 0, &length));
    char *text = malloc(length + 1);
    CHECK(texunit_explain(texture, TEXUNIT_OPERATION_SAMPLE, &fetch, 2, TEXUNIT_EXPLAIN_JSON, text, length + 1, NULL));
    printf("JSON: %s\n", text[0] == '{' && text[length] == 0 ? "an object" : "damaged");
    free(text);

    CHECK(texunit_texture_destroy(nearest));
    CHECK(texunit_sampler_destroy(sampler));
    CHECK(texunit_texture_destroy(texture));
    CHECK(texunit_array_destroy(array));
}

/* Depths in memory of the program, compared with a reference value. */
static void memory_and_compare(void) {
    static _Alignas(32) float depths[2][8] = {{0.25f, 0.5f}, {0.75f, 1.0f}};
    texunit_resource_desc resource = {.resType = TEXUNIT_RESOURCE_TYPE_PITCH2D,
                                      .res.pitch2D = {depths, TEXUNIT_AD_FORMAT_FLOAT, 1, 2, 2, sizeof depths[0]}};
    texunit_texture_desc state = {.compareFunction = TEXUNIT_COMPARE_LESS, .addressMode = {1, 1, 1},
                                  .filterMode = TEXUNIT_TR_FILTER_MODE_LINEAR};
    texunit_texture texture;
    CHECK(texunit_texture_create(&texture, &resource, &state, NULL));
    float middle = 1, reference[2] = {0.3f, 0.8f}, lit[2], four[4];
    texunit_fetch_desc fetch = {.count = 2, .coords = {{&middle, 0}, {&middle, 0}}, .compare = each(reference),
                                .flags = TEXUNIT_FETCH_PACKED};
    CHECK(texunit_sample(texture, &fetch, lit, sizeof lit));
    printf("lit: %g %g\n", lit[0], lit[1]);
    depths[0][0] = 0.9f; /* What is written is read by the next call. */
    CHECK(texunit_sample(texture, &fetch, lit, sizeof lit));
    printf("lit: %g %g\n", lit[0], lit[1]);
    texunit_fetch_desc one = {.count = 1, .coords = {{&middle, 0}, {&middle, 0}}};
    CHECK(texunit_gather(texture, 0, &one, four, sizeof four));
    printf("gathered: %g %g %g %g\n", four[0], four[1], four[2], four[3]);
    CHECK(texunit_texture_destroy(texture));
}

/* A histogram of four bins: each value is added in one step. */
static void surface(void) {
    texunit_array array;
    texunit_surface bins;
    texunit_array_desc desc = {.Width = 4, .NumChannels = 1, .Format = TEXUNIT_AD_FORMAT_UNSIGNED_INT32};
    CHECK(texunit_array_create(&array, &desc, 0, 0));
    texunit_resource_desc resource = of_array(array);
    CHECK(texunit_surface_create(&bins, &resource));
    int32_t bin[8] = {0, 3, 1, 1, 0, 3, 3, 9};
    uint32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, counts[4];
    texunit_access_desc access = {.count = 8, .coords = {each(bin)}, .boundary = TEXUNIT_BOUNDARY_ZERO};
    CHECK(texunit_surface_reduce(bins, TEXUNIT_REDUCE_ADD, &access, ones, sizeof ones));
    CHECK(texunit_array_read(array, 0, counts, sizeof counts, 0, 0));
    printf("bins: %u %u %u %u\n", counts[0], counts[1], counts[2], counts[3]);
    access.boundary = TEXUNIT_BOUNDARY_TRAP;
    texunit_status status = texunit_surface_read(bins, &access, ones, sizeof ones);
    printf("%s\n", texunit_status_name(status));
    CHECK(texunit_surface_destroy(bins));
    CHECK(texunit_array_destroy(array));
}

int main(void) {
    if (texunit_abi_version() != TEXUNIT_ABI_VERSION) return 1;
    layers_and_levels();
    memory_and_compare();
    surface();
    return 0;
}
