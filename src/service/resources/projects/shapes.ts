/** Converts rows of projects to the contract's shape. */
import { type Capability, type Project, projectActions } from '#contract/shapes/project.ts';
import type { SignAddress } from '../../http/signed-address.ts';
import { type CapabilityFacts, describeCapabilities } from './capabilities.ts';
import type { ProjectRow, Surroundings } from './project-rows.ts';

export interface ShapeContext {
  sign: SignAddress;
  /** the caller's role in a workspace */
  findRole: (workspaceId: string) => 'viewer' | 'editor';
}

const thumbnail = { fileName: 'thumbnail.png', mediaType: 'image/png', inline: true };
const none: ReadonlySet<string> = new Set();
const noData: ReadonlyMap<string, number> = new Map();

/** Caches capabilities, because most projects of a page have the same role, state and kinds of data. */
function capabilitiesByFacts(): (facts: CapabilityFacts) => Capability[] {
  const known = new Map<string, Capability[]>();
  return (facts) => {
    const { role, state, disabledModules, kinds, files } = facts;
    const key = JSON.stringify([role, state, [...disabledModules], [...kinds], files > 1]);
    const capabilities = known.get(key) ?? describeCapabilities(projectActions, facts);
    known.set(key, capabilities);
    return capabilities;
  };
}

export function projectShapes(
  { sign, findRole }: ShapeContext,
  rows: ProjectRow[],
  { latestOperations, dispositions, kinds, files, disabledModules }: Surroundings,
): Project[] {
  const capabilities = capabilitiesByFacts();
  return rows.map((row) => ({
    id: row.id,
    identifier: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    workspaceId: row.workspaceId,
    organizationId: row.organizationId,
    tags: row.tags,
    partNumber: row.partNumber,
    serialNumber: row.serialNumber,
    lot: row.lot,
    verdict: row.verdict,
    leadingCharacteristic: row.leadingCharacteristic,
    disposition: dispositions.get(row.id) ?? null,
    thumbnailUrl:
      row.thumbnailKey === null ? null : sign({ key: row.thumbnailKey, ...thumbnail }, { projectId: row.id }),
    storageBytes: row.storageBytes,
    dataObjectCount: row.dataObjectCount,
    latestOperation: latestOperations.get(row.id) ?? null,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    capabilities: capabilities({
      role: findRole(row.workspaceId),
      state: row.state,
      disabledModules: disabledModules.get(row.organizationId) ?? none,
      kinds: kinds.get(row.id) ?? noData,
      files: files.get(row.id) ?? 0,
    }),
  }));
}
