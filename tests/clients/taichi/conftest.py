import pytest
import taichi as ti


@pytest.fixture(autouse=True)
def cuda():
    ti.init(arch=ti.cuda, log_level=ti.WARN, offline_cache=False, device_memory_GB=0.25)
    assert ti.lang.impl.current_cfg().arch == ti.cuda, "Taichi chose another backend"
    yield
    ti.reset()
