import { parentPort } from 'node:worker_threads';
import { buffersIn, type FromCaller, type FromThread, packFailure, unpackFailure } from './messages.ts';

/** The caller of a thread. */
export interface Caller {
  report(report: unknown): void;
  /**
   * Rejects with the error of the caller's answer. @param handedOver buffers to transfer; they are empty here
   * afterwards
   */
  ask(query: unknown, handedOver?: Iterable<ArrayBuffer>): Promise<unknown>;
}

/** Answers each call of a ThreadClient with the result of `run`, whose buffers are transferred, or with its error. */
export function serveCalls<Input>(run: (input: Input, caller: Caller) => unknown): void {
  const questions = new Map<number, PromiseWithResolvers<unknown>>();
  let asks = 0;
  const send = (message: FromThread, handedOver: Iterable<ArrayBuffer> = []) =>
    parentPort?.postMessage(message, [...handedOver]);
  const caller: Caller = {
    report: (report) => send({ report }),
    ask(query, handedOver) {
      const question = ++asks;
      const answered = Promise.withResolvers<unknown>();
      questions.set(question, answered);
      send({ question, query }, handedOver);
      return answered.promise;
    },
  };
  parentPort?.on('message', async (message: FromCaller) => {
    if ('answer' in message) {
      const { question, answer } = message;
      if ('output' in answer) questions.get(question)?.resolve(answer.output);
      else questions.get(question)?.reject(unpackFailure(answer.failure));
      questions.delete(question);
      return;
    }
    try {
      const output = await run(message.input as Input, caller);
      send({ output }, buffersIn(output));
    } catch (error) {
      send(packFailure(error));
    }
  });
}
