import { stepName } from '../../../core/engine/journal/step-name.ts'
import { inputText } from '../../../core/case/action-input.ts'
import { Anchor, Button, Text, Group, Loader } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type {
  ApiObservable,
  ApiObservableUse,
  ApiFinding,
  ApiRunDetail,
  ApiActionDecision,
  ApiCaseAction,
  ApiContainment,
} from '../api/types.ts'
import { byValue, EvidenceCard, KnownObservables } from '../evidence/evidence-card.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { Section, TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { showInvisible, actorText, stepHref } from '../parts/outside-text.ts'
import { ContainmentBadge } from '../containments/containment-parts.tsx'
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
  const known = useMemo(() => byValue(observables), [observables])
  return (
    <KnownObservables value={known}>
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
    </KnownObservables>
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
  if (found.isPending) return <Loader size="xs" role="img" aria-label="Loading" />
  if (found.isLoadingError) return <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />
  const step = found.data.steps.find((each) => each.path === path)
  if (step === undefined) return <Text size="sm">This step is not shown: the run has too many steps.</Text>
  return <EvidenceCard value={step.output} label={`Output of ${showInvisible(step.name)}`} />
}

interface ActionsProps {
  readonly actions: readonly ApiCaseAction[]
  /** Of the whole case. */
  readonly total: number
  readonly containments: readonly ApiContainment[]
}

/** Destructive actions, newest first, with the decisions behind them. */
export function Actions({ actions, total, containments }: ActionsProps) {
  if (actions.length === 0) return null
  const hidden = total - actions.length
  return (
    <Section title="Actions taken" count={total}>
      {actions.toReversed().map((action) => (
        <ActionLine
          key={`${action.run_uuid} ${action.path}`}
          action={action}
          containment={containments.find(
            ({ action: of }) => of.run_uuid === action.run_uuid && of.path === action.path,
          )}
        />
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

interface ActionLineProps {
  readonly action: ApiCaseAction
  /** Undefined: it does not stay in effect. */
  readonly containment: ApiContainment | undefined
}

function ActionLine({ action, containment }: ActionLineProps) {
  const { skill, outcome, status, error, decisions, playbook, run_uuid: run, path, at } = action
  const step = stepHref(run, path)
  const given = inputText(action)
  return (
    <div className="action">
      <Group gap="4px 8px" align="baseline">
        <StateBadge {...(looks[outcome] ?? { text: outcome, color: 'gray' })} />
        <Text component="span" size="sm" fw={600} className="outside-text">
          {skill}
        </Text>
        {status !== null && <OutsideText span c="dimmed" text={status} />}
      </Group>
      {containment !== undefined && <Undoing one={containment} />}
      {given !== '' && <OutsideText text={given} />}
      {error !== null && <OutsideText c="red" text={error.message} />}
      {decisions.map((decision) => (
        <Text key={`${decision.path} ${decision.at}`} size="sm" className="outside-text">
          {showInvisible(decisionText(decision))} · <DateTime at={decision.at} />
        </Text>
      ))}
      <Text size="xs" c="dimmed">
        step{' '}
        <TextLink href={step} size="xs">
          {showInvisible(stepName({ path, kind: skill }))}
        </TextLink>{' '}
        of {showInvisible(playbook)} · <DateTime at={at} />
      </Text>
    </div>
  )
}

/** Whether a containment is still in effect, and the run that undid it or tried to. */
function Undoing({ one }: { readonly one: ApiContainment }) {
  const { undo_run_uuid: run } = one
  return (
    <Text size="sm" component="div">
      <ContainmentBadge one={one} /> since <DateTime at={one.changed_at} />
      {run !== null && (
        <>
          {' '}
          ·{' '}
          <TextLink href={`/runs/${run}`} isUnderlined>
            undo run
          </TextLink>
        </>
      )}
    </Text>
  )
}

function decisionText({ kind, by, answer }: ApiActionDecision): string {
  const who = actorText(by)
  if (kind === 'approval') return `Approved by ${who}`
  if (kind === 'resolution') return `Outcome decided by ${who}: ${(answer ?? '').replaceAll('_', ' ')}`
  return answer === null ? `Form filled in by ${who}` : `Answered by ${who}: ${answer}`
}
