import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMay } from '../../session/session.ts'
import type { Validation } from '../playbook.ts'
import { DryRunForm } from './dry-run-form.tsx'
import type { DryRun } from './dry-run.ts'

interface DryRunButtonProps {
  /** As it is in the editor, saved or not. */
  readonly source: string
  readonly checked: Validation | undefined
  readonly onDone: (taken: {
    readonly answer: DryRun
    readonly about: string
    readonly source: string
  }) => void
}

/** Asks what the playbook would do. */
export function DryRunButton({ source, checked, onDone }: DryRunButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const may = useMay('analyst', 'admin')
  if (!may) return null
  return (
    <>
      <Button variant="default" disabled={(checked?.name ?? null) === null} onClick={open}>
        Dry run
      </Button>
      <Modal opened={opened && checked !== undefined} onClose={close} size="lg" title="Dry run">
        {checked !== undefined && (
          <DryRunForm
            source={source}
            checked={checked}
            onDone={(answer, about) => {
              close()
              onDone({ answer, about, source })
            }}
          />
        )}
      </Modal>
    </>
  )
}
