/* Writes text with a compiled byte-level language model: samples one byte after
 * the other from what the model's entry "forward" gives for the text so far.
 * The model takes one row of bytes, "tokens", and gives 256 scores for what
 * follows each of them, "logits": gpt.onnx compiled as README.md says. */
#include <dsrt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Vocabulary = 256 };

static void check(int status) {
  if (status == DSRT_OK)
    return;
  fprintf(stderr, "sample: %s\n", dsrt_last_error());
  exit(status);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "sample: out of memory\n");
    exit(DSRT_ERROR_INPUT);
  }
  return memory;
}

/* Uniform in [0, 1): the upper bits of SplitMix64. */
static double draw(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* One of the bytes, with probability softmax(scores / temperature); the most
 * likely one at temperature 0. */
static int choose(const float *scores, double temperature, uint64_t *state) {
  int best = 0;
  for (int i = 1; i < Vocabulary; ++i)
    if (scores[i] > scores[best])
      best = i;
  if (temperature == 0)
    return best;
  double mass[Vocabulary], total = 0;
  for (int i = 0; i < Vocabulary; ++i)
    total += mass[i] = exp((scores[i] - scores[best]) / temperature);
  double rest = draw(state) * total;
  for (int i = 0; i < Vocabulary; ++i)
    if ((rest -= mass[i]) < 0)
      return i;
  return best;
}

static double number(const char *text, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0 && value <= most)) {
    fprintf(stderr, "sample: '%s' is not a number from 0 to %g\n", text, most);
    exit(DSRT_ERROR_USAGE);
  }
  return value;
}

int main(int argc, char **argv) {
  if (argc != 6 || !*argv[5]) {
    fprintf(stderr, "usage: sample MODULE.so LENGTH TEMPERATURE SEED PROMPT\n");
    return DSRT_ERROR_USAGE;
  }
  size_t length = (size_t)number(argv[2], 1e9);
  double temperature = number(argv[3], 1e9);
  uint64_t seed = (uint64_t)number(argv[4], 9007199254740992.);

  dsrt_module *module;
  dsrt_session *session;
  const void *logits;
  uint64_t bytes;
  check(dsrt_module_open(argv[1], &module));
  check(dsrt_session_create(module, NULL, &session));
  /* The size of the output tells how many bytes the model looks at. */
  check(dsrt_session_output(session, "forward", "logits", &logits, &bytes));
  size_t context = bytes / (Vocabulary * sizeof(float));

  size_t size = strlen(argv[5]);
  unsigned char *text = allocate(size + length, 1);
  int64_t *tokens = allocate(context, sizeof(*tokens));
  memcpy(text, argv[5], size);
  fwrite(text, 1, size, stdout);
  for (size_t end = size + length; size < end; ++size) {
    size_t shown = size < context ? size : context;
    /* What follows the text does not matter: no byte looks at later ones. */
    for (size_t i = 0; i < shown; ++i)
      tokens[i] = text[size - shown + i];
    check(dsrt_session_bind(session, "tokens", tokens,
                            context * sizeof(*tokens)));
    check(dsrt_session_run(session, "forward"));
    check(dsrt_session_output(session, "forward", "logits", &logits, &bytes));
    const float *scores = (const float *)logits + (shown - 1) * Vocabulary;
    text[size] = (unsigned char)choose(scores, temperature, &seed);
    fputc(text[size], stdout);
    fflush(stdout);
  }
  fputc('\n', stdout);
  free(tokens);
  free(text);
  dsrt_session_destroy(session);
  dsrt_module_close(module);
  return 0;
}
