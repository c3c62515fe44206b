"""The program ``texunit``."""

import subprocess


def texunit(*arguments, **options):
    from texunit import path

    # What a program prints need not be UTF-8.
    options = {"capture_output": True, "errors": "replace", "text": True, **options}
    return subprocess.run([path(), *(str(argument) for argument in arguments)], **options)
