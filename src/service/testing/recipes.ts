/** Helpers for tests of recipes and runs: a recipe, and requests that create and run it. */
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import type { RecipeInvocation, RecipeVersion } from '#contract/shapes/recipe.ts';
import { workQueue } from '#storage/db/schema-work.ts';
import type { TestService } from './service.ts';

export const steps = [
  { key: 'mesh', operation: 'createMesh' },
  { key: 'thickness', operation: 'runWallThickness', parameters: { minThicknessMm: 1 }, needs: ['mesh'] },
];
export const gates = [{ key: 'wall', measure: 'thickness.minMm', comparison: '>=', limit: 1.2, unit: 'mm' }];
export const recipe = { name: 'Incoming inspection', steps, gates };

type Problem = { code: string; field: string; detail: string };

/** @param find returns the test's service, which has not started when this is called */
export function recipeRequests(find: () => TestService) {
  const ask = <Body>(method: string, url: string, body: unknown, token = find().token) =>
    find().ask<Body & Problem>(method, url, body, { token });
  const post = <Body = Record<string, unknown>>(url: string, body?: unknown, token?: string) =>
    ask<Body>('POST', url, body, token);
  const get = <Body = Record<string, unknown>>(url: string, token?: string) =>
    ask<Body>('GET', url, undefined, token);
  async function create(body: object = recipe): Promise<RecipeVersion> {
    const url = `/api/v2/organizations/${find().organizationId}/recipeVersions`;
    const { status, body: made, text } = await post<RecipeVersion>(url, body);
    expect([status, text]).toEqual([201, expect.anything()]);
    return made;
  }
  const runIn = (projectId: string, body: unknown, token?: string) =>
    post<RecipeInvocation>(`/api/v2/projects/${projectId}/runRecipe`, body, token);
  const listQueued = (id: string) => find().db.select().from(workQueue).where(eq(workQueue.id, id));
  return { post, get, create, runIn, listQueued };
}
