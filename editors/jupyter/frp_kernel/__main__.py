from ipykernel.kernelapp import IPKernelApp

from .kernel import FrpKernel

IPKernelApp.launch_instance(kernel_class=FrpKernel)
