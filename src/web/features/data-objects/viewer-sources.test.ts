import { afterEach, describe, expect, it, vi } from 'vitest';
import { findHolder } from '#contract/analyses/choose-pictures.ts';
import { identityDirections } from '#kernels/grid/volume.ts';
import { client } from '#web/api/generated/client.gen.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import type { VolumeDescription } from '#web/viewer/data/slice-source.ts';
import {
  choosePinned,
  chooseShown,
  loadPreview,
  openReference,
  openSlices,
  openSurface,
  volumeDescription,
} from './viewer-sources.ts';

const common = (id: string, fileName?: string) => ({
  id,
  projectId: 'p',
  name: id,
  status: 'completed' as const,
  warnings: [],
  files: fileName ? [{ fileName, mediaType: 'model/gltf-binary', sizeBytes: 1, sha256: 'a'.repeat(64) }] : [],
  createdByOperation: null,
  createdAt: '2026-01-01T00:00:00Z',
});
/** Without metadata, which does not affect what is shown. */
const object = (id: string, kind: DataObject['kind'], fileName?: string) =>
  ({ ...common(id, fileName), kind, metadata: {} }) as unknown as DataObject;

const volume: VolumeDescription = {
  id: 'v',
  dimensions: [3, 2, 4],
  voxelSizeMm: [0.5, 0.5, 1],
  originMm: [10, 20, 30],
  directions: identityDirections(),
  dataType: 'uint16',
};

/** The generated client, with responses from the test. */
const answering = (answer: (url: URL) => Response) => {
  const asked: URL[] = [];
  client.setConfig({
    baseUrl: 'http://service.test',
    fetch: async (request) => {
      const url = new URL(request instanceof Request ? request.url : String(request));
      asked.push(url);
      return answer(url);
    },
  });
  return asked;
};
afterEach(() => vi.unstubAllGlobals());

