"""The data path on a real device, both ends in one process: tests/vm/programs/endpoint-loopback.c."""

from host import BUILD
from scenario import check, equal, scenario

PROGRAM = BUILD / "tests/vm/programs/endpoint-loopback"


def run_all(host):
    result = host.run([PROGRAM], check=False, timeout=110)
    report = result.out + result.err
    equal(result.rc, 0, f"exit code of the tests:\n{report}\n")
    check("PASSED" in report, f"no test ran:\n{report}")


@scenario(hosts=1, cpus=2, limit_s=150)
def test_data_path_on_two_cpus(host):
    run_all(host)


@scenario(hosts=1, cpus=1, limit_s=150)
def test_data_path_on_one_cpu(host):
    """Where whoever polls takes the CPU from the softirq that does the driver's work."""
    run_all(host)
