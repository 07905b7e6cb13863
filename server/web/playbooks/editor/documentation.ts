import { showInvisible } from '../../parts/json/show-invisible.ts'
import { readMarkdown, type Block, type Inline } from './markdown.ts'

/** What is known of a skill, a key or a function, as an element. Authors wrote parts of it: these are text nodes. */
export function documentation(markdown: string): HTMLElement {
  return element('div', 'documentation', ...readMarkdown(markdown).map(blockOf))
}

function blockOf(block: Block): HTMLElement {
  if (block.kind === 'code') return element('pre', undefined, showInvisible(block.text))
  if (block.kind === 'paragraph') return element('p', undefined, ...block.content.map(inlineOf))
  return element(
    'ul',
    undefined,
    ...block.items.map((item) => element('li', undefined, ...item.map(inlineOf))),
  )
}

function inlineOf(part: Inline): string | HTMLElement {
  const text = showInvisible(part.text)
  if (part.kind === 'text') return text
  if (part.kind !== 'link') return element(part.kind, undefined, text)
  const link = element('a', undefined, text)
  link.href = part.href
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  return link
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string | undefined,
  ...content: readonly (string | HTMLElement)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (className !== undefined) made.className = className
  made.append(...content)
  return made
}
