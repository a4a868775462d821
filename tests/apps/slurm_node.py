# SPDX-License-Identifier: Apache-2.0
"""A cluster of one node on this machine: munged, slurmctld and slurmd as children of the test, on
loopback, with all of their files in one folder."""
import getpass
import os
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
PATIENCE = 90  # s: the node begins within some five

SETTINGS = """\
ClusterName=vinci
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class CannotStart(Exception):
    pass


def find(program):
    """Daemons are not in everybody's PATH."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


class Node:
    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        missing = [program for program in PROGRAMS if find(program) is None]
        if missing:
            raise CannotStart(f"not installed: {', '.join(missing)} (slurm-wlm, munge)")
        try:
            self.start()
        except Exception:
            self.stop()
            raise

    def start(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(SETTINGS.format(
            host=socket.gethostname().split(".")[0], ports=free_ports(2), folder=self.folder,
            user=getpass.getuser()))
        self.daemon("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                    f"--key-file={key}", f"--pid-file={self.folder}/munged.pid",
                    f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log")
        self.wait_for(lambda: (self.folder / "munge.socket").exists())
        self.daemon("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.daemon("slurmd", "-D", "-f", self.folder / "slurm.conf")
        self.wait_for(lambda: self.ask("sinfo", "--noheader", "--format=%T", code=None) == "idle")

    def daemon(self, program, *arguments):
        with open(self.folder / f"{program}.out", "wb") as output:
            self.processes.append(subprocess.Popen(
                [find(program), *map(str, arguments)], env=self.environment, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output))

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            ended = [process for process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > end:
                said = " ".join((self.folder / name).read_text(errors="replace")[-300:]
                                for name in ("munged.out", "slurmctld.out", "slurmd.out")
                                if (self.folder / name).exists())
                raise CannotStart(f"a one-node Slurm does not start here: {said.strip()}")
            time.sleep(0.1)

    def ask(self, program, *arguments, code=0):
        done = subprocess.run([find(program), *map(str, arguments)], env=self.environment,
                              capture_output=True, text=True, timeout=PATIENCE)
        assert code is None or done.returncode == code, done
        return done.stdout.strip()

    def jobs(self):
        """Tasks that wait or run, as 12_3."""
        return self.ask("squeue", "--noheader", "--array", "--format=%i").split()

    def wait_until_empty(self):
        end = time.monotonic() + 600
        while self.jobs():
            assert time.monotonic() < end, "jobs do not end"
            time.sleep(0.2)

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
