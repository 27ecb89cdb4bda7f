// One ITK operation on a raw volume: `itk_peer <operation> <file> <edge>`. Reads lines on standard input: `run` does the
// operation once and answers with its seconds, without reading; `result` answers with what came out, as JSON.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "itkBinaryImageToLabelMapFilter.h"
#include "itkBinaryThresholdImageFilter.h"
#include "itkImportImageFilter.h"
#include "itkMedianImageFilter.h"
#include "itkSignedMaurerDistanceMapImageFilter.h"
#include "itkSmoothingRecursiveGaussianImageFilter.h"

using Grey = itk::Image<uint16_t, 3>;
using Mask = itk::Image<uint8_t, 3>;
using Real = itk::Image<float, 3>;

static long edge;

template <class T> static typename itk::Image<T, 3>::Pointer readVolume(const char *name) {
  using Volume = itk::Image<T, 3>;
  auto volume = Volume::New();
  typename Volume::RegionType region;
  typename Volume::SizeType size;
  size.Fill(edge);
  region.SetSize(size);
  volume->SetRegions(region);
  volume->Allocate();
  std::ifstream file(name, std::ios::binary);
  file.read(reinterpret_cast<char *>(volume->GetBufferPointer()), sizeof(T) * edge * edge * edge);
  if (!file) throw std::runtime_error("the volume is too short for its edge length");
  return volume;
}

// Values at places that every peer takes, none of them near the border; see places.ts.
template <class Image>
static void printSamples(Image *image, std::function<double(double)> turned, const std::string &before = "") {
  std::printf("{%s\"samples\":[", before.c_str());
  const auto *data = image->GetBufferPointer();
  const int64_t inner = edge - 16;
  for (int64_t i = 0; i < 4096; i++) {
    const int64_t x = 8 + i * 73856093 % inner, y = 8 + i * 19349663 % inner, z = 8 + i * 83492791 % inner;
    std::printf(i ? ",%.6g" : "%.6g", turned(data[(z * edge + y) * edge + x]));
  }
  std::printf("]}\n");
}

// Every cell that is not at the border, in one number; see filters.ts.
static std::string checksumOf(const uint16_t *data) {
  int64_t sum = 0;
  for (int64_t z = 1; z < edge - 1; z++)
    for (int64_t y = 1; y < edge - 1; y++)
      for (int64_t x = 1; x < edge - 1; x++) sum += data[(z * edge + y) * edge + x] * (1 + (x + 3 * y + 7 * z) % 251);
  return "\"checksum\":" + std::to_string(sum) + ",";
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const std::string operation = argv[1];
  edge = std::stol(argv[3]);
  std::function<void()> run, result;
  const auto same = [](double v) { return v; };

  if (operation == "median") {
    auto input = readVolume<uint16_t>(argv[2]);
    using Filter = itk::MedianImageFilter<Grey, Grey>;
    auto out = std::make_shared<Grey::Pointer>();
    run = [=] {
      auto filter = Filter::New();
      filter->SetInput(input);
      Filter::InputSizeType radius;
      radius.Fill(1);
      filter->SetRadius(radius);
      filter->Update();
      *out = filter->GetOutput();
    };
    result = [=] { printSamples(out->GetPointer(), same, checksumOf((*out)->GetBufferPointer())); };
  } else if (operation == "recursive-gauss") {
    auto input = readVolume<uint16_t>(argv[2]);
    auto out = std::make_shared<Grey::Pointer>();
    run = [=] {
      auto filter = itk::SmoothingRecursiveGaussianImageFilter<Grey, Grey>::New();
      filter->SetInput(input);
      filter->SetSigma(1);
      filter->Update();
      *out = filter->GetOutput();
    };
    result = [=] { printSamples(out->GetPointer(), same); };
  } else if (operation == "distance") {
    auto input = readVolume<uint8_t>(argv[2]);
    auto out = std::make_shared<Real::Pointer>();
    run = [=] {
      auto filter = itk::SignedMaurerDistanceMapImageFilter<Mask, Real>::New();
      filter->SetInput(input);
      // Distances run to the nearest cell of what is not background: material is it, so that they run to air.
      filter->SetBackgroundValue(1);
      filter->SetSquaredDistance(true);
      filter->SetUseImageSpacing(false);
      filter->Update();
      *out = filter->GetOutput();
    };
    result = [=] { printSamples(out->GetPointer(), [](double v) { return v > 0 ? v : 0; }); };
  } else if (operation == "components") {
    auto input = readVolume<uint16_t>(argv[2]);
    auto sizes = std::make_shared<std::vector<uint64_t>>();
    run = [=] {
      auto threshold = itk::BinaryThresholdImageFilter<Grey, Mask>::New();
      threshold->SetInput(input);
      threshold->SetUpperThreshold(24000);
      threshold->SetInsideValue(1);
      threshold->SetOutsideValue(0);
      auto filter = itk::BinaryImageToLabelMapFilter<Mask>::New();
      filter->SetInput(threshold->GetOutput());
      filter->SetInputForegroundValue(1);
      filter->SetFullyConnected(true);
      filter->Update();
      sizes->clear();
      auto *map = filter->GetOutput();
      // Cells and box of each: what is counted on our side too, from the runs and without a further image.
      volatile int64_t boxes = 0;
      for (unsigned i = 0; i < map->GetNumberOfLabelObjects(); i++) {
        const auto *object = map->GetNthLabelObject(i);
        uint64_t cells = 0;
        int64_t low[3] = {edge, edge, edge}, high[3] = {-1, -1, -1};
        for (unsigned k = 0; k < object->GetNumberOfLines(); k++) {
          const auto &line = object->GetLine(k);
          const auto &at = line.GetIndex();
          const int64_t length = line.GetLength();
          cells += length;
          low[0] = std::min<int64_t>(low[0], at[0]);
          high[0] = std::max<int64_t>(high[0], at[0] + length - 1);
          for (int d = 1; d < 3; d++) {
            low[d] = std::min<int64_t>(low[d], at[d]);
            high[d] = std::max<int64_t>(high[d], at[d]);
          }
        }
        boxes = boxes + high[0] - low[0] + high[1] - low[1] + high[2] - low[2];
        sizes->push_back(cells);
      }
    };
    result = [=] {
      uint64_t sum = 0, largest = 0;
      for (const auto cells : *sizes) {
        sum += cells;
        largest = std::max(largest, cells);
      }
      std::printf("{\"count\":%zu,\"cells\":%llu,\"largest\":%llu}\n", sizes->size(), (unsigned long long)sum,
                  (unsigned long long)largest);
    };
  } else {
    return 2;
  }

  std::printf("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "run") {
      const auto start = std::chrono::steady_clock::now();
      run();
      std::printf("%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    } else if (line == "result") {
      result();
    }
    std::fflush(stdout);
  }
  return 0;
}
