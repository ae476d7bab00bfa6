"""The command line: a lazy group, one file a command.

``--help`` needs only the table below; a command's module is imported when the command is called, and
imports the rest of the product inside its function.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module

import click

from trainreport._version import __version__
from trainreport.errors import TrainreportError

__all__ = ["COMMANDS", "command_line", "main"]

COMMANDS = {
    "report": "Write the report as HTML and PDF.",
    "check": "Judge runs and print findings and decision.",
    "compare": "Put runs side by side.",
    "batch": "Judge every run below a folder.",
    "frame": "Write all numbers as one table.",
    "pack": "File an audit pack that any tool can check.",
    "verify": "Check an audit pack and name every file that changed.",
    "trace": "Show what a number of an audit pack was made from.",
    "plan": "Make a plan file, check one, lock it, or make alerts of it.",
    "explain": "Explain a finding by its code.",
    "formats": "List the formats read and written.",
    "doctor": "Say what is installed and what is missing.",
    "demo": "Report on a sample run that ships with trainreport.",
}


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainreport.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        from trainreport.errors import did_you_mean

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="trainreport")
def command_line() -> None:
    """Report on machine-learning training runs, offline.

    Point it at what a run left behind (TensorBoard event files, MLflow stores, nvidia-smi logs) and at the
    plan agreed before training. It says whether the model learned, what the hardware did, what it cost, and
    what should be decided now.

    Exit codes of report, check and compare: 0 go, or nothing against it · 1 no-go, not-yet, or a finding at --fail-on ·
    2 wrong arguments or a faulty plan · 3 cannot tell, and a plan was given · 4 a path is missing or unreadable.
    """


def main() -> None:
    """Run the command line; every error of ours ends in a sentence and its exit code."""
    try:
        command_line(standalone_mode=False)
    except TrainreportError as error:
        click.echo(f"trainreport: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("trainreport: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has gone: `trainreport check … | head`
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:  # our fault, not the input's; exit code 1 would read as no-go
        if os.environ.get("TRAINREPORT_TRACEBACK"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        click.echo(
            f"trainreport: a fault of trainreport itself, {type(error).__name__} at {place.filename}:{place.lineno}: {error}; "
            "please report it with what TRAINREPORT_TRACEBACK=1 shows",
            err=True,
        )
        sys.exit(4)
