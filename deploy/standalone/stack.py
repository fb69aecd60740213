"""The one-machine stack: its start, from the first server to the screen, and its stop."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from functools import partial

from common.service.compiled import native_folder
from deploy.standalone import demo, outside
from deploy.standalone.child import Child, Program, end_modules, run_module, show_line
from deploy.standalone.errors import StartError
from deploy.standalone.geo import demo_geo_path, write_geo_database
from deploy.standalone.kafka import Kafka
from deploy.standalone.native_build import MODE, NativeBuild
from deploy.standalone.operate import ENVIRONMENT
from deploy.standalone.postgres import Postgres
from deploy.standalone.prefork import Prefork
from deploy.standalone.programs import (
    PROMETHEUS_TARGETS,
    SECRET,
    Addresses,
    list_control,
    list_edges,
    list_targets,
    make_environment,
)
from deploy.standalone.redis import Redis
from deploy.standalone.redis_users import make_users
from deploy.standalone.sample import make_sample
from deploy.standalone.screen import render_screen
from deploy.standalone.seed import RunControl, operate_here, run_control
from deploy.standalone.server import Server
from deploy.standalone.settings import Settings
from deploy.standalone.sockets import find_free_ports
from deploy.standalone.state import MARK, make_key_file, note_processes, write_json
from deploy.standalone.supervisor import Supervisor, stop_together

_READY_S = 240.0
_MAX_DEATHS_AT_START = 4
EDGES_STOP_S = 4.5
"""A little more than an edge takes at most to stop, `edge.runtime.process_exit.STOP_S`."""
CONTROL_STOP_S = 2.0
"""Edges, control plane and servers (`Server.asking`) together stop in less than 10 s, whatever hangs."""
_NO_COLOUR = 0

Say = Callable[[str], None]


class Stack:
    """Used for one run: `run` until it is to stop, or until an exception (a signal, `StartError`) ends it."""

    def __init__(self, settings: Settings, report: Say, is_stopping: Callable[[], bool]) -> None:
        self._is_stopping = is_stopping
        self._settings = settings
        self._report = report
        self._supervisor = Supervisor(report, self._note)
        self._native_build = NativeBuild(
            report,
            given_mode=os.environ.get(MODE),
            folder=native_folder(),
            log=settings.state / "compile.log",
        )
        self._prefork = Prefork(settings.state)
        self._servers: list[Server] = []
        self._control: list[Child] = []
        self._edges: list[Child] = []

    def run(self) -> None:
        """Always call `stop` afterwards, whatever happened."""
        begun_s = time.monotonic()
        state = self._settings.state
        self._native_build.start()
        servers = self._start_servers()
        environment = make_environment(self._settings, servers, make_key_file(state))
        write_json(state / ENVIRONMENT, environment)
        self._report("bringing the database schema up to date")
        self._run_control(environment, "migrate")
        edge_key_file = state / "edge-keys.json"
        self._run_control(environment, "keys", "derive-edge", "--output", str(edge_key_file))
        if not self._settings.geo_database:
            write_geo_database(demo_geo_path(state))
        environment |= self._native_build.find_environment()
        self._start_prefork(environment)
        self._report("starting the control plane and the edges")
        (snapshots,) = find_free_ports(1)
        control = list_control(self._settings, servers, environment, snapshots)
        edges = list_edges(self._settings, servers, environment, snapshots, edge_key_file)
        write_json(state / PROMETHEUS_TARGETS, list_targets([*control, *edges]))
        self._control, self._edges = self._keep(control), self._keep(edges)
        if not self._await_ready():
            return
        run = partial(run_control, environment, self._prefork)
        shown = demo.make_demo(self._settings, operate_here(run), self._report)
        write_json(state / "demo.json", asdict(shown))
        self._report(f"ready after {time.monotonic() - begun_s:.1f} s")
        print(render_screen(shown, state), flush=True)
        threading.Thread(target=_run_doctor, args=(environment, self._prefork), daemon=True).start()
        if self._settings.sample:
            making = threading.Thread(target=self._make_sample, args=(run, shown), daemon=True)
            making.start()
        self._supervisor.run(until=self._is_stopping)

    def stop(self) -> None:
        """Stops edges first, so that their events can still be shipped; PostgreSQL last."""
        with ExitStack() as steps:  # in reverse; each is done even if an earlier one fails
            steps.callback(self._forget)
            for server in self._servers:
                steps.callback(server.stop)
            steps.callback(self._native_build.stop)
            steps.callback(self._prefork.stop)
            steps.callback(stop_together, self._control, CONTROL_STOP_S)
            steps.callback(stop_together, self._edges, EDGES_STOP_S)
            steps.callback(end_modules)
            for name in ("demo.json", ENVIRONMENT, PROMETHEUS_TARGETS):
                (self._settings.state / name).unlink(missing_ok=True)

    def _make_sample(self, run: RunControl, shown: demo.Demo) -> None:
        """Beside the running stack, which nothing waits for. A stack without a sample account runs as well."""
        begun_s = time.monotonic()
        try:
            sample = make_sample(self._settings, run, self._report)
        except StartError as trouble:
            if not self._is_stopping():
                self._report(f"there is no sample account: {trouble}")
            return
        path = self._settings.state / "demo.json"
        if path.exists():  # otherwise the stack is stopping
            write_json(path, asdict(replace(shown, sample=sample)))
        self._report(
            f"the sample account is ready after {time.monotonic() - begun_s:.1f} s: "
            f"{sample['email']}, password {sample['password']}"
        )

    def _start_servers(self) -> Addresses:
        settings = self._settings
        database_url, redis_url, kafka = settings.database_url, settings.redis_url, settings.kafka
        for named, check in (
            (database_url, outside.check_database),
            (redis_url, outside.check_redis),
            (kafka, outside.check_kafka),
        ):
            if named:
                check(named)
        if not database_url:
            postgres = Postgres(settings.state / "postgres")
            self._serve(postgres)
            database_url = postgres.url
        users = None
        if not redis_url:
            users = make_users(settings.state, settings.namespace)
            redis = Redis(settings.state / "redis", users=users.render())
            self._serve(redis)
            redis_url = redis.url
        if settings.embedded_kafka:
            broker = Kafka(settings.state / "kafka", self._report)
            self._serve(broker)
            kafka = broker.bootstrap
        return Addresses(database_url, redis_url, kafka, users)

    def _serve(self, server: Server) -> None:
        self._report(f"starting {server.name} in {server.folder}")
        self._servers.append(server)
        self._supervisor.watch(server)

    def _start_prefork(self, environment: dict[str, str]) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in SECRET}
        shown = {name: environment[name] for name in (MARK, MODE) if name in environment}
        self._prefork.set_environment({**kept, **shown, "PYTHONUNBUFFERED": "1"})
        self._supervisor.watch(self._prefork)

    def _run_control(self, environment: dict[str, str], *arguments: str) -> None:
        """Run one command of the control plane to its end."""
        process = run_module(["control", *arguments], environment)
        try:
            lines = list(process.lines())
            process.wait(_READY_S)
        finally:
            process.kill()
        for line in lines:
            show_line(arguments[0], line, _NO_COLOUR)
        if process.exit_code != 0:
            command = " ".join(arguments)
            raise StartError(f"`python -m control {command}` failed; its last lines stand above.")

    def _keep(self, programs: list[Program]) -> list[Child]:
        first = len(self._control) + len(self._edges)
        children = [
            Child(program, first + place, self._prefork) for place, program in enumerate(programs)
        ]
        for child in children:
            self._supervisor.watch(child)
        return children

    def _await_ready(self) -> bool:
        """False if it is to stop before that."""
        waiting = [*self._control, *self._edges]

        def all_ready() -> bool:
            waiting[:] = [child for child in waiting if not child.ready()]
            hopeless = [c for c in waiting if self._supervisor.deaths(c) >= _MAX_DEATHS_AT_START]
            if hopeless:
                raise StartError("\n".join(_describe(child) for child in hopeless))
            return not waiting or self._is_stopping()

        if not self._supervisor.run(until=all_ready, timeout_s=_READY_S):
            names = "\n".join(_describe(child) for child in waiting)
            raise StartError(f"Not ready after {_READY_S:.0f} s:\n{names}")
        return not waiting

    def _note(self) -> None:
        note_processes(self._settings.state, self._supervisor.running())

    def _forget(self) -> None:
        with suppress(OSError):
            (self._settings.state / "pids.json").unlink(missing_ok=True)


def _run_doctor(environment: dict[str, str], prefork: Prefork) -> None:
    """Shows what `control doctor` warns of, usually nothing. The stack runs meanwhile, whatever it finds."""
    process = run_module(["control", "doctor", "--quiet"], environment, prefork)
    try:
        for line in process.lines():
            show_line("doctor", line, _NO_COLOUR)
    finally:
        process.kill()


def _describe(child: Child) -> str:
    how = "runs, but its /readyz does not answer 200" if child.alive() else child.describe_end()
    return "\n".join([f"{child.name} ({how}), its last lines:", *child.last_lines])
