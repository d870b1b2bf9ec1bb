/** Anything that is over when it is disposed of. */
export interface Disposes {
  dispose(): void;
}

export function disposeAll(...all: readonly Disposes[]): void {
  for (const one of all) {
    one.dispose();
  }
}
