import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Disposition } from '#contract/shapes/disposition.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { describePores, judgedParts } from '../../testing/judged-parts.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let versionsUrl: string;

beforeAll(async () => {
  service = await testService();
  versionsUrl = `/api/v2/organizations/${service.organizationId}/recipeVersions`;
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const { get, post, readProject, newPart, scan, compare, createVersion, addRun, clock } = judgedParts(
  () => service,
);

describe('only released versions count towards verdicts', () => {
  test('a draft is a trial until it is released, and no longer counts when it is withdrawn', async () => {
    const id = await newPart();
    const source = await scan(id);
    const draft = await createVersion({ ...describePores('Draft'), draft: true });
    expect(draft).toMatchObject({ status: 'draft', isLatest: false, mayRelease: { allowed: true } });
    await addRun(id, draft, source, 3);
    expect(await readProject(id)).toMatchObject({ verdict: null });
    const { body: released } = await post<RecipeVersion>(`${versionsUrl}/${draft.id}/release`);
    expect(released).toMatchObject({ status: 'released', isLatest: true, releasedAt: expect.any(String) });
    expect(await readProject(id)).toMatchObject({ verdict: 'fail' });
    await post(`${versionsUrl}/${draft.id}/withdraw`);
    expect(await readProject(id)).toMatchObject({ verdict: null, leadingCharacteristic: null });
  });

  test('a recipe runs its newest released version; a recipe with only drafts needs the id of a draft', async () => {
    const id = await newPart();
    await scan(id);
    const first = await createVersion(describePores('Two'));
    const second = await createVersion({ ...describePores('Two'), recipePk: first.recipePk, draft: true });
    expect(second.version).toBe(2);
    const run = (body: object) => post<{ recipeVersionId: string }>(`/api/v2/projects/${id}/runRecipe`, body);
    expect((await run({ recipePk: first.recipePk })).body.recipeVersionId).toBe(first.id);
    const tried = await run({ recipePk: first.recipePk, recipeVersionId: second.id });
    expect([tried.status, tried.body.recipeVersionId]).toEqual([202, second.id]);
    const alone = await createVersion({ ...describePores('Alone'), draft: true });
    const refused = await run({ recipePk: alone.recipePk });
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
    const latest = await get<{ results: RecipeVersion[] }>(
      `${versionsUrl}?isLatest=true&recipePk=${first.recipePk}`,
    );
    expect(latest.body.results.map(({ id: each }) => each)).toEqual([first.id]);
    const newest = await get<{ results: RecipeVersion[] }>(
      `${versionsUrl}?isNewest=true&recipePk=${first.recipePk}`,
    );
    expect(newest.body.results.map(({ id: each }) => each)).toEqual([second.id]);
  });

  test('the organization’s settings determine who may release', async () => {
    const editor = await service.member({ role: 'editor' });
    const organizationUrl = `/api/v2/organizations/${service.organizationId}`;
    const set = (recipeRelease: object) =>
      service.ask('PATCH', organizationUrl, { recipeRelease }, { token: service.token });
    const made = await createVersion(describePores('By an editor'), editor.token);
    expect(made).toMatchObject({ status: 'draft', mayRelease: { allowed: false } });
    const url = `${versionsUrl}/${made.id}/release`;
    expect((await post(url, undefined, editor.token)).body.code).toBe('PERMISSION_DENIED');
    expect((await set({ by: 'editors', notByAuthor: true })).status).toBe(200);
    expect((await post(url, undefined, editor.token)).body.detail).toContain('Somebody else');
    expect((await post<RecipeVersion>(url)).body.status).toBe('released');
    expect((await createVersion(describePores('By a manager'))).status).toBe('draft');
    await set({ by: 'editors', notByAuthor: false });
    expect((await createVersion(describePores('By an editor'), editor.token)).status).toBe('released');
    await set({ by: 'managers', notByAuthor: false });
  });
});

describe('a disposition', () => {
  test('does not change the verdict, and is outdated by a newer measurement', async () => {
    const id = await newPart();
    const source = await scan(id);
    const cad = await scan(id, 'cad');
    await compare(id, [source, cad], 'fail');
    const url = `/api/v2/projects/${id}/dispositions`;
    const { status, body } = await post<Disposition>(url, {
      decision: 'accept',
      reason: 'Customer concession 17',
    });
    expect([status, body]).toMatchObject([
      201,
      {
        decision: 'accept',
        reason: 'Customer concession 17',
        author: { email: service.email },
        outdated: false,
      },
    ]);
    expect(await readProject(id)).toMatchObject({
      verdict: 'fail',
      disposition: { decision: 'accept', outdated: false },
    });
    const audit = await get<{ results: { action: string; resourceId: string }[] }>(
      `/api/v2/organizations/${service.organizationId}/auditLog?project=${id}`,
    );
    expect(audit.body.results[0]).toMatchObject({ action: 'acceptPart', resourceId: body.id });
    const before = clock.nowMs;
    clock.nowMs = Date.now() + 60_000;
    await compare(id, [source, cad], 'fail');
    clock.nowMs = before;
    expect((await readProject(id)).disposition).toMatchObject({ decision: 'accept', outdated: true });
    const second = await post<Disposition>(url, { decision: 'scrap', reason: 'Crack' });
    expect(second.status).toBe(201);
    const all = await get<{ results: Disposition[] }>(url);
    expect(all.body.results.map(({ decision }) => decision)).toEqual(['scrap', 'accept']);
  });

  test('requires a reason and the editor role', async () => {
    const id = await newPart();
    const url = `/api/v2/projects/${id}/dispositions`;
    expect((await post(url, { decision: 'accept', reason: ' ' })).status).toBe(400);
    const viewer = await service.member({ role: 'viewer' });
    expect((await post(url, { decision: 'accept', reason: 'fine' }, viewer.token)).status).toBe(403);
  });
});
