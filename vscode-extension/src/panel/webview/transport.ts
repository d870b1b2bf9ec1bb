/** How the page reaches its host. In VS Code messages; elsewhere it may be anything that asks and listens. */
import type { Failure, FromHost, FromPage, HostEvent, HostEvents, PageMethod, PageRequests } from "../protocol.ts";

export interface Transport {
  /** Asks the host; rejects with a `RequestFailed`. */
  ask<M extends PageMethod>(method: M, params: PageRequests[M]["params"]): Promise<PageRequests[M]["result"]>;
  /** Listens until the signal is aborted. */
  on<E extends HostEvent>(event: E, listener: (data: HostEvents[E]) => void, signal?: AbortSignal): void;
  /** What `save` was given last, also after the page was closed and opened again. */
  load(): unknown;
  save(state: unknown): void;
}

export class RequestFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

interface VsCodeApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export function vsCodeTransport(): Transport {
  const api = acquireVsCodeApi();
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: RequestFailed) => void }>();
  const events = new EventTarget();
  let count = 0;

  window.addEventListener("message", ({ data }: MessageEvent<FromHost>) => {
    if (data.kind === "event") {
      events.dispatchEvent(new CustomEvent(data.event, { detail: data.data }));
      return;
    }
    const request = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.kind === "answer") {
      request?.resolve(data.result as never);
    } else {
      request?.reject(new RequestFailed(data.failure));
    }
  });

  return {
    ask: (method, params) => {
      const number = ++count;
      return new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        api.postMessage({ kind: "request", number, method, params });
      });
    },
    on: (event, listener, signal) => {
      events.addEventListener(event, (said) => listener((said as CustomEvent<never>).detail), signal ? { signal } : {});
    },
    load: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
