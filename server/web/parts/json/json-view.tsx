import { Button, Code, CopyButton, Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { indentJson } from './indent-json.ts'
import { showInvisible } from './show-invisible.ts'
import './json-view.css'

/** So many characters are put on the page at first, and so many more at each click: a megabyte at once would make it slow. */
const shownAtFirst = 50_000
const shownMore = 200_000

interface TextViewProps {
  /** Written by anybody: shown as text, whatever it holds. */
  readonly text: string
  readonly label: string
  /** Where nothing else says what it is. */
  readonly title?: string
  /** Of the title: 2 where it is a part of a view by itself, which it is unless it says otherwise. */
  readonly level?: 2 | 3
}

/** Text from outside: JSON is indented, with the raw text one click away; what cannot be seen in it is made visible. */
export function TextView({ text, label, title, level = 2 }: TextViewProps) {
  const [limit, setLimit] = useState(shownAtFirst)
  const [mode, setMode] = useState<'pretty' | 'raw'>('pretty')
  const pretty = useMemo(() => indentJson(text, limit), [text, limit])
  const isPretty = mode === 'pretty' && pretty !== undefined
  const shown = isPretty ? pretty.text : text.slice(0, limit)
  const isWhole = isPretty ? pretty.isWhole : text.length <= limit
  return (
    <Paper withBorder className="text-view">
      <Group justify="flex-end" gap="xs" className="text-view-bar">
        {title !== undefined && (
          <Title order={level} flex={1}>
            {title}
          </Title>
        )}
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
      {!isWhole && (
        <Button m="xs" size="xs" variant="default" onClick={() => setLimit(limit + shownMore)}>
          Show more (the raw text has {text.length.toLocaleString()} characters)
        </Button>
      )}
    </Paper>
  )
}

interface JsonViewProps extends Omit<TextViewProps, 'text'> {
  readonly value: unknown
}

/** A value of the API as indented JSON. */
export function JsonView({ value, ...props }: JsonViewProps) {
  return <TextView text={JSON.stringify(value) ?? 'null'} {...props} />
}
