"""A metric that fills the disk where no walk finds it: open files without a name, folders without a path."""

import os
import sys
import time

MIB = b"x" * (1 << 20)
if sys.argv.count("--input-path") or sys.argv.count("-i"):
    if os.environ["WHERE"] == "unlinked":
        for number in range(60):
            file = os.open(f"{number}", os.O_WRONLY | os.O_CREAT)
            os.unlink(f"{number}")
            for _ in range(4):
                os.write(file, MIB)
    else:
        for _ in range(1200):
            os.mkdir("deep")
            os.chdir("deep")
        for number in range(60):
            with open(f"{number}", "wb", buffering=0) as file:
                for _ in range(4):
                    file.write(MIB)
time.sleep(60)
