import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../../api/call.ts'
import type { ApiDraft, ApiPlaybookDetail } from '../../api/types.ts'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { actorText, showInvisible } from '../../parts/outside-text.ts'
import { DateTime } from '../../parts/times.tsx'
import { Differences } from '../editor/differences.tsx'
import { useSaveDraft } from './use-save-draft.ts'

interface OutdatedDraftProps {
  readonly draft: ApiDraft
  /** Null: the playbook was deleted. */
  readonly live: ApiPlaybookDetail | null
  readonly mayEdit: boolean
  /** Changes of the editor that are not saved. */
  readonly isUnsaved: boolean
}

/** Shows what was published since the draft began, beside the changes of the draft. */
export function OutdatedDraft({ draft, live, mayEdit, isUnsaved }: OutdatedDraftProps) {
  const { base_hash: base, name, source, revision } = draft
  const begun = useQuery({
    queryKey: ['playbook', base],
    queryFn: () => apiGet<ApiPlaybookDetail>(`/playbooks/${base ?? ''}`),
    enabled: base !== null,
    staleTime: Infinity,
  })
  const drafts = useSaveDraft(() => undefined)
  const {
    put_in_force_actor: by = null,
    put_in_force_at: at = null,
    put_in_force_reason: reason = null,
  } = live ?? {}
  return (
    <Stack gap="xs">
      <Alert
        color="orange"
        title={live === null ? 'The playbook was deleted since the draft began' : 'The draft is outdated'}
      >
        {live !== null && (
          <Text size="sm" className="outside-text">
            {by === null ? 'Someone' : showInvisible(actorText(by))} published another version
            {at !== null && (
              <>
                {' '}
                at <DateTime at={at} />
              </>
            )}
            {reason !== null && `: ${showInvisible(reason)}`}. Compare both changes below, take over what you
            need, and base the draft on the live version to publish it.
          </Text>
        )}
        {mayEdit && (
          <Group mt="sm">
            <Button
              size="xs"
              variant="default"
              loading={drafts.isPending}
              disabled={isUnsaved}
              onClick={() => drafts.save({ name, source, base: draft.published_hash, revision })}
            >
              {live === null ? 'Keep it as a new playbook' : 'Base on the live version'}
            </Button>
            {isUnsaved && <Text size="sm">Save or discard your changes first.</Text>}
          </Group>
        )}
      </Alert>
      {drafts.isConflict && (
        <Text size="sm" role="alert">
          A newer draft was saved. It is shown below.
        </Text>
      )}
      {drafts.error !== null && <ErrorAlert error={drafts.error} />}
      {begun.isLoadingError && <ErrorAlert error={begun.error} />}
      {live !== null && begun.data !== undefined && (
        <>
          <Differences
            before={begun.data.source}
            after={live.source}
            labels={['Where the draft began', 'Live now']}
          />
          <Differences
            before={begun.data.source}
            after={source}
            labels={['Where the draft began', 'Draft']}
          />
        </>
      )}
    </Stack>
  )
}
