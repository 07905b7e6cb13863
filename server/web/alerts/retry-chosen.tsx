import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'

interface RetryChosenProps {
  readonly ids: readonly string[]
  readonly onDone: () => void
}

/** Investigates all chosen alerts again; what is refused stops no other. */
export function RetryChosen({ ids, onDone }: RetryChosenProps) {
  const queries = useQueryClient()
  const again = useMutation({
    mutationFn: async () => {
      const results: PromiseSettledResult<unknown>[] = []
      for (const id of ids) {
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
        title: `${results.length - refused.length} of ${results.length} are investigated again`,
        message:
          first === undefined ? '' : `The first that was refused: ${problemOf(first.reason).detail ?? ''}`,
      })
      void queries.invalidateQueries({ queryKey: ['list', '/alerts'] })
      onDone()
    },
  })
  return (
    <Button size="xs" loading={again.isPending} onClick={() => again.mutate()}>
      Investigate {ids.length} again
    </Button>
  )
}
