import { inputText } from '../../../core/case/action-input.ts'
import { stepName } from '../../../core/engine/journal/step-name.ts'
import { Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { apiCall } from '../api/call.ts'
import type { ApiContainment, ApiRun } from '../api/types.ts'
import { ConfirmButton } from '../parts/feedback.tsx'
import { Section, TextLink } from '../parts/layout.tsx'
import { showInvisible, stepHref } from '../parts/outside-text.ts'
import { StateBadge, type StateColor } from '../parts/states.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { useMay } from '../session/session.ts'
import { DateTime } from '../parts/times.tsx'
import { ExtendButton } from './extend-button.tsx'

export const containmentLooks: Readonly<
  Record<ApiContainment['state'], { readonly text: string; readonly color: StateColor }>
> = {
  active: { text: 'Active', color: 'red' },
  undoing: { text: 'Undoing', color: 'yellow' },
  undone: { text: 'Undone', color: 'green' },
  failed: { text: 'Undo failed', color: 'red' },
  unknown: { text: 'Unknown', color: 'orange' },
  overdue: { text: 'Overdue', color: 'red' },
}

/** An action with unknown outcome may not be in effect, unless a check saw that it is. */
export function ContainmentBadge({ one }: { readonly one: ApiContainment }) {
  const { state, action, state_seen: seen } = one
  if (state === 'active' && seen === 'released') return <StateBadge text="Not in effect" color="orange" />
  if (state === 'active' && action.outcome === 'unknown' && seen !== 'contained')
    return <StateBadge text="May be active" color="orange" />
  return <StateBadge {...containmentLooks[state]} />
}

/** `id: 1f2e (desk-7)`: the target, without texts for people. */
export function targetText({ action }: Pick<ApiContainment, 'action'>): string {
  const { comment: _, ...input } = action.input ?? {}
  return inputText({ ...action, input })
}

const undoable: readonly ApiContainment['state'][] = ['active', 'failed', 'unknown', 'overdue']

export const isUndoable = ({ state, can_undo: canUndo }: ApiContainment): boolean =>
  canUndo && undoable.includes(state)

/** Undoes a containment after a confirmation, and opens the run. */
export function UndoButton({ one }: { readonly one: ApiContainment }) {
  const { containment_id: id, undone_by: undo, connection } = one
  const mayUndo = useMay('runs:write')
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const undoing = useMutation({
    mutationFn: () => apiCall<ApiRun>('POST', `/containments/${id}/undo`),
    onSuccess({ run_uuid: run }) {
      void queries.invalidateQueries({ queryKey: ['list', '/containments'] })
      navigate(`/runs/${run}`)
    },
  })
  if (!mayUndo || !isUndoable(one)) return null
  return (
    <ConfirmButton
      text="Undo"
      look={{ color: 'red', variant: 'light', size: 'compact-xs' }}
      title="Undo this containment?"
      action="Undo"
      mutation={undoing}
    >
      <Text size="sm" className="outside-text">
        A run calls {undo}
        {connection !== null && ` over ${showInvisible(connection)}`} for {showInvisible(targetText(one))}. It
        counts against the hourly limit, and may wait for an approval.
      </Text>
    </ConfirmButton>
  )
}

interface CaseContainmentsProps {
  readonly all: readonly ApiContainment[]
  readonly actions: ReactNode
}

/** Containments of a case or a run, those still in effect first. */
export function CaseContainments({ all, actions }: CaseContainmentsProps) {
  if (all.length === 0) return null
  const standing = all.filter(({ state }) => state !== 'undone')
  const undone = all.filter(({ state }) => state === 'undone')
  return (
    <Section title="Active containments" count={standing.length} actions={actions}>
      {[...standing, ...undone].map((one) => (
        <ContainmentLine key={one.containment_id} one={one} />
      ))}
    </Section>
  )
}

function ContainmentLine({ one }: { readonly one: ApiContainment }) {
  const { action, connection, undone_by: undo, created_at: at, undo_run_uuid: undoRun } = one
  const { skill, run_uuid: run, path, playbook } = action
  return (
    <div className="action">
      <Group gap="4px 8px" align="baseline">
        <ContainmentBadge one={one} />
        <Text component="span" size="sm" fw={600} className="outside-text">
          {skill}
        </Text>
        {connection !== null && <OutsideText span c="dimmed" text={`over ${connection}`} />}
        <ExtendButton one={one} />
        <UndoButton one={one} />
      </Group>
      <OutsideText text={targetText(one)} />
      <Text size="xs" c="dimmed">
        step{' '}
        <TextLink href={stepHref(run, path)} size="xs">
          {showInvisible(stepName({ path, kind: skill }))}
        </TextLink>{' '}
        of {showInvisible(playbook)} · <DateTime at={at} /> · undone by {undo}
        {undoRun !== null && (
          <>
            {' '}
            in{' '}
            <TextLink href={`/runs/${undoRun}`} size="xs">
              this run
            </TextLink>
          </>
        )}
      </Text>
      <ExpiryLine one={one} />
      <StateLine one={one} />
    </div>
  )
}

/** When it is undone without a request, and why it was not. */
function ExpiryLine({ one }: { readonly one: ApiContainment }) {
  const { expires_at: at, unless, note, state, owner } = one
  if (state === 'undone') return null
  return (
    <>
      <Text size="xs" c="dimmed" className="outside-text">
        {at === null ? (
          'Only people undo it'
        ) : (
          <>
            {state === 'overdue' ? 'Expired' : 'Expires'} <DateTime at={at} />
            {unless !== null && ` unless ${showInvisible(unless)}`}
          </>
        )}{' '}
        · owner {showInvisible(owner.name)}
      </Text>
      {note !== null && <OutsideText text={`${note[0]?.toUpperCase()}${note.slice(1)}`} />}
    </>
  )
}

const seenTexts = {
  contained: 'In effect',
  released: 'Not in effect',
  unclear: 'Unclear whether it is in effect',
} as const

/** What the last check of the other system said, or why there is none. */
function StateLine({ one }: { readonly one: ApiContainment }) {
  const { state_seen: seen, state_checked_at: checkedAt, state_error: error, state_unreadable: why } = one
  if (one.ended_by !== null && one.ended_by !== 'call')
    return (
      <Text size="xs" c="dimmed">
        {one.ended_by === 'outside' ? 'Undone outside of Tocsin' : 'No longer in effect'}, noticed{' '}
        <DateTime at={one.changed_at} />
      </Text>
    )
  if (one.state === 'undone') return null
  if (why !== null) return <OutsideText c="dimmed" size="xs" text={`State cannot be read: ${why}`} />
  if (checkedAt === null) return null
  return (
    <>
      {seen !== null && error === null && (
        <Text size="xs" c="dimmed">
          {seenTexts[seen]} when checked <DateTime at={checkedAt} ago />
        </Text>
      )}
      {error !== null && (
        <>
          <Text size="xs" c="dimmed">
            Could not check its state <DateTime at={checkedAt} ago />
            {seen !== null && `; before: ${seenTexts[seen].toLowerCase()}`}
          </Text>
          <OutsideText c="dimmed" size="xs" text={error.message} />
        </>
      )}
    </>
  )
}
