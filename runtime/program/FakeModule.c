/* A module written by hand, so that the runtime is tested without the compiler,
 * and so that one can read what the compiler generates: softmax regression,
 * logits = x w, for 4 features, 2 classes and batches of 8, trained with SGD,
 * zero stage 3. Definitions on the compiler's command line make faulty
 * variants. */

#include "runtime/abi/dsrt.h"

#include <math.h>
#include <stddef.h>

enum { Batch = 8, Features = 4, Classes = 2 };

#ifndef FAKE_ABI
#define FAKE_ABI DSRT_ABI_VERSION
#endif
#ifndef FAKE_FORMAT
#define FAKE_FORMAT 1
#endif
#ifndef FAKE_FEATURES
#define FAKE_FEATURES "+sse2"
#endif
#if defined(__aarch64__)
#define TRIPLE "aarch64-unknown-linux-gnu"
#else
#define TRIPLE "x86_64-unknown-linux-gnu"
#endif

/* ---- Manifest: the preprocessor quotes the JSON. ---- */

#define JSON(...) JSON_TEXT(__VA_ARGS__)
#define JSON_TEXT(...) #__VA_ARGS__
#define SCALAR(name, type, init)                                               \
  {                                                                            \
    "name" : name,                                                             \
    "class" : "scalar",                                                        \
    "type" : type,                                                             \
    "elements" : 1,                                                            \
    "shape" : [],                                                              \
    "group" : -1,                                                              \
    "offset" : 0,                                                              \
    "of" : null,                                                               \
    "initial" : init                                                           \
  }
#define INPUT_X(...)                                                           \
  {"name" : "x", "role" : "data", "type" : "f32", "shape" : [__VA_ARGS__]}
#define INPUT_LABELS(...)                                                      \
  {                                                                            \
    "name" : "labels",                                                         \
    "role" : "labels",                                                         \
    "type" : "i64",                                                            \
    "shape" : [__VA_ARGS__],                                                   \
    "classes" : 2,                                                             \
    "ignore_index" : -100                                                      \
  }
#define INPUT_WEIGHT(...)                                                      \
  {                                                                            \
    "name" : "dsc.sample_weight",                                              \
    "role" : "sample_weight",                                                  \
    "type" : "f32",                                                            \
    "shape" : [__VA_ARGS__]                                                    \
  }
#ifdef FAKE_WITHOUT_SAMPLE_WEIGHT
#define INPUTS [ INPUT_X(8, 4), INPUT_LABELS(8) ]
#else
#define INPUTS [ INPUT_X(8, 4), INPUT_LABELS(8), INPUT_WEIGHT(8) ]
#endif

/* A further set of entries, for 4 samples of 2 rows each: the same code. */
#define PAIR_INPUTS [ INPUT_X(4, 2, 4), INPUT_LABELS(4, 2), INPUT_WEIGHT(4, 2) ]

/* Index of each state in the table below. */
enum {
  Weight,
  Gradient,
  LearningRate,
  NominalWeight,
  AppliedSteps,
  LossSum,
  LossWeight,
  ReportLoss,
  ReportLr,
  ReportNorm,
  ReportWeight,
  ReportSkipped,
  EvalLossSum,
  EvalWeight,
  EvalCorrect
};

/* clang-format off */
#ifdef FAKE_PAIRS
#define PAIR_ENTRIES \
  , {"name": "step.pair", "kind": "step", "batch": 4, \
     "symbol": "dsc_entry_step", "inputs": PAIR_INPUTS, "outputs": []}, \
    {"name": "step_last.pair", "kind": "step_last", "batch": 4, \
     "symbol": "dsc_entry_step", "inputs": PAIR_INPUTS, "outputs": []}, \
    {"name": "eval.pair", "kind": "eval", "batch": 4, \
     "symbol": "dsc_entry_eval", "inputs": PAIR_INPUTS, \
     "outputs": [{"name": "logits", "type": "f32", "shape": [4, 2, 2], \
                  "arena_offset": 0}]}
#else
#define PAIR_ENTRIES
#endif
#ifdef FAKE_FORWARD
#define ENTRIES \
  [{"name": "forward", "kind": "forward", "symbol": "dsc_entry_forward", \
    "inputs": [INPUT_X(8, 4)], \
    "outputs": [{"name": "logits", "type": "f32", "shape": [8, 2], \
                 "arena_offset": 0}]}]