describe('The viewer', () => {
  const scan = object('scan', 'volume');
  const older = object('older', 'volume');
  const mesh = object('mesh', 'mesh', 'mesh.glb');
  const thickness = object('thickness', 'wallThickness', 'thickness.glb');
  const all = [thickness, mesh, scan, older];
  const nothing = { volume: null, surface: null, reference: null };

  it('shows the newest volume and the most informative surface when nothing is selected', () => {
    expect(chooseShown(all, null, [])).toEqual({ ...nothing, volume: scan, surface: thickness });
    expect(chooseShown([mesh, scan], null, [])).toEqual({ ...nothing, volume: scan, surface: mesh });
    expect(chooseShown([], null, [])).toEqual(nothing);
  });

  it('prefers findings in a part to the plain part, and measurements to both', () => {
    const defects = object('defects', 'integrity', 'defects.glb');
    const pictures = chooseShown([mesh, defects, scan], null, []);
    expect(pictures).toEqual({ volume: scan, surface: defects, reference: mesh });
    expect(chooseShown([defects, ...all], null, []).surface).toBe(thickness);
  });

  it('shows a scan without a surface as a volume, and its CAD model only when selected', () => {
    const cad = object('cad', 'cad', 'model.glb');
    expect(chooseShown([scan, cad], null, [])).toEqual({ ...nothing, volume: scan });
    expect(chooseShown([scan, cad], cad, [])).toEqual({ ...nothing, volume: scan, surface: cad });
    expect(chooseShown([cad], null, [])).toEqual({ ...nothing, surface: cad });
  });

  it('shows the selected surface in the volume that it was created from', () => {
    expect(chooseShown(all, mesh, ['older'])).toEqual({ ...nothing, volume: older, surface: mesh });
  });

  it('shows the scan and its reference for an alignment', () => {
    const matrix = [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const alignment = { ...object('alignment', 'alignment'), metadata: { matrix } } as unknown as DataObject;
    const cad = object('cad', 'cad', 'model.glb');
    const pictures = chooseShown([alignment, cad, ...all], alignment, ['older', 'cad']);
    expect(pictures).toEqual({ volume: older, surface: mesh, reference: cad });
    expect(chooseShown([alignment, ...all], alignment, ['scan', 'mesh'])).toEqual({
      volume: scan,
      surface: thickness,
      reference: mesh,
    });
    const newer = { ...alignment, id: 'newer' };
    const kept = { volumeId: older.id, meshId: mesh.id, alignmentId: alignment.id };
    const withNewer = [newer, alignment, cad, ...all];
    expect(choosePinned(withNewer, kept, ['older', 'cad'])).toEqual(pictures);
    expect(findHolder(withNewer, kept.alignmentId, mesh)).toBe(alignment);
    expect(choosePinned(withNewer, { ...kept, alignmentId: null }, [])).toEqual({
      ...pictures,
      reference: null,
    });
    expect(openReference(alignment, cad)).toMatchObject({ title: cad.name, matrix, isNominal: true });
    expect(openSurface(mesh)).toMatchObject({ isNominal: false });
    expect(openReference(alignment, older)).toBeNull();
  });

  it('shows the part around defects, unless it may belong to another scan', () => {
    const defects = object('defects', 'integrity', 'defects.glb');
    const pictures = chooseShown([defects, thickness, mesh, scan], defects, ['scan']);
    expect(pictures).toEqual({ volume: scan, surface: defects, reference: mesh });
    expect(openReference(defects, mesh)).toMatchObject({ isPart: true, onSlicesOnly: false });
    expect(chooseShown([defects, ...all], defects, ['scan']).reference).toBeNull();
    expect(chooseShown([defects, scan], defects, ['scan']).reference).toBeNull();
  });

  it('shows the outline of a comparison’s reference at its aligned pose', () => {
    const matrix = [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const compared = {
      ...object('compared', 'meshCompare', 'deviation.glb'),
      metadata: { alignment: { matrix } },
    } as unknown as DataObject;
    const cad = object('cad', 'cad', 'model.glb');
    for (const selected of [compared, null])
      expect(chooseShown([compared, cad, scan], selected, ['scan', 'cad'])).toEqual({
        volume: scan,
        surface: compared,
        reference: cad,
      });
    expect(openReference(compared, cad)).toMatchObject({ matrix, isPart: false, onSlicesOnly: true });
  });

  it('shows the data objects named in a bookmark, and the most informative ones if it names none', () => {
    const view = { volumeId: null, meshId: mesh.id, alignmentId: null };
    expect(choosePinned(all, view, [])).toEqual({ ...nothing, surface: mesh });
    const ofNothing = { volumeId: null, meshId: null, alignmentId: null };
    expect(choosePinned(all, ofNothing, [])).toEqual(chooseShown(all, null, []));
  });

  it('leaves out unfinished data objects', () => {
    const failed = { ...object('bad', 'volume'), status: 'failed' as const };
    expect(chooseShown([failed, older], null, []).volume).toBe(older);
  });

  it('lists the scalars of a surface', () => {
    expect(openSurface(thickness)?.scalars.map(({ name }) => name)).toEqual(['thicknessMm']);
    expect(openSurface(mesh)?.scalars).toMatchObject([{ name: 'positionUncertaintyMm', onDemand: true }]);
    expect(openSurface(scan)).toBeNull();
  });
});

describe('A volume from the service', () => {
  it('is described by its metadata and its levels', () => {
    const described = volumeDescription(
      {
        ...common('v'),
        kind: 'volume',
        metadata: {
          dimensions: [3, 2, 4],
          voxelSizeMm: [0.5, 0.5, 1],
          originMm: [10, 20, 30],
          dataType: 'uint16',
          range: [0, 65535],
          isoValue: null,
          directions: identityDirections(),
          histogram: { min: 0, max: 65536, counts: [5, 1] },
        },
      },
      {
        id: 'v',
        dimensions: [3, 2, 4],
        voxelSizeMm: [0.5, 0.5, 1],
        originMm: [10, 20, 30],
        dataType: 'uint16',
        levels: [],
      },
    );
    expect(described).toEqual({
      ...volume,
      range: [0, 65535],
      isoValue: undefined,
      materialLevels: [],
      levels: [],
      histogram: { minimum: 0, maximum: 65536, counts: [5, 1] },
    });
  });

  it('provides planes in the frame of the viewer', async () => {
    const asked = answering(
      () =>
        new Response(Uint16Array.from([1, 2, 3, 4, 5, 6]), {
          headers: {
            'X-Dimensions': '3,2',
            'X-Spacing-Mm': '0.5,0.5',
            'X-Data-Type': 'uint16',
            'X-Origin-Mm': '10,20,32',
            'Content-Type': 'application/octet-stream',
          },
        }),
    );
    const plane = await openSlices(volume).getPlane({
      axis: 'z',
      positionMm: 32,
      level: 0,
      rect: [0, 0, 3, 2],
      signal: new AbortController().signal,
    });
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      axis: 'z',
      level: '0',
      positionMm: '32',
      rect: '2', // the last of four: repeated array parameters
      format: 'raw',
    });
    expect(asked[0]?.searchParams.getAll('rect')).toEqual(['0', '0', '3', '2']);
    expect(plane).toEqual({
      width: 3,
      height: 2,
      values: Uint16Array.from([1, 2, 3, 4, 5, 6]),
      originMm: [10, 20],
      spacingMm: [0.5, 0.5],
      exact: true,
    });
  });

  it('counts along rotated axes as the service does', async () => {
    // The grid's z axis runs along −x of the frame: its first plane at x = 10 mm is at −10 mm along its own axis.
    const turned: VolumeDescription = { ...volume, directions: [0, 0, 1, 0, 1, 0, -1, 0, 0] };
    const asked = answering(
      () =>
        new Response(new Uint16Array(6), {
          headers: {
            'X-Dimensions': '3,2',
            'X-Spacing-Mm': '0.5,0.5',
            'X-Data-Type': 'uint16',
            'X-Origin-Mm': '8,20,30',
          },
        }),
    );
    const plane = await openSlices(turned).getPlane({
      axis: 'z',
      positionMm: 32,
      level: 1,
      rect: [0, 0, 3, 2],
      signal: new AbortController().signal,
    });
    expect(asked[0]?.searchParams.get('positionMm')).toBe('-8');
    expect(plane).toMatchObject({ originMm: [10, 20], exact: false });
  });

  it('reads a preview according to its headers, and refuses one whose size does not match them', async () => {
    const level = (bytes: number) => () =>
      new Response(new Uint8Array(bytes).fill(1), {
        headers: {
          'X-Dimensions': '2,2,2',
          'X-Spacing-Mm': '1,1,2',
          'X-Origin-Mm': '10,20,30',
          'X-Data-Type': 'uint16',
        },
      });
    const load = () => loadPreview(volume)(new AbortController().signal);
    const asked = answering(level(16));
    const preview = await load();
    expect(asked[0]?.href).toBe('http://service.test/api/v2/data/v/level?max_dimension_size=256');
    expect(preview).toMatchObject({ dimensions: [2, 2, 2], voxelSizeMm: [1, 1, 2], originMm: [10, 20, 30] });
    expect(preview.data).toEqual(new Uint16Array(8).fill(257));
    answering(level(15));
    await expect(load()).rejects.toThrow('15 bytes instead of 16');
  });
});
