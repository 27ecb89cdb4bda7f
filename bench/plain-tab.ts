/**
 * A tab of Chromium as a user has it, with no listener on its network. Playwright listens, and the browser then keeps
 * up to 200 MB of loaded data in the memory of the tab.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { browserArguments, findBrowser } from '../e2e/support/browser.ts';

type Answer = Record<string, unknown>;

/** Commands of the Chrome DevTools Protocol, sent one after another over one connection. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error } = JSON.parse(String(data));
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    });
  }

  static async open(address: string): Promise<Connection> {
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new Connection(socket);
  }

  send(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.#last;
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  close(): void {
    this.#socket.close();
  }
}

export class PlainTab {
  readonly connection: Connection;
  readonly browser: Connection;
  readonly #end: () => Promise<void>;

  private constructor(connection: Connection, browser: Connection, end: () => Promise<void>) {
    this.connection = connection;
    this.browser = browser;
    this.#end = end;
  }

  /** Starts a separate browser with one tab of the size of `viewport`. */
  static async open(viewport: { width: number; height: number }): Promise<PlainTab> {
    const profile = await mkdtemp(path.join(tmpdir(), 'plain-tab-'));
    const words = [
      '--headless=new',
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      'about:blank',
    ];
    const child = spawn(await findBrowser(), [...browserArguments, ...words], { stdio: 'ignore' });
    const exited = once(child, 'exit');
    const end = async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    };
    const [port, place] = await readPort(path.join(profile, 'DevToolsActivePort'));
    const browser = await Connection.open(`ws://127.0.0.1:${port}${place}`);
    const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const found = pages.find(({ type }) => type === 'page');
    if (!found) throw new Error('the browser has no tab');
    const connection = await Connection.open(found.webSocketDebuggerUrl);
    await connection.send('Emulation.setDeviceMetricsOverride', {
      ...{ ...viewport, deviceScaleFactor: 1, mobile: false },
    });
    return new PlainTab(connection, browser, end);
  }

  goto(url: string): Promise<Answer> {
    return this.connection.send('Page.navigate', { url });
  }

  /** Runs a function of one argument in the page; its result must be JSON. */
  async run<Input, Output>(work: (input: Input) => Output, input: Input): Promise<Awaited<Output>> {
    const { result, exceptionDetails } = (await this.connection.send('Runtime.evaluate', {
      expression: `(${work})(${JSON.stringify(input) ?? 'undefined'})`,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value: Awaited<Output> }; exceptionDetails?: { exception?: { description: string } } };
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'the page failed');
    return result.value;
  }

  /** Polls the page until the condition is true. */
  async waitFor<Input>(
    isReached: (input: Input) => boolean,
    input: Input,
    withinMs = 120_000,
  ): Promise<void> {
    for (const end = performance.now() + withinMs; performance.now() < end; await delay(50))
      if (await this.run(isReached, input).catch(() => false)) return;
    throw new Error(`the page did not come to where ${isReached}`);
  }

  /** @param modifiers 8 = Shift */
  async press(key: string, modifiers = 0): Promise<void> {
    const codes: Record<string, number> = { PageUp: 33, PageDown: 34 };
    const event = { key, code: key, windowsVirtualKeyCode: codes[key], modifiers };
    await this.connection.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event });
    await this.connection.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.connection.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  async close(): Promise<void> {
    this.connection.close();
    this.browser.close();
    await this.#end();
  }
}

async function readPort(file: string): Promise<[string, string]> {
  for (let n = 0; n < 600; n++) {
    const [port, place] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    if (port && place) return [port, place];
    await delay(50);
  }
  throw new Error('the browser did not start');
}
