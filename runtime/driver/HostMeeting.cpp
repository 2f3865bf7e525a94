#include "runtime/driver/HostMeeting.h"
#include "runtime/driver/Watchdog.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

using namespace dsc::runtime;

namespace {

using Clock = std::chrono::steady_clock;

/// A process says hello as soon as it is connected; who does not is no rank.
constexpr timeval kHelloTime = {2, 0};

/// What a rank says to rank 0.
struct Hello {
  uint32_t slotBytes; ///< Tells apart programs that lay out memory otherwise.
  uint32_t rank, ranks;
  int32_t process;
  cpu_set_t cores;
};

/// What rank 0 answers, with the memory's descriptor if all is well.
struct Answer {
  uint32_t kind; ///< An ErrorKind; 0: all are there.
  uint32_t sharers;
  char message[248];
};

/// A file descriptor that is closed with its owner.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  operator int() const { return number; }
  int release() { return std::exchange(number, -1); }

private:
  int number;
};

struct Address {
  sockaddr_un name = {};
  socklen_t size;

  explicit Address(const LaunchEnvironment &environment) {
    // In the abstract name space: the first character is a zero.
    std::string text = concat('\0', "dsrun-", getuid(), "-",
                              std::hash<std::string>()(environment.job));
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, text.data(), text.size());
    size = socklen_t(offsetof(sockaddr_un, sun_path) + text.size());
  }
  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&name);
  }
};

Descriptor makeSocket() {
  return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

/// The process at the other end, if it is this user's.
std::optional<pid_t> findPeer(int socket) {
  ucred peer;
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != getuid())
    return std::nullopt;
  return peer.pid;
}

Hello makeHello(const LaunchEnvironment &environment) {
  Hello hello = {
      sizeof(RankSlot), environment.rank, environment.ranks, getpid(), {}};
  sched_getaffinity(0, sizeof(hello.cores), &hello.cores);
  return hello;
}

Status cannotMeet(const char *what) {
  return inputError("cannot meet the other ranks: ", what, ": ",
                    errnoText(errno));
}

/// Whether something can be read before `end`.
bool isReady(int socket, Clock::time_point end) {
  pollfd entry = {socket, POLLIN, 0};
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  int wait = int(std::clamp<int64_t>(left.count(), 0, 1 << 30));
  return poll(&entry, 1, wait) > 0;
}

//===----------------------------------------------------------------------===//
// Rank 0
//===----------------------------------------------------------------------===//

void answer(int socket, Answer answer, int descriptor) {
  iovec data = {&answer, sizeof(answer)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  // Who is gone by now is missed later on.
  (void)!sendmsg(socket, &message, MSG_NOSIGNAL);
}

void answerFailure(int socket, const Status &failure) {
  Answer refusal = {uint32_t(failure.kind()), 0, {}};
  std::strncpy(refusal.message, failure.message().c_str(),
               sizeof(refusal.message) - 1);
  answer(socket, refusal, -1);
}

/// The ranks that rank 0 has met so far.
class Host {
public:
  explicit Host(const LaunchEnvironment &environment)
      : environment(environment), sockets(environment.ranks),
        hellos(environment.ranks) {
    hellos[0] = makeHello(environment);
  }

  Status listenAt(const Address &address);
  Status waitForAll(double timeout);
  Result<MeetingPlace> open();
  /// Tells all that have come why they cannot go on.
  void dismiss(const Status &failure) {
    for (Descriptor &socket : sockets)
      if (socket >= 0)
        answerFailure(socket, failure);
  }

private:
  Status welcome();
  Status waitForNext(Clock::time_point end, bool &inTime);
  uint32_t countSharers(uint32_t rank) const;

  const LaunchEnvironment &environment;
  Descriptor listener;
  std::vector<Descriptor> sockets; ///< -1: that rank has not come.
  std::vector<Hello> hellos;
};

Status Host::listenAt(const Address &address) {
  listener = makeSocket();
  if (listener < 0)
    return cannotMeet("socket");
  if (bind(listener, address.get(), address.size) != 0)
    return errno == EADDRINUSE ? inputError("rank 0 is started twice")
                               : cannotMeet("bind");
  return listen(listener, SOMAXCONN) == 0 ? Status() : cannotMeet("listen");
}

/// Takes the next process that has connected.
Status Host::welcome() {
  Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  std::optional<pid_t> process = findPeer(socket);
  Hello hello;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kHelloTime, sizeof(kHelloTime));
  if (!process || recv(socket, &hello, sizeof(hello), 0) != sizeof(hello))
    return {};
  const uint32_t rank = hello.rank;
  Status failure;
  if (hello.slotBytes != sizeof(RankSlot))
    failure = inputError("rank ", rank, " runs another version of dsrun");
  else if (hello.ranks != environment.ranks || rank >= environment.ranks)
    failure = inputError("rank ", rank, " was started as one of ", hello.ranks,
                         " ranks and rank 0 as one of ", environment.ranks);
  else if (hello.process != *process)
    failure = inputError("rank ", rank,
                         " runs in another PID namespace; run "
                         "all ranks in one container");
  if (failure.ok() && (rank == 0 || sockets[rank] >= 0)) {
    // The others can go on without it.
    answerFailure(socket, inputError("rank ", rank, " is started twice"));
    return {};
  }
  if (!failure.ok()) {
    answerFailure(socket, failure);
    return failure;
  }
  sockets[rank] = std::move(socket);
  hellos[rank] = hello;
  return {};
}

