"""Programs of frp in notebooks: see kernel.py; `python -m frp_kernel.install` tells Jupyter."""
