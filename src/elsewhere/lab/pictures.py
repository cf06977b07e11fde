"""Pictures of a result: rows and columns of images with their names, as one PNG."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

WIDEST = 15.0  # inches of a sheet at 100 dots an inch
MARGIN = 0.30  # inches for a name above or beside an image


@dataclass(frozen=True, eq=False)
class Sheet:
    """Images (height, width, 3) of one size in rows and columns. None leaves a place empty.

    `columns` are names above each column, `rows` beside each row; `names` may give each image its own
    (row by row), shown above it.
    """

    title: str
    images: tuple[tuple[Image | None, ...], ...]
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    caption: str = ""

    @cached_property
    def png(self) -> bytes:
        """The sheet as a PNG file. No display and no global state of matplotlib is used."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        count = max(len(row) for row in self.images)
        shape = next(image.shape for row in self.images for image in row if image is not None)
        side = 3 * MARGIN if self.rows else 0.05
        wide = min((WIDEST - side) / count, 4.0)
        high = wide * shape[0] / shape[1]
        above = 0.0 if self.names else MARGIN
        each = high + (MARGIN if self.names else 0.05)
        width, height = side + count * (wide + 0.05), above + len(self.images) * each
        figure = Figure(figsize=(width, height), dpi=100, facecolor="white")
        FigureCanvasAgg(figure)
        for j, row in enumerate(self.images):
            for i, image in enumerate(row):
                left, top = side + i * (wide + 0.05), above + j * each + (each - high)
                place = (left / width, 1.0 - (top + high) / height, wide / width, high / height)
                axes = figure.add_axes(place)
                axes.set_axis_off()
                if image is not None:
                    axes.imshow(image, interpolation="antialiased", aspect="auto")
                if self.names:
                    axes.set_title(self.names[j][i], fontsize=9.5, pad=3, color="#1d2430")
                elif j == 0 and self.columns:
                    axes.set_title(self.columns[i], fontsize=9.5, pad=4, color="#1d2430")
                if i == 0 and self.rows:
                    middle = 1.0 - (top + 0.5 * high) / height
                    figure.text(0.5 * side / width, middle, self.rows[j], ha="center", va="center")
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()
