"""A cluster of Flink on loopback, a JobManager and TaskManagers, as processes of their own.

What it is told goes through Flink's REST interface; its files are in a folder."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import uuid

OPENS = [
    f"--add-opens=java.base/{name}=ALL-UNNAMED"
    for name in ("java.lang", "java.net", "java.io", "java.nio", "java.text", "java.time", "java.util",
                 "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks", "sun.nio.ch")
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def gather(jars, built, folder):
    """A folder with those of Flink's jars that a cluster needs, and what scripts/flink made."""
    folder.mkdir()
    for jar in pathlib.Path(jars).glob("*.jar"):
        if jar.name.startswith(("flink-dist", "flink-connector-files", "log4j")):
            (folder / jar.name).symlink_to(jar.resolve())
    for file in (pathlib.Path(built) / "lib").iterdir():
        shutil.copy(file, folder)
    return folder


class Cluster:
    def __init__(self, folder, jars, java="java", interval="300ms"):
        """`interval` is the time between checkpoints."""
        self.folder, self.java = pathlib.Path(folder), java
        self.classpath = ":".join(str(jar) for jar in sorted(pathlib.Path(jars).glob("*.jar")))
        self.rest, self.rpc = free_port(), free_port()
        self.workers = []
        (self.folder / "conf").mkdir(parents=True)
        (self.folder / "conf" / "config.yaml").write_text("".join(f"{key}: {value}\n" for key, value in {
            "jobmanager.rpc.address": "127.0.0.1",
            "jobmanager.rpc.port": self.rpc,
            "jobmanager.bind-host": "127.0.0.1",
            "rest.address": "127.0.0.1",
            "rest.bind-address": "127.0.0.1",
            "rest.port": self.rest,
            "taskmanager.host": "127.0.0.1",
            "taskmanager.bind-host": "127.0.0.1",
            "taskmanager.numberOfTaskSlots": 1,
            "taskmanager.cpu.cores": 1,
            "taskmanager.memory.framework.heap.size": "128m",
            "taskmanager.memory.framework.off-heap.size": "128m",
            "taskmanager.memory.task.heap.size": "256m",
            "taskmanager.memory.task.off-heap.size": "128m",
            "taskmanager.memory.network.min": "64m",
            "taskmanager.memory.network.max": "64m",
            "taskmanager.memory.managed.size": "16m",
            "taskmanager.memory.jvm-metaspace.size": "128m",
            "taskmanager.memory.jvm-overhead.min": "128m",
            "taskmanager.memory.jvm-overhead.max": "128m",
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": 1000,
            "restart-strategy.fixed-delay.delay": "100ms",
            "heartbeat.interval": 500,
            "heartbeat.timeout": 4000,
            "state.backend.type": "hashmap",
            "execution.checkpointing.interval": interval,
            "execution.checkpointing.dir": (self.folder / "checkpoints").as_uri(),
            "io.tmp.dirs": self.folder / "tmp",
            "web.tmpdir": self.folder / "web",
        }.items()))
        (self.folder / "conf" / "log4j.properties").write_text(
            "rootLogger.level = INFO\nrootLogger.appenderRef.out.ref = out\nappender.out.name = out\n"
            "appender.out.type = CONSOLE\nappender.out.layout.type = PatternLayout\n"
            "appender.out.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1} %m%n\n")
        (self.folder / "tmp").mkdir()
        (self.folder / "web").mkdir()
        self.manager = self.begin("manager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                                  "-Xmx512m", "-XX:TieredStopAtLevel=1")
        self.begun = 0

    def begin(self, name, entry, *flags):
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                [self.java, *flags, "-XX:+UseSerialGC", *OPENS,
                 f"-Dlog4j.configurationFile={self.folder}/conf/log4j.properties",
                 "-cp", self.classpath, entry, "--configDir", str(self.folder / "conf")],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def add_worker(self):
        self.begun += 1
        self.workers.append(self.begin(
            f"worker{self.begun}", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "-Xmx384m",
            "-XX:MaxDirectMemorySize=320m"))

    def kill_worker(self, index):
        worker = self.workers.pop(index)
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    def stop(self):
        for process in [*self.workers, self.manager]:
            process.kill()
            process.wait()

    def ask(self, path, body=None, content="application/json"):
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rest}{path}", data=data, headers={"Content-Type": content} if data else {})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode()[:2000]}") from None

    def wait(self, what, test, seconds=60):
        end = time.monotonic() + seconds
        while True:
            if self.manager.poll() is not None:
                raise RuntimeError(f"the JobManager ended: see {self.folder}/manager.log")
            try:
                found = test()
            except (OSError, RuntimeError):
                found = None
            if found:
                return found
            if time.monotonic() > end:
                raise RuntimeError(f"in vain for {seconds} s: {what}")
            time.sleep(0.05)

    def wait_for_slots(self, count):
        self.wait(f"{count} slots", lambda: self.ask("/overview")["slots-available"] >= count)

    def upload(self, jar):
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="jarfile"; filename="{jar.name}"\r\n' \
               "Content-Type: application/java-archive\r\n\r\n"
        body = head.encode() + jar.read_bytes() + f"\r\n--{edge}--\r\n".encode()
        self.jar = self.ask("/jars/upload", body, f"multipart/form-data; boundary={edge}")["filename"].rsplit("/", 1)[1]

    def submit(self, arguments, workers, savepoint=None):
        body = {"programArgsList": [str(word) for word in arguments], "parallelism": workers}
        if savepoint:
            body["savepointPath"] = savepoint
        return self.ask(f"/jars/{self.jar}/run", body)["jobid"]

    def state(self, job):
        return self.ask(f"/jobs/{job}")["state"]

    def checkpoints(self, job):
        return self.ask(f"/jobs/{job}/checkpoints")["counts"]["completed"]

    def wait_for_progress(self, job, checkpoints=1):
        """Until so many more checkpoints are whole."""
        before = self.wait("the job", lambda: self.checkpoints(job) + 1) - 1
        self.wait("a checkpoint", lambda: self.checkpoints(job) >= before + checkpoints or self.state(job) == "FINISHED")

    def running_time(self, job):
        """Seconds from the moment at which all tasks were given out to the end of the last."""
        answer = self.ask(f"/jobs/{job}")
        return (answer["timestamps"]["FINISHED"] - max(vertex["start-time"] for vertex in answer["vertices"])) / 1000

    def spent(self):
        """Seconds of processors that the workers have taken."""
        ticks = 0
        for worker in self.workers:
            fields = pathlib.Path(f"/proc/{worker.pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def wait_for_end(self, job, seconds=150):
        state = self.wait("the end of the job", lambda: self.state(job) in ("FINISHED", "FAILED", "CANCELED") and self.state(job), seconds)
        if state != "FINISHED":
            raise RuntimeError(f"{state}: {json.dumps(self.ask(f'/jobs/{job}/exceptions'))[:3000]}")

    def stop_with_savepoint(self, job):
        """Asks again where a task that was just ending did not hear of it, as Flink then goes on with the job."""
        for _ in range(10):
            trigger = self.ask(f"/jobs/{job}/stop", {"targetDirectory": (self.folder / "savepoints").as_uri(), "drain": False})
            done = self.wait("the savepoint", lambda: (
                lambda answer: answer["status"]["id"] == "COMPLETED" and answer)(
                    self.ask(f"/jobs/{job}/savepoints/{trigger['request-id']}")))
            if "location" in done["operation"]:
                return done["operation"]["location"]
            if self.state(job) == "FINISHED":
                break
            time.sleep(0.2)
        raise RuntimeError(f"no savepoint, {self.state(job)}: {json.dumps(done)[:2000]}")


def lines(folder):
    """All that a job has committed below a folder, sorted."""
    found = []
    for path in pathlib.Path(folder).rglob("part-*"):
        if path.is_file() and not path.name.startswith("."):
            found += path.read_bytes().splitlines()
    found.sort()
    return found
