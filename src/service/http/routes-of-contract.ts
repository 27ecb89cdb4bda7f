/** Methods supported by each path, to distinguish 404 from 405. */
import { findDeclaration, operationIds } from '#contract/operations/all.ts';

interface Pattern {
  expression: RegExp;
  methods: Set<string>;
}

const patterns = new Map<string, Pattern>();
for (const id of operationIds) {
  const { path, method } = findDeclaration(id);
  const source = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  const pattern = patterns.get(source) ?? { expression: new RegExp(`^${source}$`), methods: new Set() };
  pattern.methods.add(method);
  if (method === 'GET') pattern.methods.add('HEAD');
  patterns.set(source, pattern);
}
// Further methods of the tus protocol on an upload.
for (const method of ['HEAD', 'PATCH', 'DELETE']) patterns.get('/api/v2/uploads/[^/]+')?.methods.add(method);

/** Methods that the contract declares for a path; empty for an unknown path. */
export function listMethods(path: string): string[] {
  const methods = new Set<string>();
  for (const { expression, methods: known } of patterns.values())
    if (expression.test(path.replace(/\/$/, ''))) for (const method of known) methods.add(method);
  return [...methods].sort();
}
