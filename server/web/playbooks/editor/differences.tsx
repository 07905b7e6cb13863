import { yaml } from '@codemirror/lang-yaml'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { Group, SegmentedControl, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import '../playbooks.css'
import { editorLook } from './source-editor.tsx'

interface DifferencesProps {
  readonly before: string
  readonly after: string
  /** Names of both. */
  readonly labels: readonly [before: string, after: string]
}

/** A diff, side by side or unified. */
export function Differences({ before, after, labels: [labelBefore, labelAfter] }: DifferencesProps) {
  const parent = useRef<HTMLDivElement>(null)
  const isNarrow = useMediaQuery('(max-width: 75em)', false, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useState<string>()
  const look = chosen ?? (isNarrow ? 'one' : 'two')
  useEffect(() => {
    if (parent.current === null) return undefined
    const made =
      look === 'two'
        ? new MergeView({
            parent: parent.current,
            a: { doc: before, extensions: readOnly(labelBefore) },
            b: { doc: after, extensions: readOnly(labelAfter) },
            collapseUnchanged: {},
          })
        : new EditorView({
            parent: parent.current,
            doc: after,
            extensions: [
              readOnly(`${labelBefore} and ${labelAfter}`),
              unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: {} }),
            ],
          })
    return () => made.destroy()
  }, [before, after, labelBefore, labelAfter, look])
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" c="dimmed">
          {before === after ? 'No differences' : `${labelBefore} → ${labelAfter}`}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Diff view"
          data={[
            { value: 'two', label: 'Side by side' },
            { value: 'one', label: 'Unified' },
          ]}
          value={look}
          onChange={setChosen}
        />
      </Group>
      <div ref={parent} className="differences" />
    </div>
  )
}

const readOnly = (label: string): Extension => [
  yaml(),
  lineNumbers(),
  editorLook,
  EditorState.readOnly.of(true),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
]
