import {
  AccessTokenInput,
  AccessTokenPage,
  CreatedAccessToken,
  NotificationListQuery,
  NotificationPage,
} from '../shapes/account.ts';
import { Health } from '../shapes/health.ts';
import { PageQuery } from '../shapes/page.ts';
import { declare } from './operation.ts';

export const service = declare({
  readHealth: {
    tag: 'Service',
    method: 'GET',
    path: '/api/health',
    summary: 'Whether the service can serve',
    access: { kind: 'public' },
    response: { status: 200, schema: Health },
    problems: ['UNAVAILABLE'],
    extension: true,
  },
  listenToEvents: {
    tag: 'Service',
    method: 'GET',
    path: '/api/v2/events',
    summary: 'Server-sent events of what the caller may see',
    access: { kind: 'signedIn' },
    response: { status: 200, mediaType: 'text/event-stream' },
    extension: true,
    raw: true,
  },
  listAccessTokens: {
    tag: 'Service',
    method: 'GET',
    path: '/api/v2/accessTokens',
    summary: 'List personal access tokens',
    access: { kind: 'own' },
    query: PageQuery,
    response: { status: 200, schema: AccessTokenPage },
    extension: true,
  },
  createAccessToken: {
    tag: 'Service',
    method: 'POST',
    path: '/api/v2/accessTokens',
    summary: 'Create a personal access token; shown once',
    access: { kind: 'own' },
    body: AccessTokenInput,
    response: { status: 201, schema: CreatedAccessToken },
    extension: true,
  },
  revokeAccessToken: {
    tag: 'Service',
    method: 'DELETE',
    path: '/api/v2/accessTokens/{id}',
    summary: 'Revoke a personal access token',
    access: { kind: 'own' },
    response: { status: 204 },
    extension: true,
  },
  listNotifications: {
    tag: 'Service',
    method: 'GET',
    path: '/api/v2/notifications',
    summary: 'List notifications of the caller, the newest first',
    access: { kind: 'own' },
    query: NotificationListQuery,
    response: { status: 200, schema: NotificationPage },
    extension: true,
  },
});
