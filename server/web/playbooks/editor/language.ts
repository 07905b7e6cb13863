import type { ApiCompletions, ApiHover } from '../../api/types.ts'
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { Prec, type Extension, StateEffect, StateField } from '@codemirror/state'
import { keymap, EditorView, hoverTooltip, showTooltip, type Tooltip } from '@codemirror/view'
import { apiCall } from '../../api/call.ts'
import { textOffset, linePosition } from './places.ts'
import { showInvisible } from '../../parts/outside-text.ts'
import { readMarkdown, type Block, type Inline } from './markdown.ts'

/** Icon names of CodeMirror. */
const icons = {
  key: 'property',
  skill: 'method',
  playbook: 'namespace',
  value: 'enum',
  field: 'property',
  step: 'variable',
  name: 'variable',
  function: 'function',
} as const

/** Text after which completions open automatically. */
const offersBehind = /(?:[\w.]|: |- |[{,] ?|["'])$/

/** Completions of the server, the same as in `tocsin lsp`. */
export const autocomplete: Extension = [
  autocompletion({
    override: [offer],
    // Show the values after a key.
    activateOnCompletion: ({ apply }) => typeof apply === 'string' && apply.endsWith(': '),
    maxRenderedOptions: 200,
  }),
  Prec.high(keymap.of([{ key: 'Tab', run: acceptCompletion }])),
]

async function offer(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context
  const line = state.doc.lineAt(pos)
  if (!context.explicit && !offersBehind.test(line.text.slice(0, pos - line.from))) return null
  const gone = new AbortController()
  context.addEventListener('abort', () => gone.abort(), { onDocChange: true })
  const body = { source: state.doc.toString(), ...linePosition(state.doc, pos) }
  // Errors are ignored: validation reports them.
  const answer = await apiCall<ApiCompletions>('POST', '/playbooks/complete', {
    body,
    signal: gone.signal,
  }).catch(() => undefined)
  if (answer === undefined || answer.items.length === 0) return null
  const { items, replaces } = answer
  return {
    from: textOffset(state.doc, replaces.line, replaces.column),
    to: textOffset(state.doc, replaces.end_line, replaces.end_column),
    options: items.map(optionOf),
    validFor: items.some(({ kind }) => isCode.has(kind)) ? /^\w*$/ : /^[\w.-]*$/,
  }
}

type CompletionItem = ApiCompletions['items'][number]

const isCode: ReadonlySet<CompletionItem['kind']> = new Set(['field', 'step', 'name', 'function'])

function optionOf({
  label,
  kind,
  detail,
  documentation: markdown,
  insert,
  rank,
}: CompletionItem): Completion {
  return {
    label,
    type: icons[kind],
    apply: insert,
    boost: 2 - rank,
    ...(detail !== null && { detail }),
    ...(markdown !== null && { info: () => documentation(markdown) }),
  }
}

const show = StateEffect.define<Tooltip | null>()

/** The tooltip at the cursor, until the text or cursor changes. */
const atCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, { effects, docChanged, selection }) {
    const asked = effects.find((effect) => effect.is(show))
    if (asked) return asked.value
    return docChanged || selection !== undefined ? null : shown
  },
  provide: (field) => showTooltip.from(field),
})

/** Hover texts of the server, for the pointer and with F1, the same as in `tocsin lsp`. */
export const hoverTooltips: Extension = [
  hoverTooltip((view, offset) => explain(view, offset), { hideOnChange: true, hoverTime: 400 }),
  atCursor,
  keymap.of([
    { key: 'F1', run: (view) => (void tellAtCursor(view), true) },
    { key: 'Escape', run: hide },
  ]),
]

async function tellAtCursor(view: EditorView): Promise<void> {
  const { state } = view
  const tooltip = await explain(view, state.selection.main.head)
  if (tooltip === null || view.state.doc !== state.doc) return
  const heard = EditorView.announce.of(tooltip.create(view).dom.textContent)
  view.dispatch({ effects: [show.of(tooltip), heard] })
}

function hide(view: EditorView): boolean {
  if (view.state.field(atCursor) === null) return false
  view.dispatch({ effects: show.of(null) })
  return true
}

/** The running request. A newer one cancels it. */
let asked = new AbortController()

async function explain({ state: { doc } }: EditorView, offset: number): Promise<Tooltip | null> {
  asked.abort()
  asked = new AbortController()
  const answer = await apiCall<ApiHover>('POST', '/playbooks/hover', {
    body: { source: doc.toString(), ...linePosition(doc, offset) },
    signal: asked.signal,
  }).catch(() => undefined)
  const { text, about } = answer ?? {}
  if (typeof text !== 'string' || !about) return null
  return {
    pos: textOffset(doc, about.line, about.column),
    end: textOffset(doc, about.end_line, about.end_column),
    above: true,
    create: () => ({ dom: documentation(text) }),
  }
}

/** Documentation as DOM elements. Untrusted parts are text nodes. */
function documentation(markdown: string): HTMLElement {
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
