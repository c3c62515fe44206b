/*
 * C++17 wrappers of texunit.h: objects with destructors, errors as exceptions, results as vectors.
 *
 * Structures and numbers are those of texunit.h. No library besides libtexunit is needed; docs/c.md
 * has an example.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef TEXUNIT_HPP
#define TEXUNIT_HPP

#include "texunit.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace texunit {

/* A status other than TEXUNIT_SUCCESS; what() returns the message of texunit_last_error. */
class Error : public std::runtime_error {
public:
    explicit Error(texunit_status status)
        : std::runtime_error(texunit_last_error()), status_(status) {}

    texunit_status status() const noexcept { return status_; }

private:
    texunit_status status_;
};

/* Throws an Error if a call failed. */
inline void check(texunit_status status) {
    if (status != TEXUNIT_SUCCESS) throw Error(status);
}

/* Owns a handle, and destroys it. */
template <class Handle, texunit_status (*Destroy)(Handle)>
class Owned {
public:
    Owned() = default;
    explicit Owned(Handle handle) noexcept : handle_(handle) {}
    Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned &operator=(Owned &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    ~Owned() { Destroy(handle_); }

    Handle get() const noexcept { return handle_; }

private:
    Handle handle_ = nullptr;
};

/* An array: texels in memory that texunit allocates. */
class Array : public Owned<texunit_array, texunit_array_destroy> {
public:
    using Owned::Owned;

    explicit Array(const texunit_array_desc &desc, std::uint32_t levels = 0, std::uint32_t samples = 0)
        : Owned(made([&](texunit_array *to) {
              return texunit_array_create(to, &desc, levels, samples);
          })) {}

    /* An array with the texels of a file. */
    explicit Array(const std::string &file)
        : Owned(made([&](texunit_array *to) {
              return texunit_array_open(to, file.c_str(), nullptr);
          })) {}

    /* The size in bytes of a level, or of all levels. */
    std::size_t size(std::uint32_t level = TEXUNIT_ALL_LEVELS) const {
        std::size_t size = 0;
        check(texunit_array_size(get(), level, &size));
        return size;
    }

    /* Writes a level's texels, which are contiguous in the vector. */
    template <class T>
    void write(const std::vector<T> &texels, std::uint32_t level = TEXUNIT_ALL_LEVELS) {
        static_assert(std::is_trivially_copyable_v<T>, "texels are numbers or structures of them");
        check(texunit_array_write(get(), level, texels.data(), texels.size() * sizeof(T), 0, 0));
    }

    /* Reads a level's texels into a contiguous vector. */
    template <class T>
    std::vector<T> read(std::uint32_t level = TEXUNIT_ALL_LEVELS) const {
        static_assert(std::is_trivially_copyable_v<T>, "texels are numbers or structures of them");
        std::vector<T> texels(size(level) / sizeof(T));
        check(texunit_array_read(get(), level, texels.data(), texels.size() * sizeof(T), 0, 0));
        return texels;
    }

    /* An array that shares the memory of one mip level. */
    Array level(std::uint32_t level) const {
        return Array(made([&](texunit_array *to) { return texunit_array_level(to, get(), level); }));
    }

    void generate_mipmaps() { check(texunit_array_generate_mipmaps(get())); }

    texunit_resource_desc resource() const {
        texunit_resource_desc desc{};
        desc.resType = TEXUNIT_RESOURCE_TYPE_ARRAY;
        desc.res.array.hArray = get();
        return desc;
    }

private:
    template <class Make>
    static texunit_array made(Make make) {
        texunit_array handle = nullptr;
        check(make(&handle));
        return handle;
    }
};

/* An operand of many fetches: the elements of a vector, or a member of each, at offset byte. */
template <class T>
texunit_operand operand(const std::vector<T> &all, std::size_t byte = 0) {
    return {reinterpret_cast<const char *>(all.data()) + byte, sizeof(T)};
}

/* A sampler: addressing, filtering and other modes, which textures can share. */
class Sampler : public Owned<texunit_sampler, texunit_sampler_destroy> {
public:
    explicit Sampler(const texunit_texture_desc &desc) {
        texunit_sampler handle = nullptr;
        check(texunit_sampler_create(&handle, &desc));
        static_cast<Owned &>(*this) = Owned(handle);
    }
};

/* A texture object: texels and sampling modes. */
class Texture : public Owned<texunit_texture, texunit_texture_destroy> {
public:
    using Words = std::vector<std::array<std::uint32_t, 4>>;
    using Floats = std::vector<std::array<float, 4>>;

