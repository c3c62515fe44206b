// The same sample with texunit.hpp, and what it did. Prints 1.5 and the steps.
#include <iostream>
#include <texunit.hpp>

int main() try {
    texunit_array_desc shape{};
    shape.Width = shape.Height = 2;
    shape.Format = TEXUNIT_AD_FORMAT_FLOAT;
    shape.NumChannels = 1;
    texunit::Array array(shape);
    array.write<float>({0, 1, 2, 3});

    texunit_texture_desc state{};
    state.filterMode = TEXUNIT_TR_FILTER_MODE_LINEAR;
    for (auto &mode : state.addressMode) mode = TEXUNIT_TR_ADDRESS_MODE_CLAMP;
    texunit::Texture texture(array, state);

    struct Point {
        float x, y;
    };
    std::vector<Point> points{{1.0f, 1.0f}};
    texunit_fetch_desc fetch{};
    fetch.count = points.size();
    fetch.coords[0] = texunit::operand(points, offsetof(Point, x));
    fetch.coords[1] = texunit::operand(points, offsetof(Point, y));
    std::cout << texture.sample(fetch)[0][0] << '\n' << texture.explain(fetch);
} catch (const texunit::Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
