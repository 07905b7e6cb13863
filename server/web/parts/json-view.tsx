import { Button, Code, CopyButton, Group, Paper, SegmentedControl } from '@mantine/core'
import { useMemo, useState } from 'react'
import { parseJson } from '../api/parse-json.ts'
import { showInvisible } from './show-invisible.ts'
import './json-view.css'

/** So much is put on the page at first: a megabyte of it would make it slow. */
const shownAtFirst = 50_000

interface TextViewProps {
  /** Written by anybody: shown as text, whatever it holds. */
  readonly text: string
  readonly label: string
}

/** Text from outside: JSON is indented, with the raw text one click away; what cannot be seen in it is made visible. */
export function TextView({ text, label }: TextViewProps) {
  const pretty = useMemo(() => prettyJson(text), [text])
  const [mode, setMode] = useState<'pretty' | 'raw'>('pretty')
  const [isWhole, setWhole] = useState(false)
  const whole = mode === 'pretty' && pretty !== undefined ? pretty : text
  const shown = isWhole ? whole : whole.slice(0, shownAtFirst)
  return (
    <Paper withBorder className="text-view">
      <Group justify="flex-end" gap="xs" className="text-view-bar">
        {pretty !== undefined && (
          <SegmentedControl
            size="xs"
            aria-label="How it is shown"
            data={[
              { value: 'pretty', label: 'Indented' },
              { value: 'raw', label: 'Raw' },
            ]}
            value={mode}
            onChange={setMode}
          />
        )}
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy raw'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block className="text-view-text" tabIndex={0} role="region" aria-label={label}>
        {showInvisible(shown)}
      </Code>
      {shown.length < whole.length && (
        <Button m="xs" size="xs" variant="default" onClick={() => setWhole(true)}>
          Show all {whole.length.toLocaleString()} characters
        </Button>
      )}
    </Paper>
  )
}

/** A value of the API as indented JSON. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <TextView text={JSON.stringify(value, undefined, 2) ?? 'null'} label={label} />
}

/** Undefined where the text is no JSON object or list, or nests too deep to be written out. */
function prettyJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.stringify(parseJson(text), undefined, 2)
  } catch {
    return undefined
  }
}
