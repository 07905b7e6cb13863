import {
  type TextProps,
  Text,
  Button,
  Code,
  CopyButton,
  Group,
  Paper,
  SegmentedControl,
  Title,
  ActionIcon,
  Tooltip,
} from '@mantine/core'
import { useMemo, useState, Fragment, type ReactNode } from 'react'
import { CheckIcon, CopyIcon } from 'lucide-react'
import { indentJson, showInvisible, nameParts } from './outside-text.ts'
import './parts.css'

/** Characters shown at first, and per click: a megabyte would block the page. */
const shownAtFirst = 50_000
const shownMore = 200_000

interface TextViewProps {
  /** Untrusted text. */
  readonly text: string
  readonly label: string
  readonly title?: string
  /** Heading level. */
  readonly level?: 2 | 3
}

/** Untrusted text: JSON is indented, and invisible characters are shown. */
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
            aria-label="Format"
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
          Show more ({text.length.toLocaleString()} characters in total)
        </Button>
      )}
    </Paper>
  )
}

interface JsonViewProps extends Omit<TextViewProps, 'text'> {
  readonly value: unknown
}

/** A value as indented JSON. */
export function JsonView({ value, ...props }: JsonViewProps) {
  return <TextView text={JSON.stringify(value) ?? 'null'} {...props} />
}

/** A name that wraps between its parts. */
export function breakable(name: string): ReactNode {
  const [first, ...others] = nameParts(name)
  if (others.length === 0) return name
  return (
    <>
      {first}
      {others.map((part, index) => (
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  )
}

interface CommandProps {
  readonly text: string
  readonly label: string
}

/** Text with a copy button. */
export function Command({ text, label }: CommandProps) {
  return (
    <div className="command">
      <Code block className="command-text" tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button className="command-copy" size="compact-xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  )
}

/** A copy button. */
export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            size="xs"
            variant="subtle"
            style={{ verticalAlign: 'middle' }}
            color={copied ? 'green' : 'gray'}
            aria-label={label}
            onClick={copy}
          >
            {copied ? <CheckIcon size={12} /> : <CopyIcon size={12} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** Untrusted text that stands alone, not within a sentence. */
export const OutsideText = ({
  text,
  ...props
}: TextProps & { readonly text: string; readonly span?: true }) => (
  <Text size="sm" className="outside-text" {...props}>
    {showInvisible(text)}
  </Text>
)
