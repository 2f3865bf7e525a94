"""A float64 interpreter of ONNX models with gradients, written apart from dsc.

Forward values follow the ONNX operator specification, gradients come from the
autograd library, optimizers and schedules from the formulas that PyTorch,
Transformers and DeepSpeed publish. Nothing here is derived from dsc's own
gradients, so an agreement of the two means something.
"""

from .gradients import Loss, loss_and_gradients
from .graph import Graph
from .interpreter import evaluate
from .optimizer import Adam, Sgd
from .training import Trace, train

__all__ = ["Adam", "Graph", "Loss", "Sgd", "Trace", "evaluate", "loss_and_gradients", "train"]
