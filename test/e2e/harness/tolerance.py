"""Every bound of the suite, with its reason."""

# DESIGN section 8: f32 gradients against the float64 oracle, in the 2-norm of a
# tensor. A few hundred f32 roundings (6e-8 each, adding like a random walk) stay
# below it; a wrong factor or a lost term does not.
GRADIENT = 1e-5
# ... relative to no less than this share of the model's largest gradient, since
# some true gradients are zero and then only rounding is left to compare.
GRADIENT_FLOOR = 1e-3

# f32 losses of the first ten steps against float64: each step adds one f32
# rounding of every parameter, and a mean over few samples hides none of it.
LOSS = 2e-5

# Final parameters after ten f32 steps against float64. Adam divides by the root
# of v, so where a gradient is near zero its rounding decides the direction.
PARAMETER = 2e-4

# f64 gradients against the f64 oracle: same formulas in another order.
GRADIENT_F64 = 1e-10

# Central differences in f64 with h = 1e-5: truncation h^2 f'''/6 (1e-10 for our
# functions) and rounding eps |f| / h (1e-10 for losses around 10).
DIFFERENCE_STEP = 1e-5
DIFFERENCE = 1e-7

# The golden trace is printed with eight digits and was made in f32.
GOLDEN = 1e-6

# Predictions of an exported model: ONNX Runtime sums the same f32 products in
# another order.
PREDICTION = 1e-4

# Ranks against one (DESIGN section 8): ten steps of SGD in f32 on both sides, and
# only the order of sums differs.
RANKS = 1e-5

# A training that goes on with another number of ranks, against one that never
# stopped. AdamW divides by roots of moments, so that the rounding of a sum is a
# larger part of its update than of a gradient.
RESUMED = 1e-4
