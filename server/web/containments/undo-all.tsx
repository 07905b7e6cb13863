import { List, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiContainment } from '../api/types.ts'
import { useIdempotencyKey } from '../forms/form-state.ts'
import { ConfirmButton } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { useMay } from '../session/session.ts'
import { CaseContainments, isUndoable, targetText } from './containment-parts.tsx'

interface Undone {
  readonly data: readonly {
    readonly containment_id: string
    readonly run_uuid: string | null
    readonly error: { readonly message: string } | null
  }[]
  readonly left: number
}

interface UndoAllProps {
  /** Of a case or a run in the API. */
  readonly path: string
  readonly all: readonly ApiContainment[]
}

/** The containments of a case or a run, with a button that undoes all. */
export function UndoableContainments({ path, all }: UndoAllProps) {
  return <CaseContainments all={all} actions={<UndoAllButton path={path} all={all} />} />
}

/** Undoes the containments of a case or a run after a confirmation that lists them. */
function UndoAllButton({ path, all }: UndoAllProps) {
  const mayUndo = useMay('runs:write')
  const queries = useQueryClient()
  const chosen = all.filter(isUndoable)
  const once = useIdempotencyKey()
  const undoing = useMutation({
    mutationFn: () =>
      once.send<Undone>(`${path}/containments/undo`, {
        // Only what the dialog lists.
        containments: chosen.map((one) => one.containment_id),
      }),
    onSuccess({ data, left }) {
      const begun = data.filter(({ run_uuid: run }) => run !== null).length
      const [refusal] = data.flatMap(({ error }) => error?.message ?? [])
      notifications.show({
        color: begun === data.length ? 'green' : 'orange',
        title: `Undoing ${begun} of ${data.length + left} containments`,
        message: [refusal, left > 0 && `${left} are left: undo again to include them.`]
          .filter(Boolean)
          .join(' '),
      })
      for (const queryKey of [['case'], ['containments'], ['list', '/containments']])
        void queries.invalidateQueries({ queryKey })
    },
  })
  if (!mayUndo || chosen.length < 2) return null
  return (
    <ConfirmButton
      text="Undo all"
      look={{ color: 'red', variant: 'light', size: 'compact-xs' }}
      title={`Undo ${chosen.length} containments?`}
      action={`Undo ${chosen.length}`}
      mutation={undoing}
    >
      <Stack gap="xs">
        <List size="sm" spacing={4}>
          {chosen.map((one) => (
            <List.Item key={one.containment_id} className="outside-text">
              {one.undone_by}
              {one.connection !== null && ` over ${showInvisible(one.connection)}`} for{' '}
              {showInvisible(targetText(one))}
            </List.Item>
          ))}
        </List>
        <Text size="sm">
          A run undoes each. It counts against the hourly limit, and may wait for an approval.
        </Text>
      </Stack>
    </ConfirmButton>
  )
}

/** The containments that a run made and that stand. */
export function RunContainments({ runUuid }: { readonly runUuid: string }) {
  const found = useQuery({
    queryKey: ['containments', runUuid],
    queryFn: () =>
      apiGet<{ readonly data: readonly ApiContainment[] }>(`/containments?limit=100&run=${runUuid}`),
  })
  return <UndoableContainments path={`/runs/${runUuid}`} all={found.data?.data ?? []} />
}
