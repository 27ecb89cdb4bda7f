import {
  AccessTokenInput,
  AccessTokenPage,
  CreatedAccessToken,
  NotificationListQuery,
  NotificationPage,
  NotificationsRead,
} from '../shapes/account.ts';
import { Health, Liveness, Readiness } from '../shapes/health.ts';
import { PageQuery } from '../shapes/page.ts';
import { declareExtensions } from './operation.ts';

export const service = declareExtensions('Service', {
  readHealth: {
    route: 'GET /api/health',
    summary: 'Check whether the service is available',
    access: { kind: 'public' },
    response: { status: 200, schema: Health },
    problems: ['UNAVAILABLE'],
  },
  readLiveness: {
    route: 'GET /livez',
    summary: 'Check whether the process responds, without checking anything else',
    access: { kind: 'public' },
    response: { status: 200, schema: Liveness },
  },
  readReadiness: {
    route: 'GET /readyz',
    summary: 'Check whether requests can be served: database, migrations and file store',
    access: { kind: 'public' },
    response: { status: 200, schema: Readiness },
  },
  listenToEvents: {
    route: 'GET /api/v2/events',
    summary: 'Stream server-sent events about resources that the caller may see',
    access: { kind: 'signedIn' },
    response: { status: 200, mediaType: 'text/event-stream' },
    raw: true,
  },
  listAccessTokens: {
    route: 'GET /api/v2/accessTokens',
    summary: 'List personal access tokens',
    access: { kind: 'own' },
    query: PageQuery,
    response: { status: 200, schema: AccessTokenPage },
  },
  createAccessToken: {
    route: 'POST /api/v2/accessTokens',
    summary: 'Create a personal access token; it is returned only once',
    access: { kind: 'own' },
    body: AccessTokenInput,
    response: { status: 201, schema: CreatedAccessToken },
  },
  revokeAccessToken: {
    route: 'DELETE /api/v2/accessTokens/{id}',
    summary: 'Revoke a personal access token',
    access: { kind: 'own', of: 'accessToken' },
    response: { status: 204 },
  },
  listNotifications: {
    route: 'GET /api/v2/notifications',
    summary: 'List notifications of the caller, newest first',
    access: { kind: 'own' },
    query: NotificationListQuery,
    response: { status: 200, schema: NotificationPage },
  },
  markNotificationsRead: {
    route: 'POST /api/v2/notifications/read',
    summary: 'Mark the given notifications as read, or all',
    access: { kind: 'own' },
    body: NotificationsRead,
    bodyOptional: true,
    response: { status: 204 },
  },
});
