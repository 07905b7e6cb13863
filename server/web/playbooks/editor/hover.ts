import { StateEffect, StateField, type Extension } from '@codemirror/state'
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view'
import { call } from '../../api/call.ts'
import { documentation } from './documentation.ts'
import { offsetOf, placeAt } from './places.ts'

/** What `POST playbooks/hover` answers. */
interface Answer {
  readonly text: string | null
  readonly about: Readonly<Record<'line' | 'column' | 'end_line' | 'end_column', number>> | null
}

const show = StateEffect.define<Tooltip | null>()

/** What is shown at the cursor, until something is typed or the cursor moves. */
const atCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, { effects, docChanged, selection }) {
    const asked = effects.find((effect) => effect.is(show))
    if (asked) return asked.value
    return docChanged || selection !== undefined ? null : shown
  },
  provide: (field) => showTooltip.from(field),
})

/** Tells about what is under the pointer, or with F1 about what is at the cursor, as `tocsin lsp` does. */
export const hover: Extension = [
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

/** The request that is under way: what the pointer has left need not be answered. */
let asked = new AbortController()

async function explain({ state: { doc } }: EditorView, offset: number): Promise<Tooltip | null> {
  asked.abort()
  asked = new AbortController()
  const answer = await call<Answer>('POST', '/playbooks/hover', {
    body: { source: doc.toString(), ...placeAt(doc, offset) },
    signal: asked.signal,
  }).catch(() => undefined)
  const { text, about } = answer ?? {}
  if (typeof text !== 'string' || !about) return null
  return {
    pos: offsetOf(doc, about.line, about.column),
    end: offsetOf(doc, about.end_line, about.end_column),
    above: true,
    create: () => ({ dom: documentation(text) }),
  }
}
