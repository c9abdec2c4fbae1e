#include "io/net/secret_service.h"

#include <dbus/dbus.h>

#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "io/net/name_services.h"

namespace pi_mcp::io {
namespace {

// The Secret Service API, draft 0.2 (specifications.freedesktop.org/secret-service).
constexpr const char* service_name = "org.freedesktop.secrets";
constexpr const char* service_path = "/org/freedesktop/secrets";
constexpr const char* of_service = "org.freedesktop.Secret.Service";
constexpr const char* of_collection = "org.freedesktop.Secret.Collection";
constexpr const char* of_item = "org.freedesktop.Secret.Item";
constexpr const char* of_properties = "org.freedesktop.DBus.Properties";
constexpr const char* label_property = "org.freedesktop.Secret.Item.Label";
constexpr const char* attributes_property = "org.freedesktop.Secret.Item.Attributes";
constexpr const char* default_collection = "default";
// In place of an object: there is none, or nobody has to be asked.
constexpr std::string_view no_object = "/";

// Under these libsecret files and finds the same items.
constexpr const char* schema_attribute = "xdg:schema";
constexpr const char* login_schema = "pi-mcp.login";
constexpr const char* named_schema = "pi-mcp.secret";
constexpr const char* record_attribute = "record";
constexpr const char* service_attribute = "service";
constexpr const char* user_attribute = "username";
constexpr const char* own_service = "pi-mcp";

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct Release {
  void operator()(DBusMessage* message) const { dbus_message_unref(message); }
  void operator()(DBusConnection* connection) const {
    dbus_connection_close(connection);
    dbus_connection_unref(connection);
  }
  void operator()(char* text) const { dbus_free(text); }
};
using Message = std::unique_ptr<DBusMessage, Release>;
using Connection = std::unique_ptr<DBusConnection, Release>;

// What libdbus cannot do is always for want of memory.
void ensure(dbus_bool_t done) {
  if (done == 0) {
    throw std::bad_alloc();
  }
}

class Failure {
 public:
  Failure() : error_() { dbus_error_init(&error_); }
  ~Failure() { dbus_error_free(&error_); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  DBusError* operator&() { return &error_; }  // NOLINT(google-runtime-operator): to be filled in
  [[nodiscard]] bool is(const char* name) const { return dbus_error_has_name(&error_, name) != 0; }
  void forget() { dbus_error_free(&error_); }
  [[nodiscard]] std::string text() const {
    return error_.message == nullptr ? "no reason" : error_.message;
  }

 private:
  DBusError error_;
};

// Part of a message that is being written.
class Container {
 public:
  Container(DBusMessageIter& outer, int type, const char* contents) : outer_(&outer), inner_() {
    ensure(dbus_message_iter_open_container(&outer, type, contents, &inner_));
  }
  ~Container() { dbus_message_iter_close_container(outer_, &inner_); }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  DBusMessageIter& operator*() { return inner_; }

