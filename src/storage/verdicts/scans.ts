/** Determines which scan of a part each result belongs to. */
import type { ObjectRecord, OperationRecord, PartRecords } from './part-records.ts';

/** Kinds of imported data that count as a scan of the part; CAD is a reference. */
const scanKinds: ReadonlySet<string> = new Set(['radiographs', 'volume', 'mesh']);

export interface Scans {
  /** undefined for a part without scans */
  newest: { key: string; createdAt: Date } | undefined;
  /** key of the scan that a data object was made from, directly or indirectly; undefined for CAD and deleted data */
  findScan(dataObjectId: string | undefined): string | undefined;
}

/**
 * Data imported from one file is one scan. Data used only as the reference of comparisons, such as a golden part, does not
 * count.
 */
export function findScans({ objects, operations }: Pick<PartRecords, 'objects' | 'operations'>): Scans {
  const objectsById = new Map(objects.map((object) => [object.id, object]));
  const makers = new Map(operations.map((operation) => [operation.id, operation]));
  const references = new Set(operations.flatMap(({ referenceId }) => referenceId ?? []));
  const sources = new Set(operations.flatMap(({ inputDataObjectIds }) => inputDataObjectIds.slice(0, 1)));
  const findMaker = ({ createdByOperationId }: ObjectRecord): OperationRecord | undefined =>
    makers.get(createdByOperationId ?? '');
  const isRoot = (object: ObjectRecord) => (findMaker(object)?.operation ?? 'ingest') === 'ingest';
  const findKey = (root: ObjectRecord) => root.createdByOperationId ?? root.id;

  function findRoot(object: ObjectRecord | undefined): ObjectRecord | undefined {
    const seen = new Set<string>();
    let at = object;
    while (at && !isRoot(at) && !seen.has(at.id)) {
      seen.add(at.id);
      at = objectsById.get(findMaker(at)?.inputDataObjectIds[0] ?? '');
    }
    return at && isRoot(at) ? at : undefined;
  }

  const scans = objects.filter(
    (object) =>
      scanKinds.has(object.kind) && isRoot(object) && (sources.has(object.id) || !references.has(object.id)),
  );
  const newest = scans.reduce<ObjectRecord | undefined>(
    (a, b) => (a && (a.createdAt > b.createdAt || (+a.createdAt === +b.createdAt && a.id > b.id)) ? a : b),
    undefined,
  );
  return {
    newest: newest && { key: findKey(newest), createdAt: newest.createdAt },
    findScan(dataObjectId) {
      const root = findRoot(objectsById.get(dataObjectId ?? ''));
      return root && scanKinds.has(root.kind) ? findKey(root) : undefined;
    },
  };
}
