__device__ __forceinline__ int twice(int n) { //# n %d
    int m = n + n; //# m %d
    return m;
}
__device__ __forceinline__ int four(int n) { //# n %d
    int half = twice(n); //# half %d
    int whole = twice(half); //# whole %d
    return whole;
}

// 23: calls in calls, all of them inlined.
__global__ void calls(int *out) {
    int t = threadIdx.x; //# t %d
    int a = four(t); //# a %d
    int b = four(a + 1); //# b %d
    out[t] = a + twice(b);
}

// 24: in a loop, with names that are there outside as well.
__global__ void loops(int *out) {
    int n = threadIdx.x; //# n %d
    int m = 0; //# m %d
    for (int i = 0; i < 3; i++) { //# i %d
        m += twice(n + i);
    }
    {
        int n = m; //# n %d
        m = twice(n);
    }
    out[n] = m;
}

// 25: closures; what they capture they name, so that its copies are made on the line of the list.
__global__ void closures(int *out) {
    int t = threadIdx.x; //# t %d
    float f = 0.5f; //# f %.9g
    auto by_value = [t, f](int x) { //# t %d | x %d
        int y = x * t; //# y %d
        return y;
    };
    auto by_reference = [&f, &t](int x) { //# x %d
        f += x;
        return t + x;
    };
    int a = by_value(3); //# a %d
    int b = by_reference(a); //# b %d
    auto both = [a, b](int k) mutable { a += k; return a + b; }; //-
    int c = both(1); //# c %d
    out[t] = a + b + c + (int)f;
}

// 26: a closure as an argument.
template <typename F> __device__ __forceinline__ int applied(F f, int times) { //# times %d
    int value = 0; //# value %d
    for (int i = 0; i < times; i++) { //# i %d
        value = f(value);
    }
    return value;
}
__global__ void arguments(int *out) {
    int t = threadIdx.x; //# t %d
    int k = 3; //# k %d
    int a = applied([=](int v) { return v + t; }, 2); //# a %d
    int b = applied([&k](int v) { k++; return v + k; }, 3); //# b %d
    out[t] = a + b;
}
