import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { ActionDecision, CaseAction } from '../api/types.ts'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { StateBadge, type StateColor } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'
import { whoText } from '../parts/who-text.ts'

interface ActionsProps {
  readonly actions: readonly CaseAction[]
  /** Of the whole case. */
  readonly total: number
}

/** What destructive skills did, the newest first: what was isolated, blocked or released, and who decided it. */
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

function ActionLine({ action }: { readonly action: CaseAction }) {
  const { skill, outcome, status, input, error, decisions, playbook, run_uuid: run, path, at } = action
  const step = `/runs/${run}?${new URLSearchParams({ step: path }).toString()}`
  return (
    <div className="action">
      <Group gap="4px 8px" align="baseline">
        <StateBadge {...(looks[outcome] ?? { text: outcome, color: 'gray' })} />
        <Text component="span" size="sm" fw={600} className="outside-text">
          {skill}
        </Text>
        {status !== null && (
          <Text component="span" size="sm" c="dimmed" className="outside-text">
            {showInvisible(status)}
          </Text>
        )}
      </Group>
      {input !== null && (
        <Text size="sm" className="outside-text">
          {showInvisible(inputText(input))}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" c="red" className="outside-text">
          {showInvisible(error.message)}
        </Text>
      )}
      {decisions.map((decision) => (
        <Text key={`${decision.path} ${decision.at}`} size="sm" className="outside-text">
          {showInvisible(decisionText(decision))} · <Time at={decision.at} />
        </Text>
      ))}
      <Text size="xs" c="dimmed">
        step{' '}
        <Anchor component={Link} href={step} size="xs">
          {path}
        </Anchor>{' '}
        of {showInvisible(playbook)} · <Time at={at} />
      </Text>
    </div>
  )
}

const inputText = (input: Readonly<Record<string, unknown>>): string =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

function decisionText({ kind, by, answer }: ActionDecision): string {
  const who = whoText(by)
  if (kind === 'approval') return `Approved by ${who}`
  if (kind === 'resolution') return `Outcome decided by ${who}: ${(answer ?? '').replaceAll('_', ' ')}`
  return answer === null ? `Form filled in by ${who}` : `Answered by ${who}: ${answer}`
}
