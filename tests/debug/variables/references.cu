struct Pair { int a; float b; };

// 15: references to locals.
__global__ void locals(int *out) {
    int t = threadIdx.x; //# t %d
    int value = 3 * t; //# value %d
    int &alias = value; //# *&alias %d : alias
    const float &fixed = 2.5f; //# *&fixed %.9g : fixed
    alias += (int)fixed;
    Pair pair = {alias, fixed}; //# pair {a = %d, b = %.9g} : pair.a, pair.b
    float &member = pair.b; //# *&member %.9g : member
    member *= t;
    out[t] = value + (int)pair.b;
}

// 16: as parameters.
__device__ __noinline__ void change(int &n, Pair &pair, const int (&row)[3]) { //# *&n %d : n | pair.a %d | pair.b %.9g | row[2] %d
    n += row[1];
    pair.a = n;
    pair.b += 0.5f;
}
__global__ void parameters(int *out) {
    int t = threadIdx.x; //# t %d
    int n = t; //# n %d
    Pair pair = {1, 2}; //# pair {a = %d, b = %.9g} : pair.a, pair.b
    int row[3] = {4, 5, t}; //# row {%d, %d, %d} : row[0], row[1], row[2]
    change(n, pair, row);
    change(row[2], pair, row);
    out[t] = n + pair.a + row[2];
}

// 17: rvalue references, and of elements.
__device__ __noinline__ int taken(Pair &&pair) { //# pair.a %d | pair.b %.9g
    int sum = pair.a + (int)pair.b; //# sum %d
    return sum;
}
__global__ void elements(int *out) {
    int t = threadIdx.x; //# t %d
    Pair all[4]; //-
    for (Pair &one : all) { //-
        one.a = t; //# one.a %d
        one.b = 1.5f; //# one.b %.9g
    }
    Pair &third = all[2]; //# third.a %d
    third.a = taken({t, 9}) + taken(Pair{third.a, third.b});
    out[t] = third.a + all[3].a;
}

// 18: to shared and to global memory.
__device__ int shelf[4] = {1, 2, 3, 4};
__global__ void elsewhere(int *out) {
    __shared__ Pair tile[64];
    int t = threadIdx.x; //# t %d
    Pair &own = tile[t]; //-
    own = {t, 0.5f}; //# own.a %d | own.b %.9g
    int &global = shelf[t % 4]; //# *&global %d : global
    int &given = out[t]; //# *&given %d : given
    own.a += global;
    given = own.a;
    __syncthreads();
    int other = tile[63 - t].a; //# other %d
    out[t] += other;
}
