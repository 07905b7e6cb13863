import { Loader, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiGet } from '../../api/call.ts'
import type { ApiManualPlaybook } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { RunForm, type RunAbout } from './run-form.tsx'

interface RunDialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly about: RunAbout
  /** Name; undefined: a person chooses. */
  readonly playbook?: string
}

/** Runs a playbook about an observable, an alert or a case, or about nothing. */
export default function RunDialog({ opened, onClose, about, playbook }: RunDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={playbook === undefined ? 'Run playbook' : `Run ${playbook}`}
    >
      <Choice about={about} {...(playbook !== undefined && { playbook })} />
    </Dialog>
  )
}

/** Whether a playbook may run in an organization; undefined: not chosen yet. */
const mayRunIn = (owner: string | null, organization: string | undefined): boolean =>
  owner === null || organization === undefined || owner.toLowerCase() === organization.toLowerCase()

function Choice({ about, playbook }: Pick<RunDialogProps, 'about' | 'playbook'>) {
  const [chosen, choose] = useState<string | null>(playbook ?? null)
  const found = useQuery({
    queryKey: ['manual playbooks'],
    queryFn: () => apiGet<{ readonly data: readonly ApiManualPlaybook[] }>('/manual-playbooks'),
  })
  if (found.isPending) return <Loader size="sm" role="img" aria-label="Loading" />
  if (found.isLoadingError) return <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />
  const data = found.data.data.filter(({ organization_code: owner }) => mayRunIn(owner, about.organization))
  const selected = data.find(({ name }) => name === chosen)
  return (
    <Stack>
      {playbook === undefined && (
        <Select
          label="Playbook"
          placeholder="Choose a playbook"
          description={data.length === 0 ? 'No live playbook has “manual: true” in its “on”' : undefined}
          data={data.map(({ name }) => name)}
          value={chosen}
          onChange={choose}
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
        />
      )}
      {selected !== undefined && <RunForm key={selected.name} playbook={selected} about={about} />}
      {playbook !== undefined && selected === undefined && (
        <Text size="sm">This playbook is no longer live, or people may not start it.</Text>
      )}
    </Stack>
  )
}
