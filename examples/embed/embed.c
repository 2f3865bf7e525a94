/* Trains a compiled model from C with batches from memory. The model takes 8
 * samples of 4 features, "x", and their classes, "labels": tiny.onnx of
 * make_model.py, compiled as README.md says. */
#include <dsrt.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == DSRT_OK)
    return;
  fprintf(stderr, "embed: %s\n", dsrt_last_error());
  exit(status);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: embed MODULE.so\n"), 2;
  dsrt_module *module;
  dsrt_session *session;
  check(dsrt_module_open(argv[1], &module));
  check(dsrt_session_create(module, NULL, &session));
  double loss = 0;
  for (int step = 0; step < 200; ++step) {
    float x[8][4];
    int64_t labels[8];
    for (int i = 0; i < 8; ++i) { /* class 1: the features sum above 2 */
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += x[i][k] = rand() / (float)RAND_MAX;
      labels[i] = sum > 2;
    }
    check(dsrt_session_bind(session, "x", x, sizeof(x)));
    check(dsrt_session_bind(session, "labels", labels, sizeof(labels)));
    check(dsrt_session_run(session, "step_last"));
    check(dsrt_session_run(session, "update"));
    check(dsrt_session_get(session, "dsc.report.loss", &loss));
    if (step % 50 == 0)
      printf("step %d  loss %.4f\n", step, loss);
  }
  check(dsrt_session_save(session, "trained.safetensors"));
  printf("loss %.4f, saved trained.safetensors\n", loss);
  dsrt_session_destroy(session);
  dsrt_module_close(module);
}
