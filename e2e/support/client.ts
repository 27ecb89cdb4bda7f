/** JSON over HTTP to any running service, for actions besides the page. */
import type { Operation } from '#contract/shapes/operation.ts';
import type { RunningService } from './service.ts';
import { uploadBytes } from './upload.ts';

type Call = <Answer = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<Answer>;

export interface Client {
  token: string;
  call: Call;
  /** creates a project in the first workspace; returns its id */
  createProject(name: string): Promise<string>;
  upload(projectId: string, bytes: Uint8Array, metadata: Record<string, string>): Promise<unknown>;
  /** waits until the newest operation of a kind satisfies `until` */
  operation(projectId: string, kind: string, until: (operation: Operation) => boolean): Promise<Operation>;
}

export async function signInTo({
  url,
  email,
  password,
}: Pick<RunningService, 'url' | 'email' | 'password'>): Promise<Client> {
  let token = '';
  const call: Call = async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token ? { Authorization: `Token ${token}` } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  };
  token = (await call<{ token: string }>('POST', '/api/login', { email, password })).token;

  return {
    token,
    call,
    async createProject(name) {
      const { organizations } = await call<{ organizations: { workspaces: { id: string }[] }[] }>(
        'GET',
        '/api/v2/me',
      );
      const workspaceId = organizations[0].workspaces[0].id;
      return (await call<{ id: string }>('POST', '/api/v2/projects', { workspaceId, name })).id;
    },
    upload: (projectId, bytes, metadata) => uploadBytes(url, token, bytes, { projectId, ...metadata }),
    async operation(projectId, kind, until) {
      for (const started = Date.now(); Date.now() - started < 90_000; ) {
        const path = `/api/v2/projects/${projectId}/operations?operation=${kind}`;
        const [newest] = (await call<{ results: Operation[] }>('GET', path)).results;
        if (newest?.status === 'failed') throw new Error(`${kind}: ${newest.error?.detail}`);
        if (newest && until(newest)) return newest;
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      throw new Error(`${kind} took longer than 90 s`);
    },
  };
}

export const isCompleted = ({ status }: Operation) => status === 'completed';
export const isUnderWay = ({ status, progress }: Operation) => status === 'processing' && progress > 0;
