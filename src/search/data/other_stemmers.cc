// The table of libstemmer names a stemmer for every language, and would bring all of them into the
// program: half a megabyte. Tools are described in English, so `Stemmer` asks for that one, and
// here stand the others, which say that they cannot be made. The linker then leaves theirs in the
// archive.

// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses): names of functions of C
// cannot be made otherwise
#define PI_MCP_NO_STEMMER(name)                      \
  extern "C" void* name##_create_env() {             \
    return nullptr;                                  \
  }                                                  \
  extern "C" void name##_close_env(void* /*env*/) {} \
  extern "C" int name##_stem(void* /*env*/) {        \
    return -1;                                       \
  }
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

PI_MCP_NO_STEMMER(arabic_UTF_8)
PI_MCP_NO_STEMMER(armenian_UTF_8)
PI_MCP_NO_STEMMER(basque_ISO_8859_1)
PI_MCP_NO_STEMMER(basque_UTF_8)
PI_MCP_NO_STEMMER(catalan_ISO_8859_1)
PI_MCP_NO_STEMMER(catalan_UTF_8)
PI_MCP_NO_STEMMER(danish_ISO_8859_1)
PI_MCP_NO_STEMMER(danish_UTF_8)
PI_MCP_NO_STEMMER(dutch_ISO_8859_1)
PI_MCP_NO_STEMMER(dutch_UTF_8)
PI_MCP_NO_STEMMER(english_UTF_8)
PI_MCP_NO_STEMMER(finnish_ISO_8859_1)
PI_MCP_NO_STEMMER(finnish_UTF_8)
PI_MCP_NO_STEMMER(french_ISO_8859_1)
PI_MCP_NO_STEMMER(french_UTF_8)
PI_MCP_NO_STEMMER(german_ISO_8859_1)
PI_MCP_NO_STEMMER(german_UTF_8)
PI_MCP_NO_STEMMER(greek_UTF_8)
PI_MCP_NO_STEMMER(hindi_UTF_8)
PI_MCP_NO_STEMMER(hungarian_ISO_8859_2)
PI_MCP_NO_STEMMER(hungarian_UTF_8)
PI_MCP_NO_STEMMER(indonesian_ISO_8859_1)
PI_MCP_NO_STEMMER(indonesian_UTF_8)
PI_MCP_NO_STEMMER(irish_ISO_8859_1)
PI_MCP_NO_STEMMER(irish_UTF_8)
PI_MCP_NO_STEMMER(italian_ISO_8859_1)
PI_MCP_NO_STEMMER(italian_UTF_8)
PI_MCP_NO_STEMMER(lithuanian_UTF_8)
PI_MCP_NO_STEMMER(nepali_UTF_8)
PI_MCP_NO_STEMMER(norwegian_ISO_8859_1)
PI_MCP_NO_STEMMER(norwegian_UTF_8)
PI_MCP_NO_STEMMER(porter_ISO_8859_1)
PI_MCP_NO_STEMMER(porter_UTF_8)
PI_MCP_NO_STEMMER(portuguese_ISO_8859_1)
PI_MCP_NO_STEMMER(portuguese_UTF_8)
PI_MCP_NO_STEMMER(romanian_ISO_8859_2)
PI_MCP_NO_STEMMER(romanian_UTF_8)
PI_MCP_NO_STEMMER(russian_KOI8_R)
PI_MCP_NO_STEMMER(russian_UTF_8)
PI_MCP_NO_STEMMER(serbian_UTF_8)
PI_MCP_NO_STEMMER(spanish_ISO_8859_1)
PI_MCP_NO_STEMMER(spanish_UTF_8)
PI_MCP_NO_STEMMER(swedish_ISO_8859_1)
PI_MCP_NO_STEMMER(swedish_UTF_8)
PI_MCP_NO_STEMMER(tamil_UTF_8)
PI_MCP_NO_STEMMER(turkish_UTF_8)
PI_MCP_NO_STEMMER(yiddish_UTF_8)
