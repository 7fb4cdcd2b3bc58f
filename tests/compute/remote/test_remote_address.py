"""Where work may go: what is an address, and which one is used only when somebody says so."""

import json
import os
import re

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import clusters, main
from mvexplorer.compute.remote.remote_address import HOW_TO_ALLOW, Address, allow, parse_address
from mvexplorer.compute.remote.remote_dask import workers_at
from mvexplorer.errors import DataError, MVExplorerError, ParameterError

FORMS = "Write local:N, tcp://HOST:PORT, tls://HOST:PORT, or the path of a scheduler file."
ELSEWHERE = "tcp://10.1.2.3:8786"
WHY = (
    f"{ELSEWHERE} is neither encrypted nor on this computer. Whoever can reach that network can read the data, and run "
    "programs here and on the workers, since Dask sends pickled objects."
)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture(autouse=True)
def no_connection(monkeypatch):
    """Nothing here gets so far as to connect."""

    def connect(self, address):
        raise DataError(f"It would connect to {address.url}.")

    monkeypatch.setattr("mvexplorer.compute.remote.remote_dask.DaskWorkers.__init__", connect)


@pytest.mark.parametrize(
    ("text", "exposed"),
    [("tcp://127.0.0.1:8786", False), ("tcp://localhost:8786", False), ("tcp://[::1]:8786", False),
     ("tls://10.1.2.3:8786", False), (ELSEWHERE, True), ("tcp://cluster.example.org:8786", True),
     ("tcp://localhost.example.org:1", True), ("tcp://127.0.0.1.example.org:1", True), ("tcp://0.0.0.0:8786", True)],
)  # fmt: skip
def test_without_encryption_only_this_computer_is_safe(text, exposed):
    address = parse_address(text)
    assert (address, address.exposed) == (Address(url=text), exposed)
    allow(address, plain_tcp=True)
    if exposed:
        with pytest.raises(ParameterError, match="is neither encrypted nor on this computer"):
            allow(address, plain_tcp=False)


def test_processes_of_this_computer():
    assert parse_address("local:2") == Address(processes=2)
    assert [parse_address(f"local:{n}").title for n in (1, 3)] == ["1 process", "3 processes"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("local:0", "0 processes compute nothing. Give at least 1, as in local:2."),
     ("local:-1", "“local:-1” names no number of processes."), ("local:", "“local:” names no number of processes."),
     ("local:two", "“local:two” names no number of processes."), ("local:²", "“local:²” names no number of processes."),
     ("local:100000", "100000 processes would wait for each other on "), ("here", f"“here” is no cluster. {FORMS}"),
     ("http://host:1", "“http://host:1” is no address of a scheduler."), ("tcp://", "“tcp://” is no address"),
     ("tcp://host", "“tcp://host” is no address of a scheduler."), ("tcp://host:99999", "“tcp://host:99999” is no ad"),
     ("tcp://host:x", "“tcp://host:x” is no address"), ("tcp://host:1/x", "“tcp://host:1/x” is no address of a"),
     ("inproc://1/2/3", "“inproc://1/2/3” is no address of a scheduler."), ("", "“” is no cluster.")],
)  # fmt: skip
def test_what_is_no_address_is_told(text, sentence):
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("not json", "is no scheduler file. Give the file that dask scheduler --scheduler-file FILE wrote."),
     ("{}", "is no scheduler file."), ("[1]", "is no scheduler file."), ('{"address": 3}', "is no scheduler file."),
     ("[" * 100_000, "is no scheduler file."), (" " * 2_000_000, "is no scheduler file."),
     ('{"address": "http://host:80/"}', "“http://host:80/” is no address of a scheduler.")],
)  # fmt: skip
def test_a_file_that_is_no_scheduler_file(tmp_path, text, sentence):
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(MVExplorerError, match=re.escape(sentence)):
        parse_address(str(tmp_path / "s.json"))


def test_a_folder_is_no_scheduler_file(tmp_path):
    with pytest.raises(DataError, match=r"is no scheduler file\. Give the file that dask scheduler"):
        parse_address(str(tmp_path))


def test_a_scheduler_file_is_no_permission(tmp_path, monkeypatch):
    """The file may come from a stranger: what it names is asked about like an address."""
    file = tmp_path / "s.json"
    file.write_text(json.dumps({"address": ELSEWHERE}))
    with pytest.raises(ParameterError, match=re.escape(WHY)):
        workers_at(str(file))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="is a pipe"):
        workers_at(str(tmp_path / "pipe"))
    if os.getuid() != 0:
        file.chmod(0)
        with pytest.raises(DataError, match="permission"):
            workers_at(str(file))


def test_a_script_is_refused_in_a_sentence():
    data = mvx.MultiView([np.eye(6), np.eye(6)[::-1]], labels=list("ababab"))
    with pytest.raises(ParameterError, match=re.escape(f"{WHY} Use tls://, or allow it by --allow-plain-tcp")):
        mvx.sweep(data, "multiview", {"eta": [0.0]}, cluster=ELSEWHERE)


class Terminal:
    """A terminal at which somebody answers."""

    def __init__(self, answer=""):
        self.answer, self.asked = answer, ""

    def isatty(self):
        return True

    def readline(self):
        return self.answer

    def write(self, text):
        self.asked += text

    def flush(self):
        pass


@pytest.mark.parametrize(("answer", "connects"), [("y\n", True), ("YES\n", True), ("n\n", False), ("", False)])
def test_a_question_on_a_terminal(tmp_path, monkeypatch, answer, connects):
    monkeypatch.chdir(tmp_path)
    terminal = Terminal(answer)
    monkeypatch.setattr(clusters.sys, "stdin", terminal)
    monkeypatch.setattr(clusters.sys, "stderr", terminal)
    arguments = ["sweep", "circles", "--method", "multiview", "--grid", "eta=0:1:2", "--out", "a.csv"]
    assert main([*arguments, "--cluster", ELSEWHERE]) == 2
    assert (f"It would connect to {ELSEWHERE}." in terminal.asked) == connects
    assert terminal.asked.startswith(f"{WHY} Use it all the same? [y/N] ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("flag", [[], ["--allow-plain-tcp"]])
def test_without_a_terminal_a_flag_is_needed(tmp_path, monkeypatch, capsys, flag):
    monkeypatch.chdir(tmp_path)
    arguments = ["sweep", "circles", "--method", "multiview", "--grid", "eta=0:1:2", "--out", "a.csv"]
    assert main([*arguments, "--cluster", ELSEWHERE, *flag]) == 2
    said = f"It would connect to {ELSEWHERE}.\n" if flag else f"{WHY} {HOW_TO_ALLOW}\n"
    assert capsys.readouterr().err == f"mvexplorer: {said}"


def test_the_environment_names_no_cluster(monkeypatch):
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:1")
    monkeypatch.setenv("DASK_SCHEDULER_FILE", "/nowhere")
    with workers_at(None) as workers:
        assert workers.title == "this computer"