 private:
  DBusMessageIter* outer_;
  DBusMessageIter inner_;
};

void append(DBusMessageIter& to, int type, const char* text) {
  ensure(dbus_message_iter_append_basic(&to, type, static_cast<const void*>(&text)));
}

void append_bytes(DBusMessageIter& to, const std::string& bytes) {
  Container array(to, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE_AS_STRING);
  const char* begin = bytes.data();
  ensure(dbus_message_iter_append_fixed_array(
      &*array, DBUS_TYPE_BYTE, static_cast<const void*>(&begin), static_cast<int>(bytes.size())));
}

void append_attributes(DBusMessageIter& to, const Attributes& attributes) {
  Container dictionary(to, DBUS_TYPE_ARRAY, "{ss}");
  for (const auto& [name, value] : attributes) {
    Container entry(*dictionary, DBUS_TYPE_DICT_ENTRY, nullptr);
    append(*entry, DBUS_TYPE_STRING, name.c_str());
    append(*entry, DBUS_TYPE_STRING, value.c_str());
  }
}

std::string text_at(DBusMessageIter& at) {
  const char* text = nullptr;
  dbus_message_iter_get_basic(&at, static_cast<void*>(&text));
  return text;
}

DBusMessageIter inside(DBusMessageIter& at) {
  DBusMessageIter inner;
  dbus_message_iter_recurse(&at, &inner);
  return inner;
}

bool is_at_end(DBusMessageIter& at) {
  return dbus_message_iter_get_arg_type(&at) == DBUS_TYPE_INVALID;
}

std::vector<std::string> texts_at(DBusMessageIter& at) {
  std::vector<std::string> texts;
  for (DBusMessageIter each = inside(at); !is_at_end(each); dbus_message_iter_next(&each)) {
    texts.push_back(text_at(each));
  }
  return texts;
}

std::string bytes_at(DBusMessageIter& at) {
  DBusMessageIter array = inside(at);
  const char* bytes = nullptr;
  int count = 0;
  dbus_message_iter_get_fixed_array(&array, static_cast<void*>(&bytes), &count);
  return count == 0 ? "" : std::string(bytes, static_cast<std::size_t>(count));
}

struct Method {
  std::string path;
  const char* interface;
  const char* name;
  const char* answer;  // the signature of what it returns
};

struct Found {
  std::vector<std::string> open;
  std::vector<std::string> locked;
};

Error is_locked() {
  return {ErrorCode::unavailable, "the keyring is locked"};
}

class Service {
 public:
  static Result<Service> open(Attributes named) {
    for (const auto& [name, value] : named) {
      if (value.find('\0') != std::string::npos ||
          dbus_validate_utf8(value.c_str(), nullptr) == 0) {
        return fail(ErrorCode::invalid_argument, "a name in the keyring has to be UTF-8");
      }
    }
    use_files_and_dns();
    Failure failure;
    Connection bus(dbus_bus_get_private(DBUS_BUS_SESSION, &failure));
    if (bus == nullptr) {
      return fail(ErrorCode::unavailable, "the message bus says: " + failure.text());
    }
    dbus_connection_set_exit_on_disconnect(bus.get(), 0);
    return Service(std::move(bus), std::move(named));
  }

  // nullopt: there is none. unavailable also when one is locked.
  Result<std::optional<std::string>> secret() {
    const Result<Found> found = search();
    if (!found) {
      return fail(found.error());
    }
    if (!found->locked.empty()) {
      return fail(is_locked());
    }
    if (found->open.empty()) {
      return std::optional<std::string>();
    }
    const Result<std::string> session = open_session();
    if (!session) {
      return fail(session.error());
    }
    Result<Message> answer =
        call({.path = found->open.front(),
              .interface = of_item,
              .name = "GetSecret",
              .answer = "(oayays)"},
             [&](DBusMessageIter& to) { append(to, DBUS_TYPE_OBJECT_PATH, session->c_str()); });
    if (!answer) {
      return fail(std::move(answer).error());
    }
    DBusMessageIter at = arguments(*answer);
    DBusMessageIter member = inside(at);
    dbus_message_iter_next(&member);  // past the session
    dbus_message_iter_next(&member);  // past parameters of an encryption
    return std::optional(bytes_at(member));
  }

  // What each one that is found has for this attribute.
  Result<std::vector<std::string>> values_of(const std::string& attribute) {
    Result<Found> found = search();
    if (!found) {
      return fail(std::move(found).error());
    }
    std::vector<std::string> items = std::move(found->open);
    items.insert(items.end(), found->locked.begin(), found->locked.end());
    std::vector<std::string> values;
    for (const std::string& item : items) {
      Result<Message> answer = property(item, of_item, "Attributes");
      if (!answer) {
        return fail(std::move(answer).error());
      }
      values.push_back(attribute_of(*answer, attribute));
    }
    return values;
  }

  Result<void> store(const std::string& label, const std::string& secret) {
    const Result<std::string> collection = open_collection();
    if (!collection) {
      return fail(collection.error());
    }
    const Result<std::string> session = open_session();
    if (!session) {
      return fail(session.error());
    }
    Result<Message> answer = call(
        {.path = *collection, .interface = of_collection, .name = "CreateItem", .answer = "oo"},
        [&](DBusMessageIter& to) {
          append_item(to, label);
          append_secret(to, *session, secret);
          const dbus_bool_t replace = 1;
          ensure(dbus_message_iter_append_basic(&to, DBUS_TYPE_BOOLEAN, &replace));
        });
    if (!answer) {
      return fail(std::move(answer).error());
    }
    DBusMessageIter at = arguments(*answer);
    dbus_message_iter_next(&at);  // past the item
    return text_at(at) == no_object ? Result<void>() : fail(wants_to_ask());
  }

