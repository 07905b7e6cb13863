import { yaml } from '@codemirror/lang-yaml'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorLook } from './editor-look.ts'
import '../playbooks.css'

/** Two versions beside each other; what is the same in both is folded. */
export function Differences({ before, after }: { readonly before: string; readonly after: string }) {
  const parent = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (parent.current === null) return undefined
    const side = (doc: string, label: string) => ({
      doc,
      extensions: [
        yaml(),
        lineNumbers(),
        editorLook,
        EditorState.readOnly.of(true),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      ],
    })
    const view = new MergeView({
      parent: parent.current,
      a: side(before, 'Version before'),
      b: side(after, 'Version after'),
      collapseUnchanged: {},
    })
    return () => view.destroy()
  }, [before, after])
  return <div ref={parent} className="differences" />
}
