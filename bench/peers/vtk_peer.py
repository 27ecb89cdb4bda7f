"""One VTK operation on a raw volume: vtk_peer.py <median | gauss | isosurface> <file> <edge>; see protocol.py."""
import sys

import numpy as np
from protocol import checksum, samples, serve, volume
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D
from vtkmodules.vtkImagingGeneral import vtkImageGaussianSmooth, vtkImageMedian3D
from vtkmodules.vtkFiltersCore import vtkMassProperties

operation, name, edge = sys.argv[1], sys.argv[2], int(sys.argv[3])
grey = volume(name, edge, np.uint16)
image = vtkImageData()
image.SetDimensions(edge, edge, edge)
image.GetPointData().SetScalars(numpy_to_vtk(grey.reshape(-1)))


def filtered(make):
    def run():
        step = make()
        step.SetInputData(image)
        step.Update()
        return step.GetOutput()

    return run


def median():
    step = vtkImageMedian3D()
    step.SetKernelSize(3, 3, 3)
    return step


def gauss():
    step = vtkImageGaussianSmooth()
    step.SetStandardDeviations(1, 1, 1)
    step.SetRadiusFactors(3, 3, 3)
    return step


def isosurface():
    step = vtkFlyingEdges3D()
    step.SetValue(0, 24000)
    step.ComputeNormalsOn()
    step.ComputeGradientsOff()
    step.ComputeScalarsOff()
    return step


def values(outcome):
    filtered_grey = vtk_to_numpy(outcome.GetPointData().GetScalars()).reshape(edge, edge, edge)
    if operation == "median":
        return {**samples(filtered_grey), **checksum(filtered_grey)}
    return samples(filtered_grey)


def enclosed(outcome):
    """The volume between the edges on the cells' faces; see enclosedVolume of kernels/figures.ts."""
    corners = vtk_to_numpy(outcome.GetPoints().GetData()).astype(np.float64)
    triangles = vtk_to_numpy(outcome.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    six = 0.0
    for first in range(0, len(triangles), 1 << 20):
        a, b, c = (corners[triangles[first : first + (1 << 20), k]] for k in range(3))
        middle = np.floor((a + b + c) / 3) + 0.5
        six += np.einsum("ij,ij->", middle, np.cross(a, b) + np.cross(b, c) + np.cross(c, a))
    return six / 6


def measured(outcome):
    mass = vtkMassProperties()
    mass.SetInputData(outcome)
    return {
        "areaMm2": mass.GetSurfaceArea(),
        "volumeMm3": enclosed(outcome),
        "triangles": outcome.GetNumberOfPolys(),
    }


serve(
    filtered({"median": median, "gauss": gauss, "isosurface": isosurface}[operation]),
    measured if operation == "isosurface" else values,
)