  Result<bool> clear() {
    const Result<Found> found = search();
    if (!found) {
      return fail(found.error());
    }
    for (const std::string& item : found->open) {
      Result<Message> answer =
          call({.path = item, .interface = of_item, .name = "Delete", .answer = "o"}, {});
      if (!answer) {
        return fail(std::move(answer).error());
      }
      DBusMessageIter at = arguments(*answer);
      if (text_at(at) != no_object) {
        return fail(wants_to_ask());
      }
    }
    return !found->open.empty();
  }

 private:
  Service(Connection bus, Attributes named) : bus_(std::move(bus)), named_(std::move(named)) {}

  Result<Message> call(const Method& method, const std::function<void(DBusMessageIter&)>& fill) {
    const Message question(dbus_message_new_method_call(
        service_name, method.path.c_str(), method.interface, method.name));
    ensure(question == nullptr ? 0 : 1);
    if (fill) {
      DBusMessageIter to;
      dbus_message_iter_init_append(question.get(), &to);
      fill(to);
    }
    Failure failure;
    Message answer = send(question, failure);
    // GNOME's keyring files a caller beside its first call, and says this when it is late with it.
    if (failure.is(DBUS_ERROR_UNKNOWN_METHOD)) {
      failure.forget();
      answer = send(Message(dbus_message_copy(question.get())), failure);
    }
    if (answer == nullptr) {
      return fail(ErrorCode::unavailable, "the Secret Service says: " + failure.text());
    }
    if (dbus_message_has_signature(answer.get(), method.answer) == 0) {
      return fail(ErrorCode::unavailable,
                  std::string("the Secret Service answers ") + method.name + " with \"" +
                      dbus_message_get_signature(answer.get()) + "\" in place of \"" +
                      method.answer + "\"");
    }
    return answer;
  }

  Message send(const Message& question, Failure& failure) {
    ensure(question == nullptr ? 0 : 1);
    // Whoever started us ends us when it takes too long.
    return Message(dbus_connection_send_with_reply_and_block(
        bus_.get(), question.get(), DBUS_TIMEOUT_INFINITE, &failure));
  }

  static DBusMessageIter arguments(const Message& message) {
    DBusMessageIter at;
    dbus_message_iter_init(message.get(), &at);
    return at;
  }

  Result<Message> property(const std::string& path, const char* interface, const char* name) {
    return call({.path = path, .interface = of_properties, .name = "Get", .answer = "v"},
                [&](DBusMessageIter& to) {
                  append(to, DBUS_TYPE_STRING, interface);
                  append(to, DBUS_TYPE_STRING, name);
                });
  }

  static std::string attribute_of(const Message& answer, const std::string& wanted) {
    DBusMessageIter at = arguments(answer);
    DBusMessageIter dictionary = inside(at);
    const std::unique_ptr<char, Release> form(dbus_message_iter_get_signature(&dictionary));
    if (form == nullptr || std::string_view(form.get()) != "a{ss}") {
      return "";
    }
    for (DBusMessageIter each = inside(dictionary); !is_at_end(each);
         dbus_message_iter_next(&each)) {
      const std::vector<std::string> name_and_value = texts_at(each);
      if (name_and_value.front() == wanted) {
        return name_and_value.back();
      }
    }
    return "";
  }

  Result<Found> search() {
    Result<Message> answer = call(
        {.path = service_path, .interface = of_service, .name = "SearchItems", .answer = "aoao"},
        [&](DBusMessageIter& to) { append_attributes(to, named_); });
    if (!answer) {
      return fail(std::move(answer).error());
    }
    Found found;
    DBusMessageIter at = arguments(*answer);
    found.open = texts_at(at);
    dbus_message_iter_next(&at);
    found.locked = texts_at(at);
    return found;
  }

  // "plain": whoever can read along on the user's bus can as well ask for the secret.
  Result<std::string> open_session() {
    Result<Message> answer =
        call({.path = service_path, .interface = of_service, .name = "OpenSession", .answer = "vo"},
             [](DBusMessageIter& to) {
               append(to, DBUS_TYPE_STRING, "plain");
               Container input(to, DBUS_TYPE_VARIANT, DBUS_TYPE_STRING_AS_STRING);
               append(*input, DBUS_TYPE_STRING, "");
             });
    if (!answer) {
      return fail(std::move(answer).error());
    }
    DBusMessageIter at = arguments(*answer);
    dbus_message_iter_next(&at);
    return text_at(at);
  }