/// Waits until a process connects or one that has come is gone.
Status Host::waitForNext(Clock::time_point end, bool &inTime) {
  std::vector<pollfd> entries = {{listener, POLLIN, 0}};
  for (const Descriptor &socket : sockets)
    entries.push_back({socket, POLLIN, 0}); // -1 is passed over.
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  int wait = int(std::clamp<int64_t>(left.count(), 0, 1 << 30));
  inTime = poll(entries.data(), entries.size(), wait) > 0;
  for (uint32_t rank = 1; rank < environment.ranks; ++rank)
    if (entries[rank + 1].revents)
      return inputError("rank ", rank, " has ended before all were there");
  return entries[0].revents ? welcome() : Status();
}

Status Host::waitForAll(double timeout) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout));
  for (;;) {
    std::vector<uint32_t> missing;
    for (uint32_t rank = 1; rank < environment.ranks; ++rank)
      if (sockets[rank] < 0)
        missing.push_back(rank);
    if (missing.empty())
      return {};
    bool inTime;
    DSC_RETURN_IF_ERROR(waitForNext(end, inTime));
    if (!inTime)
      return inputError(listRanks(missing), " of ", environment.ranks,
                        missing.size() == 1 ? " has" : " have",
                        " not come within ", timeout, " s (",
                        environment.source, ")");
  }
}

uint32_t Host::countSharers(uint32_t rank) const {
  uint32_t count = 0;
  for (const Hello &other : hellos) {
    cpu_set_t common;
    CPU_AND(&common, &hellos[rank].cores, &other.cores);
    count += CPU_COUNT(&common) > 0;
  }
  return std::max<uint32_t>(count, 1);
}

Result<MeetingPlace> Host::open() {
  MeetingPlace place;
  DSC_ASSIGN(place.world, SharedWorld::createForOthers(environment.ranks));
  for (uint32_t rank = 0; rank < environment.ranks; ++rank)
    place.world->slot(rank).comer.store(hellos[rank].process);
  for (uint32_t rank = 1; rank < environment.ranks; ++rank)
    answer(sockets[rank], {0, countSharers(rank), {}},
           place.world->descriptor());
  place.sharers = countSharers(0);
  place.listener = listener.release();
  return place;
}

Result<MeetingPlace> receiveRanks(const LaunchEnvironment &environment,
                                  double timeout) {
  Host host(environment);
  DSC_RETURN_IF_ERROR(host.listenAt(Address(environment)));
  Status status = host.waitForAll(timeout);
  if (!status.ok()) {
    host.dismiss(status);
    return status;
  }
  Result<MeetingPlace> place = host.open();
  if (!place.ok())
    host.dismiss(place.status());
  return place;
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

/// The memory's descriptor, or why there is none.
Result<int> takeAnswer(int socket, uint32_t &sharers) {
  Answer answer;
  iovec data = {&answer, sizeof(answer)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != sizeof(answer))
    return inputError("rank 0 has ended before all were there");
  if (answer.kind)
    return Status(ErrorKind(answer.kind), answer.message);
  sharers = answer.sharers;
  int descriptor = -1;
  if (const cmsghdr *header = CMSG_FIRSTHDR(&message))
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
  if (descriptor < 0)
    return inputError("cannot take the memory that rank 0 shares: too many "
                      "open files");
  return descriptor;
}

Result<MeetingPlace> findRankZero(const LaunchEnvironment &environment,
                                  double timeout) {
  const Address address(environment);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout));
  Descriptor socket = makeSocket();
  if (socket < 0)
    return cannotMeet("socket");
  while (connect(socket, address.get(), address.size) != 0) {
    if (errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN)
      return cannotMeet("connect");
    if (Clock::now() >= end)
      return inputError("rank 0 of ", environment.ranks,
                        " has not come within ", timeout, " s (",
                        environment.source, ")");
    usleep(10000);
  }
  if (!findPeer(socket))
    return inputError("the place where the ranks meet is another user's");
  Hello hello = makeHello(environment);
  (void)!send(socket, &hello, sizeof(hello), MSG_NOSIGNAL);
  // Rank 0 gives up first, and says who is missing.
  if (!isReady(socket, end + std::chrono::seconds(2)))
    return inputError("rank 0 has not answered within ", timeout, " s");
  MeetingPlace place;
  DSC_ASSIGN(int descriptor, takeAnswer(socket, place.sharers));
  DSC_ASSIGN(place.world, SharedWorld::attach(descriptor, environment.ranks));
  return place;
}

} // namespace

Result<MeetingPlace>
dsc::runtime::meetOnHost(const LaunchEnvironment &environment, double timeout) {
  return environment.rank == 0 ? receiveRanks(environment, timeout)
                               : findRankZero(environment, timeout);
}

void dsc::runtime::refuseLateComers(int listener, uint32_t ranks) {
  for (pollfd entry = {listener, POLLIN, 0}; poll(&entry, 1, 0) > 0;) {
    Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    Hello hello;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kHelloTime,
               sizeof(kHelloTime));
    if (recv(socket, &hello, sizeof(hello), 0) == sizeof(hello) &&
        hello.rank < ranks)
      answerFailure(socket,
                    inputError("rank ", hello.rank, " is started twice"));
  }
}
