/** What an entry of the registry says of a format. Readers and writers are loaded when they are needed. */
import type { SlabSource, Volume } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ByteSource, Sources } from './bytes/byte-source.ts';
import type { CadModel, OcctModule } from './cad/cad-model.ts';
import type { ImportHints, VolumeHeader } from './volume/volume-header.ts';

/** The beginning of a file. */
export interface FileHead {
  name: string;
  /** of the whole file */
  size: number;
  bytes: Uint8Array;
  /** the bytes as Latin-1 */
  text: string;
}

interface Format {
  /** as people write it */
  name: string;
  /** of its file names, without the dot; the first is that of written files */
  extensions: readonly string[];
  /** what of it is read, for who chooses a file */
  files: string;
  /** By content; a file that no format recognises goes by its extension. */
  recognise?(head: FileHead): boolean;
  /** By the paths inside of a ZIP, where the archive as a whole is the file. */
  recogniseArchive?(path: string): boolean;
}

export interface VolumeWriter {
  write(slabs: SlabSource, options?: VolumeWriteOptions): AsyncIterable<Uint8Array>;
  /** exactly what `write` gives */
  sizeBytes(slabs: SlabSource, options?: VolumeWriteOptions): number;
}
export interface VolumeWriteOptions {
  signal?: AbortSignal | undefined;
  /** in which the positions are, where that is known */
  frame?: 'LPS' | null;
}

export interface VolumeFormat extends Format {
  content: 'volume';
  mediaType: string;
  /** @param sources the file, or a header and the files that it may refer to, or slices in order */
  open?(sources: Sources, hints: ImportHints, gzipped: boolean): Promise<VolumeHeader>;
  /** absent for a folder of files */
  writer?(): Promise<VolumeWriter>;
  estimateBytes(volume: Pick<Volume, 'dimensions' | 'dataType'>): number;
}

/** How large a surface is, as far as it is known. */
export interface SurfaceSize {
  vertices: number;
  triangles: number;
  /** as GLB */
  glbBytes: number;
}

export interface MeshFormat extends Format {
  content: 'mesh';
  mediaType: string;
  /** false: somebody has to say in which unit its lengths are */
  hasUnit: boolean;
  /** @param mmPerUnit of files without a unit */
  open(source: ByteSource, mmPerUnit: number): Promise<TriangleMesh>;
  writer?(): Promise<(mesh: TriangleMesh, name: string, signal?: AbortSignal) => AsyncIterable<Uint8Array>>;
  estimateBytes?(size: SurfaceSize): number;
}

export interface CadFormat extends Format {
  content: 'cad';
  open(occt: OcctModule, bytes: Uint8Array, name: string, deflectionMm?: number): Promise<CadModel>;
}
