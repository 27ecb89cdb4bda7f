import { parentPort } from 'node:worker_threads';
import { buffersIn, type FromCaller, type FromThread, packFailure, unpackFailure } from './messages.ts';

/** The caller of a thread. */
export interface Caller {
  report(said: unknown): void;
  /**
   * Rejects with the error of the caller's answer. @param handedOver buffers to transfer; they are empty here
   * afterwards
   */
  ask(asked: unknown, handedOver?: Iterable<ArrayBuffer>): Promise<unknown>;
}

/** Answers each call of a ThreadClient with the result of `run`, whose buffers are transferred, or with its error. */
export function serveCalls<Input>(run: (input: Input, caller: Caller) => unknown): void {
  const questions = new Map<number, PromiseWithResolvers<unknown>>();
  let asks = 0;
  const say = (said: FromThread, handedOver: Iterable<ArrayBuffer> = []) =>
    parentPort?.postMessage(said, [...handedOver]);
  const caller: Caller = {
    report: (report) => say({ report }),
    ask(asked, handedOver) {
      const question = ++asks;
      const answered = Promise.withResolvers<unknown>();
      questions.set(question, answered);
      say({ question, asked }, handedOver);
      return answered.promise;
    },
  };
  parentPort?.on('message', async (said: FromCaller) => {
    if ('answer' in said) {
      const { question, answer } = said;
      if ('output' in answer) questions.get(question)?.resolve(answer.output);
      else questions.get(question)?.reject(unpackFailure(answer.failure));
      questions.delete(question);
      return;
    }
    try {
      const output = await run(said.input as Input, caller);
      say({ output }, buffersIn(output));
    } catch (error) {
      say(packFailure(error));
    }
  });
}
