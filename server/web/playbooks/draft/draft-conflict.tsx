import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../../api/call.ts'
import { apiProblem } from '../../api/problem.ts'
import type { ApiDraft } from '../../api/types.ts'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { actorText, showInvisible } from '../../parts/outside-text.ts'
import { DateTime } from '../../parts/times.tsx'
import { Differences } from '../editor/differences.tsx'
import { draftPath } from './use-save-draft.ts'

interface DraftConflictProps {
  readonly name: string
  readonly mine: string
  /** Saves over this revision; null: there is no draft any more. */
  readonly onOver: (revision: number | null) => void
  readonly onTakeTheirs: () => void
}

/** Shown when the draft is not the one that was read: compares it with the text. */
export function DraftConflict({ name, mine, onOver, onTakeTheirs }: DraftConflictProps) {
  const theirs = useQuery({
    queryKey: ['draft_conflict', name],
    queryFn: () => apiGet<ApiDraft>(draftPath(name)),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  if (theirs.isPending) return <Loader size="sm" role="img" aria-label="Loading" />
  if (theirs.isLoadingError && apiProblem(theirs.error).code !== 'draft_not_found')
    return <ErrorAlert error={theirs.error} />
  const { data } = theirs
  return (
    <Stack gap="xs">
      <Alert
        color="orange"
        title={data === undefined ? 'The draft was published or discarded' : 'A newer draft was saved'}
        role="alert"
      >
        <Text size="sm">
          {data === undefined ? (
            'Your text is not lost: save it as a new draft.'
          ) : (
            <>
              {showInvisible(actorText(data.changed_by))} saved a draft of {name} at{' '}
              <DateTime at={data.changed_at} />. Compare it with yours below.
            </>
          )}
        </Text>
        <Group gap="xs" mt="sm">
          <Button size="xs" variant="default" onClick={() => onOver(data?.revision ?? null)}>
            {data === undefined ? 'Save as a new draft' : 'Overwrite with mine'}
          </Button>
          <Button size="xs" variant="default" onClick={onTakeTheirs}>
            Discard mine
          </Button>
        </Group>
      </Alert>
      {data !== undefined && (
        <Differences before={data.source} after={mine} labels={['Saved draft', 'Mine']} />
      )}
    </Stack>
  )
}
