// The heap of device code: malloc and free, new and delete, memory that another thread frees, and a later loop finds free.

struct Node {
    int value;
    Node *next;
};

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int size;
    __device__ Square(int s) : size(s) {}
    __device__ int area() const override { return size * size; }
};
struct Row : Shape {
    int *cells, count;
    __device__ Row(int n) : cells(new int[n]), count(n)
    {
        for (int i = 0; i < n; i++)
            cells[i] = i;
    }
    __device__ ~Row() override { delete[] cells; }
    __device__ int area() const override
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += cells[i];
        return sum;
    }
};

__shared__ Node *lists[64];

extern "C" __global__ void heap(const int *in, int *out)
{
    int t = threadIdx.x, n = in[t] & 15;
    Node *list = nullptr;
    for (int i = 0; i < n; i++) {
        Node *node = (Node *)malloc(sizeof(Node));
        node->value = t + i;
        node->next = list;
        list = node;
    }
    lists[t] = list;
    __syncthreads();
    // The list of another thread.
    list = lists[63 - t];
    int sum = 0;
    while (list) {
        Node *next = list->next;
        sum = sum * 3 + list->value;
        free(list);
        list = next;
    }
    out[3 * t] = sum;
    Shape *shape = n % 2 ? (Shape *)new Square(n) : new Row(n + 1);
    out[3 * t + 1] = shape->area();
    delete shape;
    // More than the heap has, in pieces that are given back.
    int got = 0;
    for (int i = 0; i < 40; i++) {
        char *p = (char *)malloc(16 * 1024);
        got += p != nullptr && (size_t)p % 16 == 0;
        if (p)
            p[16 * 1024 - 1] = (char)i;
        free(p);
    }
    void *huge = malloc((size_t)1 << 40);
    out[3 * t + 2] = got * 2 + (huge != nullptr);
}
