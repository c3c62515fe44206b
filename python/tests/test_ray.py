"""The same on Ray with two workers, one of which is killed in the middle."""

import os
import sys

import numpy as np
import pytest
from test_distributed import Killing, kill_once, planted, points, scaled, textures
from texunit import distributed
from texunit.distributed import _launch

ray = pytest.importorskip("ray")
_range = _launch.run_range


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory):
    variables = {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "TEXUNIT_TEST_MARKER": str(tmp_path_factory.mktemp("ray") / "killed"),
    }
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": variables})
    yield variables
    ray.shutdown()


def killing_range(*task):
    kill_once(os.environ["TEXUNIT_TEST_MARKER"])
    return _range(*task)


def test_samples():
    tex = next(textures())
    assert distributed.sample(tex, points(), ray).tobytes() == tex.sample(points()).tobytes()


def test_a_worker_is_killed(tmp_path):
    tex, marker = next(textures()), tmp_path / "killed"
    found = distributed.sample(Killing(tex, marker), points(), ray)
    assert marker.exists() and found.tobytes() == tex.sample(points()).tobytes()


def test_a_worker_is_killed_in_a_launch(cluster, monkeypatch):
    monkeypatch.setattr(_launch, "run_range", killing_range)
    assert len(scaled(ray).ranges) == 6
    assert os.path.exists(cluster["TEXUNIT_TEST_MARKER"])


@pytest.mark.parametrize("name", ["flag", "clock"])
def test_refused(name):
    with pytest.raises(distributed.RefusedError, match="error.E063"):
        distributed.launch((planted(name), "planted"), 32, 1, [np.zeros(64, np.uint32)], ray)
