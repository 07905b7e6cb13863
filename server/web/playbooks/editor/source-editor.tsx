import { yaml } from '@codemirror/lang-yaml'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { tags } from '@lezer/highlight'
import { autocomplete, hoverTooltips } from './language.ts'
import { diagnosticsOf, textOffset } from './places.ts'
import '../playbooks.css'
import type { EditorProblem } from '../../api/types.ts'
import { nonce } from '../../nonce.ts'

interface SourceEditorProps {
  /** The first text. Later changes are ignored. */
  readonly source: string
  readonly isReadOnly: boolean
  readonly problems: readonly EditorProblem[]
  /** A line to scroll to. A new object scrolls again. */
  readonly place: { readonly line: number } | undefined
  readonly onChange: (source: string) => void
}

/** A code editor with problems at their lines. */
export function SourceEditor({ source, isReadOnly, problems, place, onChange }: SourceEditorProps) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const tell = useRef(onChange)
  tell.current = onChange
  useEffect(() => {
    if (parent.current === null) return undefined
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: source,
        extensions: [
          basicSetup,
          yaml(),
          lintGutter(),
          editorLook,
          hoverTooltips,
          isReadOnly ? [] : autocomplete,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': 'Playbook source', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [source, isReadOnly])
  useEffect(() => {
    const { current } = view
    if (current !== null)
      current.dispatch(setDiagnostics(current.state, diagnosticsOf(current.state.doc, problems)))
  }, [problems, source, isReadOnly])
  useEffect(() => {
    const { current } = view
    if (current === null || place === undefined) return
    const anchor = textOffset(current.state.doc, place.line, 1)
    current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
  }, [place, source, isReadOnly])
  return <div ref={parent} className="source-editor" />
}

const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'light-dark(#0550ae, #79c0ff)' },
  { tag: tags.string, color: 'light-dark(#0a5c2c, #a5d6a7)' },
  { tag: tags.comment, color: 'light-dark(#59636e, #9198a1)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.labelName, tags.typeName], color: 'light-dark(#8250df, #d2a8ff)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'light-dark(#59636e, #9198a1)' },
])

const theme = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: '13px',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'light-dark(rgb(0 0 0 / 4%), rgb(255 255 255 / 5%))',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#b6e3ff, #1f4d6b) !important',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip': { borderRadius: 'var(--mantine-radius-sm)', boxShadow: 'var(--mantine-shadow-md)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '16em',
    maxWidth: 'min(560px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete.cm-tooltip ul li[aria-selected]': {
    backgroundColor: 'light-dark(#ddf4ff, #1f3a52)',
    color: 'inherit',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': {
    color: 'var(--mantine-color-dimmed)',
    fontFamily: 'var(--mantine-font-family)',
    fontStyle: 'normal',
    fontSize: '12px',
  },
  '.cm-completionIcon': { opacity: '0.7', width: '1.2em' },
  '.cm-tooltip.cm-completionInfo': { padding: '0', maxWidth: '440px' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '560px' },
  '.cm-collapsedLines': {
    background: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    '&:before, &:after': { content: '"…"' },
  },
  '.cm-deletedChunk, .cm-merge-a .cm-changedLine': {
    backgroundColor: 'light-dark(rgb(207 34 46 / 8%), rgb(248 81 73 / 14%))',
  },
  '.cm-changedLine': { backgroundColor: 'light-dark(rgb(26 127 55 / 10%), rgb(63 185 80 / 16%))' },
})

/** Editor theme, light and dark, with the nonce for its styles. */
export const editorLook: Extension = [theme, syntaxHighlighting(colours), EditorView.cspNonce.of(nonce)]
