"""What a guest boots: the distribution's kernel, the modules it may load, and an initramfs with the first of them."""

import hashlib
import lzma
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import cache
import packages

HERE = Path(__file__).resolve().parent
KERNEL_PACKAGE = "linux-image-amd64"
# Without a crc32 implementation `rdma link add` fails with ENOENT.
BASE_MODULES = ["virtio_pci", "virtio_net", "virtio_console", "9pnet_virtio", "9p", "overlay", "crc32_generic",
                "crc32-pclmul", "sch_netem", "sch_tbf", "sch_fq_codel"]
RDMA_MODULES = ["ib_uverbs", "rdma_rxe", "rdma_ucm", "ib_umad"]
# Not loaded at boot, but there for modprobe. Only these: udev would load a driver for everything QEMU has.
OTHER_MODULES = ["veth", "sch_htb", "sch_prio", "cls_u32", "dummy", "tun", "configfs"]
APPLETS = ["sh", "cat", "cp", "echo", "hostname", "insmod", "ip", "ln", "mkdir", "mount", "rm", "switch_root", "uname"]
BUSYBOX = Path("/bin/busybox")
KEPT_DAYS = 14


@dataclass(frozen=True)
class Image:
    kernel: Path
    initramfs: Path
    modules: Path  # becomes /usr/lib/modules/VERSION in the guest


def tool(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise cache.SetupError(f"{command[0]} failed while building the guests' image: {result.stderr.strip()}")
    return result.stdout


def newest_kernel():
    """The unpacked kernel package: whichever the cache has, else the one the archive offers."""
    have = sorted(cache.directory().glob("linux-image-*-amd64"), key=lambda path: path.stat().st_mtime)
    if have:
        return have[-1]
    name = packages.dependency(KERNEL_PACKAGE)
    if name is None:
        packages.refresh()
        name = packages.dependency(KERNEL_PACKAGE)
    if name is None:
        raise cache.SetupError(f"apt does not know the package {KERNEL_PACKAGE}: without package lists "
                               "(apt-get update, as root, with a network) there is no kernel for the test hosts")
    return packages.unpacked(name)


def extract(vmlinuz, target):
    """The ELF kernel inside a bzImage (Documentation/x86/boot.rst): unpacking it costs the guest 3 s, and us 1."""
    data = vmlinuz.read_bytes()
    sectors, = struct.unpack_from("<B", data, 0x1F1)
    offset, length = struct.unpack_from("<II", data, 0x248)
    begin = (sectors + 1) * 512 + offset
    making = target.with_suffix(".making")
    # An xz stream with the unpacked size behind it, hence the decompressor that stops at the end of the stream.
    making.write_bytes(lzma.LZMADecompressor().decompress(data[begin:begin + length]))
    making.rename(target)


def module_files(root, version, names):
    """Paths below root of the modules `names` and what they depend on, in the order to load them."""
    files = []
    for name in names:
        for line in tool(["/sbin/modprobe", "-d", root, "-S", version, "--show-depends", name]).splitlines():
            kind, path = line.split()[:2]
            if kind == "insmod" and path not in files:
                files.append(path)
    return [Path(path) for path in files]


def fingerprint(version):
    """Changes with everything the image is made of."""
    digest = hashlib.sha256(version.encode())
    for path in sorted([HERE / "image.py", HERE / "init", HERE / "agent.py", *(HERE / "systemd").iterdir()]):
        digest.update(path.read_bytes())
    digest.update(BUSYBOX.read_bytes())
    return digest.hexdigest()[:16]


def make_modules(kernel, version, into):
    """A module directory for modprobe and udev, of the listed modules only."""
    target = into / "lib/modules" / version
    source = kernel / "lib/modules" / version
    for path in module_files(kernel, version, BASE_MODULES + RDMA_MODULES + OTHER_MODULES):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copyfile(source / name, target / name)
    tool(["/sbin/depmod", "-b", into, version])


def make_initramfs(kernel, version, into):
    tree = into / "tree"
    for name in ("bin", "dev", "proc", "sys", "modules"):
        (tree / name).mkdir(parents=True)
    shutil.copy(BUSYBOX, tree / "bin/busybox")
    for applet in APPLETS:
        (tree / "bin" / applet).symlink_to("busybox")
    base = module_files(kernel, version, BASE_MODULES)
    rdma = [path for path in module_files(kernel, version, RDMA_MODULES) if path not in base]
    for path in base + rdma:
        shutil.copyfile(path, tree / "modules" / path.name)
    (tree / "modules.base").write_text("".join(f"{path.name}\n" for path in base))
    (tree / "modules.rdma").write_text("".join(f"{path.name}\n" for path in rdma))
    shutil.copytree(HERE / "systemd", tree / "systemd")
    shutil.copyfile(HERE / "agent.py", tree / "agent.py")
    shutil.copyfile(HERE / "init", tree / "init")
    os.chmod(tree / "init", 0o755)
    names = "\0".join(sorted(str(path.relative_to(tree)) for path in tree.rglob("*"))) + "\0"
    with open(into / "initramfs", "wb") as archive:
        subprocess.run(["cpio", "--quiet", "--null", "-o", "-H", "newc", "-R", "0:0"], input=names.encode(), stdout=archive,
                       cwd=tree, check=True)
    shutil.rmtree(tree)


def image():
    """The image for today's sources, from the cache or built now."""
    for path in (BUSYBOX, Path("/sbin/modprobe"), Path("/usr/bin/cpio")):
        if not path.exists():
            raise cache.SetupError(f"{path} is missing: ./dev setup installs what the test hosts need")
    kernel = newest_kernel()
    version = next((kernel / "lib/modules").iterdir()).name
    final = cache.directory() / f"image-{fingerprint(version)}"
    if not final.is_dir():
        with cache.locked():
            if not final.is_dir():
                build(kernel, version, final)
    os.utime(final)
    return Image(kernel / f"boot/vmlinux-{version}", final / "initramfs", final / "lib/modules" / version)


def build(kernel, version, final):
    cache.say("building the image of the test hosts")
    if not (kernel / "lib/modules" / version / "modules.dep.bin").exists():
        tool(["/sbin/depmod", "-b", kernel, version])
    elf = kernel / f"boot/vmlinux-{version}"
    if not elf.exists():
        extract(kernel / f"boot/vmlinuz-{version}", elf)
    with cache.staged(final) as making:
        make_modules(kernel, version, making)
        make_initramfs(kernel, version, making)
    cache.forget("image-*", KEPT_DAYS)


if __name__ == "__main__":
    print(image())
