/** A queue of asynchronous jobs: each starts when the one before has ended, however that ended. */
export type Queue = <T>(job: () => Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let tail: Promise<unknown> = Promise.resolve();
  return (job) => {
    const result = tail.then(job, job);
    tail = result.catch(() => undefined);
    return result;
  };
}
