#include "registry/configuration.h"

#include <utility>

namespace pi_mcp::registry {

Configuration::Configuration(config::Settings settings, config::Environment environment)
    : settings_(std::make_shared<config::Settings>(std::move(settings))),
      environment_(std::make_shared<const config::Environment>(std::move(environment))) {
  index();
}

void Configuration::index() {
  by_name_.clear();
  for (const config::Server& server : settings_->servers) {
    by_name_.emplace(server.name, &server);
  }
}

void Configuration::replace(config::Settings settings) {
  settings_ = std::make_shared<config::Settings>(std::move(settings));
  index();
}

void Configuration::replace_words(config::Settings same) {
  settings_->warnings = std::move(same.warnings);
  settings_->notes = std::move(same.notes);
}

std::vector<Configuration::ServerPtr> Configuration::servers() const {
  std::vector<ServerPtr> servers;
  servers.reserve(settings_->servers.size());
  for (const config::Server& server : settings_->servers) {
    servers.emplace_back(settings_, &server);
  }
  return servers;
}

const config::Server* Configuration::find(std::string_view server) const {
  const auto found = by_name_.find(server);
  return found == by_name_.end() ? nullptr : found->second;
}

bool Configuration::is_enabled(std::string_view server) const {
  const config::Server* found = find(server);
  return found != nullptr && !found->disabled;
}

catalog::Catalog::ServerFilter Configuration::enabled_filter() const {
  return [this](std::string_view server) {
    return is_enabled(server);
  };
}

std::vector<std::string> Configuration::enabled_servers() const {
  std::vector<std::string> names;
  for (const config::Server& server : settings_->servers) {
    if (!server.disabled) {
      names.push_back(server.name);
    }
  }
  return names;
}

}  // namespace pi_mcp::registry
