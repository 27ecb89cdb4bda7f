"""
Distances of points to a mesh by Open3D, whose RaycastingScene is Embree: open3d_peer.py <points> <mesh>.
Points: f32 xyz. Mesh: number of vertices and of triangles (u32), f32 xyz, u32 abc. Building the scene counts; see protocol.py.
"""
import sys

import numpy as np
import open3d
from protocol import serve

points = np.fromfile(sys.argv[1], dtype=np.float32).reshape(-1, 3)
head = np.fromfile(sys.argv[2], dtype=np.uint32, count=2)
vertices = np.fromfile(sys.argv[2], dtype=np.float32, offset=8, count=3 * head[0]).reshape(-1, 3)
triangles = np.fromfile(sys.argv[2], dtype=np.uint32, offset=8 + 12 * int(head[0])).reshape(-1, 3)
tensor = open3d.core.Tensor


def run():
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(tensor(vertices), tensor(triangles))
    return scene.compute_signed_distance(tensor(points)).numpy()


def result(outcome):
    # Version 0.16 gives every distance as positive (Open3D issue 6919): the side can't be compared.
    distances = np.abs(outcome.astype(np.float64))
    return {"meanMm": float(distances.mean()), "rmsMm": float(np.sqrt((distances**2).mean()))}


serve(run, result)
