/** The page's sentences, in the editor's language where a translation came with the extension. */
let translations: Record<string, string> = {};

export function translate(sentences: Record<string, string>): void {
  translations = sentences;
}

/** The sentence with `{0}`, `{1}` … filled in. */
export function t(sentence: string, ...values: (string | number)[]): string {
  return (translations[sentence] ?? sentence).replace(/\{(\d+)\}/g, (placeholder, index: string) => String(values[Number(index)] ?? placeholder));
}
