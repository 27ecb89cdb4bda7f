import { z } from 'zod';
import { maxComparedScans } from '#contract/shapes/view-state.ts';
import { CompareLook } from '#web/viewer/compare/compare-look.ts';

/** One pane: a project, or one of its volumes. */
export interface Compared {
  projectId: string;
  /** the newest volume when undefined */
  volumeId: string | undefined;
}

/** `project` or `project~volume`. A truncated link may contain any other text, which its pane reports. */
const Text = z.union([z.string(), z.number()]).transform((text) => String(text).slice(0, 80));
const readable = /^[0-9a-f-]{36}(~[0-9a-f-]{36})?$/;
export const isReadable = (text: string): boolean => readable.test(text);

/** What is compared and how it is shown; all of it is stored in the address. */
export const CompareSearch = z.object({
  projects: z
    .union([Text.transform((one) => [one]), z.array(Text)])
    .transform((all) => [...new Set(all)].slice(0, maxComparedScans))
    .catch([]),
  ...CompareLook.shape,
});
export type CompareSearch = z.infer<typeof CompareSearch>;

/** @throws Error for a text that names no scan */
export const parseCompared = (text: string): Compared => {
  if (!isReadable(text)) throw new Error(`“${text}” in the link names no scan.`);
  const [projectId = '', volumeId] = text.split('~');
  return { projectId, volumeId };
};
export const formatCompared = ({ projectId, volumeId }: Compared): string =>
  volumeId === undefined ? projectId : `${projectId}~${volumeId}`;

/**
 * What a project's “Compare with…” opens: its two newest scans, or the only one, to which others are added.
 *
 * @param data of the project, newest first
 */
export function listCompared(
  projectId: string,
  data: readonly { id: string; kind: string; status: string }[],
): string[] {
  const volumes = data.filter(({ kind, status }) => kind === 'volume' && status === 'completed').slice(0, 2);
  return volumes.length < 2
    ? [projectId]
    : volumes.map(({ id }) => formatCompared({ projectId, volumeId: id }));
}
