"""One SciPy operation on a raw volume: scipy_peer.py <median | gauss | distance | components> <file> <edge>; see protocol.py."""
import sys

import numpy as np
from protocol import checksum, samples, serve, volume
from scipy import ndimage

operation, name, edge = sys.argv[1], sys.argv[2], int(sys.argv[3])
cells = volume(name, edge, np.uint8 if operation == "distance" else np.uint16)


def components():
    labels, count = ndimage.label(cells <= 24000, structure=np.ones((3, 3, 3)))
    boxes = ndimage.find_objects(labels)
    return np.bincount(labels.reshape(-1))[1:], count, boxes


runs = {
    "median": lambda: ndimage.median_filter(cells, size=3, mode="nearest"),
    "gauss": lambda: ndimage.gaussian_filter(cells, 1, truncate=3, mode="nearest"),
    "distance": lambda: ndimage.distance_transform_edt(cells),
    "components": components,
}


def result(outcome):
    if operation == "components":
        sizes, count, _ = outcome
        return {"count": count, "cells": int(sizes.sum()), "largest": int(sizes.max())}
    if operation == "median":
        return {**samples(outcome), **checksum(outcome)}
    return samples(np.round(outcome**2) if operation == "distance" else outcome)


serve(runs[operation], result)
