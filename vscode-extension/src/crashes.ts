const WINDOW_MS = 3 * 60_000;
const MOST = 4;

/** Counts how often the server has ended of itself lately. */
export class Crashes {
  #times: number[] = [];

  /** One more, at this time: whether it is the first lately, and whether starting again is pointless. */
  another(now: number): { count: number; first: boolean; giveUp: boolean } {
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    this.#times.push(now);
    const count = this.#times.length;
    return { count, first: count === 1, giveUp: count > MOST };
  }

  /** Somebody has asked for a new start: count anew. */
  forget(): void {
    this.#times = [];
  }
}
