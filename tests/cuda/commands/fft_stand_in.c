// Stands for NVIDIA's cuFFT.
int cufftGetVersion(int *version)
{
    *version = 777;
    return 0;
}
