import { Alert, Anchor, List, Loader, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { apiCall, apiGet } from '../../api/call.ts'
import { apiProblem } from '../../api/problem.ts'
import type { ApiPlaybook, ApiPlaybookDetail, Validation } from '../../api/types.ts'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { Differences } from '../editor/differences.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

interface RollBackProps {
  /** The earlier version; undefined: closed. */
  readonly version: ApiPlaybook | undefined
  readonly onClose: () => void
}

const short = (hash: string): string => hash.slice(0, 12)

/** Publishes an earlier version again, with a reason, after a look at the difference and today's problems with it. */
export function RollBack({ version, onClose }: RollBackProps) {
  return version === undefined ? null : (
    <RollBackDialog key={version.hash} version={version} onClose={onClose} />
  )
}

function RollBackDialog({
  version,
  onClose,
}: {
  readonly version: ApiPlaybook
  readonly onClose: () => void
}) {
  const { name, hash } = version
  const { live, earlier, checked } = useVersions(version)
  const publish = usePublishAgain(
    { name, hash, live: live.data, earlier: earlier.data },
    () => void live.refetch(),
    onClose,
  )
  const isStale = apiProblem(publish.error).code === 'precondition_failed'
  const errors = checked.data?.problems.filter(({ severity }) => severity === 'error') ?? []
  const failed = [live, earlier, checked].find((query) => query.isError)
  return (
    <ReasonDialog
      opened
      title={`Roll back ${name} to ${short(hash)}`}
      action="Roll back"
      isPending={publish.isPending}
      isDisabled={live.data === undefined || checked.data === undefined || errors.length > 0}
      error={isStale ? null : publish.error}
      onClose={onClose}
      onConfirm={publish.mutate}
    >
      <Text size="sm">
        New alerts and schedules use the earlier version from now on. Active runs keep theirs.{' '}
        <Anchor
          component={Link}
          href={`/playbooks/${name}?restore=${hash}`}
          size="sm"
          underline="always"
          onClick={onClose}
        >
          Edit it first
        </Anchor>
      </Text>
      {isStale && (
        <Alert color="orange" title={`Someone else changed ${name}`} role="alert">
          The difference below is to the version that is live now.
        </Alert>
      )}
      {errors.length > 0 && (
        <Alert color="red" title="This version is no longer valid" role="alert">
          <List size="sm">
            {errors.map(({ line, column, code, message }, index) => (
              <List.Item key={index} className="outside-text">
                {line}:{column} {code} {showInvisible(message)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {failed !== undefined && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />}
      {live.data !== undefined && earlier.data !== undefined ? (
        <Differences
          before={live.data.source}
          after={earlier.data.source}
          labels={[isPublished(live.data) ? 'Live' : 'Latest', short(hash)]}
        />
      ) : (
        failed === undefined && <Loader size="sm" role="img" aria-label="Loading" />
      )}
    </ReasonDialog>
  )
}

const isPublished = (playbook: ApiPlaybookDetail | undefined): boolean =>
  playbook?.in_force === true || playbook?.shadow === true

/** The newest version, the earlier one, and today's problems with it. */
function useVersions({ name, hash }: ApiPlaybook) {
  const read = (nameOrHash: string) =>
    apiGet<ApiPlaybookDetail>(`/playbooks/${encodeURIComponent(nameOrHash)}`)
  const live = useQuery({ queryKey: ['roll_back', name], queryFn: () => read(name), staleTime: 0, gcTime: 0 })
  const earlier = useQuery({
    queryKey: ['playbook', hash],
    queryFn: () => read(hash),
    staleTime: Infinity,
  })
  const source = earlier.data?.source
  const checked = useQuery({
    queryKey: ['validate', source],
    queryFn: () => apiCall<Validation>('POST', '/playbooks/validate', { body: { source } }),
    enabled: source !== undefined,
  })
  return { live, earlier, checked }
}

interface Replaced {
  readonly name: string
  readonly hash: string
  readonly live: ApiPlaybookDetail | undefined
  readonly earlier: ApiPlaybookDetail | undefined
}

/** Publishes the earlier version over the live one that was shown. */
function usePublishAgain({ name, hash, live, earlier }: Replaced, onError: () => void, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (reason: string) =>
      apiCall<ApiPlaybookDetail>('PUT', `/playbooks/${encodeURIComponent(name)}`, {
        body: { source: earlier?.source, reason },
        // Without a live version, there is nothing to overwrite.
        ...(isPublished(live) && { headers: { 'if-match': `"${live?.hash ?? ''}"` } }),
      }),
    onSuccess(saved) {
      notifications.show({ color: 'green', message: `Rolled back ${name} to ${short(hash)}` })
      queries.setQueryData(['playbook', name], saved)
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      void queries.invalidateQueries({ queryKey: ['versions'] })
      onDone()
    },
    onError,
  })
}
