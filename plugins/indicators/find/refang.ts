/**
 * Undoes the usual defanging: `hxxps://`, `[.]`, `(dot)`, `[at]`, `[:]`. Every pattern has a fixed length, so
 * the time is linear in the length of the text.
 */
export function refang(text: string): string {
  return text
    .replace(/[[({]\s?\.\s?[\])}]/g, '.')
    .replace(/\s?[[({]\s?d[o0]t\s?[\])}]\s?/gi, '.')
    .replace(/\s?[[({]\s?(?:at|@)\s?[\])}]\s?/gi, '@')
    .replace(/\[(:\/\/|:|\/\/|\/)\]/g, '$1')
    .replace(/(?<![a-z])h(?:xx|\*\*)p(s?):\/\//gi, 'http$1://')
    .replace(/(?<![a-z])fxp(s?):\/\//gi, 'ftp$1://')
}