#else
#define ENTRIES \
  [{"name": "step", "kind": "step", "symbol": "dsc_entry_step", \
    "inputs": INPUTS, "outputs": []}, \
   {"name": "step_last", "kind": "step_last", "symbol": "dsc_entry_step", \
    "inputs": INPUTS, "outputs": []}, \
   {"name": "update", "kind": "update", "symbol": "dsc_entry_update", \
    "inputs": [], "outputs": []}, \
   {"name": "eval", "kind": "eval", "symbol": "dsc_entry_eval", \
    "inputs": INPUTS, \
    "outputs": [{"name": "logits", "type": "f32", "shape": [8, 2], \
                 "arena_offset": 0}]} \
   PAIR_ENTRIES]
#endif

__attribute__((section(".dsc.manifest"), used))
const char dsc_manifest[] = JSON({
  "format": FAKE_FORMAT, "abi": FAKE_ABI, "dsc": "0.1.0", "model": "fake.onnx",
  "target": {"kind": "host", "triple": TRIPLE,
             "cpu": "fake", "features": FAKE_FEATURES},
  "zero_stage": 3, "max_world": 1024, "unit": 64,
  "optimizer": "sgd", "loss": "cross_entropy(logits,labels)",
  "precision": "f32", "arena_bytes": 512, "batch": 8,
  "settings": [
    {"name": "dsc.lr", "flag": "lr", "default": 0.5, "help": "learning rate"},
    {"name": "dsc.nominal_weight", "flag": "", "default": 8, "help": ""}],
  "groups": [{"name": "layer", "elements": 8, "type": "f32", "stage": 3,
              "segments": [{"tensor": "w", "offset": 0, "elements": 8}]}],
  "states": [
    {"name": "w", "class": "parameter", "type": "f32", "elements": 8,
     "shape": [4, 2], "group": 0, "offset": 0, "of": null, "initial": 0},
    {"name": "w.grad", "class": "gradient", "type": "f32", "elements": 8,
     "shape": [4, 2], "group": 0, "offset": 0, "of": "w", "initial": 0},
    SCALAR("dsc.lr", "f64", 0), SCALAR("dsc.nominal_weight", "f64", 0),
    SCALAR("dsc.applied_steps", "i64", 0),
    SCALAR("dsc.loss_sum", "f64", 0), SCALAR("dsc.loss_weight", "f64", 0),
    SCALAR("dsc.report.loss", "f64", 0), SCALAR("dsc.report.lr", "f64", 0),
    SCALAR("dsc.report.grad_norm", "f64", 0),
    SCALAR("dsc.report.weight", "f64", 0),
    SCALAR("dsc.report.skipped", "f64", 0),
    SCALAR("dsc.eval_loss_sum", "f64", 0), SCALAR("dsc.eval_weight", "f64", 0),
    SCALAR("dsc.eval_correct", "f64", 0)],
  "parameters": [{"name": "w", "state": 0, "type": "f32", "shape": [4, 2],
                  "role": "trainable", "reason": "float initializer",
                  "source": {"file": "fake.weights.raw", "offset": 0,
                             "bytes": 32}, "ties": []}],
  "weights": null,
  "entries": ENTRIES,
  "plan": {}, "options": {}, "hash": "fake"
});
/* clang-format on */

const uint64_t dsc_manifest_size = sizeof(dsc_manifest) - 1;
const uint32_t dsc_abi_version = FAKE_ABI;

/* ---- Kernels ---- */

/* Loss and its gradient; one grid index, since it sums over the batch.
 * args: logits, labels, sample weights or null, dlogits or null, loss sum,
 * loss weight, correct or null, nominal weight. */
static void loss_kernel(void *const *args, int64_t begin, int64_t end) {
  const float *logits = args[0];
  const int64_t *labels = args[1];
  const float *weights = args[2];
  float *gradient = args[3];
  double *sum = args[4], *total = args[5], *correct = args[6];
  const double *nominal = args[7];
  for (int row = 0; row < Batch; ++row) {
    const float *x = logits + row * Classes;
    double weight = labels[row] < 0 ? 0 : weights ? weights[row] : 1;
    double norm = exp(x[0]) + exp(x[1]);
    for (int class = 0; class < Classes; ++class) {
      double p = exp(x[class]) / norm;
      double target = class == labels[row];
      if (gradient)
        gradient[row * Classes + class] = weight / *nominal * (p - target);
      if (target != 0)
        *sum -= weight * log(p);
    }
    *total += weight;
    if (correct)
      *correct += weight != 0 && (x[1] > x[0]) == labels[row];
  }
}

/* One step of SGD on a range of the shard, whose gradients become zero.
 * args: parameter, its size, gradient, its size, learning rate, loss weight,
 * nominal weight. */
