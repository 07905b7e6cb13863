import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, useMemo } from 'react'
import type { ApiAlert, ApiCaseDetail } from '../../api/types.ts'
import { WhenNeeded } from '../../parts/layout.tsx'
import { useMay } from '../../session/session.ts'
import type { RunAbout } from './run-form.tsx'

const RunDialog = lazy(() => import('./run-dialog.tsx'))

interface RunButtonProps {
  /** Pass the same object each time. */
  readonly about: RunAbout
  /** Name; undefined: a person chooses. */
  readonly playbook?: string
}

/** Opens the dialog that runs a playbook. */
export function RunButton({ about, playbook }: RunButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  if (!useMay('runs:write')) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {playbook === undefined ? 'Run playbook …' : 'Run manually'}
      </Button>
      <WhenNeeded isNeeded={opened}>
        <RunDialog
          opened={opened}
          onClose={close}
          about={about}
          {...(playbook !== undefined && { playbook })}
        />
      </WhenNeeded>
    </>
  )
}

export function RunForCase({ found }: { readonly found: ApiCaseDetail }) {
  const { case_id: caseId, organization_code: organization, observables } = found
  const about = useMemo(() => ({ organization, caseId, observables }), [organization, caseId, observables])
  return <RunButton about={about} />
}

/** The run works in the case of the alert, if it has one. */
export function RunForAlert({ alert }: { readonly alert: ApiAlert }) {
  const { alert_id: alertId, case_id: caseId, organization_code: organization, observables } = alert
  const about = useMemo(
    () => ({ organization, alertId, caseId, observables: observables ?? [] }),
    [organization, alertId, caseId, observables],
  )
  return <RunButton about={about} />
}
