// No `<` between the brackets: a text of many unclosed tags must not be scanned to its end for each of them.
const tag = /<\/?e(?:\s[^<>]*)?>/g

/** The text without the provider's entity tags: `<e id=LEyYOW>CVE-2009-0001</e>` becomes `CVE-2009-0001`. */
export function withoutMarkup(text: string | null): string | null {
  return text === null ? null : text.replace(tag, '')
}
