// SPDX-License-Identifier: Apache-2.0
// The server on Boost.Beast, which is included here alone: it takes long to compile.
#include "vinci/viewing/http_server.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t max_connections = 64;
constexpr std::uint32_t max_header = 16 * 1024;         // bytes
constexpr std::size_t max_discarded = 8 * 1024 * 1024;  // bytes read after a refusal
constexpr seconds read_time(60), close_time(2);         // for a whole request; for the farewell
constexpr std::size_t slowest_reader = 1024 * 1024;     // bytes/s
constexpr milliseconds tick_time(100);

// 128 random bits in hexadecimal.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Failure("the system gives no random numbers");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Takes the same time wherever the texts differ, so that the time tells nothing.
bool same_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < secret.size(); ++i)
    different |= static_cast<unsigned>(given[i] ^ secret[i]);
  return different == 0;
}

asio::ip::address parsed_address(const std::string& host) {
  if (host == "localhost") return asio::ip::address_v4::loopback();
  boost::system::error_code code;
  const auto address = asio::ip::make_address(host, code);
  if (code)
    throw Error(
        fmt::format("'{}' is not an IP address; accepted: 127.0.0.1, 0.0.0.0, ::1, ...", host),
        "--host");
  return address;
}

std::string bracketed(const asio::ip::address& address) {
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// What `Host` may say. A server on all addresses of the machine accepts every IP address, which
// nobody can point elsewhere as a name can be.
class HostNames {
 public:
  HostNames(const asio::ip::address& bound, unsigned short port)
      : bound_(bound), end_(fmt::format(":{}", port)), may_miss_(port == 80) {}

  bool accept(std::string_view host) const {
    if (host.ends_with(end_))
      host.remove_suffix(end_.size());
    else if (!may_miss_)
      return false;
    const std::string name(host);
    if (name == "127.0.0.1" || name == "localhost" || name == "[::1]" || name == bracketed(bound_))
      return true;
    if (!bound_.is_unspecified()) return false;
    return name == machine_name() || is_address(name);
  }

 private:
  static bool is_address(std::string name) {
    if (name.size() > 2 && name.front() == '[' && name.back() == ']')
      name = name.substr(1, name.size() - 2);
    boost::system::error_code code;
    asio::ip::make_address(name, code);
    return !code;
  }

  asio::ip::address bound_;
  std::string end_;
  bool may_miss_;  // the port, where it is that of the protocol
};

}  // namespace

