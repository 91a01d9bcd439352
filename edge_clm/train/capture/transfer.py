"""Edits carried from a sheet into a capture that exists: its own light, blur and noise stay."""

from __future__ import annotations

import numpy as np

from edge_clm.train.capture.warp import Warp
from edge_clm.types import Pixels


def flattened(warp: Warp, capture: Pixels) -> Pixels:
    """The sheet as the capture shows it, straightened: RGB, of the sheet's size."""
    import cv2

    maps = warp.forward.dense(warp.size) - np.float32(0.5)
    flat = cv2.remap(capture, maps, None, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)


def put_back(warp: Warp, capture: Pixels, before: Pixels, after: Pixels) -> Pixels:
    """The capture with what differs between two flat pictures of its sheet, and otherwise as it was.

    `before` is what `flattened` gave, `after` the same with an edit.
    """
    import cv2

    change = after.astype(np.float32) - before.astype(np.float32)
    maps = warp.backward.dense(warp.frame) - np.float32(0.5)
    carried = cv2.remap(change, maps, None, cv2.INTER_LINEAR, borderValue=(0, 0, 0))
    return np.asarray(np.clip(np.rint(capture + carried), 0, 255), np.uint8)
