#include "io/net/secret_service.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pi_mcp::io {
namespace {

// What of the interfaces of libsecret 0.19 and GLib 2 is needed, so that neither is needed to
// build.
struct GError {
  std::uint32_t domain;
  int code;
  char* message;
};
struct GList {
  void* data;
  GList* next;
  GList* previous;
};
struct SchemaAttribute {
  const char* name;
  int type;
};
struct Schema {
  const char* name;
  int flags;
  std::array<SchemaAttribute, 32> attributes;
  int reserved;
  std::array<void*, 7> more_reserved;
};

constexpr int attribute_string = 0;  // SECRET_SCHEMA_ATTRIBUTE_STRING
constexpr int search_all = 1 << 1;   // SECRET_SEARCH_ALL; without _UNLOCK nobody is asked
constexpr const char* collection_name = "default";
constexpr const char* attribute_name = "record";

const Schema schema{.name = "pi-mcp.login",
                    .flags = 0,
                    .attributes = {{{.name = attribute_name, .type = attribute_string}}},
                    .reserved = 0,
                    .more_reserved = {}};

constexpr const char* service_attribute = "service";
constexpr const char* user_attribute = "username";
constexpr const char* own_service = "pi-mcp";

const Schema named_schema{.name = "pi-mcp.secret",
                          .flags = 0,
                          .attributes = {{{.name = service_attribute, .type = attribute_string},
                                          {.name = user_attribute, .type = attribute_string}}},
                          .reserved = 0,
                          .more_reserved = {}};

// Whoever files with these attributes gives its items any schema or none.
constexpr int match_any_schema = 1 << 1;  // SECRET_SCHEMA_DONT_MATCH_NAME
const Schema foreign_schema{.name = "org.freedesktop.Secret.Generic",
                            .flags = match_any_schema,
                            .attributes = named_schema.attributes,
                            .reserved = 0,
                            .more_reserved = {}};

using Attributes = std::vector<std::pair<const char*, std::string>>;

struct Functions {
  unsigned (*string_hash)(const void*) = nullptr;
  int (*string_equal)(const void*, const void*) = nullptr;
  void* (*table_new)(unsigned (*)(const void*), int (*)(const void*, const void*)) = nullptr;
  int (*table_insert)(void* table, void* key, void* value) = nullptr;
  void (*table_unref)(void* table) = nullptr;
  void (*object_unref)(void* object) = nullptr;
  void (*list_free_full)(GList* list, void (*release)(void*)) = nullptr;
  void (*error_free)(GError* error) = nullptr;
  GList* (*search)(const Schema*, void* attributes, int flags, void* cancel, GError**) = nullptr;
  int (*item_is_locked)(void* item) = nullptr;
  void* (*item_attributes)(void* item) = nullptr;
  void* (*table_lookup)(void* table, const void* key) = nullptr;
  void* (*retrieve)(void* item, void* cancel, GError**) = nullptr;
  const char* (*value_bytes)(void* value, std::size_t* length) = nullptr;
  void (*value_unref)(void* value) = nullptr;
  void* (*service)(int flags, void* cancel, GError**) = nullptr;
  void* (*collection)(void* service, const char* alias, int flags, void* cancel, GError**) =
      nullptr;
  int (*collection_is_locked)(void* collection) = nullptr;
  int (*store)(const Schema*,
               void* attributes,
               const char* collection,
               const char* label,
               const char* secret,
               void* cancel,
               GError**) = nullptr;
  int (*clear)(const Schema*, void* attributes, void* cancel, GError**) = nullptr;
};

template <class F>
bool find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(::dlsym(library, name));
  return function != nullptr;
}

std::optional<Functions> load() {
  // Stays loaded: threads of it may run until the process ends.
  void* library = ::dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  Functions f;
  if (library == nullptr || !find(library, "g_str_hash", f.string_hash) ||
      !find(library, "g_str_equal", f.string_equal) ||
      !find(library, "g_hash_table_new", f.table_new) ||
      !find(library, "g_hash_table_insert", f.table_insert) ||
      !find(library, "g_hash_table_unref", f.table_unref) ||
      !find(library, "g_object_unref", f.object_unref) ||
      !find(library, "g_list_free_full", f.list_free_full) ||
      !find(library, "g_error_free", f.error_free) ||
      !find(library, "secret_password_searchv_sync", f.search) ||
      !find(library, "secret_item_get_locked", f.item_is_locked) ||
      !find(library, "secret_item_get_attributes", f.item_attributes) ||
      !find(library, "g_hash_table_lookup", f.table_lookup) ||
      !find(library, "secret_retrievable_retrieve_secret_sync", f.retrieve) ||
      !find(library, "secret_value_get", f.value_bytes) ||
      !find(library, "secret_value_unref", f.value_unref) ||
      !find(library, "secret_service_get_sync", f.service) ||
      !find(library, "secret_collection_for_alias_sync", f.collection) ||
      !find(library, "secret_collection_get_locked", f.collection_is_locked) ||
      !find(library, "secret_password_storev_sync", f.store) ||
      !find(library, "secret_password_clearv_sync", f.clear)) {
    return std::nullopt;
  }
  return f;
}

using Owned = std::unique_ptr<void, void (*)(void*)>;

