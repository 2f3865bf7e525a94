"""Central differences, the definition that gradients are held against."""

import numpy as np

from .tolerance import DIFFERENCE_STEP


def central_differences(loss, parameters, step=DIFFERENCE_STEP):
    """Gradient of `loss(values)` at `parameters`, element by element."""
    values = {name: np.array(v, np.float64) for name, v in parameters.items()}
    gradients = {}
    for name, value in values.items():
        gradient = np.zeros_like(value)
        for index in np.ndindex(value.shape):
            kept = value[index]
            value[index] = kept + step
            above = loss(values)
            value[index] = kept - step
            below = loss(values)
            value[index] = kept
            gradient[index] = (above - below) / (2 * step)
        gradients[name] = gradient
    return gradients