static void sgd_kernel(void *const *args, int64_t begin, int64_t end) {
  float *parameter = args[0], *gradient = args[2];
  const double *rate = args[4], *weight = args[5], *nominal = args[6];
  float scale = *weight != 0 ? *rate * *nominal / *weight : 0;
  for (int64_t i = begin; i < end; ++i) {
    parameter[i] -= scale * gradient[i];
    gradient[i] = 0;
  }
}

/* args: pointers to the scalars that the update reads and writes. */
static void report_kernel(void *const *args, int64_t begin, int64_t end) {
  double *sum = args[0], *weight = args[1], *loss = args[2], *rate = args[3];
  *loss = *weight != 0 ? *sum / *weight : 0;
  *rate = *(double *)args[4];
  *(double *)args[5] = *weight;
  ++*(int64_t *)args[6];
  *sum = *weight = 0;
}

/* ---- Entry points ---- */

/* Gathers the parameters and computes the logits into the arena. */
static const float *forward(dsrt_context *context) {
  char *arena = dsrt_arena(context);
  float *logits = (float *)arena, *full = (float *)(arena + 256);
  dsrt_event_record(context, DSRT_STREAM_COMPUTE, 0);
  dsrt_event_wait(context, DSRT_STREAM_COMMUNICATION, 0);
  dsrt_all_gather(context, DSRT_STREAM_COMMUNICATION, 0,
                  dsrt_shard(context, Weight), full, 0);
  dsrt_event_record(context, DSRT_STREAM_COMMUNICATION, 1);
  dsrt_event_wait(context, DSRT_STREAM_COMPUTE, 1);
  const dsrt_contraction_desc product = {DSRT_F32, 0,     0,       0,
                                         1,        Batch, Classes, Features};
  dsrt_contraction(context, DSRT_STREAM_COMPUTE, &product,
                   dsrt_input(context, 0), full, logits);
  return logits;
}

static void *sample_weights(dsrt_context *context) {
#ifdef FAKE_WITHOUT_SAMPLE_WEIGHT
  return NULL;
#else
  return dsrt_input(context, 2);
#endif
}

void dsc_entry_step(dsrt_context *context) {
#ifdef FAKE_BAD_CALL
  dsrt_event_wait(context, 17, 0);
#endif
  const float *logits = forward(context);
  float *gradient = (float *)((char *)dsrt_arena(context) + 128);
  void *const args[] = {(void *)logits,
                        dsrt_input(context, 1),
                        sample_weights(context),
                        gradient,
                        dsrt_state(context, LossSum),
                        dsrt_state(context, LossWeight),
                        NULL,
                        dsrt_state(context, NominalWeight)};
  dsrt_launch(context, DSRT_STREAM_COMPUTE, loss_kernel, args, 8, 1);
  const dsrt_contraction_desc product = {DSRT_F32, 1,        0,       1,
                                         1,        Features, Classes, Batch};
  dsrt_contraction(context, DSRT_STREAM_COMPUTE, &product,
                   dsrt_input(context, 0), gradient,
                   dsrt_part(context, Gradient));
}

void dsc_entry_update(dsrt_context *context) {
  int64_t elements = dsrt_part_elements(context, Weight);
  void *const update[] = {
      dsrt_part(context, Weight),        (void *)(intptr_t)elements,
      dsrt_part(context, Gradient),      (void *)(intptr_t)elements,
      dsrt_state(context, LearningRate), dsrt_state(context, LossWeight),
      dsrt_state(context, NominalWeight)};
  dsrt_launch(context, DSRT_STREAM_COMPUTE, sgd_kernel, update, 7, elements);
  void *const report[] = {
      dsrt_state(context, LossSum),      dsrt_state(context, LossWeight),
      dsrt_state(context, ReportLoss),   dsrt_state(context, ReportLr),
      dsrt_state(context, LearningRate), dsrt_state(context, ReportWeight),
      dsrt_state(context, AppliedSteps)};
  dsrt_launch(context, DSRT_STREAM_COMPUTE, report_kernel, report, 7, 1);
}

void dsc_entry_forward(dsrt_context *context) { forward(context); }

void dsc_entry_eval(dsrt_context *context) {
  const float *logits = forward(context);
  void *const args[] = {(void *)logits,
                        dsrt_input(context, 1),
                        sample_weights(context),
                        NULL,
                        dsrt_state(context, EvalLossSum),
                        dsrt_state(context, EvalWeight),
                        dsrt_state(context, EvalCorrect),
                        dsrt_state(context, NominalWeight)};
  dsrt_launch(context, DSRT_STREAM_COMPUTE, loss_kernel, args, 8, 1);
}