  // Making the default one, or unlocking it, would ask the user for a password.
  Result<std::string> open_collection() {
    Result<Message> alias =
        call({.path = service_path, .interface = of_service, .name = "ReadAlias", .answer = "o"},
             [](DBusMessageIter& to) { append(to, DBUS_TYPE_STRING, default_collection); });
    if (!alias) {
      return fail(std::move(alias).error());
    }
    DBusMessageIter at = arguments(*alias);
    const std::string path = text_at(at);
    if (path == no_object) {
      return fail(ErrorCode::unavailable, "the user has no default keyring");
    }
    Result<Message> locked = property(path, of_collection, "Locked");
    if (!locked) {
      return fail(std::move(locked).error());
    }
    DBusMessageIter variant = arguments(*locked);
    DBusMessageIter value = inside(variant);
    dbus_bool_t is_so = 1;
    if (dbus_message_iter_get_arg_type(&value) == DBUS_TYPE_BOOLEAN) {
      dbus_message_iter_get_basic(&value, &is_so);
    }
    return is_so != 0 ? Result<std::string>(fail(is_locked())) : path;
  }

  void append_item(DBusMessageIter& to, const std::string& label) const {
    Container properties(to, DBUS_TYPE_ARRAY, "{sv}");
    {
      Container entry(*properties, DBUS_TYPE_DICT_ENTRY, nullptr);
      append(*entry, DBUS_TYPE_STRING, label_property);
      Container value(*entry, DBUS_TYPE_VARIANT, DBUS_TYPE_STRING_AS_STRING);
      append(*value, DBUS_TYPE_STRING, label.c_str());
    }
    Container entry(*properties, DBUS_TYPE_DICT_ENTRY, nullptr);
    append(*entry, DBUS_TYPE_STRING, attributes_property);
    Container value(*entry, DBUS_TYPE_VARIANT, "a{ss}");
    append_attributes(*value, named_);
  }

  static void append_secret(DBusMessageIter& to,
                            const std::string& session,
                            const std::string& secret) {
    Container members(to, DBUS_TYPE_STRUCT, nullptr);
    append(*members, DBUS_TYPE_OBJECT_PATH, session.c_str());
    append_bytes(*members, "");  // parameters of an encryption
    append_bytes(*members, secret);
    append(*members, DBUS_TYPE_STRING, "text/plain");
  }

  static Error wants_to_ask() {
    return {ErrorCode::unavailable, "the keyring wants to ask the user first"};
  }

  Connection bus_;
  Attributes named_;
};

Result<Service> filed_as(SecretKind kind, const std::string& name) {
  return kind == SecretKind::login
             ? Service::open({{record_attribute, name}, {schema_attribute, login_schema}})
             : Service::open({{service_attribute, own_service},
                              {user_attribute, name},
                              {schema_attribute, named_schema}});
}

}  // namespace

Result<std::optional<std::string>> find_secret(SecretKind kind, const std::string& name) {
  Result<Service> service = filed_as(kind, name);
  return service ? service->secret() : fail(std::move(service).error());
}

Result<std::optional<std::string>> find_foreign_secret(const std::string& service,
                                                       const std::string& user) {
  Result<Service> opened = Service::open({{service_attribute, service}, {user_attribute, user}});
  return opened ? opened->secret() : fail(std::move(opened).error());
}

Result<std::vector<std::string>> secret_names() {
  Result<Service> service =
      Service::open({{service_attribute, own_service}, {schema_attribute, named_schema}});
  return service ? service->values_of(user_attribute) : fail(std::move(service).error());
}

Result<void> keep_secret(SecretKind kind, const std::string& name, const std::string& secret) {
  Result<Service> service = filed_as(kind, name);
  const std::string label =
      kind == SecretKind::login ? "pi-mcp: login of an MCP server" : "pi-mcp secret " + name;
  return service ? service->store(label, secret) : fail(std::move(service).error());
}

Result<bool> drop_secret(SecretKind kind, const std::string& name) {
  Result<Service> service = filed_as(kind, name);
  if (!service) {
    return fail(std::move(service).error());
  }
  // What is locked would be passed over as if it were not there.
  if (const auto there = service->secret(); !there) {
    return fail(there.error());
  }
  return service->clear();
}

}  // namespace pi_mcp::io

// The only functions of libsystemd that libdbus wants, for buses that systemd starts; this program
// is none. libsystemd has no static library.
extern "C" {
int sd_listen_fds(int unset_environment);
int sd_is_socket(int fd, int family, int type, int listening);

int sd_listen_fds(int /*unset_environment*/) {
  return 0;
}
int sd_is_socket(int /*fd*/, int /*family*/, int /*type*/, int /*listening*/) {
  return 0;
}
}
