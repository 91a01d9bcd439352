"""`edge-clm ask` and `edge-clm describe`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from edge_clm.cli.connection import Target, connected
from edge_clm.cli.failures import Failure
from edge_clm.cli.file import read_file
from edge_clm.cli.notice import notice_records, notice_said
from edge_clm.cli.options import LARGEST, Words, daemon_options, json_option, reuse_options
from edge_clm.cli.render import answer_fields, how, json_line, printable

if TYPE_CHECKING:
    from edge_clm.client import Client
    from edge_clm.v1.edge_clm_pb2 import Answer

Command = Callable[..., None]


def page_options(function: Command) -> Command:
    """Adds the options about the page, reuse and generation, gathered as `wish` and `target`."""

    @wraps(function)
    def gather(**flags: Any) -> None:
        target = Target.of(flags)
        names = ("page", "fresh", "no_store", "max_age_s", "max_tokens")
        wish = {name: flags.pop(name) for name in names}
        function(target=target, wish=wish, **flags)

    command: Command = daemon_options(gather)
    for option in (
        click.option(
            "--max-tokens",
            type=click.IntRange(min=0, max=LARGEST),
            default=0,
            metavar="N",
            help="Longest answer, in tokens; 0 for the daemon's default.",
        ),
        reuse_options,
        json_option,
        click.option(
            "--page",
            type=click.IntRange(min=1, max=LARGEST),
            default=1,
            show_default=True,
            metavar="N",
            help="Page of a PDF or TIFF.",
        ),
        click.argument(
            "file", type=click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
        ),
    ):
        command = option(command)
    return command


@click.command()
@page_options
@click.argument("questions", metavar="QUESTION...", nargs=-1, required=True, type=Words())
@click.option("--stream", is_flag=True, help="Print each answer as it is generated.")
def ask(
    target: Target,
    wish: dict[str, Any],
    file: str,
    questions: tuple[str, ...],
    as_json: bool,
    stream: bool,
) -> None:
    """Ask one or more questions about a page.

    FILE is a JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, AVIF or PDF; '-' is standard input. Quote
    each QUESTION. The answer goes to standard output, how it came about to standard error.
    """
    with connected(target) as client:
        data = _read(file, client)
        source = _source(client, data, wish, len(questions))
        for question in questions:
            if stream:
                answer = _stream(client, question, source | wish, as_json)
            else:
                answer = client.ask(question, **source, **wish)
            _show(answer, as_json, question=question, printed=stream)


@click.command()
@page_options
def describe(target: Target, wish: dict[str, Any], file: str, as_json: bool) -> None:
    """Say what a page shows, in a few sentences.

    FILE is a JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, AVIF or PDF; '-' is standard input.
    """
    with connected(target) as client:
        data = _read(file, client)
        if sys.stderr.isatty():
            click.secho("working…", err=True, dim=True)
        _show(client.describe(**_source(client, data, wish, 1), **wish), as_json)


def _read(file: str, client: Client) -> bytes:
    return read_file(file, lambda: client.info().limits.max_bytes)


def _source(client: Client, data: bytes, wish: dict[str, Any], uses: int) -> dict[str, Any]:
    """The page itself, or its handle where it is needed more than once.

    An upload is kept by the daemon, so with --no-store the page goes along with each question.
    """
    if uses > 1 and not wish["no_store"]:
        return {"handle": client.put_capture(data).handle}
    return {"image": data}


def _stream(client: Client, question: str, call: dict[str, Any], as_json: bool) -> Answer:
    answer = None
    for event in client.ask_stream(question, **call):
        if not isinstance(event, str):
            answer = event
        elif as_json:
            click.echo(json_line({"question": question, "delta": event}))
        else:
            click.echo(printable(event), nl=False)
    if answer is None:
        raise Failure(
            reason="INTERNAL", code="INTERNAL", message="the stream ended without an answer"
        )
    return answer


def _show(answer: Answer, as_json: bool, question: str = "", printed: bool = False) -> None:
    if as_json:
        asked = {"question": question} if question else {}
        click.echo(json_line(asked | answer_fields(answer)))
        return
    click.echo("" if printed else printable(answer.text))
    click.secho(how(answer), err=True, dim=True)
    for notice in notice_records(answer.page):
        click.secho(notice_said(notice), err=True, fg="yellow")
