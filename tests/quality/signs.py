"""Names that were given up, each with the one that took its place.

A short name means other things elsewhere: an entry names the kind of thing that is meant, and with `where` the rooms,
modules or classes. Local variables, prose, command-line flags, ids of methods, and the analyst's word “draft” are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

MODULE, CLASS, FUNCTION, ATTRIBUTE, PARAMETER, NAME = "module", "class", "function", "attribute", "parameter", "name"
"""FUNCTION includes methods, ATTRIBUTE properties; NAME is anything else bound at a module's top level."""


@dataclass(frozen=True)
class Sign:
    """`old` (a name or a pattern, leading underscores ignored) is called `new` now.

    `where`, names separated by spaces, limits it to things whose dotted place holds one of them; none means anywhere.
    """

    old: str
    new: str
    kind: str
    where: str = ""

    def forbids(self, kind: str, name: str, place: str) -> bool:
        """Whether it means a thing of this kind and name, defined at a place such as `mvexplorer.ui.slider.Slider`."""
        here = not self.where or not set(self.where.split()).isdisjoint(place.split("."))
        return here and kind == self.kind and fnmatchcase(name.lstrip("_"), self.old)


SIGNS = (
    # The window's corridor
    Sign("hands", "behaviour", MODULE),
    Sign("Hands", "Editor, WindowBehaviour", CLASS),
    Sign("hands", "editor, behaviour", ATTRIBUTE),
    Sign("hand_let_go", "end_drag", FUNCTION),
    Sign("hand_rests", "on_idle", FUNCTION),
    Sign("rest_soon", "end_drag", FUNCTION),
    # The command line: the parameter `given` of a parser is what the user gave, and stays
    Sign("said", "output", MODULE),
    Sign("given", "inputs", MODULE),
    # Too large, and what else is open: `Param.choices` are the values of a parameter, and stay
    Sign("ways", "too_large", MODULE),
    Sign("Ways", "TooLargePage", CLASS),
    Sign("ways", "too_large", ATTRIBUTE, "ui"),
    Sign("ways_of", "alternatives", FUNCTION),
    Sign("add_ways", "_add_alternatives", FUNCTION),
    Sign("Choice", "Alternative", CLASS, "engine"),
    Sign("choices", "alternatives", FUNCTION, "engine"),
    Sign("choices", "alternatives", ATTRIBUTE, "TooLarge"),
    Sign("choices", "alternatives", PARAMETER, "TooLarge"),
    # What is wrong with a result, or with a file
    Sign("doubts", "diagnostics", MODULE),
    Sign("Doubts", "Diagnostics", NAME),
    Sign("*doubts", "diagnostics", FUNCTION),
    Sign("doubts", "diagnostics", PARAMETER),
    Sign("oddities", "quality", MODULE),
    Sign("*oddities", "quality", FUNCTION),
    # A random part of the samples: the parts that `io` reads a file in are other ones, and stay
    Sign("placing", "subsample", MODULE),
    Sign("place_all", "extend_to_all", FUNCTION),
    Sign("part", "subsample", FUNCTION, "Stages"),
    Sign("part_data", "_subsampled_data", FUNCTION, "Stages"),
    Sign("part_rows", "subsample_rows", FUNCTION),
    Sign("part_of", "subsample_of", FUNCTION),
    Sign("check_part", "check_subsample", FUNCTION),
    Sign("part", "subsample", ATTRIBUTE, "engine compute state"),
    Sign("part", "subsample", PARAMETER, "engine compute state"),
    # One kernel for all views: `RowPool._pool` is a pool of threads
    Sign("pooled", "joint_kernel", MODULE),
    Sign("*pool", "joint_kernel", FUNCTION, "engine"),
    Sign("*pooled_*", "joint_kernel", FUNCTION, "engine"),
    Sign("pools", "joint_kernel", ATTRIBUTE, "engine"),
    Sign("POOLED", "JOINT_KERNELS", NAME, "engine"),
    # Products with kernels
    Sign("implicit", "operators", MODULE),
    Sign("Rounded", "Float32Kernel", CLASS),
    Sign("Shared", "ThreadedOperator", CLASS),
    Sign("LowRank", "LowRankOperator", CLASS),
    Sign("by_rows", "map_blocks", FUNCTION),
    Sign("RowPool", "BlockExecutor", CLASS),
    # Where a solver starts: arguments called `start` stay, and so does the step of another algorithm
    Sign("start", "warm_start", MODULE, "engine"),
    Sign("Start", "WarmStart", CLASS),
    Sign("Step", "PreviousSolution", CLASS, "start warm_start"),
    # One word for one fact: a hand is still moving. A slider's own `_dragging` is about its mouse.
    Sign("dragging", "interactive", PARAMETER),
    Sign("following", "interactive", PARAMETER),
    Sign("following", "interactive", ATTRIBUTE),
    Sign("draft", "interactive", PARAMETER),
    Sign("draft", "interactive", ATTRIBUTE),
    # Single precision: `methods/single.py` is the method of one view
    Sign("in_single", "in_float32", FUNCTION),
    Sign("single", 'precision="float32"', ATTRIBUTE, "engine"),
    Sign("single", 'precision="float32"', PARAMETER, "engine"),
    Sign("*_IN_SINGLE", "*_IN_FLOAT32", NAME, "engine"),
    # Tolerances of the eigensolvers
    Sign("SETTLED", "ANGLE_EXACT", NAME, "spectral"),
    Sign("NEAR", "ANGLE_WARM", NAME, "spectral"),
    Sign("ROUGH", "TOL_PROBE", NAME, "spectral"),
    Sign("DRAFT", "ANGLE_PREVIEW", NAME, "spectral"),
    Sign("smoothest", "smallest_eigenpairs_of_laplacian", FUNCTION),
    Sign("bottom_eigenpairs", "smallest_eigenpairs", FUNCTION),
    # What a run costs: `Task.memory` and its like are limits, and stay
    Sign("memory", "cost", MODULE),
    Sign("need", "cost", ATTRIBUTE),
    Sign("need_of", "cost_of", FUNCTION),
    # What a method declares
    Sign("takes", "requires", ATTRIBUTE, "Method"),
    Sign("holds", "memory_class", ATTRIBUTE, "Method"),
    Sign("drafts", "warm_starts", ATTRIBUTE, "Method"),
    Sign("stands_in", "approximates_gaussian", ATTRIBUTE),
    Sign("stands_in", "approximates_gaussian", FUNCTION),
    Sign("refusal", "check_applicable", FUNCTION),
    # Bandwidths explained: the facts that local CCA tells of its metrics are other ones
    Sign("explainer", "bandwidth_analyser", MODULE),
    Sign("Explainer", "BandwidthAnalyser", CLASS),
    Sign("explainer", "analyser", ATTRIBUTE),
    Sign("explainer", "analyser", PARAMETER),
    Sign("ViewFacts", "BandwidthSummary", CLASS),
    Sign("facts", "summaries", ATTRIBUTE, "compute state"),
    Sign("facts_changed", "summary_changed", ATTRIBUTE),
    Sign("*facts*", "bandwidth_summary", FUNCTION, "compute state ui"),
    Sign("survey", "evaluate_rules", FUNCTION),
    Sign("Finding", "RuleValue", CLASS),
    # Parts of the window: `Points`, an array of points, is not the dock
    Sign("side", "controls.dock", MODULE, "ui"),
    Sign("points", "appearance.dock", MODULE, "ui"),
    Sign("bottom", "pages.dock", MODULE, "ui"),
    Sign("card", "sample_card", MODULE, "ui"),
    Sign("Side", "ControlsDock", CLASS),
    Sign("Points", "AppearanceDock", CLASS),
    Sign("Bottom", "PageDock", CLASS),
    Sign("Strip", "PresentationBar", CLASS),
    Sign("Card", "SampleCard", CLASS),
    Sign("Look", "PointStyle", CLASS),
    Sign("forms", "markers", ATTRIBUTE, "ui"),
    Sign("forms", "markers", PARAMETER, "ui"),
    Sign("*_forms", "markers", FUNCTION, "ui"),
    Sign("draw_form", "draw_marker", FUNCTION),
    # How points move
    Sign("glide", "animate", PARAMETER),
    Sign("glide", "animate", ATTRIBUTE),
    Sign("GLIDE_MS", "ANIMATE_MS", NAME),
    Sign("set_out", "animate_to", FUNCTION),
    Sign("keeps_up", "fits_frame_budget", FUNCTION),
    # The document: `Connectivity.isolated` counts samples without a neighbour
    Sign("ticked", "enabled", ATTRIBUTE),
    Sign("ticked", "enabled", PARAMETER),
    Sign("isolated", "visible_classes", ATTRIBUTE, "DocumentState"),
    # Modules with another module's name
    Sign("numbers", "formatting", MODULE),
    Sign("platform", "platform_check", MODULE),
    Sign("help", "help_page", MODULE),
    Sign("garbage", "gc_main_thread", MODULE),
    # Verbs: a banner or a canvas that settles does so by itself
    Sign("give_way", "lower_thread_priority", FUNCTION),
    Sign("spare_what_is_here", "freeze_startup_objects", FUNCTION),
    Sign("settle", "wait_until_idle", FUNCTION, "render export offscreen"),
)
