/** Helpers of the journeys, and a page fixture that fails on any console error. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test as base, expect, type Page } from '@playwright/test';
import type axe from 'axe-core';
import { administrator } from './service.ts';

export { expect };

export const serviceUrl = () => {
  const url = process.env.E2E_URL;
  if (!url) throw new Error('no service: the global setup did not run');
  return url;
};

/** JSON over HTTP as the first account, to set up what a journey requires. */
export async function call<Answer = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<Answer> {
  const response = await fetch(`${serviceUrl()}${path}`, {
    method,
    headers: {
      Authorization: `Token ${token ?? (await apiToken())}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

let token: string | undefined;
export async function apiToken(): Promise<string> {
  if (token) return token;
  const response = await fetch(`${serviceUrl()}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(administrator),
  });
  const session = (await response.json()) as { token: string };
  token = session.token;
  return token;
}

/** Creates a workspace for the journey. */
export async function createWorkspace(name: string): Promise<{ id: string; organizationId: string }> {
  const me = await call<{ organizations: { id: string }[] }>('GET', '/api/v2/me');
  return call('POST', `/api/v2/organizations/${me.organizations[0].id}/workspaces`, { name });
}

export const createProject = (workspaceId: string, name: string, more: Record<string, unknown> = {}) =>
  call<{ id: string; name: string; partNumber: string }>('POST', '/api/v2/projects', {
    workspaceId,
    name,
    ...more,
  });

/** Navigates to another page without a reload. */
export const follow = (page: Page, path: string, url = serviceUrl()) =>
  page.evaluate((to) => window.history.pushState({}, '', to), url + path);

/** Signs in without the form, which has a journey of its own; the caller opens the first page. */
export async function storeSession(
  page: Page,
  { email, password }: { email: string; password: string } = administrator,
  url = serviceUrl(),
) {
  const response = await page.request.post(`${url}/api/login`, { data: { email, password } });
  expect(response.status()).toBe(200);
  const { token, expiresAt } = await response.json();
  await page.addInitScript(
    ([origin = '', session = '']) => {
      // Only the first page of the tab: later the user may have signed out.
      if (location.origin !== origin || sessionStorage.getItem(session) !== null) return;
      sessionStorage.setItem(session, '');
      localStorage.setItem('scanwright.session:same-origin', session);
    },
    [url, JSON.stringify({ token, expiresAt })],
  );
}

/** Signs in and opens the list of projects. */
export async function signIn(
  page: Page,
  account: { email: string; password: string } = administrator,
  url = serviceUrl(),
) {
  await storeSession(page, account, url);
  await page.goto(url);
  await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
}

/** The minified form: it is injected into every page, and loads in half the time. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Colour = Record<'r' | 'g' | 'b' | 'alpha', number>;
interface ColourClass {
  new (): Colour;
  prototype: { parseString(this: Colour, text: string): Colour };
}

/**
 * Axe parses the same few colours for every text, and keeps the source of every element that it checks. Without both, a
 * check takes 25 % less CPU time on a list and 37 % less in the viewer.
 */
function hastenAxe() {
  const { axe } = window as unknown as {
    axe: { configure(spec: axe.Spec): void; commons: { color: { Color: ColourClass } } };
  };
  const { Color } = axe.commons.color;
  const { parseString } = Color.prototype;
  const known = new Map<string, Colour>();
  Color.prototype.parseString = function (text) {
    const { r, g, b, alpha } = known.get(text) ?? parseString.call(new Color(), text);
    known.set(text, { r, g, b, alpha });
    return Object.assign(this, { r, g, b, alpha });
  };
  axe.configure({ noHtml: true });
}

/**
 * Violations that axe finds on the page once all animations have ended. Runs in the page itself: axe's own builder
 * loads a second page for each check, which takes ten times as long.
 */
async function findViolations(page: Page, within: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axeSource};(${hastenAxe})()`);
  return page.evaluate(async (selector) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    await frame();
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await run(selector, {
      resultTypes: ['violations'],
      // Style sheets and media are read only for rules about rotated screens (disabled by default) and for sound.
      preload: false,
      rules: { 'target-size': { enabled: true } },
    });
    const showSource = ({ target }: axe.NodeResult) =>
      document.querySelector(String(target))?.outerHTML.slice(0, 160) ?? String(target);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(showSource).join(' | ')}`);
  }, within);
}

/**
 * Expects no accessibility violation in the current theme: on the whole page, or within the elements of a selector if
 * the journey has already checked the page around them.
 */
export async function expectAccessible(page: Page, within = 'html') {
  await expect.poll(() => findViolations(page, within)).toEqual([]);
}

/** Console errors that the journey itself provokes, such as a response with 401. */
export const test = base.extend<{ allowedConsoleErrors: RegExp[] }>({
  allowedConsoleErrors: [[], { option: true }],
  page: async ({ page, allowedConsoleErrors }, use) => {
    const errors: string[] = [];
    page.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (message.type() === 'error' && !allowedConsoleErrors.some((allowed) => allowed.test(text)))
        errors.push(text);
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await use(page);
    expect(errors).toEqual([]);
  },
});
