import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import type { Alert } from '../api/types.ts'
import { InvestigateDialog } from './investigate-dialog.tsx'

interface RetryChosenProps {
  /** Those that are listed and chosen. */
  readonly chosen: readonly Alert[]
  readonly onDone: () => void
}

/** Investigates all chosen alerts again, after a look at which they are; what is refused stops no other. */
export function RetryChosen({ chosen, onDone }: RetryChosenProps) {
  const queries = useQueryClient()
  // Exactly those that the dialog names, whatever leaves the list meanwhile.
  const [named, setNamed] = useState<readonly Alert[]>()
  const close = (): void => setNamed(undefined)
  const again = useMutation({
    mutationFn: async (alerts: readonly Alert[]) => {
      const results: PromiseSettledResult<unknown>[] = []
      for (const { alert_id: id } of alerts) {
        // One after the other: the order is kept, and a large choice does not flood the server.
        results.push(
          ...(await Promise.allSettled([call('POST', `/alerts/${encodeURIComponent(id)}/investigate`)])),
        )
      }
      return results
    },
    onSuccess(results) {
      const refused = results.filter((result) => result.status === 'rejected')
      const first = refused[0]
      notifications.show({
        color: refused.length === 0 ? 'green' : 'orange',
        title: `Investigating ${results.length - refused.length} of ${results.length} again`,
        message: first === undefined ? '' : `First refusal: ${problemOf(first.reason).detail ?? ''}`,
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
