#!/usr/bin/env python3
"""Makes the recorded launches of this folder anew: regenerate.py TEXUNIT

Compiles cub.cu and thrust.cu by nvcc 13.5 with the CUB and Thrust of CUDA 13 (target/nvidia, as pip's --target lays out
NVIDIA's packages), records the launches named below by `TEXUNIT run --record`, and keeps of the PTX what these need: one
file for each program, beside a job for each launch and the contents of memory, each once.
"""
import glob, hashlib, os, re, shutil, subprocess, sys, tempfile

# Several CTAs that look back at each other, in each algorithm.
ELEMENTS = {"cub": "10000", "thrust": "6000"}
KEPT = {
    "cub": ["DeviceReduceKernel", "DeviceScanKernel", "DeviceRadixSortHistogramKernel", "DeviceRadixSortOnesweepKernel",
            "DeviceSelectSweepKernel", "DeviceHistogramSweepKernel"],
    "thrust": ["DeviceMergeSortBlockSortKernel", "DeviceMergeSortMergeKernel", "_kernel_agent"],
}


def compiled(name, work):
    here = os.path.dirname(os.path.abspath(__file__))
    nvidia = os.path.join(os.environ.get("TEXUNIT_NVIDIA", here + "/../../../target/nvidia"), "cu13/nvidia/cu13")
    shutil.copy(f"{here}/{name}.cu", work)
    subprocess.run(
        [nvidia + "/bin/nvcc", "-arch=compute_80", "-code=compute_80", "-std=c++17", "-w", f"-I{nvidia}/include",
         f"-I{nvidia}/include/cccl", f"{name}.cu", "-o", name, "-cudart", "none", f"-L{nvidia}/lib",
         "-l:libcudart.so.13"], cwd=work, check=True)


def stripped(ptx, kernels):
    """The PTX with these kernels alone, without remarks and what nobody names."""
    head, body = ptx.split(".version", 1)
    parts = re.split(r"\n(?=\.visible|\.weak|\.entry|\.func|\.extern|\.global|\.const|\t// \.globl)", ".version" + body)
    kept = []
    for part in parts:
        entry = re.search(r"\.entry (\w+)\(", part)
        if not part.startswith("\t// .globl") and (not entry or entry.group(1) in kernels):
            kept.append(re.sub(r"[ \t]*//[^\n]*", "", part))
    text = "\n".join(kept)

    def named(part):
        variable = re.match(r"(?:\.visible |\.weak )?\.(?:global|const)\s[^;=]*?(\w+)(?:\[\d*\])?\s*[=;]", part)
        return not variable or len(re.findall(rf"\b{variable.group(1)}\b", text)) > 1
    text = "\n".join(part for part in kept if named(part))
    return head + re.sub(r"\n{2,}", "\n", text).strip() + "\n"


def keep(name, recorded, out):
    jobs = sorted(glob.glob(recorded + "/*/job.toml"))
    jobs = [job for job in jobs if os.path.basename(os.path.dirname(job))[5:] in KEPT[name]]
    texts = [open(job).read() for job in jobs]
    kernels = {re.search(r'^kernel = "(.*)"', text, re.M).group(1) for text in texts}
    with open(f"{out}/{name}.ptx", "w") as file:
        file.write(stripped(open(os.path.dirname(jobs[0]) + "/kernel.ptx").read(), kernels))
    seen = set()
    for job, text in zip(jobs, texts):
        # Of launches that differ in what they are given alone, the first two.
        shape = re.search(r'^kernel = "(.*)"', text, re.M).group(1)
        if sum(1 for other in seen if other[0] == shape) == 2:
            continue
        seen.add((shape, job))
        text = text.replace('ptx = "kernel.ptx"', f'ptx = "{name}.ptx"')
        # Variables of the program that these kernels do not have.
        text = re.sub(r"\[places\]\n(?:\".*\n)*\n?", "", text)
        text = re.sub(r"\[globals\.[^\n]*\]\n(?:[^\[\n][^\n]*\n)*\n?", "", text)
        for data in set(re.findall(r'file = "([^"]+)"', text)):
            content = open(f"{os.path.dirname(job)}/{data}", "rb").read()
            kept = f"{hashlib.sha256(content).hexdigest()[:12]}.bin"
            with open(f"{out}/{kept}", "wb") as file:
                file.write(content)
            text = text.replace(f'file = "{data}"', f'file = "{kept}"')
        with open(f"{out}/{name}-{os.path.basename(os.path.dirname(job))}.toml", "w") as file:
            file.write(text)


def main():
    texunit = sys.argv[1]
    out = os.path.dirname(os.path.abspath(__file__))
    for old in glob.glob(out + "/*.bin") + glob.glob(out + "/*.toml"):
        os.remove(old)
    for name in KEPT:
        with tempfile.TemporaryDirectory() as work:
            compiled(name, work)
            subprocess.run([texunit, "run", "--record", work + "/recorded", work + "/" + name, ELEMENTS[name]], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            keep(name, work + "/recorded", out)


main()
