// Does nothing: for the time that `texunit run` takes by itself.
__global__ void nothing() {}

int main() {}
