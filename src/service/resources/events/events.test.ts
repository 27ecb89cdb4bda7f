import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceEvent } from '#contract/shapes/event.ts';
import { notify } from '#storage/db/events.ts';
import { expectWithin, startStopwatch } from '#worker/testing/contention.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await testService();
  url = await service.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

/** Opens the stream; `until` reads to the first matching event. */
async function listen(token: string) {
  const answer = await fetch(`${url}/api/v2/events`, { headers: { authorization: `Token ${token}` } });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  const heard: ServiceEvent[] = [];
  let rest = '';
  return {
    heard,
    async until(fits: (event: ServiceEvent) => boolean): Promise<ServiceEvent | 'ended'> {
      for (;;) {
        const found = heard.find(fits);
        if (found) return found;
        const { value, done } = await reader.read();
        if (done) return 'ended';
        const parts = (rest + value).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) if (part.startsWith('data: ')) heard.push(JSON.parse(part.slice(6)));
      }
    },
  };
}

test('members with access to a project get its events within a second; others get none', async () => {
  const viewer = await service.member({ role: 'viewer' });
  const outsider = await service.member();
  const stranger = await service.stranger();
  const [mine, without, other] = [
    await listen(viewer.token),
    await listen(outsider.token),
    await listen(stranger.token),
  ];
  let id = '';
  await expectWithin(1000, async () => {
    const elapsedMs = startStopwatch();
    ({ id } = await service.project());
    const event = await mine.until((candidate) => candidate.id === id);
    expect(event).toEqual({ type: 'created', resource: 'project', id, projectId: id });
    return elapsedMs();
  });
  // A later event that the others do get proves that they did not get the first one.
  const organization = `/api/v2/organizations/${service.organizationId}/workspaces`;
  await service.ask('POST', organization, { name: 'New room' }, { token: service.token });
  await without.until(({ resource }) => resource === 'organization');
  const own = `/api/v2/organizations/${stranger.organizationId}/workspaces`;
  await service.ask('POST', own, { name: 'New room' }, { token: stranger.token });
  await other.until(({ resource }) => resource === 'organization');
  expect([...without.heard, ...other.heard].filter((heard) => heard.id === id)).toEqual([]);
});

test('progress has its own event type', async () => {
  const viewer = await service.member({ role: 'viewer' });
  const mine = await listen(viewer.token);
  const { organizationId, workspaceId } = service;
  const event = { type: 'progressed', resource: 'operation', id: randomUUID() };
  await notify(service.db, { ...event, organizationId, workspaceId });
  expect(await mine.until(({ id }) => id === event.id)).toEqual(event);
});

test('a shared view is sent by its presenter to members with access to the project, and is not stored', async () => {
  const viewer = await service.member({ role: 'viewer' });
  const outsider = await service.member();
  const stranger = await service.stranger();
  const [colleague, without] = [await listen(viewer.token), await listen(outsider.token)];
  const { id } = await service.project();
  const {
    body: { user: me },
  } = await service.ask<{ user: { id: string } }>('GET', '/api/v2/me', undefined, {
    token: service.token,
  });
  const place = { camera: null, cursorMm: [1, 2.5, -3], planes: null };
  const share = (body: unknown, token: string) =>
    service.ask<{ field?: string }>('POST', `/api/v2/projects/${id}/sharedView`, body, { token });
  const said = { presenterId: me.id, place };
  expect((await share(said, service.token)).status).toBe(204);
  const event = await colleague.until(({ resource }) => resource === 'sharedView');
  expect(event).toMatchObject({
    id: me.id,
    projectId: id,
    sharedView: { presenterId: me.id, user: { id: me.id }, place, isLeaving: false },
  });
  // Nobody can present in another user's name, and without access the project is not found.
  expect((await share(said, viewer.token)).body.field).toBe('place');
  expect((await share(said, outsider.token)).status).toBe(404);
  expect((await share(said, stranger.token)).status).toBe(404);
  expect((await share({ presenterId: me.id, place: null }, viewer.token)).status).toBe(204);
  expect((await share({ presenterId: randomUUID(), place: null }, viewer.token)).body.field).toBe(
    'presenterId',
  );
  const organization = `/api/v2/organizations/${service.organizationId}/workspaces`;
  await service.ask('POST', organization, { name: 'Room after it' }, { token: service.token });
  await without.until(({ resource }) => resource === 'organization');
  expect(without.heard.filter(({ resource }) => resource === 'sharedView')).toEqual([]);
});

test('the stream ends when its token is revoked', async () => {
  const { token } = await service.member({ role: 'viewer' });
  const stream = await listen(token);
  await service.ask('POST', '/api/v2/logout', undefined, { token });
  expect(await stream.until(() => false)).toBe('ended');
});
