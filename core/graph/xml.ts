const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Escapes text for an element or a quoted attribute. Characters that XML does not allow (controls, lone
 * surrogates) become U+FFFD.
 */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"']/g, (character) => entities[character]!)
}

/** Rounds to a tenth of a pixel. */
export const round = (value: number): number => Math.round(value * 10) / 10
