"""Tells Jupyter of the kernel: for this user, or below --prefix FOLDER."""

import argparse
import json
import os
import sys
import tempfile

from jupyter_client.kernelspec import KernelSpecManager

SPECIFICATION = {
    "argv": [sys.executable, "-m", "frp_kernel", "-f", "{connection_file}"],
    "display_name": "frp",
    "language": "frp",
    "interrupt_mode": "signal",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", help="the folder below which it is installed, such as that of an environment")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(SPECIFICATION, file, indent=2)
        place = KernelSpecManager().install_kernel_spec(
            folder, "frp", user=arguments.prefix is None, prefix=arguments.prefix)
    print(f"installed in {place}")


main()
