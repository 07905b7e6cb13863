// No `<` between the brackets, so that many unclosed tags do not make the scan quadratic.
const tag = /<\/?e(?:\s[^<>]*)?>/g

/** Removes the provider's entity tags: `<e id=LEyYOW>CVE-2009-0001</e>` becomes `CVE-2009-0001`. */
export function withoutMarkup(text: string | null): string | null {
  return text === null ? null : text.replace(tag, '')
}
