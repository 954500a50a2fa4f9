"""`/cost`: notes what this chat used and cost so far (C10, P5)."""

from __future__ import annotations

from talkfield.core.cost import CostReport
from talkfield.core.slash.base import SlashCommand, SlashContext, SlashResult, note, takes_no_argument


def run(context: SlashContext) -> SlashResult:
    if context.argument:
        return takes_no_argument("cost")
    return note(cost_note(context.report))


def cost_note(report: CostReport) -> str:
    """The tokens and the cost, and where the figures are not exact or not ours, that."""
    total = report.input_tokens + report.output_tokens
    lines = [f"{total:,} tokens: {report.input_tokens:,} in, {report.output_tokens:,} out", f"Cost: {report.label}"]
    if report.tokens_estimated:
        lines.append("Some tokens are estimated: a provider reported none, as when a reply is stopped.")
    if report.reported:
        part = "The" if report.reported == report.priced else "Part of the"
        lines.append(f"{part} cost is as the provider reported it.")
    return "\n\n".join(lines)


COST = SlashCommand(name="cost", about="Show the tokens and the cost of this chat", run=run)
