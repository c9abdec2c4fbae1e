#!/usr/bin/env python3
"""Writes a C++ source that has the bytes of a file.

Usage: embed.py FILE FUNCTION HEADER OUTPUT. FUNCTION, of namespace pi_mcp::io and declared in
HEADER, returns them as a std::string_view.
"""
import pathlib
import sys

file, function, header, output = sys.argv[1:]
content = pathlib.Path(file).read_bytes()
numbers = ",\n".join(", ".join(str(byte) for byte in content[at:at + 24])
                     for at in range(0, len(content), 24))
pathlib.Path(output).write_text(f"""#include "{header}"

namespace {{
constexpr unsigned char content[] = {{
{numbers}
}};
}}  // namespace

std::string_view pi_mcp::io::{function}() {{
  return {{reinterpret_cast<const char*>(content), sizeof content}};
}}
""")
