"""cuda.core's graphs: definitions node by node, builders that capture, conditions, updates, memory."""

import ctypes

import numpy as np
import pytest
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch
from cuda.core.graph import GraphDefinition

SOURCE = r"""
extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(
    cudaGraphConditionalHandle handle, unsigned int value);

extern "C" __global__ void add(int *data, int number) { atomicAdd(data, number); }
extern "C" __global__ void twice(int *data) { *data *= 2; }
extern "C" __global__ void decide(cudaGraphConditionalHandle handle, unsigned int value)
{
    cudaGraphSetConditional(handle, value);
}
extern "C" __global__ void down(int *left, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, --*left > 0);
}
"""

ONE = LaunchConfig(grid=1, block=1)


@pytest.fixture(scope="module")
def device():
    device = Device()
    device.set_current()
    return device


@pytest.fixture(scope="module")
def kernels(device):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    module = Program(SOURCE, code_type="c++", options=options).compile("ptx")
    return {name: module.get_kernel(name) for name in ["add", "twice", "decide", "down"]}


class Words:
    """Two words that kernels and the host use."""

    def __init__(self, device):
        self.stream = device.create_stream()
        self.buffer = LegacyPinnedMemoryResource().allocate(8)
        self.array = np.ctypeslib.as_array((ctypes.c_int * 2).from_address(int(self.buffer.handle)))
        self.array[:] = 0

    def run(self, graph):
        graph.launch(self.stream)
        self.stream.sync()
        return self.array.tolist()


@pytest.fixture
def words(device):
    return Words(device)


def test_nodes_in_a_row(words, kernels):
    definition = GraphDefinition()
    fill = definition.memset(words.buffer, np.uint32(3), 1)
    node = fill.launch(ONE, kernels["add"], words.buffer, 4).launch(ONE, kernels["twice"], words.buffer)
    assert len(definition.nodes()) == 3 and len(definition.edges()) == 2
    assert node.pred and node.type is not None
    assert words.run(definition.instantiate())[0] == 14


def test_branches_and_joins(words, kernels):
    definition = GraphDefinition()
    first = definition.launch(ONE, kernels["add"], words.buffer, 1)
    left = first.launch(ONE, kernels["add"], words.buffer, 10)
    right = first.launch(ONE, kernels["add"], words.buffer, 100)
    left.join(right).launch(ONE, kernels["twice"], words.buffer)
    assert words.run(definition.instantiate())[0] == 222


def test_copies_and_children(words, kernels):
    child = GraphDefinition()
    child.launch(ONE, kernels["add"], words.buffer, 5)
    definition = GraphDefinition()
    address = int(words.buffer.handle)
    definition.embed(child).memcpy(address + 4, address, 4)
    assert words.run(definition.instantiate()) == [5, 5]


def test_memory_of_the_graph(words, kernels):
    definition = GraphDefinition()
    memory = definition.allocate(4)
    node = memory.memset(memory.dptr, np.uint32(7), 1).launch(ONE, kernels["add"], memory.dptr, 1)
    node.memcpy(int(words.buffer.handle), memory.dptr, 4).deallocate(memory.dptr)
    graph = definition.instantiate()
    assert words.run(graph)[0] == 8 and words.run(graph)[0] == 8


def test_functions_of_the_host(words):
    calls = []
    definition = GraphDefinition()
    definition.callback(lambda: calls.append(1)).join().callback(lambda: calls.append(2))
    graph = definition.instantiate()
    del definition
    words.run(graph)
    words.run(graph)
    assert calls == [1, 2, 1, 2]


def test_events(device, words, kernels):
    event = device.create_event()
    definition = GraphDefinition()
    definition.launch(ONE, kernels["add"], words.buffer, 1).record(event)
    definition.wait(event)
    words.run(definition.instantiate())
    event.sync()
    assert event.is_done and words.array[0] == 1


@pytest.mark.parametrize("value", range(4))
def test_conditions(words, kernels, value):
    definition = GraphDefinition()
    condition = definition.create_condition()
    first = definition.launch(ONE, kernels["decide"], condition.handle, np.uint32(value))
    choice = first.if_else(condition)
    choice.then.launch(ONE, kernels["add"], words.buffer, 1)
    choice.else_.launch(ONE, kernels["add"], words.buffer, 10)
    several = choice.switch(condition, 3)
    for i, branch in enumerate(several.branches):
        branch.launch(ONE, kernels["add"], words.buffer, 100 * (i + 1))
    wanted = (1 if value else 10) + (100 * (value + 1) if value < 3 else 0)
    assert words.run(definition.instantiate())[0] == wanted


def test_loops(words, kernels):
    definition = GraphDefinition()
    condition = definition.create_condition(default_value=1)
    loop = definition.while_loop(condition)
    address = int(words.buffer.handle)
    loop.body.launch(ONE, kernels["add"], words.buffer, 3).launch(ONE, kernels["down"], address + 4, condition.handle)
    words.array[1] = 5
    assert words.run(definition.instantiate()) == [15, 0]


def test_builders_capture(words, kernels):
    builder = words.stream.create_graph_builder().begin_building()
    assert builder.is_building
    launch(builder, ONE, kernels["add"], words.buffer, 1)
    left, right = builder.split(2)
    launch(left, ONE, kernels["add"], words.buffer, 10)
    launch(right, ONE, kernels["add"], words.buffer, 100)
    builder = type(builder).join(left, right)
    launch(builder, ONE, kernels["twice"], words.buffer)
    builder.end_building()
    assert words.array[0] == 0
    graph = builder.complete()
    graph.upload(words.stream)
    assert words.run(graph)[0] == 222


def test_builders_of_bodies(words, kernels):
    builder = words.stream.create_graph_builder().begin_building()
    condition = builder.create_condition(default_value=1)
    body = builder.while_loop(condition)
    body.begin_building()
    launch(body, ONE, kernels["add"], words.buffer, 2)
    launch(body, ONE, kernels["down"], int(words.buffer.handle) + 4, condition.handle)
    body.end_building()
    builder.end_building()
    words.array[1] = 4
    assert words.run(builder.complete()) == [8, 0]


def test_updates(words, kernels):
    def definition(number, nodes=2):
        new = GraphDefinition()
        node = new.launch(ONE, kernels["add"], words.buffer, number)
        for _ in range(nodes - 1):
            node = node.launch(ONE, kernels["twice"], words.buffer)
        return new

    graph = definition(1).instantiate()
    assert words.run(graph)[0] == 2
    graph.update(definition(4))
    assert words.run(graph)[0] == 12
    with pytest.raises(Exception, match="TOPOLOGY_CHANGED|topology|UPDATE"):
        graph.update(definition(4, nodes=3))


def test_nodes_are_changed_and_destroyed(words, kernels):
    definition = GraphDefinition()
    node = definition.launch(ONE, kernels["add"], words.buffer, 1)
    other = node.launch(ONE, kernels["twice"], words.buffer)
    node.update(args=(words.buffer, 20))
    other.destroy()
    assert not other.is_valid and len(definition.nodes()) == 1
    assert words.run(definition.instantiate())[0] == 20


def test_text(tmp_path, words, kernels):
    definition = GraphDefinition()
    definition.launch(ONE, kernels["add"], words.buffer, 1)
    path = tmp_path / "graph.dot"
    definition.debug_dot_print(str(path))
    assert path.read_text().startswith("digraph")
