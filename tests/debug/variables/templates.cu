template <typename T, int N> struct Small {
    T data[N];
    __device__ __noinline__ T sum() const { 
        T all = 0; //-
        for (int i = 0; i < N; i++) { //# i %d
            all += data[i];
        }
        return all;
    }
};

// 19: a function of two types.
template <typename T> __device__ __noinline__ T largest(const T *from, int n) { //# n %d | *from %.9g : (float)*from
    T best = from[0]; //# best %.9g : (float)best
    for (int i = 1; i < n; i++) { //# i %d
        if (from[i] > best) {
            best = from[i];
        }
    }
    return best;
}
__global__ void functions(int *out) {
    int t = threadIdx.x; //# t %d
    int whole[3] = {t, 40, 2}; //# whole {%d, %d, %d} : whole[0], whole[1], whole[2]
    float parts[3] = {0.5f, t * 0.5f, 1}; //# parts {%.9g, %.9g, %.9g} : parts[0], parts[1], parts[2]
    int most = largest(whole, 3); //# most %d
    float more = largest(parts, 3); //# more %.9g
    out[t] = most + (int)more;
}

// 20: classes, and numbers as arguments.
__global__ void classes(int *out) {
    int t = threadIdx.x; //# t %d
    Small<int, 3> three = {{t, 2, 3}}; //# three {data = {%d, %d, %d}} : three.data[0], three.data[1], three.data[2]
    Small<double, 2> two = {{0.25, t * 1.5}}; //# two {data = {%.17g, %.17g}} : two.data[0], two.data[1]
    int a = three.sum(); //# a %d
    double b = two.sum(); //# b %.17g
    out[t] = a + (int)b;
}

// 21: any number of arguments.
template <typename... Rest> __device__ __noinline__ int total(int first, Rest... rest) { //# first %d
    int sum = first; //# sum %d
    if constexpr (sizeof...(rest) > 0) {
        sum += total(rest...);
    }
    return sum;
}
__global__ void packs(int *out) {
    int t = threadIdx.x; //# t %d
    int three = total(t, 2, 3); //# three %d
    int one = total(three); //# one %d
    out[t] = three + one;
}

// 22: a kernel that is an instance, and a specialisation.
template <typename T> struct Scale { static __device__ __noinline__ T of(T x) {  //# x %.9g : (float)x
        T y = x * 2; //# y %.9g : (float)y
        return y;
    }
};
template <> struct Scale<short> { static __device__ __noinline__ short of(short x) { //# x %d
        short z = x - 1; //# z %d
        return z;
    }
};
template <typename T, int N> __device__ void each(int *out) {
    T value = T(threadIdx.x); //# value %.9g : (float)value
    for (int i = 0; i < N; i++) { //# i %d
        value = Scale<T>::of(value);
    }
    out[threadIdx.x] += (int)value;
}
__global__ void instances(int *out) {
    each<float, 2>(out);
    each<short, 3>(out);
}
