struct Cell { short kind; float value; };
__device__ int counter = 7;
__device__ Cell board[3] = {{1, 0.5f}, {2, 1.5f}, {3, 2.5f}};
__constant__ float scale[3] = {0.5f, 1.5f, 2.5f};
static __device__ double hidden = 0.25;
namespace inner { __device__ unsigned short small = 9; }

// 32: variables of the module.
__global__ void module(int *out) {
    int t = threadIdx.x; //# t %d | counter %d | hidden %.17g | inner::small %d
    float factor = scale[t % 3]; //# factor %.9g | scale {%.9g, %.9g, %.9g} : scale[0], scale[1], scale[2]
    if (t == 37) {
        counter += 2;
        hidden *= 3;
        inner::small++;
        board[1].value = t; //# board[1] {kind = %d, value = %.9g} : board[1].kind, board[1].value
    }
    out[t] = (int)factor + counter;
}

// 33: shared arrays.
__global__ void shared(int *out) {
    __shared__ int tile[64];
    __shared__ float table[2][2];
    __shared__ Cell cells[4];
    int t = threadIdx.x; //# t %d
    tile[t] = t * t; //# tile[t] %d
    table[t / 32][t % 2] = 1.0f;
    if (t == 37) { //-
        cells[2] = {5, 0.75f}; //# cells[2] {kind = %d, value = %.9g} : cells[2].kind, cells[2].value
    }
    __syncthreads();
    int other = tile[63 - t]; //# other %d | tile[26] %d | table {{%.9g, %.9g}, {%.9g, %.9g}} : table[0][0], table[0][1], table[1][0], table[1][1]
    int *at = &tile[t]; //# *at %d | at[1] %d
    at[0] += other;
    out[t] = *at + cells[2].kind;
}

// 34: a shared array whose size the launch says, and atomics.
extern __shared__ int pool[];
__global__ void dynamic(int *out) {
    int t = threadIdx.x; //# t %d
    pool[t] = t + 1; //# pool[t] %d
    float *as_floats = reinterpret_cast<float *>(pool + 64); //-
    as_floats[t] = t * 0.5f; //# as_floats[t] %.9g
    __syncthreads();
    int before = atomicAdd(&pool[t], 5); //# before %d
    out[t] = before + pool[63 - t] + (int)as_floats[t];
}

// 35: static locals, and what is constant.
__global__ void statics(int *out) {
    static __shared__ int seen[2];
    const int fixed = 12; //# fixed %d
    constexpr float ratio = 0.75f; //# ratio %.9g
    int t = threadIdx.x; //# t %d
    seen[t % 2] = fixed; //# seen[t%2] %d : seen[t % 2]
    const char *text = t % 2 ? "odd" : "even"; //# *text %d '%c' : *text, *text | text[1] %d '%c' : text[1], text[1]
    out[t] = (int)(seen[t % 2] * ratio) + text[0];
}
