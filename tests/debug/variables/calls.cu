// 27: recursion.
__device__ __noinline__ int factorial(int n) { //# n %d
    if (n <= 1) {
        return 1;
    }
    int below = factorial(n - 1); //# below %d
    int result = n * below; //# result %d
    return result;
}
__global__ void recursion(int *out) {
    int t = threadIdx.x; //# t %d
    int six = factorial(3); //# six %d
    int more = factorial(t % 4 + 1); //# more %d
    out[t] = six + more;
}

// 28: two functions that call each other, and one that calls itself twice.
__device__ int odd(int n);
__device__ __noinline__ int even(int n) { //# n %d
    int own = n; //# own %d
    return n == 0 ? 1 : odd(n - 1) + own;
}
__device__ __noinline__ int odd(int n) { //# n %d
    int other = n * 10; //# other %d
    return n == 0 ? 0 : even(n - 1) + other;
}
__device__ __noinline__ int fibonacci(int n) { //# n %d
    if (n < 2) {
        return n;
    }
    int a = fibonacci(n - 1); //# a %d
    int b = fibonacci(n - 2); //# b %d
    return a + b;
}
__global__ void mutual(int *out) {
    int t = threadIdx.x; //# t %d
    int e = even(3); //# e %d
    int f = fibonacci(4); //# f %d
    out[t] = e + f;
}

// 29: pointers to functions.
__device__ __noinline__ int plus(int a, int b) { //# a %d | b %d
    int c = a + b; //# c %d
    return c;
}
__device__ __noinline__ int minus(int a, int b) { //# a %d | b %d
    int d = a - b; //# d %d
    return d;
}
__global__ void pointed(int *out) {
    int t = threadIdx.x; //# t %d
    int (*of)(int, int) = t % 2 ? plus : minus; //-
    int first = of(t, 5); //# first %d
    of = t % 2 ? minus : plus; //-
    int second = of(first, t); //# second %d
    out[t] = second;
}

// 30: many arguments, of all kinds.
struct Trio { char a; short b; double c; };
__device__ __noinline__ double mixed(char a, short b, int c, long long d, float e, double f, Trio g, bool h) { //# a %d '%c' : a, a | b %d | c %d | d %lld | e %.9g | f %.17g | g.a %d '%c' : g.a, g.a | g.b %d | g.c %.17g | h %s : h ? "true" : "false"
    double sum = a + b + c + d; //# sum %.17g
    sum += e + f + g.c;
    return h ? sum : -sum;
}
__global__ void many(int *out) {
    int t = threadIdx.x; //# t %d
    Trio trio = {'q', (short)-t, 0.125}; //# trio.b %d | trio.c %.17g
    double all = mixed('b', t, -t, 1LL << 40, 0.5f, t / 3.0, trio, t > 3); //# all %.17g
    out[t] = (int)all;
}

// 31: `switch`, `goto`, and leaving early.
__device__ __noinline__ int chosen(int n) { //# n %d
    int kind = 0; //# kind %d
    switch (n % 3) { //-
    case 0: //-
        kind = 7;
        break;
    case 1: //-
        kind = n * 2;
        break;
    default: //-
        kind = -n;
    }
    kind++;
    return kind;
}
__global__ void jumps(int *out) {
    int t = threadIdx.x; //# t %d
    int sum = 0; //# sum %d
    int i = 0; //# i %d
again:
    sum += chosen(t + i);
    if (++i < 3) {
        goto again; //-
        // What nvcc's list says of `i` behind this is of the way back, and `i` has another place on the way on.
    } //-
    do {
        sum -= i;
        i--;
    } while (i > 1); //-
    out[t] = sum;
}
