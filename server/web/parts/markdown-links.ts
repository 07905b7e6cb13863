const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link if it has an allowed scheme, else an empty text. A relative address would lead into this page. */
export function linkTarget(href: string): string {
  try {
    const { protocol } = new URL(href)
    return schemes.has(protocol) ? href : ''
  } catch {
    return ''
  }
}

/** Where a link leads, in ASCII, so that similar letters of other scripts are visible; empty for mail. */
export function hostOf(href: string): string {
  try {
    return new URL(href).host
  } catch {
    return ''
  }
}

/** Nesting that only an attack has; rendering is recursive. */
const nested = /(?:[>\-*+[(_~`][ \t]*){100}/
/** More would take the page a noticeable time. */
const maxLength = 20_000

/** Whether a text is not rendered as Markdown. */
export const isShownAsIs = (text: string): boolean => text.length > maxLength || nested.test(text)
