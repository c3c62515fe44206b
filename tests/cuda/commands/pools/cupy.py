"""What stands for CuPy."""


class cuda:
    allocator = "a pool"

    @classmethod
    def set_allocator(cls, allocator):
        cls.allocator = allocator
