// The embedding interface: dsrt.h, part 3, over Module and Session.

#include "runtime/abi/dsrt.h"
#include "runtime/program/Session.h"

#include <exception>
#include <new>

using namespace dsc::runtime;

struct dsrt_module {
  Module module;
};

struct dsrt_session {
  std::unique_ptr<Session> session;
};

namespace {

thread_local std::string lastError;

int report(const Status &status) {
  if (status.ok())
    return DSRT_OK;
  lastError = status.message();
  return int(status.kind());
}

/// Runs `body` and turns what it throws into a status, since no exception may
/// cross into C.
template <typename Body> int guarded(Body body) {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return report(inputError("out of memory"));
  } catch (const std::exception &error) {
    return report(internalError("unexpected failure: ", error.what()));
  }
}

Status requireArgument(const void *pointer, const char *name) {
  return pointer ? Status() : usageError("'", name, "' is null");
}

} // namespace

const char *dsrt_last_error(void) { return lastError.c_str(); }

const char *dsrt_version(void) { return DSC_VERSION; }

int dsrt_module_open(const char *path, dsrt_module **module) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(path, "path"));
    DSC_RETURN_IF_ERROR(requireArgument(module, "module"));
    DSC_ASSIGN(Module opened, Module::open(path));
    *module = new dsrt_module{std::move(opened)};
    return {};
  });
}

void dsrt_module_close(dsrt_module *module) { delete module; }

const char *dsrt_module_manifest(const dsrt_module *module, uint64_t *bytes) {
  *bytes = module->module.manifestText().size();
  return module->module.manifestText().data();
}

int dsrt_session_create(dsrt_module *module,
                        const dsrt_session_options *options,
                        dsrt_session **session) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(module, "module"));
    DSC_RETURN_IF_ERROR(requireArgument(session, "session"));
    SessionOptions chosen;
    if (options) {
      if (options->size != sizeof(*options))
        return usageError("dsrt_session_options.size is ", options->size,
                          " and must be sizeof(dsrt_session_options), ",
                          sizeof(*options));
      if (options->threads < 0)
        return usageError("threads is negative");
      chosen.threads = options->threads;
      chosen.weights = options->weights ? options->weights : "";
      if (options->offload_directory)
        chosen.offloadDirectory = options->offload_directory;
    }
    DSC_ASSIGN(auto created, Session::create(module->module, chosen));
    *session = new dsrt_session{std::move(created)};
    return {};
  });
}

void dsrt_session_destroy(dsrt_session *session) { delete session; }

uint64_t dsrt_session_allocated_bytes(const dsrt_session *session) {
  return session->session->allocatedBytes();
}

int dsrt_session_bind_input(dsrt_session *session, const char *name,
                            const void *data, uint64_t bytes, int32_t type,
                            int32_t rank, const int64_t *shape) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    if (bytes)
      DSC_RETURN_IF_ERROR(requireArgument(data, "data"));
    if (type < DSRT_F32 || type > DSRT_I1)
      return usageError("type ", type, " is none of DSRT_F32 to DSRT_I1");
    if (rank < 0 || (rank > 0 && !shape))
      return usageError("the shape is missing");
    return session->session->bindInput(name, data, bytes, ElementType(type),
                                       Shape(shape, shape + rank));
  });
}

int dsrt_session_bind(dsrt_session *session, const char *name, const void *data,
                      uint64_t bytes) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    if (bytes)
      DSC_RETURN_IF_ERROR(requireArgument(data, "data"));
    return session->session->bindInput(name, data, bytes);
  });
}

int dsrt_session_run(dsrt_session *session, const char *entry) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(entry, "entry"));
    return session->session->run(entry);
  });
}

int dsrt_session_output(dsrt_session *session, const char *entry,
                        const char *name, const void **data, uint64_t *bytes) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(entry, "entry"));
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    DSC_ASSIGN(auto output, session->session->output(entry, name));
    *data = output.data();
    *bytes = output.size();
    return {};
  });
}

int dsrt_session_read_state(dsrt_session *session, const char *name, void *data,
                            uint64_t bytes) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    return session->session->readState(name, data, bytes);
  });
}

int dsrt_session_write_state(dsrt_session *session, const char *name,
                             const void *data, uint64_t bytes) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    return session->session->writeState(name, data, bytes);
  });
}

int dsrt_session_set(dsrt_session *session, const char *name, double value) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    return session->session->setSetting(name, value);
  });
}

int dsrt_session_get(dsrt_session *session, const char *name, double *value) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(name, "name"));
    DSC_ASSIGN(*value, session->session->getScalar(name));
    return {};
  });
}

int dsrt_session_save(dsrt_session *session, const char *path) {
  return guarded([&]() -> Status {
    DSC_RETURN_IF_ERROR(requireArgument(path, "path"));
    return session->session->save(path);
  });
}
