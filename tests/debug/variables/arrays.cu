// 11: one dimension, and pointers into it.
__global__ void rows(int *out) {
    int t = threadIdx.x; //# t %d
    int row[5] = {t, 1, 2, 3, -t}; //# row {%d, %d, %d, %d, %d} : row[0], row[1], row[2], row[3], row[4]
    int *at = row + 1; //# *at %d | at[-1] %d | at-row %d : (int)(at - row)
    while (at < row + 4) {
        *at += t;
        at++;
    }
    const int *end = &row[4]; //# *end %d | end[-1] %d
    out[t] = row[0] + row[3] + *end;
}

// 12: two and three dimensions.
__global__ void tables(int *out) {
    int t = threadIdx.x; //# t %d
    short table[2][3] = {{1, 2, 3}, {4, 5, (short)t}}; //# table {{%d, %d, %d}, {%d, %d, %d}} : table[0][0], table[0][1], table[0][2], table[1][0], table[1][1], table[1][2]
    float cube[2][2][2]; //-
    for (int i = 0; i < 8; i++) { //# i %d
        cube[i / 4][i / 2 % 2][i % 2] = i * 0.5f + t; //# cube[i/4][i/2%2][i%2] %.9g : cube[i/4][i/2%2][i%2]
    }
    table[1][0] = (short)cube[1][0][1]; //# cube[1] {{%.9g, %.9g}, {%.9g, %.9g}} : cube[1][0][0], cube[1][0][1], cube[1][1][0], cube[1][1][1]
    out[t] = table[1][0] + table[1][2];
}

// 13: pointers to pointers, and arrays of them.
__global__ void pointers(int *out) {
    int t = threadIdx.x; //# t %d
    int a = t, b = 2 * t; //# a %d | b %d
    int *all[2] = {&a, &b}; //# *all[0] %d | *all[1] %d
    int **two = all + 1; //# **two %d
    **two += 3;
    *two = &a; //# *all[1] %d
    int (*behind)[2] = reinterpret_cast<int (*)[2]>(&all); //# behind!=0 %d : behind != nullptr
    all[0][0]++;
    out[t] = a + b + (behind != nullptr);
}

// 14: memory of the launch.
__global__ void given(int *out) {
    int t = threadIdx.x; //# t %d | out[5] %d
    int *own = out + blockIdx.x * blockDim.x + t; //# *own %d
    *own = 7 * t; //# own[0] %d
    volatile int *same = own; //# *same %d
    *same += 1;
    atomicAdd(own, 10);
    int now = *same; //# now %d
    out[t] = now;
}
