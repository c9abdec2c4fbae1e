#include "mcp/client_features.h"

#include "json/writer.h"

namespace pi_mcp::mcp {
namespace {

void write_elicitation(json::Writer& out, const ClientFeatures& features) {
  out.key("elicitation").begin_object();
  if (features.elicitation_url) {
    if (features.elicitation_form) {
      out.key("form").begin_object().end_object();
    }
    out.key("url").begin_object().end_object();
  }
  out.end_object();
}

void write_sampling(json::Writer& out, const ClientFeatures& features) {
  out.key("sampling").begin_object();
  if (features.sampling_tools) {
    out.key("tools").begin_object().end_object();
  }
  if (features.sampling_context) {
    out.key("context").begin_object().end_object();
  }
  out.end_object();
}

}  // namespace

ClientFeatures read_client_features(json::Value capabilities) {
  const json::Value sampling = capabilities.find("sampling");
  const json::Value elicitation = capabilities.find("elicitation");
  const json::Value roots = capabilities.find("roots");
  ClientFeatures features;
  features.sampling = sampling.is_object();
  features.sampling_tools = sampling.find("tools").is_object();
  features.sampling_context = sampling.find("context").is_object();
  features.elicitation_url = elicitation.find("url").is_object();
  // An empty object means forms only (2025-11-25, client/elicitation, "Capabilities").
  features.elicitation_form = elicitation.find("form").is_object() ||
                              (elicitation.is_object() && !features.elicitation_url);
  features.unattended_sampling =
      capabilities.at({"experimental", "pi-mcp/unattended-sampling"}).is_object();
  features.roots = roots.is_object();
  features.roots_list_changed = roots.find("listChanged").bool_or(false);
  return features;
}

ClientFeatures joined(const ClientFeatures& a, const ClientFeatures& b) {
  return {.elicitation_form = a.elicitation_form || b.elicitation_form,
          .elicitation_url = a.elicitation_url || b.elicitation_url,
          .sampling = a.sampling || b.sampling,
          .sampling_tools = a.sampling_tools || b.sampling_tools,
          .sampling_context = a.sampling_context || b.sampling_context,
          .roots = a.roots || b.roots,
          .roots_list_changed = a.roots_list_changed || b.roots_list_changed,
          .unattended_sampling = a.unattended_sampling || b.unattended_sampling};
}

bool covers(const ClientFeatures& more, const ClientFeatures& less) {
  const auto has = [&](bool ClientFeatures::* feature) {
    return more.*feature || !(less.*feature);
  };
  return has(&ClientFeatures::elicitation_form) && has(&ClientFeatures::elicitation_url) &&
         has(&ClientFeatures::sampling) && has(&ClientFeatures::sampling_tools) &&
         has(&ClientFeatures::sampling_context) && has(&ClientFeatures::roots) &&
         has(&ClientFeatures::roots_list_changed);
}

std::string capabilities_json(const ClientFeatures& features) {
  json::Writer out;
  out.begin_object();
  if (features.elicitation_form || features.elicitation_url) {
    write_elicitation(out, features);
  }
  if (features.roots) {
    out.key("roots").begin_object();
    if (features.roots_list_changed) {
      out.member("listChanged", true);
    }
    out.end_object();
  }
  if (features.sampling) {
    write_sampling(out, features);
  }
  return out.end_object().take();
}

std::string features_text(const ClientFeatures& features) {
  std::string words;
  const auto add = [&words](bool declared, std::string_view word) {
    if (declared) {
      words += words.empty() ? "" : " ";
      words += word;
    }
  };
  add(features.elicitation_form, "elicitation");
  add(features.elicitation_url, "elicitation.url");
  add(features.roots, "roots");
  add(features.sampling, "sampling");
  add(features.sampling_tools, "sampling.tools");
  return words;
}

}  // namespace pi_mcp::mcp
