import { LoginInput, Me, PasswordChangeInput, Session } from '../shapes/session.ts';
import { declare } from './operation.ts';

export const authentication = declare({
  login: {
    tag: 'Authentication',
    method: 'POST',
    path: '/api/login',
    summary: 'Authenticate and get an access token',
    access: { kind: 'public' },
    body: LoginInput,
    response: { status: 200, schema: Session },
    problems: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  },
  logout: {
    tag: 'Authentication',
    method: 'POST',
    path: '/api/v2/logout',
    summary: 'End the present access token',
    access: { kind: 'signedIn' },
    response: { status: 204 },
  },
  passwordChange: {
    tag: 'Authentication',
    method: 'POST',
    path: '/api/v2/passwordChange',
    summary: 'Change the password; every other token of the user ends',
    access: { kind: 'signedIn' },
    body: PasswordChangeInput,
    response: { status: 204 },
    problems: ['RATE_LIMITED'],
  },
  readMe: {
    tag: 'Authentication',
    method: 'GET',
    path: '/api/v2/me',
    summary: 'The caller, with organizations, workspaces and rights',
    access: { kind: 'signedIn' },
    response: { status: 200, schema: Me },
    extension: true,
  },
});
