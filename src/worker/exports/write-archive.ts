import { createHash } from 'node:crypto';
import { writeZip, type ZipInput } from '#formats/zip/write-zip.ts';
import type { ExportConfig } from '#storage/db/schema-work.ts';
import type { ProjectRow } from '#storage/work/kinds.ts';
import type { ReportOptions } from '../reports/report-pdf.ts';
import { EntryContents } from './entry-contents.ts';
import type { ExportEntry } from './export-contents.ts';

interface ManifestFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  dataObjectId: string;
  kind: string;
}

export interface ArchiveOptions extends ReportOptions {
  project: ProjectRow;
  config: ExportConfig;
  entries: ExportEntry[];
  /** called with the number of bytes that have passed */
  onBytes: (bytes: number) => void;
}

/**
 * The archive as a stream in constant memory: all entries in order, then `manifest.json`, which describes each one with
 * its SHA-256, and `SHA256SUMS` for `sha256sum -c`.
 *
 * @throws Error when a stored file differs from the hash taken when it was written
 */
export function writeArchive(options: ArchiveOptions): AsyncGenerator<Uint8Array> {
  return writeZip(inputs(options), options.signal);
}

async function* inputs(options: ArchiveOptions): AsyncGenerator<ZipInput> {
  const { entries, createdAt } = options;
  const contents = new EntryContents(options.store, options.signal);
  const written: ManifestFile[] = [];
  for (const entry of entries) {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    const { bytes, expectedBytes } = await contents.of(entry);
    const measured = async function* () {
      for await (const part of bytes) {
        hash.update(part);
        sizeBytes += part.byteLength;
        options.onBytes(part.byteLength);
        yield part;
      }
    };
    yield {
      path: entry.path,
      data: measured(),
      sizeBytes: expectedBytes,
      modified: entry.dataObject.createdAt,
    };
    const sha256 = hash.digest('hex');
    if (entry.content.kind === 'file' && entry.content.file.sha256 !== sha256) {
      throw new Error(`the stored file of ${entry.path} is damaged: its SHA-256 is ${sha256}`);
    }
    const { id, kind } = entry.dataObject;
    written.push({ path: entry.path, sizeBytes, sha256, dataObjectId: id, kind });
  }
  const manifest = Buffer.from(`${JSON.stringify(writeManifest(options, written), undefined, 2)}\n`);
  yield { path: 'manifest.json', data: manifest, modified: createdAt };
  const manifestSha256 = createHash('sha256').update(manifest).digest('hex');
  const sums = [...written, { path: 'manifest.json', sha256: manifestSha256 }];
  yield {
    path: 'SHA256SUMS',
    data: Buffer.from(sums.map(({ sha256, path }) => `${sha256}  ${path}\n`).join('')),
    modified: createdAt,
  };
}

function writeManifest(
  { project, config, entries, version, createdAt }: ArchiveOptions,
  files: ManifestFile[],
): object {
  const { id, name, description, partNumber, serialNumber, lot, tags, verdict } = project;
  const objects = new Map(entries.map(({ dataObject }) => [dataObject.id, dataObject]));
  return {
    format: 'scanwright-export',
    formatVersion: 1,
    generator: `Scanwright ${version}`,
    createdAt: createdAt.toISOString(),
    config,
    project: { id, name, description, partNumber, serialNumber, lot, tags, verdict },
    dataObjects: [...objects.values()].map((object) => ({
      id: object.id,
      kind: object.kind,
      name: object.name,
      createdAt: object.createdAt.toISOString(),
      createdByOperation: object.createdByOperationId,
      metadata: object.metadata,
    })),
    files,
  };
}