class Service {
 public:
  static Result<Service> open(const Schema* form, Attributes named) {
    const std::optional<Functions> functions = load();
    if (!functions) {
      return fail(ErrorCode::unavailable, "libsecret (libsecret-1.so.0) is not installed");
    }
    return Service(*functions, form, std::move(named));
  }

  // nullopt: there is none. unavailable also when one is locked.
  Result<std::optional<std::string>> secret() {
    GError* error = nullptr;
    const Owned wanted = attributes();
    GList* found = f_.search(schema_, wanted.get(), search_all, nullptr, &error);
    if (error != nullptr) {
      return fail(failure(error));
    }
    Result<std::optional<std::string>> secret = first_of(found);
    f_.list_free_full(found, f_.object_unref);
    return secret;
  }

  // What each one that is found has for this attribute.
  Result<std::vector<std::string>> values_of(const char* attribute) {
    GError* error = nullptr;
    const Owned wanted = attributes();
    GList* found = f_.search(schema_, wanted.get(), search_all, nullptr, &error);
    if (error != nullptr) {
      return fail(failure(error));
    }
    std::vector<std::string> values;
    for (const GList* link = found; link != nullptr; link = link->next) {
      const Owned table(f_.item_attributes(link->data), f_.table_unref);
      const auto* value = static_cast<const char*>(f_.table_lookup(table.get(), attribute));
      values.emplace_back(value == nullptr ? "" : value);
    }
    f_.list_free_full(found, f_.object_unref);
    return values;
  }

  Result<void> store(const std::string& label, const std::string& secret) {
    GError* error = nullptr;
    const Owned service(f_.service(0, nullptr, &error), f_.object_unref);
    if (service == nullptr) {
      return fail(failure(error));
    }
    const Owned collection(f_.collection(service.get(), collection_name, 0, nullptr, &error),
                           f_.object_unref);
    if (error != nullptr) {
      return fail(failure(error));
    }
    // Making one, or unlocking it, would ask the user for a password.
    if (collection == nullptr) {
      return fail(ErrorCode::unavailable, "the user has no default keyring");
    }
    if (f_.collection_is_locked(collection.get()) != 0) {
      return fail(is_locked());
    }
    const Owned named = attributes();
    if (f_.store(schema_,
                 named.get(),
                 collection_name,
                 label.c_str(),
                 secret.c_str(),
                 nullptr,
                 &error) == 0) {
      return fail(failure(error));
    }
    return {};
  }

  Result<bool> clear() {
    GError* error = nullptr;
    const Owned named = attributes();
    const bool cleared = f_.clear(schema_, named.get(), nullptr, &error) != 0;
    if (error != nullptr) {
      return fail(failure(error));
    }
    return cleared;
  }

 private:
  Service(const Functions& functions, const Schema* form, Attributes named)
      : f_(functions), schema_(form), named_(std::move(named)) {}

  Result<std::optional<std::string>> first_of(const GList* items) const {
    for (const GList* link = items; link != nullptr; link = link->next) {
      if (f_.item_is_locked(link->data) != 0) {
        return fail(is_locked());
      }
    }
    if (items == nullptr) {
      return std::optional<std::string>();
    }
    GError* error = nullptr;
    const Owned value(f_.retrieve(items->data, nullptr, &error), f_.value_unref);
    if (value == nullptr) {
      return fail(failure(error));
    }
    std::size_t length = 0;
    const char* bytes = f_.value_bytes(value.get(), &length);
    return std::optional(std::string(bytes, length));
  }

  Owned attributes() {
    Owned table(f_.table_new(f_.string_hash, f_.string_equal), f_.table_unref);
    // The table neither changes nor frees what it points to.
    for (auto& [name, value] : named_) {
      f_.table_insert(table.get(), const_cast<char*>(name), value.data());
    }
    return table;
  }

  Error failure(GError* error) const {
    if (error == nullptr) {
      return {ErrorCode::unavailable, "the Secret Service gives no reason"};
    }
    Error made(ErrorCode::unavailable, "the Secret Service says: " + std::string(error->message));
    f_.error_free(error);
    return made;
  }

  static Error is_locked() { return {ErrorCode::unavailable, "the keyring is locked"}; }

  Functions f_;
  const Schema* schema_;
  Attributes named_;
};

Result<Service> filed_as(SecretKind kind, const std::string& name) {
  return kind == SecretKind::login
             ? Service::open(&schema, {{attribute_name, name}})
             : Service::open(&named_schema,
                             {{service_attribute, own_service}, {user_attribute, name}});
}

}  // namespace

Result<std::optional<std::string>> find_secret(SecretKind kind, const std::string& name) {
  Result<Service> service = filed_as(kind, name);
  return service ? service->secret() : fail(std::move(service).error());
}

Result<std::optional<std::string>> find_foreign_secret(const std::string& service,
                                                       const std::string& user) {
  Result<Service> opened =
      Service::open(&foreign_schema, {{service_attribute, service}, {user_attribute, user}});
  return opened ? opened->secret() : fail(std::move(opened).error());
}

Result<std::vector<std::string>> secret_names() {
  Result<Service> service = Service::open(&named_schema, {{service_attribute, own_service}});
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
