/** Types of a registry entry. Readers and writers are loaded on demand. */
import type { SlabSource, Volume } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ByteSource, Sources } from './bytes/byte-source.ts';
import type { CadModel, OcctModule } from './cad/cad-model.ts';
import type { ImportHints, VolumeHeader } from './volume/volume-header.ts';

/** The beginning of a file. */
export interface FileHead {
  name: string;
  /** size of the whole file */
  size: number;
  bytes: Uint8Array;
  /** the bytes as Latin-1 */
  text: string;
}

interface Format {
  /** display name */
  name: string;
  /** file extensions without the dot; written files use the first */
  extensions: readonly string[];
  /** the variants that are read, for users choosing a file */
  files: string;
  /** Recognises the format by content; files that no format recognises are identified by extension. */
  recognise?(head: FileHead): boolean;
  /** Recognises an archive that is itself a file of this format, by the paths inside. */
  recogniseArchive?(path: string): boolean;
}

export interface VolumeWriter {
  write(slabs: SlabSource, options?: VolumeWriteOptions): AsyncIterable<Uint8Array>;
  /** exact size of the output of `write` */
  sizeBytes(slabs: SlabSource, options?: VolumeWriteOptions): number;
}
export interface VolumeWriteOptions {
  signal?: AbortSignal | undefined;
  /** frame of the positions, if known */
  frame?: 'LPS' | null;
}

export interface VolumeFormat extends Format {
  content: 'volume';
  mediaType: string;
  /** @param sources the file, or a header and files it may refer to, or slices in order */
  open?(sources: Sources, hints: ImportHints, gzipped: boolean): Promise<VolumeHeader>;
  /** absent for formats that are folders */
  writer?(): Promise<VolumeWriter>;
  estimateBytes(volume: Pick<Volume, 'dimensions' | 'dataType'>): number;
}

/** Size of a surface, as far as known. */
export interface SurfaceSize {
  vertices: number;
  triangles: number;
  /** size as GLB */
  glbBytes: number;
}

export interface MeshFormat extends Format {
  content: 'mesh';
  mediaType: string;
  /** false: the user has to state the unit of its lengths */
  hasUnit: boolean;
  /** @param mmPerUnit for files without a unit */
  open(source: ByteSource, mmPerUnit: number): Promise<TriangleMesh>;
  writer?(): Promise<(mesh: TriangleMesh, name: string, signal?: AbortSignal) => AsyncIterable<Uint8Array>>;
  estimateBytes?(size: SurfaceSize): number;
}

export interface CadFormat extends Format {
  content: 'cad';
  open(occt: OcctModule, bytes: Uint8Array, name: string, deflectionMm?: number): Promise<CadModel>;
}
