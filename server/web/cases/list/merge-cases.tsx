import { Button, Radio, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { apiCall, apiGet } from '../../api/call.ts'
import type { ApiCase } from '../../api/types.ts'
import { ConfirmDialog, ErrorAlert } from '../../parts/feedback.tsx'
import { showInvisible } from '../../parts/outside-text.ts'

interface MergeButtonProps {
  /** Ids of the selected cases. */
  readonly chosen: ReadonlySet<string>
  readonly onDone: () => void
}

/** Limit of the API: the remaining case and 20 others. */
const maxMerged = 21

/** Merges the selected cases into one of them. */
export function MergeButton({ chosen, onDone }: MergeButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  // A copy, so that the question does not change.
  const [looked, look] = useState<readonly string[]>([])
  if (chosen.size < 2) return null
  const isTooMany = chosen.size > maxMerged
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={isTooMany}
        aria-describedby={isTooMany ? 'merge-limit' : undefined}
        onClick={() => {
          look([...chosen])
          open()
        }}
      >
        Merge …
      </Button>
      {isTooMany && (
        <Text id="merge-limit" size="xs" c="dimmed">
          To merge, select at most {maxMerged} cases
        </Text>
      )}
      {opened && (
        <MergeDialog
          ids={looked}
          onClose={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
      )}
    </>
  )
}

interface MergeDialogProps {
  readonly ids: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

function MergeDialog({ ids, onClose, onDone }: MergeDialogProps) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const cases = useQuery({
    queryKey: ['merge', ids],
    queryFn: () =>
      Promise.all(ids.map((id) => apiGet<ApiCase>(`/cases/${encodeURIComponent(id)}`))).then(oldestFirst),
    staleTime: 0,
    gcTime: 0,
  })
  const [chosen, choose] = useState<string>()
  const target = chosen ?? cases.data?.[0]?.case_id
  const merge = useMutation({
    mutationFn: (all: readonly ApiCase[]) => mergeInto(all, target ?? ''),
    // Show the present state before another attempt.
    onError: () => void cases.refetch(),
    onSuccess(merged) {
      notifications.show({
        color: 'green',
        title: 'Cases merged',
        message: `into ${merged.case_id.toUpperCase()}`,
      })
      void queries.invalidateQueries({ queryKey: ['list', '/cases'] })
      onDone()
      navigate(`/cases/${merged.case_id}`)
    },
  })
  return (
    <ConfirmDialog
      opened
      size="lg"
      title="Merge cases"
      action={`Merge ${ids.length} cases`}
      isPending={merge.isPending}
      isDisabled={cases.data === undefined}
      error={merge.error}
      onClose={onClose}
      onConfirm={() => cases.data && merge.mutate(cases.data)}
    >
      <Text size="sm">
        Alerts, runs and files move into the case that you choose. The other cases are closed and link to it.
      </Text>
      {cases.isError && <ErrorAlert error={cases.error} onRetry={() => void cases.refetch()} />}
      {cases.data && (
        <Radio.Group label="Keep" value={target ?? null} onChange={choose}>
          <Stack gap="xs" mt="xs">
            {cases.data.map((each) => (
              <Radio
                key={each.case_id}
                value={each.case_id}
                label={`${each.case_id.toUpperCase()} ${showInvisible(each.title)}`}
                description={`Severity ${each.severity}, verdict ${each.verdict}, ${each.status.replaceAll('_', ' ')}`}
                classNames={{ label: 'outside-text' }}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </ConfirmDialog>
  )
}

const oldestFirst = (cases: readonly ApiCase[]): readonly ApiCase[] =>
  cases.toSorted((a, b) => a.created_at - b.created_at)

async function mergeInto(all: readonly ApiCase[], id: string): Promise<ApiCase> {
  const target = all.find((each) => each.case_id === id)
  const cases = all.filter((each) => each !== target).map(({ case_id, revision }) => ({ case_id, revision }))
  return await apiCall<ApiCase>('POST', `/cases/${encodeURIComponent(id)}/merge`, {
    body: { cases },
    headers: { 'if-match': `"${target?.revision ?? 0}"` },
  })
}
