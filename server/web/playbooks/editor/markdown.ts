/** Inline Markdown. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

export type Block =
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }

/**
 * Parses the Markdown that `core/editor` writes: paragraphs, lists, fences, `code`, **strong**, links and
 * escapes. Anything else is text.
 */
export function readMarkdown(markdown: string): readonly Block[] {
  // Parts with odd indexes are inside of fences.
  return markdown.split(/^```\w*\n([^]*?)\n?```$/m).flatMap((part, index): readonly Block[] => {
    if (index % 2 === 1) return [{ kind: 'code', text: part }]
    const paragraphs = part.split(/\n{2,}/).map((each) => each.trim())
    return paragraphs.filter((each) => each !== '').map(readBlock)
  })
}

function readBlock(text: string): Block {
  if (!text.startsWith('- ')) return { kind: 'paragraph', content: readInline(text) }
  return { kind: 'list', items: text.slice(2).split('\n- ').map(readInline) }
}

const marks =
  /\\([\\`*_[\]<>#|])|`([^`]+)`|\*\*((?:\\.|[^*\\])+)\*\*|\[((?:\\.|[^\]\\])+)\]\((https:\/\/[^\s)]+)\)/g

function readInline(text: string): readonly Inline[] {
  const found: Inline[] = []
  const addText = (words: string): void => {
    const last = found.at(-1)
    if (last?.kind === 'text') found[found.length - 1] = { kind: 'text', text: last.text + words }
    else if (words !== '') found.push({ kind: 'text', text: words })
  }
  let at = 0
  for (const { 0: whole, 1: escaped, 2: code, 3: strong, 4: label, 5: href, index } of text.matchAll(marks)) {
    addText(text.slice(at, index))
    at = index + whole.length
    if (escaped !== undefined) addText(escaped)
    else if (code !== undefined) found.push({ kind: 'code', text: code })
    else if (strong !== undefined) found.push({ kind: 'strong', text: unescape(strong) })
    else if (label !== undefined && href !== undefined)
      found.push({ kind: 'link', text: unescape(label), href })
  }
  addText(text.slice(at))
  return found
}

const unescape = (text: string): string => text.replaceAll(/\\([\\`*_[\]<>#|])/g, '$1')
