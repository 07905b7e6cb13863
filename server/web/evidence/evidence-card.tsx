import { Anchor, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { createContext, useContext, useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiCaseDetail, ApiObservable } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { ObservableValue } from '../observables/observable-parts.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { SeverityLevel, severityLooks, VerdictBadge, verdictLooks } from '../parts/states.tsx'
import { JsonView } from '../parts/text-view.tsx'
import { DateTime } from '../parts/times.tsx'
import './evidence.css'
import { evidenceRows, type EvidenceRow, type EvidenceValue } from './evidence-rows.ts'

type Named = Pick<ApiObservable, 'kind' | 'value'>

/** Observables that values may link to, by value. */
export const KnownObservables = createContext<ReadonlyMap<string, Named>>(new Map())

const none: ReadonlyMap<string, Named> = new Map()

export const byValue = (observables: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(observables.map(({ kind, value }) => [value.toLowerCase(), { kind, value }]))

/** The observables of a case, by value; none without a case, and until they are loaded. */
export function useObservablesOf(caseId: string | null): ReadonlyMap<string, Named> {
  const mayRead = useMay('cases:read')
  const { data } = useQuery({
    queryKey: ['observables of case', caseId],
    queryFn: () => apiGet<ApiCaseDetail>(`/cases/${encodeURIComponent(caseId ?? '')}`),
    enabled: caseId !== null && mayRead,
    select: ({ observables }) => byValue(observables),
    staleTime: 60_000,
  })
  return data ?? none
}

interface EvidenceCardProps {
  /** Any JSON, untrusted. */
  readonly value: unknown
  readonly label: string
  readonly title?: string
}

/** The output of a skill as labels and values, with the JSON on request. */
export function EvidenceCard({ value, label, title }: EvidenceCardProps) {
  const rows = useMemo(() => evidenceRows(value), [value])
  const [isRaw, { toggle }] = useDisclosure()
  if (rows === undefined) return <JsonView value={value} label={label} level={3} {...(title && { title })} />
  return (
    <div className="evidence" role="group" aria-label={label}>
      {title !== undefined && (
        <Title order={3} mb={4}>
          {title}
        </Title>
      )}
      {rows.length === 0 && <Text size="sm">Empty</Text>}
      <Rows rows={rows} />
      <Anchor component="button" type="button" size="xs" aria-expanded={isRaw} onClick={toggle}>
        {isRaw ? 'Hide raw' : 'Show raw'}
      </Anchor>
      {isRaw && <JsonView value={value} label={`${label}, raw`} />}
    </div>
  )
}

const Rows = ({ rows }: { readonly rows: readonly EvidenceRow[] }) => (
  <dl className="evidence-rows">
    {rows.map(({ label, value }, index) => (
      <div key={index} data-kind={value.kind}>
        <dt>{showInvisible(label)}</dt>
        <dd className="outside-text">
          <Shown value={value} />
        </dd>
      </div>
    ))}
  </dl>
)

const isIn = <Key extends string>(looks: Readonly<Record<Key, unknown>>, key: string): key is Key =>
  Object.hasOwn(looks, key)

function Shown({ value }: { readonly value: EvidenceValue }) {
  switch (value.kind) {
    case 'text':
    case 'count':
      return <LongText text={value.text} />
    case 'verdict':
      return isIn(verdictLooks, value.text) ? (
        <VerdictBadge verdict={value.text} />
      ) : (
        <LongText text={value.text} />
      )
    case 'severity':
      return isIn(severityLooks, value.text) ? (
        <SeverityLevel severity={value.text} />
      ) : (
        <LongText text={value.text} />
      )
    case 'time':
      return <DateTime at={value.at} />
    case 'list':
      return (
        <ul className="evidence-list">
          {value.items.map((item, index) => (
            <li key={index}>
              <LongText text={item} />
            </li>
          ))}
          <Hidden count={value.hidden} />
        </ul>
      )
    case 'rows':
      return <Rows rows={value.rows} />
    case 'records':
      return (
        <ul className="evidence-records">
          {value.records.map((rows, index) => (
            <li key={index}>
              <Rows rows={rows} />
            </li>
          ))}
          <Hidden count={value.hidden} />
        </ul>
      )
  }
}

const Hidden = ({ count }: { readonly count: number }) => count > 0 && <li>{count.toLocaleString()} more</li>

/** Characters of a value shown at first. */
const shownAtFirst = 300

/** A text that folds if it is long, and links to the page of an observable. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, { open }] = useDisclosure()
  const named = useContext(KnownObservables).get(text.toLowerCase())
  if (named !== undefined) return <ObservableValue named={named} />
  if (isWhole || text.length <= shownAtFirst) return showInvisible(text)
  return (
    <>
      {showInvisible(text.slice(0, shownAtFirst))}…{' '}
      <Anchor component="button" type="button" size="xs" onClick={open}>
        Show all
      </Anchor>
    </>
  )
}