HttpResponse http_error(int status, const std::string& text) {
  const nlohmann::json json = {{"error", text}};
  return {status, "application/json",
          json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

namespace {

using Request = http::request<http::string_body>;

// One connection: reads a request, answers it, again and again.
class Session : public std::enable_shared_from_this<Session> {
 public:
  struct Door {  // what all sessions share
    std::string token;
    HostNames hosts;
    std::uint64_t max_body;
    bool frames;
    HttpServer::Handler handler;
    std::list<Session*> open;  // the one that has waited longest for its request comes first
  };

  Session(tcp::socket&& socket, Door& door) : stream_(std::move(socket)), door_(door) {
    place_ = door_.open.insert(door_.open.end(), this);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { door_.open.erase(place_); }

  void read();
  bool is_waiting() const { return waiting_; }
  void drop() {
    waiting_ = false;
    stream_.close();
  }

 private:
  void on_header(beast::error_code code);
  void on_body(beast::error_code code);
  std::optional<HttpResponse> refusal(const Request& request) const;
  HttpResponse answer(Request& request) const;
  void refuse(beast::error_code code);
  void write(HttpResponse&& answer, bool keep);
  void on_written(beast::error_code code);
  void discard();

  template <class Member>
  auto then(Member member) {
    return [self = shared_from_this(), member](beast::error_code code, std::size_t) {
      (self.get()->*member)(code);
    };
  }

  beast::tcp_stream stream_;
  Door& door_;
  std::list<Session*>::iterator place_;
  beast::flat_buffer buffer_{max_header + 64 * 1024};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::size_t discarded_ = 0;
  bool waiting_ = false;
};

void Session::read() {
  waiting_ = true;
  door_.open.splice(door_.open.end(), door_.open, place_);
  parser_.emplace();
  parser_->header_limit(max_header);
  parser_->body_limit(door_.max_body);
  stream_.expires_after(read_time);
  http::async_read_header(stream_, buffer_, *parser_, then(&Session::on_header));
}

void Session::on_header(beast::error_code code) {
  if (code) return refuse(code);
  if (auto no = refusal(parser_->get())) return write(std::move(*no), false);
  http::async_read(stream_, buffer_, *parser_, then(&Session::on_body));
}

void Session::on_body(beast::error_code code) {
  if (code) return refuse(code);
  Request request = parser_->release();
  const bool keep = request.keep_alive();
  HttpResponse given = answer(request);
  write(std::move(given), keep);
}

// What is wrong with a request, before its body is read.
std::optional<HttpResponse> Session::refusal(const Request& request) const {
  const auto text = [&](http::field field) {
    const auto value = request[field];
    return std::string_view(value.data(), value.size());
  };
  if (request.count(http::field::host) != 1 || !door_.hosts.accept(text(http::field::host)))
    return http_error(403, "this is not an address of this server");
  if (request.count(http::field::origin) > 0 &&
      text(http::field::origin) != "http://" + std::string(text(http::field::host)))
    return http_error(403, "pages of other addresses may not ask this server");
  const std::string_view target(request.target().data(), request.target().size());
  const auto end = target.find('/', 1);
  if (!target.starts_with('/') || end == std::string_view::npos ||
      !same_secret(target.substr(1, end - 1), door_.token))
    return http_error(404, "there is nothing here");
  const http::verb verb = request.method();
  if (verb != http::verb::get && verb != http::verb::head && verb != http::verb::post)
    return http_error(405, "accepted: GET, HEAD, POST");
  if (verb == http::verb::post && door_.max_body == 0)
    return http_error(405, "accepted: GET, HEAD");
  return std::nullopt;
}

HttpResponse Session::answer(Request& request) const {
  const std::string target(request.target().substr(door_.token.size() + 2));
  const auto mark = target.find('?');
  HttpRequest plain;
  plain.post = request.method() == http::verb::post;
  plain.path = target.substr(0, mark);
  if (mark != std::string::npos) plain.query = target.substr(mark + 1);
  plain.body = std::move(request.body());
  try {
    return door_.handler(plain);
  } catch (const std::exception& error) {
    return http_error(500, error.what());
  }
}

// The end of a connection, with an answer if what came was not HTTP or too much of it.
void Session::refuse(beast::error_code code) {
  if (code == http::error::header_limit || code == http::error::buffer_overflow)
    return write(http_error(431, "the request's header is too long"), false);
  if (code == http::error::body_limit)
    return write(http_error(413, "the request's body is too long"), false);
  if (code.category() == http::make_error_code(http::error::bad_method).category() &&
      code != http::error::end_of_stream && code != http::error::partial_message)
    return write(http_error(400, "this is not HTTP/1.1: " + code.message()), false);
  // Gone, silent for too long, or done: nobody to answer.
}

void Session::write(HttpResponse&& answer, bool keep) {
  waiting_ = false;
  const bool head = parser_->is_header_done() && parser_->get().method() == http::verb::head;
  response_ = {};
  response_.version(11);
  response_.result(static_cast<unsigned>(answer.status));
  response_.keep_alive(keep);
  response_.set(http::field::content_type, answer.type);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  response_.set("X-Frame-Options", door_.frames ? "SAMEORIGIN" : "DENY");
  response_.set("Referrer-Policy", "no-referrer");
  response_.set("Cross-Origin-Resource-Policy", "same-origin");
  response_.set("Cross-Origin-Opener-Policy", "same-origin");
  // The page is one file: its script and style are inline. It loads nothing from anywhere else.
  response_.set(
      "Content-Security-Policy",
      std::string("default-src 'none'; script-src 'unsafe-inline'; "
                  "style-src 'unsafe-inline'; img-src 'self' data: blob:; "
                  "media-src blob:; font-src data:; worker-src blob:; "
                  "connect-src 'self'; base-uri 'none'; form-action 'none'; ") +
          (door_.frames ? "frame-src 'self'; frame-ancestors 'self'" : "frame-ancestors 'none'"));
  if (answer.status == 405)
    response_.set(http::field::allow, door_.max_body > 0 ? "GET, HEAD, POST" : "GET, HEAD");
  response_.body() = std::move(answer.body);
  response_.prepare_payload();
  const auto bytes = response_.body().size();
  stream_.expires_after(read_time + seconds(bytes / slowest_reader));
  serializer_.emplace(response_);
  if (head) {
    serializer_->split(true);
    http::async_write_header(stream_, *serializer_, then(&Session::on_written));
  } else {
    http::async_write(stream_, *serializer_, then(&Session::on_written));
  }
}

void Session::on_written(beast::error_code code) {
  if (code) return;
  response_.body() = {};
  if (response_.keep_alive()) return read();
  // Closing with unread bytes would reset the connection and could take the answer with it.
  beast::error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(close_time);
  waiting_ = true;
  discard();
}

void Session::discard() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(16 * 1024),
                          [self = shared_from_this()](beast::error_code code, std::size_t bytes) {
                            self->discarded_ += bytes;
                            if (!code && self->discarded_ < max_discarded) self->discard();
                          });
}

}  // namespace

struct HttpServer::Impl {
  std::unique_ptr<Session::Door> door;  // outlives the sessions, which the context owns
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer timer{context};
  asio::ip::address bound;
  std::function<bool()> go_on;

  Impl(const HttpOptions& options, Handler handler);
  void accept();
  void take(tcp::socket&& socket);
  void tick();
};

HttpServer::Impl::Impl(const HttpOptions& options, Handler handler)
    : bound(parsed_address(options.host)) {
  if (options.port < 0 || options.port > 65535)
    throw Error(fmt::format("{} is not a port; accepted: 0 to 65535", options.port), "--port");
  const tcp::endpoint wanted(bound, static_cast<unsigned short>(options.port));
  try {
    acceptor.open(wanted.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(wanted);
    acceptor.listen();
  } catch (const boost::system::system_error& error) {
    throw Failure("cannot serve here: " + error.code().message(),
                  fmt::format("{}:{}", bracketed(bound), options.port));
  }
  door = std::make_unique<Session::Door>(
      Session::Door{random_token(),
                    HostNames(bound, acceptor.local_endpoint().port()),
                    options.max_body,
                    options.frames,
                    std::move(handler),
                    {}});
}

void HttpServer::Impl::accept() {
  acceptor.async_accept([this](boost::system::error_code code, tcp::socket socket) {
    if (code == asio::error::operation_aborted) return;
    if (!code) take(std::move(socket));
    if (!code) return accept();
    // No descriptors left, for instance: others will be closed.
    auto pause = std::make_shared<asio::steady_timer>(context, tick_time);
    pause->async_wait([this, pause](boost::system::error_code failed) {
      if (!failed) accept();
    });
  });
}

// A full house drops the connection that has been silent for longest.
void HttpServer::Impl::take(tcp::socket&& socket) {
  auto& open = door->open;
  if (open.size() >= max_connections) {
    const auto silent = std::find_if(open.begin(), open.end(),
                                     [](const Session* session) { return session->is_waiting(); });
    if (silent == open.end()) return;
    (*silent)->drop();
  }
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  std::make_shared<Session>(std::move(socket), *door)->read();
}

void HttpServer::Impl::tick() {
  timer.expires_after(tick_time);
  timer.async_wait([this](boost::system::error_code code) {
    if (code) return;
    if (go_on && !go_on()) return context.stop();
    tick();
  });
}

HttpServer::HttpServer(const HttpOptions& options, Handler handler)
    : impl_(std::make_unique<Impl>(options, std::move(handler))) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
  asio::ip::address shown = impl_->bound;
  if (shown.is_unspecified())
    shown = shown.is_v6() ? asio::ip::address(asio::ip::address_v6::loopback())
                          : asio::ip::address(asio::ip::address_v4::loopback());
  return fmt::format("http://{}:{}/{}/", bracketed(shown), impl_->acceptor.local_endpoint().port(),
                     impl_->door->token);
}

void HttpServer::serve(const std::function<bool()>& go_on) {
  impl_->go_on = go_on;
  impl_->accept();
  impl_->tick();
  impl_->context.run();
}

void HttpServer::stop() {
  impl_->context.stop();
}

}  // namespace vinci
