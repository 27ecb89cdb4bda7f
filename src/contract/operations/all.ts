/** All operations of the interface; the service binds them, and the client is generated from them. */
import { analyses } from './analyses.ts';
import { authentication } from './authentication.ts';
import { bookmarks } from './bookmarks.ts';
import { bulk } from './bulk.ts';
import { dataAndExports } from './data-and-exports.ts';
import { measurements } from './measurements.ts';
import type { OperationDeclaration } from './operation.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';
import { recipes } from './recipes.ts';
import { service } from './service.ts';
import { verdicts } from './verdicts.ts';

export const operations = {
  ...authentication,
  ...projects,
  ...verdicts,
  ...analyses,
  ...recipes,
  ...dataAndExports,
  ...bulk,
  ...bookmarks,
  ...measurements,
  ...organizations,
  ...service,
};

export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];
export const findDeclaration = (id: OperationId): OperationDeclaration => operations[id];
