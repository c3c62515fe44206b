struct Point { int x, y; };
struct Box { Point low, high; float weight; };
struct Base { int id; };
struct Derived : Base { double mass; short tail[2]; };
union Word { float f; unsigned int bits; unsigned short parts[2]; };
struct Flags { unsigned int a : 3; unsigned int b : 9; int c : 4; unsigned long long d : 40; };
struct alignas(16) Padded { char c; double d; char e; };
struct Named { union { int i; float f; }; int kind; };

// 5: structures in structures.
__global__ void nested(int *out) {
    int t = threadIdx.x; //# t %d
    Box box = {{t, 1}, {2, -t}, 0.5f * t}; //# box {low = {x = %d, y = %d}, high = {x = %d, y = %d}, weight = %.9g} : box.low.x, box.low.y, box.high.x, box.high.y, box.weight
    box.low.y += 7; //# box.low.y %d
    Point copy = box.high; //# copy {x = %d, y = %d} : copy.x, copy.y
    copy.x *= copy.y;
    box.high = copy;
    out[t] = box.high.x + box.low.y + (int)box.weight;
}

// 6: a base class, and arrays of structures.
__global__ void bases(int *out) {
    int t = threadIdx.x; //# t %d
    Derived one; //-
    one.id = t; one.mass = t / 7.0; one.tail[0] = -1; one.tail[1] = t; //# one {<Base> = {id = %d}, mass = %.17g, tail = {%d, %d}} : one.id, one.mass, one.tail[0], one.tail[1]
    Point row[3]; //-
    for (int i = 0; i < 3; i++) { //# i %d
        row[i] = {i * t, i - t}; //# row[i].x %d | row[i].y %d
    }
    row[1].x = one.id; //# row[1] {x = %d, y = %d} : row[1].x, row[1].y | row[2].y %d
    Base &base = one; //# base.id %d
    base.id += 2;
    out[t] = one.id + row[1].x + row[2].y;
}

// 7: unions and bit fields.
__global__ void parts(int *out) {
    int t = threadIdx.x; //# t %d
    Word word; //-
    word.f = 1.5f * t; //# word.f %.9g | word.bits %u | word.parts[1] %d
    Flags flags = {}; //# flags {a = %u, b = %u, c = %d, d = %llu} : flags.a, flags.b, flags.c, (unsigned long long)flags.d
    flags.a = 5;
    flags.b = 300 + t;
    flags.c = -(t % 7);
    flags.d = 0x8000000000ULL + t;
    word.bits ^= 1;
    Named named; //-
    named.i = t; named.kind = 3; //# named.kind %d | named.i %d
    out[t] = word.parts[0] + flags.a + flags.b + flags.c + (int)flags.d + named.kind + named.i;
}

// 8: by value, into and out of functions.
__device__ __noinline__ Box grown(Box box, int by) { //# box.low.x %d | box.high.y %d | box.weight %.9g | by %d
    box.low.x -= by;
    box.high.y += by;
    Box result = box; //# result.low.x %d | result.high {x = %d, y = %d} : result.high.x, result.high.y
    return result;
}
__global__ void passed(int *out) {
    int t = threadIdx.x; //# t %d
    Box box = {{t, t}, {t, t}, 1.0f}; //# box.low.x %d | box.high.y %d
    box = grown(box, 3);
    Box again = grown(grown(box, t), 1); //# again {low = {x = %d, y = %d}, high = {x = %d, y = %d}, weight = %.9g} : again.low.x, again.low.y, again.high.x, again.high.y, again.weight
    out[t] = again.low.x + box.high.y;
}

// 9: member functions, and what `this` has.
struct Counter {
    int count;
    float step;
    __device__ __noinline__ int add(int n) { //# n %d | count %d | step %.9g
        int before = count; //# before %d
        count += n; //# this->count %d
        step *= 2;
        return before;
    }
};
__global__ void members(int *out) {
    int t = threadIdx.x; //# t %d
    Counter counter = {t, 0.25f}; //# counter {count = %d, step = %.9g} : counter.count, counter.step
    int first = counter.add(5); //# first %d
    int second = counter.add(first); //# second %d
    out[t] = first + second + counter.count;
}

// 10: with holes, and copied by their bytes.
__global__ void padded(int *out) {
    int t = threadIdx.x; //# t %d
    Padded p = {'x', t * 1.25, 'y'}; //# p {c = %d '%c', d = %.17g, e = %d '%c'} : p.c, p.c, p.d, p.e, p.e
    Padded row[2] = {p, p}; //# row[1].d %.17g
    row[1].d -= 1;
    p = row[1];
    out[t] = (int)(p.d + row[0].d) + p.c;
}
