"""Archives that are the same bytes whoever makes them, wherever and whenever: names in order, one
time, no owner but root."""
import gzip
import hashlib
import io
import json
import stat
import tarfile


def tar(files, when, owners=None):
    """The bytes of a tar of {name: (bytes, mode)}, with the folders that lead there. `owners`: user
    and group of names that are not root's; a name that ends with / is a folder."""
    owners = owners or {}
    folders = {}
    for name in files:
        parts = name.rstrip("/").split("/")[:-1]
        for end in range(1, len(parts) + 1):
            folders["/".join(parts[:end]) + "/"] = (b"", 0o755)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, (content, mode) in sorted((folders | files).items()):
            entry = tarfile.TarInfo(name.rstrip("/"))
            entry.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            entry.mode, entry.mtime, entry.size = mode, when, len(content)
            entry.uid, entry.gid = owners.get(name, (0, 0))
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def zipped(content):
    return gzip.compress(content, compresslevel=9, mtime=0)


def below(folder, files):
    return {f"{folder}/{name}": file for name, file in files.items()}


def read(path, name=None):
    """{name: (bytes, mode)} of a file, with the mode that everybody's files have."""
    is_program = path.stat().st_mode & stat.S_IXUSR
    return {name or path.name: (path.read_bytes(), 0o755 if is_program else 0o644)}


def image(layer, config, tag, when):
    """A container image with one layer, as the OCI image layout (specification 1.1) and as what
    `docker load` has always taken, in one tar."""
    blobs = {}

    def blob(content, kind):
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = (content, 0o644)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def text(value):
        return json.dumps(value, indent=1).encode()

    kinds = "application/vnd.oci.image."
    diff = "sha256:" + hashlib.sha256(layer).hexdigest()
    packed = blob(zipped(layer), kinds + "layer.v1.tar+gzip")
    config = blob(text(config | {"rootfs": {"type": "layers", "diff_ids": [diff]}}),
                  kinds + "config.v1+json")
    manifest = blob(text({"schemaVersion": 2, "mediaType": kinds + "manifest.v1+json",
                          "config": config, "layers": [packed]}), kinds + "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": tag.rsplit(":", 1)[1],
                               "io.containerd.image.name": tag}

    def place(described):
        return "blobs/" + described["digest"].replace(":", "/")

    docker = [{"Config": place(config), "RepoTags": [tag], "Layers": [place(packed)]}]
    files = blobs | {
        "oci-layout": (text({"imageLayoutVersion": "1.0.0"}), 0o644),
        "index.json": (text({"schemaVersion": 2, "mediaType": kinds + "index.v1+json",
                             "manifests": [manifest]}), 0o644),
        "manifest.json": (text(docker), 0o644),
    }
    return tar(files, when)
