"""Photographs and scans of sheets, simulated from a seed, with the way between sheet and picture."""

from edge_clm.train.capture.hardness import Bend, Hardness, Light
from edge_clm.train.capture.plan import Captured, Plan, capture, plan_capture
from edge_clm.train.capture.scan import ScanPlan, plan_scan, scan
from edge_clm.train.capture.transfer import flattened, put_back
from edge_clm.train.capture.warp import Warp

__all__ = [
    "Bend",
    "Captured",
    "Hardness",
    "Light",
    "Plan",
    "ScanPlan",
    "Warp",
    "capture",
    "flattened",
    "plan_capture",
    "plan_scan",
    "put_back",
    "scan",
]
