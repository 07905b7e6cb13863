import { yaml } from '@codemirror/lang-yaml'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { completion } from './completion.ts'
import { diagnosticsOf } from './diagnostics.ts'
import { editorLook } from './editor-look.ts'
import { hover } from './hover.ts'
import { offsetOf } from './places.ts'
import '../playbooks.css'
import type { Problem } from '../playbook.ts'

interface SourceEditorProps {
  /** What it begins with; after that the editor knows better. */
  readonly source: string
  readonly isReadOnly: boolean
  readonly problems: readonly Problem[]
  /** A line to show; another object shows it again. */
  readonly place: { readonly line: number } | undefined
  readonly onChange: (source: string) => void
}

/** The source of a playbook, with its mistakes at their places. */
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
          hover,
          isReadOnly ? [] : completion,
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
    const anchor = offsetOf(current.state.doc, place.line, 1)
    current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
  }, [place, source, isReadOnly])
  return <div ref={parent} className="source-editor" />
}
