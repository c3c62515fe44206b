"""Many workers, over any executor of ``concurrent.futures`` or over Ray (``pip install ray``).

``sample`` fetches parts of the coordinates, ``run`` runs programs and jobs, ``launch`` runs one grid in ranges of CTAs
(docs/distributed.md). All give the bytes of one machine, whatever the number of workers, or an error. A task whose worker has
died is done again: by Ray itself, and of a ``ProcessPoolExecutor`` in a new pool of the same size.

``executor`` is an executor, a function without arguments that makes one (which is closed afterwards), or the module ``ray``.
What all tasks of a call need goes to each worker once: as a file in ``folder``, which all workers see (by default the
folder for temporary files), or through Ray's object store.
"""

from ._errors import RefusedError
from ._launch import Launched, launch, launch_job
from ._sample import sample
from ._suite import Program, Suite, run

__all__ = ["Launched", "Program", "RefusedError", "Suite", "launch", "launch_job", "run", "sample"]
