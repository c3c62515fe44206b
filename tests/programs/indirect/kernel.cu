// Calls through pointers: a table of functions, a pointer chosen by the lane, virtual functions.

typedef int (*Function)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int twice(Function f, int a, int b) { return f(f(a, b), b); }
__device__ Function table[4] = {add, sub, mul, add};

struct Shape {
    int size;
    __device__ Shape(int s) : size(s) {}
    __device__ virtual int area() const { return 0; }
    __device__ virtual int edges() const { return 0; }
};
struct Square : Shape {
    __device__ Square(int s) : Shape(s) {}
    __device__ int area() const override { return size * size; }
    __device__ int edges() const override { return 4; }
};
struct Line : Shape {
    __device__ Line(int s) : Shape(s) {}
    __device__ int edges() const override { return 1 + size % 2; }
};

extern "C" __global__ void indirect(const int *which, int *out)
{
    int t = threadIdx.x;
    Function f = table[which[t] & 3];
    out[t * 3] = f(t, 10 - t);
    out[t * 3 + 1] = twice(table[(which[t] + 1) & 3], t, 3);
    Square square(t);
    Line line(t);
    const Shape *shape = which[t] % 3 ? (const Shape *)&square : &line;
    out[t * 3 + 2] = shape->area() * 10 + shape->edges();
}
