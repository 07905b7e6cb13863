import { Alert, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiPlaybookFolder } from '../api/types.ts'
import { MissingLinks } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'

const reasons = {
  errors: 'Fix the errors below in the folder.',
  missing: 'The folder does not exist; its volume may not be mounted.',
  empty: 'All files are gone; the volume may not be mounted. Restart the server to delete the playbooks.',
}

const pollMs = 10_000
/** Maximum number of shown errors. */
const maxShown = 5

/** Says why a change of the playbooks folder is not published, and which files are outdated. */
export function FolderAlert() {
  const { data } = useQuery({
    queryKey: ['playbook-folder'],
    queryFn: () => apiGet<ApiPlaybookFolder>('/playbook-folder'),
    refetchInterval: pollMs,
  })
  return (
    <>
      <RefusedChange change={data?.refused_change} />
      <OutdatedFiles files={data?.outdated ?? []} />
    </>
  )
}

/** Files that Tocsin cannot replace by what a person has published on another node. */
function OutdatedFiles({ files }: { readonly files: ApiPlaybookFolder['outdated'] }) {
  if (files.length === 0) return null
  return (
    <Alert color="orange" title="Files in the playbooks folder are outdated" w="100%">
      <Text size="sm">
        These files are older than the published versions, and Tocsin can't replace them. Put the published
        versions into the folder.
      </Text>
      <List size="sm" mt={4}>
        {files.slice(0, maxShown).map(({ file, playbook, changed_by: by }) => (
          <List.Item key={file} className="outside-text">
            {showInvisible(`${file}: ${playbook}, changed by ${by}`)}
          </List.Item>
        ))}
        {files.length > maxShown && <List.Item>{files.length - maxShown} more</List.Item>}
      </List>
    </Alert>
  )
}

function RefusedChange({ change }: { readonly change: ApiPlaybookFolder['refused_change'] | undefined }) {
  if (!change || change.reason === 'changing') return null
  const { reason, changed, problems } = change
  const files = changed === 1 ? '1 changed file is' : `${changed.toLocaleString()} changed files are`
  return (
    <Alert color="orange" title="Changes in the playbooks folder are not live" w="100%">
      <Text size="sm">
        {files} not published; the last valid versions stay live. {reasons[reason]}
      </Text>
      {problems.length > 0 && (
        <List size="sm" mt={4}>
          {problems.slice(0, maxShown).map(({ file, line, column, code, message, missing }) => (
            <List.Item key={`${file}:${line}:${column} ${code}`} className="outside-text">
              {showInvisible(`${file}:${line}:${column} ${code} ${message}`)}
              <MissingLinks missing={missing} />
            </List.Item>
          ))}
          {problems.length > maxShown && <List.Item>{problems.length - maxShown} more</List.Item>}
        </List>
      )}
    </Alert>
  )
}
