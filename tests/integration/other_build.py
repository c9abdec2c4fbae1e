"""A program that differs from ours in what tells builds apart."""
import pathlib
import struct


def make_other_build(program, path):
    """A copy of `program` with what the linker would have made of another content."""
    note = struct.pack("<3I", 4, 20, 3) + b"GNU\0"  # NT_GNU_BUILD_ID of 20 bytes
    before, after = pathlib.Path(program).read_bytes().split(note)
    path.write_bytes(before + note + bytes([after[0] ^ 1]) + after[1:])
    path.chmod(0o755)
    return str(path)
