import { Button, Alert as MantineAlert, List, ScrollArea, Stack, Text, Anchor, Loader } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { apiAll, apiCallOnce, apiGet } from '../api/call.ts'
import { apiProblem, isUnanswered } from '../api/problem.ts'
import type { ApiAlert, ApiRunDetail } from '../api/types.ts'
import { ErrorAlert, ConfirmDialog } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { previousEffects, lastRun } from './previous-effects.ts'

interface RetryChosenProps {
  /** Selected alerts in the list. */
  readonly chosen: readonly ApiAlert[]
  readonly onDone: () => void
}

/** Investigates the selected alerts again after a confirmation. An error of one does not stop the others. */
export default function InvestigateSelected({ chosen, onDone }: RetryChosenProps) {
  const queries = useQueryClient()
  // The alerts in the dialog, even if some have left the list since it opened.
  const [named, setNamed] = useState<readonly ApiAlert[]>()
  const close = (): void => setNamed(undefined)
  // By alert, until all are answered: trying again investigates none of them twice.
  const keys = useRef(new Map<string, string>())
  const investigate = (id: string): Promise<unknown> => {
    const key = keys.current.get(id) ?? crypto.randomUUID()
    keys.current.set(id, key)
    return apiCallOnce(`/alerts/${encodeURIComponent(id)}/investigate`, undefined, key)
  }
  const again = useMutation({
    mutationFn: async (alerts: readonly ApiAlert[]) => {
      const results: PromiseSettledResult<unknown>[] = []
      for (const { alert_id: id } of alerts) {
        // One at a time, to keep the order and the load on the server low.
        const [result] = await Promise.allSettled([investigate(id)])
        if (result.status === 'rejected' && isUnanswered(result.reason)) throw result.reason
        results.push(result)
      }
      return results
    },
    onSuccess(results) {
      keys.current.clear()
      const refused = results.filter((result) => result.status === 'rejected')
      const first = refused[0]
      notifications.show({
        color: refused.length === 0 ? 'green' : 'orange',
        title: `Investigating ${results.length - refused.length} of ${results.length} again`,
        message: first === undefined ? '' : `First error: ${apiProblem(first.reason).detail ?? ''}`,
      })
      void queries.invalidateQueries({ queryKey: ['list', '/alerts'] })
      close()
      onDone()
    },
  })
  return (
    <>
      {chosen.length > 0 && (
        <Button size="xs" loading={again.isPending} onClick={() => setNamed(chosen)}>
          Investigate {chosen.length} again …
        </Button>
      )}
      <InvestigateDialog
        alerts={named ?? []}
        opened={named !== undefined}
        isPending={again.isPending}
        error={again.error}
        onClose={close}
        onConfirm={() => again.mutate(named ?? [])}
      />
    </>
  )
}

/** For how many alerts the dialog loads previous actions. */
const maxLookedUp = 10

interface InvestigateDialogProps {
  readonly alerts: readonly ApiAlert[]
  readonly opened: boolean
  readonly isPending: boolean
  /** Null if no request failed. */
  readonly error: unknown
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Lists the alerts to investigate again and the actions that will be repeated. */
export function InvestigateDialog(props: InvestigateDialogProps) {
  const { alerts, opened, isPending, error, onClose, onConfirm } = props
  return (
    <ConfirmDialog
      opened={opened}
      title="Investigate again from the start"
      action={`Investigate ${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}`}
      size="lg"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <MantineAlert color="orange" variant="light" title="All actions will be repeated">
        The matching playbook runs from the start and repeats its actions on other systems. To continue from a
        failed step, retry the run instead.
      </MantineAlert>
      <ScrollArea.Autosize mah={360}>
        <List size="sm" aria-label="Alerts">
          {alerts.map(({ alert_id: id, alert_type: type }) => (
            <List.Item key={id} className="outside-text">
              <b>{id.toUpperCase()}</b> {type !== null && showInvisible(type)}
            </List.Item>
          ))}
        </List>
        {opened && (
          <Stack gap="sm" mt="sm">
            {alerts.slice(0, maxLookedUp).map(({ alert_id: id }) => (
              <LastEffectsOf key={id} id={id} />
            ))}
          </Stack>
        )}
        {alerts.length > maxLookedUp && (
          <Text size="sm" mt="sm">
            See the runs of the other {alerts.length - maxLookedUp} alerts for their actions.
          </Text>
        )}
      </ScrollArea.Autosize>
    </ConfirmDialog>
  )
}

const shownEffects = 20
/** Of an input. The run shows all of it. */
const maxCharacters = 300

/** The actions of the last investigation of an alert. */
function LastEffectsOf({ id }: { readonly id: string }) {
  const found = useQuery({ queryKey: ['last-effects', id], queryFn: () => read(id), staleTime: 0, gcTime: 0 })
  if (found.isPending) return <Loader size="sm" role="img" aria-label="Loading" />
  if (found.isError) return <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />
  const { run, effects } = found.data
  if (run === undefined) return null
  const isWhole = run.pruned_at === null && run.steps.length >= run.steps_total
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {id.toUpperCase()}: actions of{' '}
        <Anchor href={`/runs/${run.run_uuid}`} target="_blank" size="sm" underline="always">
          the last investigation
        </Anchor>
      </Text>
      {effects.length > 0 && (
        <List size="sm" spacing="xs" aria-label={`Actions for ${id.toUpperCase()}`}>
          {effects.slice(0, shownEffects).map(({ path, skill, input, text }) => (
            <List.Item key={path}>
              <b>{skill}</b> <code className="outside-text">{inputText(input)}</code> {text}
            </List.Item>
          ))}
        </List>
      )}
      {effects.length > shownEffects && <Text size="sm">{effects.length - shownEffects} more</Text>}
      {effects.length === 0 && isWhole && <Text size="sm">No actions</Text>}
      {!isWhole && <Text size="sm">Some steps are not shown: there may be more actions.</Text>}
    </Stack>
  )
}

async function read(id: string) {
  const alert = await apiGet<ApiAlert>(`/alerts/${encodeURIComponent(id)}`)
  const last = lastRun(alert.alert_id, alert.runs ?? [])
  if (last === undefined) return { run: undefined, effects: [] }
  const [run, skills] = await Promise.all([
    apiGet<ApiRunDetail>(`/runs/${last.run_uuid}`),
    apiAll<{ readonly name: string }>('/skills', { effect: 'read' }),
  ])
  return { run, effects: previousEffects(run.steps, new Set(skills.map(({ name }) => name))) }
}

function inputText(input: unknown): string {
  const text = JSON.stringify(input) ?? 'null'
  return showInvisible(text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`)
}