    Texture(const texunit_resource_desc &resource, const texunit_texture_desc &desc,
            const texunit_view_desc *view = nullptr) {
        texunit_texture handle = nullptr;
        check(texunit_texture_create(&handle, &resource, &desc, view));
        static_cast<Owned &>(*this) = Owned(handle);
    }

    Texture(const Array &array, const texunit_texture_desc &desc)
        : Texture(array.resource(), desc) {}

    /* A texture with the texels of another one and the modes of a sampler. */
    Texture(const Texture &texture, const Sampler &sampler) {
        texunit_texture handle = nullptr;
        check(texunit_texture_with_sampler(&handle, texture.get(), sampler.get()));
        static_cast<Owned &>(*this) = Owned(handle);
    }

    /* Samples at float coordinates; four result registers for each fetch. */
    Floats sample(const texunit_fetch_desc &desc) const {
        Floats results(desc.count);
        check(texunit_sample(get(), &desc, results.data(), results.size() * 16));
        return results;
    }

    /* Fetches texels at integer coordinates; four result registers for each fetch, as bits. */
    Words fetch(const texunit_fetch_desc &desc) const {
        Words results(desc.count);
        check(texunit_fetch(get(), &desc, results.data(), results.size() * 16));
        return results;
    }

    /* Gathers a component of the four texels around each point. */
    Floats gather(std::uint32_t component, const texunit_fetch_desc &desc) const {
        Floats results(desc.count);
        check(texunit_gather(get(), component, &desc, results.data(), results.size() * 16));
        return results;
    }

    /* Explains one of the fetches step by step. */
    std::string explain(const texunit_fetch_desc &desc, std::size_t index = 0,
                        std::uint32_t format = TEXUNIT_EXPLAIN_TEXT,
                        std::uint32_t operation = TEXUNIT_OPERATION_SAMPLE) const {
        std::size_t length = 0;
        check(texunit_explain(get(), operation, &desc, index, format, nullptr, 0, &length));
        std::string text(length + 1, '\0');
        check(texunit_explain(get(), operation, &desc, index, format, text.data(), text.size(),
                              nullptr));
        text.resize(length);
        return text;
    }

    /* An attribute, TEXUNIT_QUERY_*. */
    std::uint32_t query(std::uint32_t attribute, std::uint32_t level = 0) const {
        std::uint32_t value = 0;
        check(texunit_texture_query(get(), attribute, level, &value));
        return value;
    }

    texunit_effective_state effective(std::uint32_t operation = TEXUNIT_OPERATION_SAMPLE) const {
        texunit_effective_state state{};
        check(texunit_texture_effective(get(), operation, nullptr, &state));
        return state;
    }
};

/* A surface object, for reads and writes of texels. */
class Surface : public Owned<texunit_surface, texunit_surface_destroy> {
public:
    explicit Surface(const Array &array) {
        texunit_surface handle = nullptr;
        texunit_resource_desc resource = array.resource();
        check(texunit_surface_create(&handle, &resource));
        static_cast<Owned &>(*this) = Owned(handle);
    }

    /* Reads texels in their stored format. */
    template <class T>
    std::vector<T> read(const texunit_access_desc &desc) const {
        std::vector<T> values(desc.count);
        check(texunit_surface_read(get(), &desc, values.data(), values.size() * sizeof(T)));
        return values;
    }

    template <class T>
    void write(const texunit_access_desc &desc, const std::vector<T> &values) {
        check(texunit_surface_write(get(), &desc, values.data(), values.size() * sizeof(T)));
    }

    template <class T>
    void reduce(std::uint32_t op, const texunit_access_desc &desc, const std::vector<T> &values) {
        check(texunit_surface_reduce(get(), op, &desc, values.data(), values.size() * sizeof(T)));
    }
};

} // namespace texunit

#endif // TEXUNIT_HPP
