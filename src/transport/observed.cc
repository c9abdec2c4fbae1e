#include "transport/observed.h"

#include <string>
#include <utility>

namespace pi_mcp::transport {
namespace {

class ObservedTransport final : public Transport {
 public:
  ObservedTransport(std::unique_ptr<Transport> link, std::unique_ptr<Observer> observer)
      : link_(std::move(link)), observer_(std::move(observer)) {}

  boost::asio::awaitable<Result<rpc::Message>> receive() override {
    Result<rpc::Message> message = co_await link_->receive();
    co_return note(std::move(message));
  }
  std::optional<Result<rpc::Message>> receive_now() override {
    std::optional<Result<rpc::Message>> message = link_->receive_now();
    return message ? std::optional(note(*std::move(message))) : std::nullopt;
  }
  Result<void> send(rpc::Outgoing message) override {
    const std::string text = message.flat();
    observer_->sending(text);
    Result<void> sent = link_->send(std::move(message));
    observer_->sent(text, sent.has_value());
    return sent;
  }
  boost::asio::awaitable<Result<void>> drain(std::size_t bytes) override {
    return link_->drain(bytes);
  }
  boost::asio::awaitable<void> close() override { return link_->close(); }
  void on_call_failure(std::function<void(const rpc::Id&, Error)> handler) override {
    link_->on_call_failure(std::move(handler));
  }
  void on_answer_part(std::function<void(const rpc::Id&)> handler) override {
    link_->on_answer_part(std::move(handler));
  }
  void on_headers(Headers headers) override { link_->on_headers(std::move(headers)); }
  [[nodiscard]] bool has_session() const override { return link_->has_session(); }
  boost::asio::awaitable<bool> wants_session() override { return link_->wants_session(); }
  [[nodiscard]] LinkEnd end() const override { return link_->end(); }
  [[nodiscard]] LinkCounters counters() const override { return link_->counters(); }
  void on_stderr(std::function<void()> wrote) override { link_->on_stderr(std::move(wrote)); }
  [[nodiscard]] int process_id() const override { return link_->process_id(); }
  [[nodiscard]] std::string preparation() override { return link_->preparation(); }
  [[nodiscard]] StartAdvice start_advice() const override { return link_->start_advice(); }
  [[nodiscard]] std::uint64_t work() const override { return link_->work(); }

 private:
  Result<rpc::Message> note(Result<rpc::Message> message) {
    if (message) {
      observer_->received(*message);
    } else {
      observer_->ended();
    }
    return message;
  }

  std::unique_ptr<Transport> link_;
  std::unique_ptr<Observer> observer_;
};

}  // namespace

std::unique_ptr<Transport> observed(std::unique_ptr<Transport> link,
                                    std::unique_ptr<Observer> observer) {
  return std::make_unique<ObservedTransport>(std::move(link), std::move(observer));
}

}  // namespace pi_mcp::transport
