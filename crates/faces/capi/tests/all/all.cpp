// Every member of texunit.hpp.
#include <cassert>
#include <cstdio>
#undef NDEBUG
#include <cassert>
#include <texunit.hpp>

int main() {
    texunit_array_desc shape{};
    shape.Width = shape.Height = 2;
    shape.Format = TEXUNIT_AD_FORMAT_UNSIGNED_INT32;
    shape.NumChannels = 1;
    texunit::Array array(shape, 2);
    assert(array.size() == 20 && array.size(0) == 16);
    array.write<std::uint32_t>({1, 2, 3, 4}, 0);
    array.generate_mipmaps();
    assert(array.read<std::uint32_t>(1).at(0) == 3);
    texunit::Array level = array.level(0);

    texunit_texture_desc state{};
    texunit::Texture texture(array, state);
    std::vector<std::int32_t> x{0, 1}, y{1, 1};
    texunit_fetch_desc fetch{};
    fetch.count = 2;
    fetch.coords[0] = texunit::operand(x);
    fetch.coords[1] = texunit::operand(y);
    auto words = texture.fetch(fetch);
    assert(words[0][0] == 3 && words[1][0] == 4);
    assert(texture.query(TEXUNIT_QUERY_WIDTH) == 2);
    assert(texture.effective(TEXUNIT_OPERATION_FETCH).coordinates == TEXUNIT_COORDINATES_INTEGER);
    texunit::Sampler sampler(state);
    texunit::Texture other(texture, sampler);
    assert(other.fetch(fetch)[1][0] == 4);
    assert(!texture.explain(fetch, 1, TEXUNIT_EXPLAIN_SVG, TEXUNIT_OPERATION_FETCH).empty());

    texunit::Surface surface(level);
    texunit_access_desc access{};
    access.count = 2;
    access.coords[0] = texunit::operand(x);
    access.coords[1] = texunit::operand(y);
    surface.write<std::uint32_t>(access, {30, 40});
    surface.reduce<std::uint32_t>(TEXUNIT_REDUCE_ADD, access, {1, 2});
    assert(surface.read<std::uint32_t>(access) == (std::vector<std::uint32_t>{31, 42}));

    shape.Format = TEXUNIT_AD_FORMAT_FLOAT;
    texunit::Array floats(shape);
    floats.write<float>({0, 1, 2, 3});
    texunit::Texture gathered(floats, state);
    std::vector<float> middle{1};
    fetch.count = 1;
    fetch.coords[0] = fetch.coords[1] = texunit::operand(middle);
    assert(gathered.gather(0, fetch)[0][0] == 2);

    // Ownership moves, and what was moved from owns nothing.
    texunit::Array moved = std::move(array);
    assert(array.get() == nullptr && moved.get() != nullptr);
    try {
        texunit::Array none("/there/is/no.npy");
        return 1;
    } catch (const texunit::Error &error) {
        assert(error.status() == TEXUNIT_ERROR_FILE && error.what()[0] != '\0');
    }
    std::puts("done");
}
