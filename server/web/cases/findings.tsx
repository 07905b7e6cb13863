import { Anchor, Button, Text, Group, Loader } from '@mantine/core'
import { useState } from 'react'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type {
  ApiObservable,
  ApiObservableUse,
  ApiFinding,
  ApiRunDetail,
  ApiActionDecision,
  ApiCaseAction,
} from '../api/types.ts'
import { JsonView, OutsideText } from '../parts/text-view.tsx'
import { Section, TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { showInvisible, actorText, stepHref } from '../parts/outside-text.ts'
import { DateTime } from '../parts/times.tsx'
import { apiGet } from '../api/call.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { ObservableValue } from '../observables/observable-parts.tsx'
import { StateBadge, type StateColor } from '../parts/states.tsx'

/** The worst come first. */
const shownAtFirst = 12

/** The observables of a case with their findings. */
export function Observables({ observables }: { readonly observables: readonly ApiObservable[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? observables : observables.slice(0, shownAtFirst)
  return (
    <SmallTable
      title="Observables"
      count={observables.length}
      className="observables"
      rows={shown}
      columns={columns}
      idOf={({ kind, value }) => `${kind} ${value}`}
      empty="No observables extracted"
    >
      {shown.length < observables.length && (
        <Button m="sm" size="xs" variant="default" onClick={() => setWhole(true)}>
          Show all {observables.length}
        </Button>
      )}
    </SmallTable>
  )
}

const columns: readonly SmallColumn<ApiObservable>[] = [
  {
    title: 'Kind',
    isNarrow: true,
    cell: ({ kind }) => (
      <Text size="sm" c="dimmed">
        {kind}
      </Text>
    ),
  },
  {
    title: 'Value',
    cell: ({ kind, value, cases }) => <ObservableValue named={{ kind, value }} cases={cases} />,
  },
  {
    title: 'Findings',
    cell: ({ learned, used }) => (
      <>
        {learned.length === 0 && used.length === 0 && (
          <Text size="sm" c="dimmed">
            Not looked up
          </Text>
        )}
        {learned.map((each) => (
          <LearnedLine key={`${each.run_uuid} ${each.path}`} learned={each} />
        ))}
        <Uses used={used} />
      </>
    ),
  },
]

/** Steps shown of each observable. */
const usesAtMost = 5

/** Other steps that used the value, such as a question to the user. */
function Uses({ used }: { readonly used: readonly ApiObservableUse[] }) {
  const hidden = used.length - usesAtMost
  return (
    <>
      {used
        .slice(0, usesAtMost)
        .map(({ source, run_uuid: run, path, at, state, is_question: isQuestion }) => (
          <Text key={`${run} ${path}`} size="sm">
            {isQuestion ? 'Asked via' : 'Used in'} <TextLink href={stepHref(run, path)}>{source}</TextLink>
            {state === 'failed' && ' (failed)'}
            {state === 'unknown' && ' (outcome unknown)'}
            {state === 'started' && ' (running)'}
            <Text component="span" size="xs" c="dimmed">
              {' '}
              <DateTime at={at} ago />
            </Text>
          </Text>
        ))}
      {hidden > 0 && (
        <Text size="xs" c="dimmed">
          {hidden} more
        </Text>
      )}
    </>
  )
}

/** One finding: score, reason and source, with all evidence on request. */
function LearnedLine({ learned }: { readonly learned: ApiFinding }) {
  const { source, run_uuid: run, path, at, level, score, summary, error } = learned
  const [isShown, { toggle }] = useDisclosure()
  const step = stepHref(run, path)
  return (
    <div className="learned">
      <Group gap="4px 8px" align="baseline">
        <FindingBadge found={learned} />
        <OutsideText span text={error?.message ?? summary ?? (score === null ? '' : (level ?? ''))} />
      </Group>
      <Group gap={8} mt={2}>
        <TextLink href={step} size="xs">
          {source}
        </TextLink>
        <Text size="xs" c="dimmed">
          <DateTime at={at} ago />
        </Text>
        {error === null && (
          <Anchor component="button" type="button" size="xs" aria-expanded={isShown} onClick={toggle}>
            {isShown ? 'Hide evidence' : 'Evidence'}
          </Anchor>
        )}
      </Group>
      {isShown && <Evidence run={run} path={path} />}
    </div>
  )
}

type Rated = Pick<ApiFinding, 'score' | 'level' | 'error'>

export const FindingBadge = ({ found }: { readonly found: Rated }) => <StateBadge {...lookOf(found)} />

/** The score with the level of the source: `critical 92`. */
function lookOf({ score, level, error }: Rated): { readonly text: string; readonly color: StateColor } {
  if (error !== null) return { text: 'Unknown', color: 'gray' }
  const color = score === null ? 'gray' : score >= 65 ? 'red' : score >= 25 ? 'orange' : 'green'
  const words = [level, score].filter((each) => each !== null)
  return { text: words.length === 0 ? 'No known risk' : showInvisible(words.join(' ')), color }
}

function Evidence({ run, path }: { readonly run: string; readonly path: string }) {
  const found = useQuery({
    queryKey: ['run', run],
    queryFn: () => apiGet<ApiRunDetail>(`/runs/${run}`),
    staleTime: 60_000,
  })
  if (found.isPending) return <Loader size="xs" aria-label="Loading" />
  if (found.isLoadingError) return <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />
  const step = found.data.steps.find((each) => each.path === path)
  if (step === undefined) return <Text size="sm">This step is not shown: the run has too many steps.</Text>
  return <JsonView value={step.output} label={`Output of ${path}`} />
}

interface ActionsProps {
  readonly actions: readonly ApiCaseAction[]
  /** Of the whole case. */
  readonly total: number
}

/** Destructive actions, newest first, with the decisions behind them. */
export function Actions({ actions, total }: ActionsProps) {
  if (actions.length === 0) return null
  const hidden = total - actions.length
  return (
    <Section title="Actions taken" count={total}>
      {actions.toReversed().map((action) => (
        <ActionLine key={`${action.run_uuid} ${action.path}`} action={action} />
      ))}
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {hidden.toLocaleString()} more: see the JSON export.
        </Text>
      )}
    </Section>
  )
}

const looks: Readonly<Record<string, { readonly text: string; readonly color: StateColor }>> = {
  accepted: { text: 'Accepted', color: 'green' },
  unchanged: { text: 'Already in effect', color: 'gray' },
  failed: { text: 'Failed, nothing changed', color: 'red' },
  unknown: { text: 'Outcome unknown', color: 'orange' },
}

function ActionLine({ action }: { readonly action: ApiCaseAction }) {
  const { skill, outcome, status, input, error, decisions, playbook, run_uuid: run, path, at } = action
  const step = stepHref(run, path)
  return (
    <div className="action">
      <Group gap="4px 8px" align="baseline">
        <StateBadge {...(looks[outcome] ?? { text: outcome, color: 'gray' })} />
        <Text component="span" size="sm" fw={600} className="outside-text">
          {skill}
        </Text>
        {status !== null && <OutsideText span c="dimmed" text={status} />}
      </Group>
      {input !== null && <OutsideText text={inputText(input)} />}
      {error !== null && <OutsideText c="red" text={error.message} />}
      {decisions.map((decision) => (
        <Text key={`${decision.path} ${decision.at}`} size="sm" className="outside-text">
          {showInvisible(decisionText(decision))} · <DateTime at={decision.at} />
        </Text>
      ))}
      <Text size="xs" c="dimmed">
        step{' '}
        <TextLink href={step} size="xs">
          {path}
        </TextLink>{' '}
        of {showInvisible(playbook)} · <DateTime at={at} />
      </Text>
    </div>
  )
}

const inputText = (input: Readonly<Record<string, unknown>>): string =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

function decisionText({ kind, by, answer }: ApiActionDecision): string {
  const who = actorText(by)
  if (kind === 'approval') return `Approved by ${who}`
  if (kind === 'resolution') return `Outcome decided by ${who}: ${(answer ?? '').replaceAll('_', ' ')}`
  return answer === null ? `Form filled in by ${who}` : `Answered by ${who}: ${answer}`
}
