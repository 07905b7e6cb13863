import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { Prec, type Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { call } from '../../api/call.ts'
import { offsetOf, placeAt } from './places.ts'
import { documentation } from './documentation.ts'

/** What `POST playbooks/complete` answers. */
interface Answer {
  readonly items: readonly Item[]
  readonly replaces: Readonly<Record<'line' | 'column' | 'end_line' | 'end_column', number>>
}

interface Item {
  readonly label: string
  readonly kind: keyof typeof icons
  readonly detail: string | null
  readonly documentation: string | null
  readonly insert: string
  readonly rank: number
}

/** What CodeMirror calls what it has icons for. */
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

/** Behind what something is offered without being asked: a word that was begun, a key, `- `, `{ `, a quote, a dot. */
const offersBehind = /(?:[\w.]|: |- |[{,] ?|["'])$/

/** Offers what can be written, as `tocsin lsp` does: while it is typed, and where it is asked for (Ctrl-Space). */
export const completion: Extension = [
  autocompletion({
    override: [offer],
    // Behind a key its values are offered at once.
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
  const body = { source: state.doc.toString(), ...placeAt(state.doc, pos) }
  // Whoever writes is not disturbed where nothing can be offered; the check of the source says what is wrong.
  const answer = await call<Answer>('POST', '/playbooks/complete', { body, signal: gone.signal }).catch(
    () => undefined,
  )
  if (answer === undefined || answer.items.length === 0) return null
  const { items, replaces } = answer
  return {
    from: offsetOf(state.doc, replaces.line, replaces.column),
    to: offsetOf(state.doc, replaces.end_line, replaces.end_column),
    options: items.map(optionOf),
    validFor: items.some(({ kind }) => isCode.has(kind)) ? /^\w*$/ : /^[\w.-]*$/,
  }
}

const isCode: ReadonlySet<Item['kind']> = new Set(['field', 'step', 'name', 'function'])

function optionOf({ label, kind, detail, documentation: markdown, insert, rank }: Item): Completion {
  return {
    label,
    type: icons[kind],
    apply: insert,
    boost: 2 - rank,
    ...(detail !== null && { detail }),
    ...(markdown !== null && { info: () => documentation(markdown) }),
  }
}
