import { expect, it } from 'vitest';
import { isDoorPage, readSignInAddress, signInAddress } from './door-pages.ts';

it.each(['/projects', '/projects?tag=a&tag=b#x', '/organization?tab=audit'])(
  'leads back to %s after signing in',
  (page) => {
    const search = signInAddress(page, true).replace('/sign-in', '');
    expect(readSignInAddress(search)).toEqual({ to: page, hasEnded: true });
  },
);

it.each([
  '',
  '?to=',
  '?to=//evil.example',
  '?to=/\\\\evil.example',
  '?to=https://evil.example',
  '?to=javascript:alert(1)',
])('leads to the projects from %j, and never to another site', (search) => {
  expect(readSignInAddress(search)).toEqual({ to: '/projects', hasEnded: false });
});

it('recognises its pages', () => {
  expect([isDoorPage('/sign-in'), isDoorPage('/projects')]).toEqual([true, false]);
});
